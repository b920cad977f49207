"""Little's law: the bytes in flight that a bandwidth and a latency ask for, and what holds them.

bytes in flight = bandwidth x latency, at every level of the path, per SM and per GPU. Either a
ring of stages holds them (software pipelining), or many warps and CTAs do
(``thread_parallelism``), which big Tensor Core tiles leave no registers for.

J. D. C. Little, "A proof for the queuing formula L = lambda W", Operations Research 9 (1961);
applied to GPUs in V. Volkov, "Understanding latency hiding on GPUs", UCB/EECS-2016-143.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from analysis.checked import choice, find_gpu, one, read, whole
from analysis.memory.memory_path import Level, known, memory_path
from analysis.quantities import ROWS, limited
from sweep.errors import InputError
from sweep.hardware.durations import ELEMENT_BYTES, stage_bytes
from sweep.hardware.gpu import GPU
from sweep.inputs.call_arguments import read_shape
from sweep.inputs.reading import read_numbers
from sweep.quantities.arrays import Array


def bytes_in_flight(bandwidth: ArrayLike, latency: ArrayLike) -> Array:
    """Return bandwidth x latency, in any units of time that cancel.

    Parameters
    ----------
    bandwidth : array_like
        Bytes per cycle (or per second).
    latency : array_like
        Cycles (or seconds).

    Returns
    -------
    numpy.ndarray
        Bytes.

    Examples
    --------
    >>> int(bytes_in_flight(64, 700))
    44800
    """
    rate, delay = read(bandwidth=bandwidth, latency=latency)
    return np.asarray(rate * delay)


def stages_in_flight(in_flight: ArrayLike, bytes_per_stage: ArrayLike) -> Array:
    """Return bytes in flight as a number of stages, not rounded.

    Examples
    --------
    >>> round(float(stages_in_flight(44_800, 49_152)), 2)
    0.91
    """
    held, slot = read(in_flight=in_flight, bytes_per_stage=bytes_per_stage)
    return np.asarray(held / slot)


def ring_bandwidth(stages: ArrayLike, bytes_per_stage: ArrayLike, round_trip: ArrayLike) -> Array:
    """Return the bandwidth that a ring can reach at most: stages x stage bytes / round trip.

    A slot carries one stage per round trip R = t_issue + t_transfer + t_latency + t_mma: it is
    issued into, filled, waited for, multiplied from, and only then free again. A bound on every
    schedule with a ring, transients included.

    Parameters
    ----------
    stages, bytes_per_stage : array_like
        Slots, and bytes of one.
    round_trip : array_like
        Cycles.

    Returns
    -------
    numpy.ndarray
        Bytes per cycle and SM; inf where a round trip takes no time.

    Examples
    --------
    >>> round_trip = 10 + 768 + 700 + 1024
    >>> [round(float(ring_bandwidth(stages, 49_152, round_trip)), 1) for stages in (1, 2, 3, 4)]
    [19.6, 39.3, 58.9, 78.6]
    """
    given = {"stages": stages, "bytes_per_stage": bytes_per_stage, "round_trip": round_trip}
    rows = {name: ROWS[name] for name in given} | {"stages": limited("stages", 0)}
    slots, slot, trip = read_numbers(given, rows).values()
    held = slots * slot
    with np.errstate(over="ignore"):
        rate = held / np.where(trip > 0, trip, 1)
    return np.asarray(np.where((trip > 0) | (held == 0), rate, np.inf))


class InFlight(NamedTuple):
    """What one level asks for, and what the ring has.

    Attributes
    ----------
    level : str
        Name of the level.
    gpu_bytes, sm_bytes : float
        Bytes in flight of the whole GPU and of one SM, an equal share.
    stages : float
        An SM's bytes as a number of stages, not rounded.
    ring_bytes : int
        Bytes that the ring of one SM holds.
    covered : bool
        Whether the ring holds what the level asks for.
    """

    level: str
    gpu_bytes: float
    sm_bytes: float
    stages: float
    ring_bytes: int
    covered: bool


def in_flight(
    gpu: str | GPU = "lecture",
    tile: str | tuple[int, ...] = "128x256x64",
    element_type: str = "bf16",
    stages: int = 4,
    **given: float,
) -> tuple[InFlight, ...]:
    """Return what every level of the path whose bandwidth and latency are known asks for.

    Parameters
    ----------
    gpu : str or GPU
    tile, element_type : str
        They set the bytes of a stage.
    stages : int
        Slots of the ring of one SM.
    **given : float
        Numbers that replace the known ones, see ``memory_path``.

    Raises
    ------
    InputError
        If the number of SMs is not known, or a value is out of limits.

    Examples
    --------
    >>> for row in in_flight():
    ...     print(f"{row.level:13} {row.gpu_bytes / 1e6:5.2f} MB"
    ...           f"  {row.sm_bytes / 1e3:6.2f} kB per SM  {row.stages:5.3f} stages")
    host_link      0.08 MB    0.62 kB per SM  0.013 stages
    dram           1.28 MB    9.71 kB per SM  0.198 stages
    l2             5.91 MB   44.80 kB per SM  0.911 stages
    shared_memory  0.49 MB    3.71 kB per SM  0.076 stages
    """
    card = find_gpu(gpu)
    levels = memory_path(card, **given)
    sms = given.get("sm_count", card.sm_count)
    if sms is None:
        raise InputError(f"sm_count: not known for gpu={card.name!r}; give sm_count=...")
    tile_m, tile_n, tile_k = read_shape("tile", tile, (3,), "128x256x64")
    size = ELEMENT_BYTES[choice("element_type", element_type)]
    slot = float(stage_bytes(tile_m, tile_n, tile_k, size))
    count, held = one("sm_count", sms), whole("stages", stages)
    return tuple(_row(level, count, slot, held) for level in levels if _is_known(level))


def _is_known(level: Level) -> bool:
    return level.bytes_per_second is not None and level.latency_seconds is not None


def _row(level: Level, sms: float, slot: float, stages: int) -> InFlight:
    total = known(level, "bytes_per_second") * known(level, "latency_seconds")
    share, ring = total / sms, int(stages * slot)
    return InFlight(level.name, total, share, share / slot, ring, share <= ring)
