"""From what a user gives to a kernel and the machine it runs on."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.prediction.arguments import Arguments
from analysis.prediction.cards import NEEDED, architecture, machine_of, stacked
from analysis.prediction.kernels import (
    EPILOGUES,
    MULTISTAGE,
    PINGPONG,
    SCHEDULE_NAMES,
    SCHEDULES,
    SERIAL,
    WARP_SPECIALIZED,
    Kernel,
    Machine,
)
from analysis.prediction.terms.k_tile_work import k_tile_work
from sweep.errors import InputError
from sweep.hardware.gpu import GPU, GPUS
from sweep.quantities.arrays import Array

KNOWN = (
    "gpu",
    "m",
    "n",
    "k",
    "element_type",
    "schedule",
    "tile",
    "stages",
    "cluster",
    "cta_pair",
    "consumer_warpgroups",
    "threads",
    "mma_in_flight",
    "tile_scheduler",
    "epilogue",
    "half_sectors",
    "raster_group",
    "sms_used",
    "output_bytes",
    "ctas_per_sm",
    "clock_hz",
    "unit",
    "barriers",
    "copies",
    "split_k",
    "instruction",
    "period_from",
)
NEEDED_BY_GEMM = ("gpu", "m", "n", "k")
OVER_MANY_TILES = ("persistent", "cooperative", "pingpong")
"""Schedules whose CTAs run over many tiles unless ``tile_scheduler`` says otherwise."""
DEEPEST = 8
TMA_ISSUE, CP_ASYNC_ISSUE = 10.0, 100.0


def machine_from(arguments: Arguments) -> tuple[Machine, Array]:
    """Return the machine of every point, and whether its architecture is modelled.

    A GPU of another architecture gets the numbers of an H100, as placeholders.

    Raises
    ------
    InputError
        For a GPU that lacks a number, or an element type that its GPU does not support.
    """
    codes, cards = arguments.codes("gpu")
    elements, types = arguments.codes("element_type")
    both = codes * len(types) + elements
    distinct, index = np.unique(both, return_inverse=True)
    machines, modelled = [], []
    for code in distinct:
        card, element = cards[int(code) // len(types)], str(types[int(code) % len(types)])
        family = architecture(card)
        modelled.append(bool(family))
        if family:
            machines.append(machine_of(_complete(card), element))
        else:
            machines.append(machine_of(GPUS["h100_sxm"], "bf16"))
    index = index.reshape(both.shape)
    machine = stacked(machines, index)
    unit = machine.unit * arguments.number("unit")
    return machine._replace(unit=unit), np.array(modelled)[index]


def _complete(gpu: GPU) -> GPU:
    for name in NEEDED:
        if gpu.value(name) is None:
            raise InputError(f"gpu={gpu.name}: {name} is not known; a prediction needs it")
    return gpu


def kernel_from(arguments: Arguments, machine: Machine) -> Kernel:
    """Return the kernel of every point, with defaults where nothing was given.

    Notes
    -----
    Defaults: two consumer warpgroups where a Hopper kernel has a producer and a tile of at least
    128 rows, else one; 128 threads a warpgroup, and 128 more for the producer (64 on Blackwell,
    where an epilogue takes 128); the deepest ring that fits, at most 8 slots, with a slot for
    serial kernels; a grid on all SMs.
    """
    names = arguments.texts("schedule")
    lookup = [SCHEDULES.index(SCHEDULE_NAMES[name]) for name in names.flat]
    schedule = np.array(lookup).reshape(names.shape)
    tile = arguments.extents("tile", 3)
    cluster = arguments.extents("cluster", 2)
    produced = (schedule == WARP_SPECIALIZED) | (schedule == PINGPONG)
    two = produced & ~machine.blackwell.astype(bool) & (tile[0] >= 128)
    groups = arguments.number("consumer_warpgroups", np.where(two, 2, 1))
    extra = np.where(produced, np.where(machine.blackwell, 64, 128), 0)
    fields: dict[str, Any] = {name: arguments.number(name) for name in ("m", "n", "k")}
    fields |= {
        "tile_m": tile[0],
        "tile_n": tile[1],
        "tile_k": tile[2],
        "stages": np.asarray(1),
        "schedule": schedule,
        "cluster_m": cluster[0],
        "cluster_n": cluster[1],
        "consumer_warpgroups": groups,
        "threads": arguments.number("threads", 128 * groups + extra),
        "persistent": _persistent(arguments, names),
        "epilogue": _codes(arguments, "epilogue", EPILOGUES),
        "sms_used": arguments.number("sms_used", machine.sm_count),
        "ctas_per_sm": arguments.number("ctas_per_sm", np.nan),
        "clock_hz": arguments.number("clock_hz", np.nan),
        "library_barriers": arguments.texts("barriers") == "library",
        "copy_issue": np.where(arguments.texts("copies") == "tma", TMA_ISSUE, CP_ASYNC_ISSUE),
    }
    for name in ("cta_pair", "mma_in_flight", "half_sectors", "raster_group", "output_bytes"):
        fields[name] = arguments.number(name)
    kernel = Kernel(**fields)
    return kernel._replace(stages=arguments.number("stages", deepest(kernel, machine)))


def deepest(kernel: Kernel, machine: Machine) -> Array:
    """Return the slots that fit one CTA: 1 of a serial kernel, at most 8."""
    room = machine.smem_bytes - 2048
    slots = np.clip(room // (k_tile_work(kernel, machine).full + 16), 1, DEEPEST)
    return np.where(kernel.schedule == SERIAL, 1, slots)


def _persistent(arguments: Arguments, names: Array) -> Array:
    if arguments.has("tile_scheduler"):
        return np.asarray(arguments.texts("tile_scheduler") == "static_persistent")
    return np.isin(names, OVER_MANY_TILES)


def _codes(arguments: Arguments, name: str, order: tuple[str, ...]) -> Array:
    texts = arguments.texts(name)
    return np.array([order.index(one) for one in texts.flat]).reshape(texts.shape)


def check_kernel(kernel: Kernel) -> None:
    """Refuse what contradicts itself.

    Raises
    ------
    InputError
        For MMAs in flight in a kernel that waits for each, or a pair of CTAs in a cluster whose
        size along M is not even.
    """
    codes, flying = np.broadcast_arrays(kernel.schedule, kernel.mma_in_flight)
    wrong = (flying > 0) & (codes < MULTISTAGE)
    if wrong.any():
        name = SCHEDULES[int(codes[wrong][0])]
        raise InputError(f"mma_in_flight=1: has no meaning in {name!r}, which waits for each MMA")
    pair, rows = np.broadcast_arrays(kernel.cta_pair, kernel.cluster_m)
    odd = (pair == 2) & (rows > 1) & (rows % 2 == 1)
    if odd.any():
        raise InputError(f"cluster={int(rows[odd][0])}x...: must be even along M with cta_pair=2")
