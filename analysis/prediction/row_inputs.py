"""From rows of ``inputs.csv`` to kernels and machines, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from analysis.prediction.cards import machine_of, stacked
from analysis.prediction.kernels import EPILOGUES, SCHEDULES, Kernel, Machine
from analysis.prediction.published_rows import ELEMENTS, GPU_NAMES, Row
from sweep.hardware.gpu import GPUS
from sweep.hardware.shapes import parse_shape
from sweep.quantities.arrays import Array

_CANDIDATES_HOPPER = (
    *((tile, "warp_specialized") for tile in ((128, 256), (256, 128), (320, 128), (192, 128))),
    *((tile, "warp_specialized") for tile in ((128, 192), (256, 192), (128, 160))),
    *((tile, "pingpong") for tile in ((128, 128), (64, 256), (64, 128))),
)
_CANDIDATES_BLACKWELL = tuple(
    (128, width, pair) for width in (256, 192, 128, 64) for pair in (1, 2)
)
ROW_BYTES = 128
"""Of a k-tile in an envelope's candidates: the widest swizzle."""
ROOM = 227 * 1024 - 2048
DEEPEST = 8


def machine_rows(rows: Sequence[Row]) -> Machine:
    """Return the machine of each row."""
    names = [(GPU_NAMES[row.inputs["gpu"]], element(row)) for row in rows]
    distinct = list(dict.fromkeys(names))
    machines = [machine_of(GPUS[gpu], kind) for gpu, kind in distinct]
    return stacked(machines, np.array([distinct.index(one) for one in names]))


def element(row: Row) -> str:
    """Return the registry's name of a row's element type."""
    kind = row.inputs["dtype"]
    return ELEMENTS.get(kind, kind)


def kernel_rows(rows: Sequence[Row]) -> Kernel:
    """Return the kernel of each row whose tile is known."""
    return _columns([_kernel_fields(row) for row in rows])


def candidate_rows(rows: Sequence[Row], machine: Machine) -> Kernel:
    """Return what a library may have chosen: an array of (rows, candidates).

    Persistent kernels with the deepest ring that fits: on Hopper cooperative and ping-pong ones
    in clusters of two, MMAs in flight; on Blackwell single CTAs and pairs with the epilogue beside
    the next main loop.
    """
    table = []
    for i, row in enumerate(rows):
        size = float(machine.element_bytes[i])
        depth = int(ROW_BYTES / size)
        blackwell = bool(machine.blackwell[i])
        fields = [
            _candidate(row, one, depth, size, blackwell)
            for one in (_CANDIDATES_BLACKWELL if blackwell else _CANDIDATES_HOPPER)
        ]
        table.append(fields)
    widest = max(len(fields) for fields in table)
    padded = [fields + [fields[-1]] * (widest - len(fields)) for fields in table]
    flat = _columns([one for fields in padded for one in fields])
    return Kernel(*(np.reshape(column, (len(rows), widest)) for column in flat))


def _candidate(
    row: Row, choice: tuple[Any, ...], depth: int, size: float, blackwell: bool
) -> dict[str, Any]:
    own = _problem(row)
    if blackwell:
        m, n, pair = choice
        own |= {"schedule": SCHEDULES.index("warp_specialized"), "cta_pair": pair, "cluster_m": 1}
        own |= {"epilogue": EPILOGUES.index("overlap"), "consumer_warpgroups": 1, "threads": 192}
    else:
        (m, n), schedule = choice
        pair = 1
        own |= {"schedule": SCHEDULES.index(schedule), "cta_pair": 1, "cluster_m": 2}
        own |= {"epilogue": EPILOGUES.index("tma"), "consumer_warpgroups": 2, "threads": 384}
    stage = (m + n / pair) * depth * size
    stages = int(min(DEEPEST, ROOM // stage))
    own |= {"tile_m": m, "tile_n": n, "tile_k": depth, "cluster_n": 1, "stages": stages}
    return own | {"mma_in_flight": 0 if blackwell else 1, "persistent": 1, "half_sectors": 0}


def _problem(row: Row) -> dict[str, Any]:
    given = row.inputs
    return {
        "m": float(given["M"]),
        "n": float(given["N"]),
        "k": float(given["K"]),
        "raster_group": _number(given, "group", 8),
        "sms_used": _number(given, "sms_used", GPUS[GPU_NAMES[given["gpu"]]].sm_count or 0),
        "output_bytes": _number(given, "output_bytes", 2),
        "ctas_per_sm": _number(given, "ctas_per_sm", np.nan),
        "clock_hz": _number(given, "clock_hz", np.nan),
        "library_barriers": given["barrier"] == "library",
        "copy_issue": 10.0,
    }


def _kernel_fields(row: Row) -> dict[str, Any]:
    given = row.inputs
    m, n, k = parse_shape("tile", given["tile"])
    cluster_m, cluster_n = parse_shape("cluster", given["cluster"] or "1x1")
    return _problem(row) | {
        "tile_m": m,
        "tile_n": n,
        "tile_k": k,
        "stages": _number(given, "stages", 1),
        "schedule": SCHEDULES.index(given["schedule"]),
        "cluster_m": cluster_m,
        "cluster_n": cluster_n,
        "cta_pair": _number(given, "pair", 1),
        "consumer_warpgroups": _number(given, "warpgroups", 1),
        "threads": _number(given, "threads", 128),
        "mma_in_flight": _number(given, "in_flight", 0),
        "persistent": _number(given, "persistent", 0),
        "epilogue": EPILOGUES.index(given["epilogue"]),
        "half_sectors": _number(given, "half_sectors", 0),
    }


def _number(given: Mapping[str, str], name: str, default: float) -> float:
    return float(given[name]) if given[name] else default


def _columns(fields: Sequence[Mapping[str, Any]]) -> Kernel:
    columns: dict[str, Array] = {
        name: np.array([float(one[name]) for one in fields]) for name in Kernel._fields
    }
    return Kernel(**columns)
