"""The written-out kernel of a description: compiled, given room, and run over points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sweep.compiling.kept import once
from sweep.quantities.arrays import Array
from sweep.recurrence.general.row_tables import FLAT, OF_USE, SAME_OF, Tables
from sweep.recurrence.kernels import load
from sweep.recurrence.unrolled.kernel_text import KernelText
from sweep.recurrence.unrolled.reads import Read

MOST_ROOM = 1 << 24
"""Ends that a point's buffers may hold: 128 MiB."""


class UnrolledKernel:
    """Points of a description that have one CTA, in program order, without tables over tiles.

    Parameters
    ----------
    tables : Tables
    release : str
        For the kernel's name.
    """

    def __init__(self, tables: Tables, release: str) -> None:
        self.tables = tables
        self.text = KernelText(tables)
        self.source = self.text.written()
        self.function = load(f"{tables.schedule.name}_{release}_unrolled", self.source).kernel

    def run(
        self, points: Mapping[str, Array], per_tile: bool, cycles: Array, period: Array
    ) -> NDArray[np.bool_]:
        """Run 1-D arrays of points; return which of them are left for another engine."""
        size = cycles.size
        counts = self.tables.evaluated(points, size)
        tiles = np.broadcast_to(points["output_tiles"], size)
        layout, room, listed = self._layout(counts)
        left = np.ones(size, np.int8)
        if room <= MOST_ROOM:
            durations = self.tables.schedule.durations
            takes = np.empty((len(durations), size))
            for at, name in enumerate(durations):
                takes[at] = points[name]
            work, lists = np.empty(room), np.empty((3, listed))
            everything = np.vstack([counts, tiles[None]]).astype(np.int64)
            self.function(takes, everything, layout, work, lists, per_tile, cycles, period, left)
        return np.asarray(left != 0)

    def _layout(self, counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], int, int]:
        """Return where each buffer begins and its mask, the room of all, the length of a list."""
        most = counts.max(axis=1, initial=0)
        room = sum(turns for _, turns in self.text.turned())
        listed = room + len(self.text.rows.agents) + len(self.text.rows.units)
        layout = np.empty((len(self.text.layout), 2), np.int64)
        for at, key in enumerate(self.text.layout):
            held = max(self._held(read, most) for read in self.text.reads.buffers[key])
            size = 1 << (held - 1).bit_length()
            layout[at] = room, size - 1
            room += size
            listed += size
        return layout, room, listed

    def _held(self, read: Read, most: NDArray[np.int64]) -> int:
        """Return how many ends a read needs kept, where counts are at their largest."""
        need = self.tables.program.needs[read.number]
        lag = max(int(most[need[2]]) + int(need[4]), 0)
        behind = int(most[self.text.reads.rows[read.reader].behind])
        if read.kind == FLAT:
            return lag + behind + 2
        if read.kind == SAME_OF:
            loop = self.text.reads.rows[read.written].place - 1
            return (lag + 2) * int(most[self.text.reads.program.loop_counts[loop]]) + 2
        return lag + (behind if read.kind == OF_USE else 0) + 2


@once
def unrolled_of(tables: Tables, release: str) -> UnrolledKernel | None:
    """Return the written-out kernel of a description, None where no point could use it.

    It is compiled once, whatever the number of threads.
    """
    return UnrolledKernel(tables, release) if KernelText(tables).possible else None


def plain_points(points: Mapping[str, Any], size: int) -> NDArray[np.bool_]:
    """Return which points one CTA runs in program order from the start: no launch, no copies."""
    alone = np.asarray(points["ctas_per_sm"]) == 1
    once_launched = (np.asarray(points["single"]) == 0) | (np.asarray(points["output_tiles"]) <= 1)
    at_once = np.asarray(points["t_launch"]) == 0
    return np.broadcast_to(alone & once_launched & at_once, (size,))
