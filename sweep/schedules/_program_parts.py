"""What the programs of kernels with rings share: slots with their barriers, tables over tiles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sweep.simulator.barriers import Barrier
from sweep.simulator.operations import ONCE_PER_TILE, AsyncUse, Busy, Program, Wait
from sweep.simulator.resources import Resource


class Slots:
    """The slots of a ring: ``full`` when a use's data is there, ``empty`` when all have read it.

    A use has a number, counted over the whole run; it lies in the slot of that number modulo the
    slots.

    Parameters
    ----------
    slots : int
        How many there are.
    readers : int
        Arrivals that free a slot.
    name : str
        Put before "full" and "empty" where a kernel has several rings.
    """

    def __init__(self, slots: int, readers: int = 1, name: str = "") -> None:
        full, empty = (f"{name} {state}".strip() for state in ("full", "empty"))
        self._full = [Barrier(full, slot) for slot in range(slots)]
        self._empty = [Barrier(empty, slot, readers) for slot in range(slots)]

    def full(self, use: int) -> Barrier:
        """Return what the copy of a use arrives at."""
        return self._full[use % len(self._full)]

    def empty(self, use: int) -> Barrier:
        """Return what the readers of a use arrive at."""
        return self._empty[use % len(self._empty)]

    def wait_full(self, use: int) -> Wait:
        """Wait for the data of a use."""
        return Wait(self.full(use), use // len(self._full) + 1)

    def wait_read(self, use: int) -> Wait:
        """Wait until a use has been read."""
        empty = self.empty(use)
        return Wait(empty, (use // len(self._empty) + 1) * empty.count)

    def wait_empty(self, use: int) -> Wait:
        """Wait until the slot's previous use has been read; its first finds it empty."""
        empty = self.empty(use)
        return Wait(empty, use // len(self._empty) * empty.count)


class Tile(NamedTuple):
    """An output tile of a run.

    Attributes
    ----------
    number : int
    p : mapping
        Its parameters: of a table over tiles its own entry.
    steps : int
        Iterations of its main loop; there may be none.
    first : int
        Iterations of all tiles before it.
    filled : int
        How many of the tiles before it had any iteration.
    """

    number: int
    p: Mapping[str, Any]
    steps: int
    first: int
    filled: int


def tiles_of(p: Mapping[str, Any], loop: str) -> Iterator[Tile]:
    """Yield the output tiles; ``loop`` is the count of their main loop."""
    tables = {name: value for name, value in p.items() if _is_table(value)}
    first = filled = 0
    for number in range(p.get("output_tiles", 1)):
        own = {**p, **{name: value[number] for name, value in tables.items()}}
        steps = own[loop]
        yield Tile(number, own, steps, first, filled)
        first += steps
        filled += steps > 0


def _is_table(value: object) -> bool:
    return not isinstance(value, str) and hasattr(value, "__len__")


def k_tile_copies(p: Mapping[str, Any], copy_path: Resource, ring: Slots) -> Program:
    """Fill the ring: for every k-tile of every tile wait for its slot, issue the copy."""
    for tile in tiles_of(p, "k_tiles"):
        for k in range(tile.steps):
            use = tile.first + k
            yield ring.wait_empty(use)
            yield Busy("issue", tile.p["t_issue"], tile.number, k)
            yield load(copy_path, "transfer", tile, k, (ring.full(use),))


def load(
    copy_path: Resource,
    name: str,
    tile: Tile,
    step: int = ONCE_PER_TILE,
    signals: tuple[Barrier, ...] = (),
) -> AsyncUse:
    """Issue a copy that takes ``t_<name>`` on the copy path and arrives ``t_latency`` later."""
    times = tile.p[f"t_{name}"], tile.p["t_latency"]
    return AsyncUse(copy_path, name, *times, signals, tile.number, step)
