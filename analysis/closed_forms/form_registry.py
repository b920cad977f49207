"""Every closed form by name: makespans, and periods of the tile-level schedules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from analysis.closed_forms import attention, shared_ring, single_tile, tile_period
from analysis.closed_forms import shared_ring_by_hand as by_hand
from analysis.closed_forms.arithmetic import Arithmetic, Formula, Values
from analysis.closed_forms.domain import Condition
from analysis.closed_forms.form import ClosedForm

_COPY = ("t_issue", "t_transfer", "t_latency", "t_mma")
_SYNC = (*_COPY, "t_epilogue", "k_tiles")
_STAGED = (*_COPY, "t_store", "t_epilogue", "k_tiles")
_RING = (*_COPY, "t_epilogue", "stages", "k_tiles")
_TILES = (*_RING, "output_tiles")
_BLOCKS = ("t_gemm0", "t_gemm1", "t_exp", "t_softmax", "kv_blocks")


def _parameter(name: str) -> Formula:
    return lambda p, use: p[name]


def _copies(p: Values, use: Arithmetic) -> Any:
    return p["t_transfer"] + p["t_latency"]


def _trip(p: Values, use: Arithmetic) -> Any:
    return single_tile.round_trip(p)


def _covered(p: Values, use: Arithmetic) -> Any:
    return (use.smallest(p["stages"], p["k_tiles"]) - 1) * p["t_mma"]


_TRIP = "t_issue + t_transfer + t_latency + t_mma"
_BEAT = "max(t_issue, t_transfer, t_mma)"
DEEP = Condition(f"{_TRIP} <= stages * {_BEAT}", _trip, by_hand.ring_time)
STARVED = Condition(f"stages * {_BEAT} <= {_TRIP}", by_hand.ring_time, _trip)
COMPUTE = Condition("max(t_issue, t_transfer) <= t_mma", by_hand.loader, _parameter("t_mma"))
HIDDEN_COPIES = Condition(
    "t_transfer + t_latency <= (min(stages, k_tiles) - 1) * t_mma", _copies, _covered
)
HIDDEN_EPILOGUE = Condition(
    f"t_epilogue <= (k_tiles + 1) * {_BEAT} - t_mma",
    _parameter("t_epilogue"),
    by_hand.hides_epilogue,
)
HIDDEN_SOFTMAX = Condition(
    "t_exp + t_softmax <= t_gemm0 + t_gemm1",
    lambda p, use: p["t_exp"] + p["t_softmax"],
    lambda p, use: p["t_gemm0"] + p["t_gemm1"],
)
TWO_BLOCKS = Condition("2 <= kv_blocks", lambda p, use: 2, _parameter("kv_blocks"), units="")


Rows = tuple[tuple[str, Formula, tuple[Condition, ...]], ...]

_MULTISTAGE: Rows = (
    ("general", single_tile.multistage, ()),
    ("hidden_copies", single_tile.multistage_hidden_copies, (COMPUTE, HIDDEN_COPIES)),
)
_WARP_SPECIALIZED: Rows = (
    ("general", single_tile.warp_specialized, ()),
    ("deep_ring", single_tile.warp_specialized_deep_ring, (DEEP,)),
    ("compute_bound", single_tile.warp_specialized_compute_bound, (DEEP, COMPUTE)),
    ("starved", single_tile.warp_specialized_starved, (STARVED,)),
)
_PERSISTENT: Rows = (
    ("general", shared_ring.persistent, ()),
    ("deep_ring", by_hand.persistent_deep_ring, (DEEP,)),
    ("compute_bound", by_hand.persistent_compute_bound, (DEEP, COMPUTE)),
)
_PINGPONG: Rows = (
    ("general", shared_ring.pingpong, ()),
    ("deep_ring", by_hand.pingpong_deep_ring, (DEEP,)),
    ("compute_bound", by_hand.pingpong_compute_bound, (DEEP, COMPUTE)),
    ("hidden_epilogue", by_hand.pingpong_hidden_epilogue, (HIDDEN_EPILOGUE,)),
)
_PERSISTENT_PERIOD: Rows = (
    ("general", tile_period.persistent_period, ()),
    ("deep_ring", tile_period.persistent_deep_ring_period, (DEEP,)),
    ("compute_bound", tile_period.persistent_compute_bound_period, (DEEP, COMPUTE)),
)
_PINGPONG_PERIOD: Rows = (
    ("general", tile_period.pingpong_period, ()),
    ("deep_ring", tile_period.pingpong_deep_ring_period, (DEEP,)),
    ("compute_bound", tile_period.pingpong_compute_bound_period, (DEEP, COMPUTE)),
    ("hidden_epilogue", tile_period.pingpong_hidden_epilogue_period, (HIDDEN_EPILOGUE,)),
)


def _single_tile() -> Iterator[ClosedForm]:
    yield ClosedForm("sync", "general", "exact", _SYNC, single_tile.sync)
    yield ClosedForm("register_staged", "general", "exact", _STAGED, single_tile.register_staged)
    for schedule, rows in (("multistage", _MULTISTAGE), ("warp_specialized", _WARP_SPECIALIZED)):
        for name, function, conditions in rows:
            yield ClosedForm(schedule, name, "exact", _RING, function, conditions)


def _attention() -> Iterator[ClosedForm]:
    for function in (
        attention.attention_serial,
        attention.attention_pingpong,
        attention.attention_overlap,
        attention.attention_pingpong_overlap,
    ):
        yield ClosedForm(function.__name__, "general", "exact", _BLOCKS, function)
    yield ClosedForm(
        "attention_pingpong",
        "hidden_softmax",
        "exact",
        _BLOCKS,
        attention.attention_pingpong_hidden_softmax,
        (HIDDEN_SOFTMAX, TWO_BLOCKS),
    )


def _tile_level() -> Iterator[ClosedForm]:
    for schedule in ("persistent", "cooperative", "pingpong"):
        for name, function, conditions in _PINGPONG if schedule == "pingpong" else _PERSISTENT:
            bounded = name != "general"
            yield ClosedForm(schedule, name, "exact", _TILES, function, conditions, bounded)


def _tile_periods() -> Iterator[ClosedForm]:
    for schedule in ("persistent", "cooperative", "pingpong"):
        rows = _PINGPONG_PERIOD if schedule == "pingpong" else _PERSISTENT_PERIOD
        for name, function, conditions in rows:
            bounded = name != "general"
            yield ClosedForm(
                schedule, name, "asymptotic", _RING, function, conditions, bounded, "period"
            )


def _by_name(*groups: Iterator[ClosedForm]) -> Mapping[str, ClosedForm]:
    forms = [form for group in groups for form in group]
    return MappingProxyType(
        {
            form.schedule if form.name == "general" else f"{form.schedule}.{form.name}": form
            for form in forms
        }
    )


CLOSED_FORMS: Mapping[str, ClosedForm] = _by_name(_single_tile(), _tile_level(), _attention())
"""Makespans: "multistage" on the whole domain, "multistage.hidden_copies" on a part of it."""

TILE_PERIODS: Mapping[str, ClosedForm] = _by_name(_tile_periods())
"""Steady cycles per output tile of the tile-level schedules, named likewise."""
