"""Schedules with names of their own: one that the generated kernel runs, one with all there is."""

from __future__ import annotations

from typing import Any

import numpy as np

from sweep.description import (
    After,
    Agent,
    Count,
    Duration,
    Event,
    Loop,
    Resource,
    Ring,
    Schedule,
)

FENCED_FILE = '''
"""A multiplication behind a fence, whose time follows from names of its own."""

from sweep.description import After, Count, Duration, Event, Factor, Schedule

SCHEDULE = Schedule(
    name="fenced",
    shape="gemm",
    summary="a fence before each MMA",
    reference="a test",
    agents=("warp",),
    events=(
        Event("issue", "warp", takes="t_issue"),
        Event("transfer", "warp", on="MEM", takes="t_transfer", asynchronous=True),
        Event("arrive", takes="t_latency", after=("transfer",)),
        Event("fence", "warp", takes="t_fence", after=("arrive",)),
        Event("mma", "warp", on="TC", takes="t_mma"),
        Event("epilogue", "warp", takes="t_epilogue", place="end"),
    ),
    fixed_stages=1,
    declares=(
        Count("fence_ops", 6, least=2, long_name="operations of a fence", most=4096),
        Factor("fence_share", 0.25, most=1.0, long_name="share of a fence that is not hidden"),
        Duration("t_fence", "time of a fence", "fence_share * fence_ops * tile_m / fma_lanes"),
        Duration("t_transfer", formula="(tile_m + tile_n / 2) * tile_k * 2 / mem_bytes_per_cycle"),
    ),
)
'''


def fenced(**changes: Any) -> Schedule:
    """Return the schedule of ``FENCED_FILE`` with some fields changed."""
    names: dict[str, Any] = {}
    exec(FENCED_FILE, names)  # the file's text is the schedule
    fields = {
        one: getattr(names["SCHEDULE"], one) for one in names["SCHEDULE"].__dataclass_fields__
    }
    return Schedule(**(fields | {"events": fields["events"].rows} | changes))


def _drain(t_mma: Any, parts_count: Any) -> Any:
    return t_mma / np.maximum(parts_count, 1)


DRAINED = Schedule(
    name="drained",
    shape="gemm",
    summary="two loops, three rings, a resource of its own, copies",
    reference="a test",
    agents=(Agent("load", 1), Agent("mma", 1), Agent("drainer", 4, registers=168, turns=2)),
    events=(
        Event("copy", "load", "MEM", "t_transfer", asynchronous=True),
        Event("arrive", takes="t_latency", after=("copy",)),
        Event("acquire", "mma", place="start"),
        Event("mma", "mma", "TC", "t_mma", ("arrive",), asynchronous=True, behind=1),
        Event("scale", "mma", "FMA", "t_scale", every="scale_every", skips=1),
        Event("late", "mma", "MEM", "t_late", starts_at="slots", place="parts"),
        Event("drain", "drainer", takes="t_drain", after=(After("mma"),), place="parts"),
        Event("write", "drainer", "STORE", "t_write", asynchronous=True, place="parts"),
        Event("report", "drainer", "STORE", "t_report", starts_at=1, place="end"),
    ),
    tile_level=True,
    loops=(Loop("main", "k_tiles"), Loop("parts", "parts_count")),
    rings=(
        Ring("ab", "slots", {"copy": ("mma",)}, "shared", "(tile_m + tile_n) * tile_k * 2"),
        Ring("sums", "2 * held + 1", {"acquire": ("drain",)}, "tensor", "tile_n"),
        Ring("kept", 2, (), "registers", lambda tile_n, held: tile_n / 8 + held),
    ),
    declares=(
        Count("slots", 3, long_name="slots of A and B"),
        Count("held", 1, least=0, long_name="output tiles held, less one half"),
        Count("parts_count", 4, long_name="parts of an output tile"),
        Count("scale_every", 2, long_name="k-tiles between scalings"),
        Resource("STORE"),
        Duration("t_scale", "time to scale sums", "tile_m * tile_n / fma_lanes"),
        Duration(
            "t_drain",
            "time to drain a part",
            lambda t_mma, parts_count: t_mma / np.maximum(parts_count, 1),
        ),
        Duration("t_write", "time to write a part", "t_drain / 3"),
        Duration("t_late", "time of a late row", "100 / 3"),
        Duration("t_report", "time of a report"),
    ),
    flop="2 * tile_m * tile_n * tile_k * k_tiles",
)
"""Beyond what the generated kernel of one loop runs."""
