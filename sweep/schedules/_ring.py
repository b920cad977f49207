"""The rows that every schedule with a producer and a ring of stages shares."""

from __future__ import annotations

from sweep.description import After, Event


def producer_rows(*releases: str) -> tuple[Event, ...]:
    """List the producer's events: wait for the slot, issue, transfer, latency.

    Parameters
    ----------
    *releases : str
        The events that free a slot; all of them must have happened.
    """
    freed = tuple(After(name, lag="stages") for name in releases)
    return (
        Event("wait_slot", "producer", takes="t_sync", after=freed, starts_at="stages"),
        Event("issue", "producer", takes="t_issue"),
        Event("transfer", "producer", on="MEM", takes="t_transfer", asynchronous=True),
        Event("arrive", takes="t_latency", after=(After("transfer"),), signals="full"),
    )


def consumer_rows(release: str, consumer: str = "consumer") -> tuple[Event, ...]:
    """List the events of a consumer that owns its tile: wait, issue the MMA, release the slot."""
    return (
        Event("wait_copy", consumer, takes="t_sync", after=(After("arrive"),)),
        Event("mma", consumer, on="TC", takes="t_mma", asynchronous=True),
        Event("complete", takes="t_mma_latency", after=(After("mma"),), signals="mma"),
        release_row(release, consumer),
    )


def release_row(release: str, consumer: str, name: str = "release") -> Event:
    """Describe how a slot is freed: by the consumer, late, or by the hardware at completion."""
    if release == "hardware":
        return Event(name, after=(After("complete"),), signals="empty")
    return Event(
        name,
        consumer,
        after=(After("complete"),),
        behind="mma_in_flight",
        drain_after="complete",
        operation="release",
        signals="empty",
    )


def epilogue_row(consumer: str = "consumer", name: str = "epilogue") -> Event:
    """Describe the epilogue: once a tile, when the last MMA is complete."""
    return Event(
        name,
        consumer,
        takes="t_epilogue",
        after=(After("complete"),),
        place="tile_end",
        operation="epilogue",
    )
