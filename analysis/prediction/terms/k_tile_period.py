"""Steady cycles per k-tile of one CTA, by schedule, and what sets them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from analysis.prediction.kernels import (
    LOOKAHEAD,
    MULTISTAGE,
    PINGPONG,
    SERIAL,
    WARP_SPECIALIZED,
    Kernel,
    Machine,
)
from analysis.prediction.terms.k_tile_work import Work
from analysis.prediction.terms.l2_supply import Supply
from analysis.prediction.terms.smooth_maximum import smooth_maximum
from sweep.quantities.arrays import Array

SHARED_DRAIN = 0.3
"""Part of an MMA's drain that is left where two warpgroups or more take turns at it."""


class Period(NamedTuple):
    """Of one k-tile, in cycles.

    Attributes
    ----------
    cycles : Array
        Of one CTA alone.
    chain : Array
        Part of them that follows MMA upon MMA.
    ring : Array
        Part of them that a ring of this depth sets.
    """

    cycles: Array
    chain: Array
    ring: Array


def barrier_cycles(kernel: Kernel, machine: Machine) -> Array:
    """Return the cycles of a barrier: more for a library's barrier objects."""
    return np.asarray(machine.sync + kernel.library_barriers * machine.library_sync)


def k_tile_period(kernel: Kernel, machine: Machine, work: Work, supply: Supply) -> Period:
    """Return the steady period.

    A slot goes round in ``R = issue + latency + transfer + MMA + drain + 2 barriers`` (and the
    lockstep of further warpgroups where there is no producer). Serial kernels take R a k-tile, a
    ring of S slots at least R/S; beside that stands the chain of MMAs with what is exposed of
    their drain.
    """
    sync, drain, mma = barrier_cycles(kernel, machine), machine.mma_latency, work.mma
    produced = (kernel.schedule == WARP_SPECIALIZED) | (kernel.schedule == PINGPONG)
    lockstep = np.where(produced, 0.0, machine.warpgroup * (kernel.consumer_warpgroups - 1))
    fetch = kernel.copy_issue + supply.latency + supply.transfer + sync
    round_trip = fetch + mma + drain + sync + lockstep
    in_flight = kernel.mma_in_flight > 0
    several = kernel.consumer_warpgroups >= 2
    exposed = np.where(several, SHARED_DRAIN, 1.0) * (drain + sync)
    exposed = np.where(machine.blackwell | in_flight, 0.0, exposed)
    kept = np.where(machine.blackwell, 0, kernel.mma_in_flight)
    chains = {
        SERIAL: round_trip,
        LOOKAHEAD: mma + drain + sync + lockstep,
        MULTISTAGE: mma + kernel.copy_issue + np.where(in_flight, 0.0, drain + sync + lockstep),
        WARP_SPECIALIZED: mma + exposed,
    }
    rings = {
        SERIAL: np.zeros(()),
        LOOKAHEAD: (fetch + lockstep) / np.maximum(1, kernel.stages - 1),
        MULTISTAGE: round_trip / kernel.stages,
        WARP_SPECIALIZED: smooth_maximum(
            round_trip / kernel.stages, fetch / np.maximum(1, kernel.stages - kept)
        ),
    }
    chain, ring = (_by_schedule(kernel.schedule, one) for one in (chains, rings))
    return Period(smooth_maximum(chain, ring), chain, ring)


def _by_schedule(schedule: Array, by_code: dict[int, Array]) -> Array:
    codes = [schedule == code for code in (SERIAL, LOOKAHEAD, MULTISTAGE)]
    found: Array = np.select(
        codes,
        [by_code[code] for code in (SERIAL, LOOKAHEAD, MULTISTAGE)],
        by_code[WARP_SPECIALIZED],
    )
    return found
