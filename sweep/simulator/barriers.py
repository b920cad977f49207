"""Barriers of the event-driven simulator: counted arrivals, seen also as a phase bit that flips."""

from __future__ import annotations

from typing import Any


class Barrier:
    """A barrier that counts arrivals; ``count`` arrivals complete a phase.

    The two views are the same object: the n-th arrival is counted, and a hardware mbarrier
    initialised with ``count`` shows the parity of the phase it is in.

    Parameters
    ----------
    name : str
        What it announces ("full", "empty", "turn"); traces and deadlocks name it so.
    slot : int, optional
        The stage of the ring it belongs to.
    count : int
        Arrivals that complete one phase, at least 1.

    References
    ----------
    NVIDIA, *PTX ISA*, "mbarrier": ``mbarrier.init``, ``arrive``, ``try_wait.parity``.

    Examples
    --------
    >>> empty = Barrier("empty", slot=0, count=2)
    >>> empty.arrivals = 3
    >>> empty.phase, empty.parity, empty.passed(1), empty.passed_parity(0)
    (1, 1, True, True)
    """

    __slots__ = ("arrivals", "count", "name", "slot", "waiting")

    def __init__(self, name: str, slot: int | None = None, count: int = 1) -> None:
        self.name = name
        self.slot = slot
        self.count = count
        self.arrivals = 0
        self.waiting: list[tuple[int, Any]] = []  # arrivals that an agent waits for, and the agent

    @property
    def phase(self) -> int:
        """The phase it is in: how many are complete."""
        return self.arrivals // self.count

    @property
    def parity(self) -> int:
        """The phase bit: 0 in the first phase, then 1, 0, ..."""
        return self.phase & 1

    def passed(self, arrivals: int) -> bool:
        """Tell whether that many arrivals have happened."""
        return self.arrivals >= arrivals

    def passed_parity(self, parity: int) -> bool:
        """Tell whether the latest phase of that parity is complete.

        As with ``mbarrier.try_wait.parity``, the phase before the first counts as complete, so
        that a producer that starts with parity 1 finds every slot empty.
        """
        return self.parity != parity

    def arrivals_to_flip(self) -> int:
        """Return the total arrivals that complete the current phase."""
        return (self.phase + 1) * self.count

    def describe(self, arrivals: int) -> str:
        """Name the barrier, its slot and the phase that ends with that many arrivals."""
        phase = (arrivals - 1) // self.count
        there = self.arrivals - phase * self.count
        where = "" if self.slot is None else f" slot {self.slot}"
        return (
            f"{self.name}{where} phase {phase} "
            f"(parity {phase & 1}, {max(there, 0)} of {self.count} arrivals)"
        )
