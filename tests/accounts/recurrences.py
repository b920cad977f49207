"""A third account of the eleven schedules: hand-written scalar recurrences, one registry.

They share nothing with the generated kernels or the event-driven simulator. The tests hold all
three against each other, and the benchmarks use the plain batch functions as the baseline that an
ordinary well-written Numba recurrence sets.

>>> point = dict(t_issue=10, t_transfer=768, t_latency=700, t_mma=1024, t_epilogue=1280)
>>> RECURRENCES["warp_specialized"].cycles({**point, "stages": 4, "k_tiles": 64})
68294.0
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tests.accounts import recurrences_attention as attention
from tests.accounts import recurrences_shared_ring as shared_ring
from tests.accounts import recurrences_shared_ring_extended as shared_ring_extended
from tests.accounts import recurrences_single_tile as single_tile
from tests.accounts import recurrences_warp_specialized as warp_specialized

Floats = npt.NDArray[np.float64]

COUNTS: Final = frozenset({"stages", "k_tiles", "output_tiles", "kv_blocks", "mma_in_flight"})
EXTENSIONS_OFF: Final[Mapping[str, Any]] = MappingProxyType(
    {"t_sync": 0.0, "t_mma_latency": 0.0, "mma_in_flight": 0, "release": "consumer"}
)


@dataclass(frozen=True)
class Recurrence:
    """One schedule's recurrences and the parameters they take, in order.

    Parameters
    ----------
    scalar, batch
        The plain recurrence (extensions off) of one point, followed by `rings` scratch arrays of
        at least ``stages`` entries, and of 1-D arrays of points (no scratch).
    parameters
        Names of the arguments of `batch`.
    extended, extended_batch
        The same with all extensions; arguments `parameters` followed by `extensions`. The
        argument ``release`` is passed to them as True for hardware.
    extensions
        Names of the extensions, empty where the schedule has none.
    rings, extended_rings
        Number of scratch arrays that the scalar functions take.
    """

    scalar: Callable[..., float]
    batch: Callable[..., Floats]
    parameters: tuple[str, ...]
    extended: Callable[..., float]
    extended_batch: Callable[..., Floats]
    extensions: tuple[str, ...] = ()
    rings: int = 0
    extended_rings: int = 0

    def cycles(self, p: Mapping[str, Any]) -> float:
        """Makespan of one point in cycles, extensions off; other keys of `p` are ignored."""
        return self.scalar(*_values(p, self.parameters), *_scratch(p, self.rings))

    def extended_cycles(self, p: Mapping[str, Any]) -> float:
        """Makespan of one point in cycles; extensions missing in `p` are off. NaN: deadlock."""
        p = {**EXTENSIONS_OFF, **p}
        values = _values(p, self.parameters + self.extensions)
        return self.extended(*values, *_scratch(p, self.extended_rings))

    def batch_cycles(self, p: Mapping[str, Any]) -> Floats:
        """Makespans of points given as scalars and 1-D arrays, extensions off."""
        return self.batch(*_columns(p, self.parameters))

    def extended_batch_cycles(self, p: Mapping[str, Any]) -> Floats:
        """Makespans of points given as scalars and 1-D arrays. NaN: deadlock."""
        return self.extended_batch(
            *_columns({**EXTENSIONS_OFF, **p}, self.parameters + self.extensions)
        )


def _values(p: Mapping[str, Any], names: tuple[str, ...]) -> list[float | int | bool]:
    return [
        p[name] == "hardware"
        if name == "release"
        else int(p[name])
        if name in COUNTS
        else float(p[name])
        for name in names
    ]


def _scratch(p: Mapping[str, Any], rings: int) -> list[Floats]:
    return [np.empty(int(p["stages"])) for _ in range(rings)]


def _columns(p: Mapping[str, Any], names: tuple[str, ...]) -> list[npt.NDArray[Any]]:
    columns = [
        np.atleast_1d(p[name]) == "hardware"
        if name == "release"
        else np.atleast_1d(np.asarray(p[name], np.int64 if name in COUNTS else np.float64))
        for name in names
    ]
    (points,) = np.broadcast_shapes(*(column.shape for column in columns))
    return [np.ascontiguousarray(np.broadcast_to(column, points)) for column in columns]


_COPY = ("t_issue", "t_transfer", "t_latency")
_TILE = (*_COPY, "t_mma", "t_epilogue")
_RING = (*_TILE, "stages", "k_tiles")
_BLOCK = ("t_gemm0", "t_gemm1", "t_exp", "t_softmax", "kv_blocks")
_ASYNCHRONOUS = ("t_sync", "t_mma_latency", "mma_in_flight", "release")


def _attention(scalar: Callable[..., float], batch: Callable[..., Floats]) -> Recurrence:
    return Recurrence(scalar, batch, _BLOCK, scalar, batch)


def _shared_ring(
    scalar: Callable[..., float],
    batch: Callable[..., Floats],
    extended: Callable[..., float],
    extended_batch: Callable[..., Floats],
) -> Recurrence:
    parameters = (*_RING, "output_tiles")
    return Recurrence(scalar, batch, parameters, extended, extended_batch, _ASYNCHRONOUS, 1, 2)


RECURRENCES: Final[Mapping[str, Recurrence]] = MappingProxyType(
    {
        "sync": Recurrence(
            single_tile.sync,
            single_tile.sync_batch,
            (*_TILE, "k_tiles"),
            single_tile.sync_extended,
            single_tile.sync_extended_batch,
            ("t_sync",),
        ),
        "register_staged": Recurrence(
            single_tile.register_staged,
            single_tile.register_staged_batch,
            (*_COPY, "t_store", "t_mma", "t_epilogue", "k_tiles"),
            single_tile.register_staged_extended,
            single_tile.register_staged_extended_batch,
            ("t_sync",),
        ),
        "multistage": Recurrence(
            single_tile.multistage,
            single_tile.multistage_batch,
            _RING,
            single_tile.multistage_extended,
            single_tile.multistage_extended_batch,
            ("t_sync",),
            1,
            1,
        ),
        "warp_specialized": Recurrence(
            warp_specialized.warp_specialized,
            warp_specialized.warp_specialized_batch,
            _RING,
            warp_specialized.warp_specialized_extended,
            warp_specialized.warp_specialized_extended_batch,
            _ASYNCHRONOUS,
            1,
            2,
        ),
        "persistent": _shared_ring(
            shared_ring.persistent,
            shared_ring.persistent_batch,
            shared_ring_extended.persistent_extended,
            shared_ring_extended.persistent_extended_batch,
        ),
        "cooperative": _shared_ring(
            shared_ring.persistent,
            shared_ring.persistent_batch,
            shared_ring_extended.cooperative_extended,
            shared_ring_extended.cooperative_extended_batch,
        ),
        "pingpong": _shared_ring(
            shared_ring.pingpong,
            shared_ring.pingpong_batch,
            shared_ring_extended.pingpong_extended,
            shared_ring_extended.pingpong_extended_batch,
        ),
        "attention_serial": _attention(
            attention.attention_serial, attention.attention_serial_batch
        ),
        "attention_pingpong": _attention(
            attention.attention_pingpong, attention.attention_pingpong_batch
        ),
        "attention_overlap": _attention(
            attention.attention_overlap, attention.attention_overlap_batch
        ),
        "attention_pingpong_overlap": _attention(
            attention.attention_pingpong_overlap, attention.attention_pingpong_overlap_batch
        ),
    }
)
