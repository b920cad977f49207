"""Tile, Little's law and registers: what follows from the hardware before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from analysis.budgets.registers import (
    accumulator_budget,
    compiled_registers,
    most_consumer_registers,
)
from analysis.memory.littles_law import bytes_in_flight, in_flight, stages_in_flight
from analysis.reproduction.experiments.setup import Setup
from sweep.hardware.budgets import staged_registers

INNER = 4096
"""K of the reference product."""
CONSUMERS = 2


def _duration(name: str) -> Callable[[Setup], float]:
    return lambda setup: setup.durations()[name]


def _ideal_cycles(setup: Setup) -> float:
    one = setup.simulate("warp_specialized", k=INNER)
    return float(one.k_tiles * one.t_mma)


def _ideal_microseconds(setup: Setup) -> float:
    return _ideal_cycles(setup) / setup.field("clock_hz") * 1e6


def _copy_bytes_in_flight(setup: Setup) -> float:
    latency = setup.durations()["t_latency"]
    return float(bytes_in_flight(setup.field("mem_bytes_per_cycle"), latency))


def _copy_stages_in_flight(setup: Setup) -> float:
    stage = setup.durations()["stage_bytes"]
    return float(stages_in_flight(_copy_bytes_in_flight(setup), stage))


def _dram_megabytes(setup: Setup) -> float:
    return _dram(setup)[0] / 1e6


def _dram_kilobytes_per_sm(setup: Setup) -> float:
    return _dram(setup)[1] / 1e3


def _dram(setup: Setup) -> tuple[float, float]:
    (row,) = (row for row in in_flight(setup.gpu, setup.tile) if row.level == "dram")
    return row.gpu_bytes, row.sm_bytes


def _uniform(setup: Setup) -> int:
    return int(compiled_registers(128 * (1 + CONSUMERS), _file(setup)))


def _left(setup: Setup) -> float:
    return float(accumulator_budget(setup.tile, CONSUMERS, available=_uniform(setup)).left)


def _consumer(producer_registers: int, consumers: int) -> Callable[[Setup], int]:
    return lambda setup: most_consumer_registers(
        producer_registers, consumers=consumers, registers_per_sm=_file(setup)
    )


def _file(setup: Setup) -> int:
    return int(setup.field("registers_per_sm"))


def _staged(setup: Setup) -> float:
    return float(staged_registers(setup.durations()["stage_bytes"], warpgroups=1))


COMPUTED: Mapping[str, Callable[[Setup], float]] = {
    "tile.bytes": _duration("stage_bytes"),
    "tile.transfer": _duration("t_transfer"),
    "tile.mma": _duration("t_mma"),
    "tile.ideal": _ideal_cycles,
    "tile.ideal_us": _ideal_microseconds,
    "epi.cycles": _duration("t_epilogue"),
    "little.sm": _copy_bytes_in_flight,
    "little.tiles": _copy_stages_in_flight,
    "little.gpu": _dram_megabytes,
    "little.gpu_sm": _dram_kilobytes_per_sm,
    "register.regs": _staged,
    "reg.uniform": _uniform,
    "reg.left": _left,
    "reg.consumer24": _consumer(24, 2),
    "reg.consumer40": _consumer(40, 2),
    "reg.three": _consumer(24, 3),
}
