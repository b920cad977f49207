"""The rows of a copy: a transfer that occupies the copy path, and its latency."""

from __future__ import annotations

from sweep.description import MAIN, After, Event, Steps


def copy_rows(
    agent: str,
    name: str,
    arrival: str,
    takes: str,
    place: str = MAIN,
    behind: Steps = 0,
) -> tuple[Event, Event]:
    """List the transfer of a block, which its agent does not wait for, and its arrival.

    Parameters
    ----------
    agent : str
        Who issues it.
    name, arrival : str
        The two rows.
    takes : str
        Time on the copy path; the latency is ``t_latency``.
    place : str
        The loop, or the place once per tile.
    behind : int or str
        Steps that both are behind.
    """
    after = (After(name),)
    return (
        Event(name, agent, "MEM", takes, asynchronous=True, behind=behind, place=place),
        Event(arrival, takes="t_latency", after=after, behind=behind, place=place),
    )


def issued_copy_rows(agent: str) -> tuple[Event, Event, Event]:
    """List the rows of a k-tile's copy: issue, transfer, arrive; a ring makes the issue wait."""
    return (
        Event("issue", agent, takes="t_issue"),
        *copy_rows(agent, "transfer", "arrive", "t_transfer"),
    )
