"""The program of a kernel with a producer, a ring of stages, and consumers that release its slots.

``full[slot]`` gets an arrival when a copy is there, ``empty[slot]`` one from each consumer that
has released the slot (``release="consumer"``) or one from the Tensor Core when the slot's MMA is
complete (``release="hardware"``, Blackwell's ``tcgen05.commit``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Any

from sweep.simulator.barriers import Barrier
from sweep.simulator.operations import Arrive, AsyncUse, Busy, Program, Wait
from sweep.simulator.simulation import Simulation


class Ring:
    """The shared stages, the resources and durations of one kernel.

    Parameters
    ----------
    simulation : Simulation
        Where the resources are added.
    p : mapping
        ``stages k_tiles t_issue t_transfer t_latency t_mma t_mma_latency t_epilogue t_sync
        release``, with ``release="consumer"`` also ``mma_in_flight``. A tuple is a table over the
        output tiles.
    output_tiles : int
        Output tiles that pass through the ring.
    sharers : int
        Consumers that use every slot.
    mma_order : iterable of str, optional
        Whose MMAs the Tensor Core serves, one by one, where more than one consumer asks.
    """

    def __init__(
        self,
        simulation: Simulation,
        p: Mapping[str, Any],
        output_tiles: int,
        sharers: int = 1,
        mma_order: Iterable[str] | None = None,
    ) -> None:
        self.output_tiles = output_tiles
        self.tiles = [_in_tile(p, tile) for tile in range(output_tiles)]
        self.before = list(accumulate((own["k_tiles"] for own in self.tiles), initial=0))
        self.stages = p["stages"]
        self.hardware = p["release"] == "hardware"
        self.tensor_core = simulation.resource("TC", mma_order)
        self.copy_path = simulation.resource("MEM")
        releases = 1 if self.hardware else sharers
        self.full = [Barrier("full", slot) for slot in range(self.stages)]
        self.empty = [Barrier("empty", slot, releases) for slot in range(self.stages)]

    def producer(self) -> Program:
        """Fill the ring: for every k-tile of every tile, wait for the slot, issue the copy."""
        for tile, p in enumerate(self.tiles):
            t_sync, t_issue, copy = p["t_sync"], p["t_issue"], (p["t_transfer"], p["t_latency"])
            for k in range(p["k_tiles"]):
                reuses, slot = divmod(self.before[tile] + k, self.stages)
                if reuses:
                    empty = self.empty[slot]
                    yield Wait(empty, reuses * empty.count)
                    yield Busy("wait_slot", t_sync, tile, k)
                yield Busy("issue", t_issue, tile, k)
                yield AsyncUse(self.copy_path, "transfer", *copy, (self.full[slot],), tile, k)

    def mainloop(
        self, tile: int, mmas: Barrier, partner: Barrier | None = None, leads: bool = True
    ) -> Program:
        """Issue an MMA for each k-tile and release slots ``mma_in_flight`` MMAs late.

        Parameters
        ----------
        tile : int
            The output tile.
        mmas : Barrier
            Gets one arrival for each complete MMA of this tile.
        partner : Barrier, optional
            Where the consumers that share a tile meet before each MMA.
        leads : bool
            Whether this consumer stands for all that share the MMA.
        """
        p, in_flight = self.tiles[tile], self._in_flight(tile)
        t_sync, t_mma, latency = (p[t] for t in ("t_sync", "t_mma", "t_mma_latency"))
        for k in range(p["k_tiles"]):
            reuses, slot = divmod(self.before[tile] + k, self.stages)
            yield Wait(self.full[slot], reuses + 1)
            yield Busy("wait_copy", t_sync, tile, k)
            if partner is not None:
                yield Arrive(partner)
                yield Wait(partner, partner.count * (self.before[tile] + k + 1))
            if leads:
                signals = (mmas, self.empty[slot]) if self.hardware else (mmas,)
                yield AsyncUse(self.tensor_core, "mma", t_mma, latency, signals, tile, k)
            if k >= in_flight:  # wait_group
                yield Wait(mmas, k - in_flight + 1)
                yield self._release(tile, k - in_flight)

    def drain(self, tile: int, mmas: Barrier) -> Program:
        """Wait for the tile's last MMA and release the slots still held."""
        k_tiles = self.tiles[tile]["k_tiles"]
        yield Wait(mmas, k_tiles)
        if not self.hardware:
            for k in range(max(k_tiles - self._in_flight(tile), 0), k_tiles):
                yield self._release(tile, k)

    def epilogue(self, tile: int) -> Busy:
        """Convert and store the output tile."""
        return Busy("epilogue", self.tiles[tile]["t_epilogue"], tile)

    def _in_flight(self, tile: int) -> int:
        """Return how many MMAs are not waited for: all of a tile where hardware releases slots."""
        count: int = self.tiles[tile]["k_tiles" if self.hardware else "mma_in_flight"]
        return count

    def _release(self, tile: int, k: int) -> Arrive:
        return Arrive(self.empty[(self.before[tile] + k) % self.stages], "release", tile, k)


def _in_tile(p: Mapping[str, Any], tile: int) -> dict[str, Any]:
    """Return the parameters of an output tile: of a table its own value."""
    return {name: one[tile] if isinstance(one, tuple) else one for name, one in p.items()}


def consumer(ring: Ring) -> Program:
    """Multiply one output tile after the other, each with its epilogue."""
    for tile in range(ring.output_tiles):
        mmas = Barrier("mma")
        yield from ring.mainloop(tile, mmas)
        yield from ring.drain(tile, mmas)
        yield ring.epilogue(tile)
