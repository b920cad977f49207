"""What a schedule declares by name: loops, agents, resources, rings, counts and durations.

Counts, durations and factors of a schedule's own stand beside those of the registry, under the
same rules: a name has one meaning and one unit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Steps = int | str
"""A number of iterations: 3, "stages", "stages - 1" or "2 * stages + 1"."""
Formula = str | Callable[..., Any]
"""An expression such as "2 * tile_m * tile_n", or a vectorised function of what it needs."""
Memory = Literal["shared", "tensor", "registers"]
Service = Literal["ordered", "fifo"]


@dataclass(frozen=True)
class Loop:
    """A loop of an output tile; a row says by its ``place`` which loop it belongs to.

    Attributes
    ----------
    name : str
        What rows call it.
    count : int or str
        Its iterations in a tile: a number, or the name of a count. It may be 0.
    """

    name: str
    count: Steps


@dataclass(frozen=True)
class Agent:
    """A warp, or warps that act as one: it performs its rows in program order.

    Attributes
    ----------
    name : str
    warps : int
        How many it has, for the budgets of threads and registers.
    registers : int
        Per thread, as ``setmaxnreg`` sets them: 24 to 256 in steps of 8. 0 where not stated.
    turns : int
        How many of it there are: output tile u belongs to number u mod turns, ``name_0`` first.
    """

    name: str
    warps: int = 4
    registers: int = 0
    turns: int = 1

    @property
    def each(self) -> tuple[str, ...]:
        """The agents as traces name them."""
        if self.turns == 1:
            return (self.name,)
        return tuple(f"{self.name}_{turn}" for turn in range(self.turns))


@dataclass(frozen=True)
class Resource:
    """A unit of the SM beside the built-in ones; it serves one use at a time.

    Attributes
    ----------
    name : str
        What rows say in ``on``; its utilisation is the output ``<name>_utilization``.
    service : {"ordered", "fifo"}
        In program order, or who asked first.
    """

    name: str
    service: Service = "ordered"


@dataclass(frozen=True, init=False)
class Ring:
    """Slots that uses fill in turn and other rows free.

    Use r of m in iteration q takes slot number q*m + r modulo the slots; it waits for every row
    that frees use number q*m + r - slots.

    Attributes
    ----------
    name : str
    slots : int or str
        How many there are.
    uses : tuple of (str, tuple of str)
        Rows that fill a slot, in the order of an iteration, each with the rows that free it.
        A mapping is taken too.
    memory : {"shared", "tensor", "registers"}
        Where a slot lies: bytes of shared memory, columns of Tensor Memory, registers per thread.
    size : str or callable
        What a slot takes there; "" where it takes nothing that is counted.
    """

    name: str
    slots: Steps
    uses: tuple[tuple[str, tuple[str, ...]], ...]
    memory: Memory
    size: Formula

    def __init__(
        self,
        name: str,
        slots: Steps,
        uses: Mapping[str, tuple[str, ...]] | tuple[tuple[str, tuple[str, ...]], ...],
        memory: Memory = "shared",
        size: Formula = "",
    ) -> None:
        pairs = tuple(uses.items()) if isinstance(uses, Mapping) else tuple(uses)
        for field, value in zip(
            ("name", "slots", "uses", "memory", "size"),
            (name, slots, pairs, memory, size),
            strict=True,
        ):
            object.__setattr__(self, field, value)


@dataclass(frozen=True)
class Count:
    """A whole number that a schedule of one's own is given: slots, blocks, buffers.

    Attributes
    ----------
    name : str
    default : int
    least : int
        The smallest that is allowed.
    unit : str
    long_name : str
    """

    name: str
    default: int
    least: int = 1
    unit: str = "1"
    long_name: str = ""


@dataclass(frozen=True)
class Factor:
    """A number that formulas of a schedule use, such as a share.

    Attributes
    ----------
    name : str
    default : float
    least, most : float
        The range that is allowed.
    unit : str
    long_name : str
    """

    name: str
    default: float
    least: float = 0.0
    most: float = float("inf")
    unit: str = "1"
    long_name: str = ""


@dataclass(frozen=True)
class Duration:
    """A cycle parameter of a schedule.

    Attributes
    ----------
    name : str
        ``t_...``.
    long_name : str
    formula : str, callable or None
        From physical parameters, counts and factors, by name; rounded once to the grid. A
        duration of the registry gets another formula here. Without one it has to be given.
    """

    name: str
    long_name: str = ""
    formula: Formula | None = None
