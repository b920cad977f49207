"""What a schedule is: rows on lines, in the order of one step, and what it declares by name."""

from sweep.description.declared import (
    Agent,
    Count,
    Duration,
    Factor,
    Formula,
    Loop,
    Resource,
    Ring,
    Steps,
)
from sweep.description.rows import DRAIN, END, MAIN, START, After, Event
from sweep.description.schedule import RESOURCES, Family, Schedule, count_names, unique

__all__ = [
    "DRAIN",
    "END",
    "MAIN",
    "RESOURCES",
    "START",
    "After",
    "Agent",
    "Count",
    "Duration",
    "Event",
    "Factor",
    "Family",
    "Formula",
    "Loop",
    "Resource",
    "Ring",
    "Schedule",
    "Steps",
    "count_names",
    "unique",
]
