"""Predictions of matrix products as a dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.prediction.arguments import Arguments
from analysis.prediction.as_dataset import as_dataset
from analysis.prediction.cards import CARDS
from analysis.prediction.constants import ELEMENT_POWER
from analysis.prediction.gemm import PeriodOf, Prediction, predict_gemm
from analysis.prediction.gemm_arguments import (
    KNOWN,
    NEEDED_BY_GEMM,
    check_kernel,
    kernel_from,
    machine_from,
)
from analysis.prediction.kernels import Kernel
from analysis.prediction.status import SHORTEST_K, SMALLEST_FLOP, half_width, reasons, status
from analysis.prediction.terms.k_tile_period import k_tile_period
from sweep.errors import InputError
from sweep.quantities.arrays import Array

if TYPE_CHECKING:
    import xarray as xr


def gemm_dataset(parameters: dict[str, Any]) -> xr.Dataset:
    """Predict products of matrices."""
    arguments = Arguments(parameters, KNOWN, NEEDED_BY_GEMM, "a GEMM")
    machine, modelled = machine_from(arguments)
    kernel = kernel_from(arguments, machine)
    check_kernel(kernel)
    found = predict_gemm(kernel, machine, _period_of(arguments))
    reason = _reason(arguments, kernel, found, modelled)
    known = arguments.has("unit") or arguments.has("clock_hz")
    peak = machine.sm_count * machine.flop_per_cycle * machine.peak_hz / 1e12
    numbers = {
        "tflops": found.tflops,
        "utilization": found.tflops / peak,
        "sm_clock_hz": found.clock * 1e9,
        "pipe_utilization": found.pipe,
        "seconds": found.seconds,
        "problem_cycles": found.cycles,
        "ctas_per_sm": found.ctas,
        "waves": found.waves,
        "tiles": found.tiles,
        "k_tile_period": found.k_tile_cycles,
        "dram_bytes": found.dram_bytes,
    }
    width = half_width(machine, known, status(reason))
    return as_dataset(arguments, numbers, width, found.binding, reason)


def _period_of(arguments: Arguments) -> PeriodOf:
    """Return what gives the period: one choice for all points.

    Raises
    ------
    InputError
        For several.
    """
    if arguments.has("period_from") and arguments.arguments["period_from"].dims:
        raise InputError("period_from: must be one for all points; predict each and compare")
    if str(arguments.texts("period_from")) == "engine":
        from analysis.prediction.engine_period import engine_period

        return engine_period
    return k_tile_period


def _reason(arguments: Arguments, kernel: Kernel, found: Prediction, modelled: Array) -> Array:
    codes, cards = arguments.codes("gpu")
    known = np.array([card.name in CARDS for card in cards])[codes]
    powered = np.isin(arguments.texts("element_type"), list(ELEMENT_POWER))
    conditions = {
        "small_problem": 2.0 * kernel.m * kernel.n * kernel.k < SMALLEST_FLOP,
        "short_k": kernel.k < SHORTEST_K,
        "gpu": ~known,
        "element_type": ~powered,
        "does_not_fit": found.ctas > found.fit,
        "split_k": arguments.number("split_k") > 1,
        "instruction": arguments.texts("instruction") == "mma_sync",
        "architecture": ~modelled,
    }
    return reasons(conditions, arguments.shape)
