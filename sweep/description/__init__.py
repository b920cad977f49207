"""What a schedule is: a list of events on lines, in the order of one step."""

from sweep.description.schedule import (
    RESOURCES,
    After,
    Count,
    Event,
    Family,
    Place,
    Schedule,
    unique,
)

__all__ = [
    "RESOURCES",
    "After",
    "Count",
    "Event",
    "Family",
    "Place",
    "Schedule",
    "unique",
]
