"""Time of a GEMM on a GPU: the terms put together, iterated with the clock to a fixed point."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import NamedTuple

import numpy as np

from analysis.prediction.kernels import OVERLAP, Kernel, Machine
from analysis.prediction.terms.dram_bytes import dram_bytes
from analysis.prediction.terms.epilogue_time import epilogue_time
from analysis.prediction.terms.grid_waves import Grid, grid_cycles, grid_of
from analysis.prediction.terms.k_tile_period import Period, k_tile_period
from analysis.prediction.terms.k_tile_work import Work, k_tile_work
from analysis.prediction.terms.l2_supply import Supply, l2_share, l2_supply
from analysis.prediction.terms.power_clock import power_clock
from analysis.prediction.terms.residency import ctas_per_sm, ctas_that_fit
from analysis.prediction.terms.smooth_maximum import smooth_maximum
from sweep.quantities.arrays import Array

PeriodOf = Callable[[Kernel, Machine, Work, Supply], Period]
STEPS, DAMPING = 10, 0.65
"""Of the iteration between cycles and clock."""
PART = 8192
"""Points that are taken at once."""
BINDINGS = (
    "tensor_core",
    "copy_bandwidth",
    "ring_depth",
    "serial_chain",
    "epilogue",
    "dram",
    "launch",
)
"""What can set a predicted time; their order gives the codes."""


class Prediction(NamedTuple):
    """Of each point.

    Attributes
    ----------
    tflops, seconds, cycles, clock : Array
        TFLOP/s; seconds and cycles of the whole problem; the SM clock in GHz.
    pipe : Array
        Share of the cycles that the Tensor Cores of all SMs are busy with useful work.
    ctas, fit, waves, tiles : Array
        CTAs per SM, how many fit, waves of tiles, output tiles.
    k_tile_cycles, epilogue : Array
        Cycles per k-tile of one CTA alone; cycles of an epilogue.
    dram_bytes : Array
    binding : Array
        A code of ``BINDINGS``.
    """

    tflops: Array
    seconds: Array
    cycles: Array
    clock: Array
    pipe: Array
    ctas: Array
    fit: Array
    waves: Array
    tiles: Array
    k_tile_cycles: Array
    epilogue: Array
    dram_bytes: Array
    binding: Array


class _Fixed(NamedTuple):
    """What does not depend on the clock."""

    work: Work
    share: Array
    grid: Grid
    epilogue: Array
    moved: Array


class _AtClock(NamedTuple):
    """What does."""

    supply: Supply
    period: Period
    running: Array
    launch: Array
    dram: Array
    cycles: Array


def predict_gemm(
    kernel: Kernel, machine: Machine, period_of: PeriodOf = k_tile_period
) -> Prediction:
    """Predict the time of GEMMs; every field of both arguments broadcasts.

    Many points are taken in parts that stay in the processor's cache, which is twice as fast.

    Parameters
    ----------
    kernel : Kernel
    machine : Machine
    period_of : callable
        What gives the steady period of a k-tile: the closed expressions, or
        ``analysis.prediction.engine_period.engine_period``, which asks the engine.

    Returns
    -------
    Prediction
        Arrays of the shape that all of them broadcast to.
    """
    shape = np.broadcast_shapes(*(np.shape(one) for one in (*kernel, *machine)))
    count = prod(shape)
    if count <= PART:
        return _predicted(kernel, machine, period_of)
    kernels, machines = _flat(kernel, shape), _flat(machine, shape)
    parts = [
        _predicted(Kernel(*_part(kernels, at)), Machine(*_part(machines, at)), period_of)
        for at in range(0, count, PART)
    ]
    whole = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Prediction(*(column.reshape(shape) for column in whole))


def _flat(fields: tuple[Array, ...], shape: tuple[int, ...]) -> list[Array]:
    return [one if np.ndim(one) == 0 else np.broadcast_to(one, shape).reshape(-1) for one in fields]


def _part(fields: list[Array], at: int) -> list[Array]:
    return [one if np.ndim(one) == 0 else one[at : at + PART] for one in fields]


def _predicted(kernel: Kernel, machine: Machine, period_of: PeriodOf) -> Prediction:
    work = k_tile_work(kernel, machine)
    grid = grid_of(kernel, ctas_per_sm(kernel, machine, work))
    fixed = _Fixed(
        work,
        l2_share(kernel, machine),
        grid,
        epilogue_time(kernel, machine),
        dram_bytes(kernel, machine, grid),
    )
    flop = 2.0 * kernel.m * kernel.n * kernel.k
    locked = kernel.clock_hz / 1e9
    clock = np.where(np.isnan(locked), machine.fmax, locked)
    at = _at_clock(kernel, machine, fixed, clock, period_of)
    for _ in range(STEPS if np.isnan(locked).any() else 0):
        wanted = power_clock(machine, *_load(kernel, machine, fixed, flop, at.cycles))
        clock = np.where(np.isnan(locked), clock + DAMPING * (wanted - clock), locked)
        at = _at_clock(kernel, machine, fixed, clock, period_of)
    pipe, _ = _load(kernel, machine, fixed, flop, at.cycles)
    seconds = at.cycles / (clock * 1e9)
    found = (
        flop / seconds / 1e12,
        seconds,
        at.cycles,
        clock,
        pipe,
        grid.ctas,
        ctas_that_fit(kernel, machine, work),
        grid.waves,
        grid.tiles,
        at.period.cycles,
        fixed.epilogue,
        fixed.moved,
        _binding(kernel, fixed, at),
    )
    shape = np.broadcast_shapes(*(np.shape(one) for one in (*kernel, *machine)))
    return Prediction(*(np.broadcast_to(one, shape) for one in found))


def _at_clock(
    kernel: Kernel, machine: Machine, fixed: _Fixed, clock: Array, period_of: PeriodOf
) -> _AtClock:
    supply = l2_supply(fixed.work, machine, fixed.share, clock)
    period = period_of(kernel, machine, fixed.work, supply)
    running = grid_cycles(kernel, machine, fixed.grid, fixed.work, supply, period, fixed.epilogue)
    launch = machine.launch * 1000 * clock
    dram = fixed.moved * clock / machine.dram
    return _AtClock(supply, period, running, launch, dram, smooth_maximum(running + launch, dram))


def _load(
    kernel: Kernel, machine: Machine, fixed: _Fixed, flop: Array, cycles: Array
) -> tuple[Array, Array]:
    """Return the share of busy Tensor Cores and the bytes per cycle and SM."""
    pipe = flop / (cycles * machine.sm_count * machine.flop_per_cycle)
    copied = fixed.work.copied * fixed.grid.k_tiles * fixed.grid.tiles
    return pipe, copied / (cycles * kernel.sms_used)


def _binding(kernel: Kernel, fixed: _Fixed, at: _AtClock) -> Array:
    """Return the code of what takes most of the time."""
    work, grid, period = fixed.work, fixed.grid, at.period
    tensor, copy, ring, serial, store, dram, launch = range(len(BINDINGS))
    limits = np.broadcast_arrays(work.mma, at.supply.transfer)
    resource = np.where(limits[0] >= limits[1], tensor, copy)
    resource_cycles = np.maximum(*limits)
    waits = np.maximum(period.chain, period.ring) / grid.ctas
    exposed = np.where(period.ring > period.chain, ring, serial)
    in_chain = (period.chain >= period.ring) & (work.mma >= 0.5 * period.chain) & (grid.ctas == 1)
    exposed = np.where(in_chain, tensor, exposed)
    found = np.where(waits > resource_cycles, exposed, resource)
    main = grid.k_tiles * np.maximum(waits, resource_cycles)
    beside = (kernel.epilogue == OVERLAP) & (kernel.persistent > 0)
    exposed_store = np.where(beside, fixed.epilogue > main, fixed.epilogue / grid.ctas > main)
    found = np.where(exposed_store, store, found)
    found = np.where(at.launch > at.running, launch, found)
    return np.where(at.dram > at.running + at.launch, dram, found)
