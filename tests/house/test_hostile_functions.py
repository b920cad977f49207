"""Every public function, each of its parameters, odd values: a result or one clear line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import sweep.tensorcore as tc
from analysis.budgets.occupancy import occupancy, registers_per_warp
from analysis.budgets.registers import (
    accumulator_budget,
    compiled_registers,
    most_consumer_registers,
    register_split,
)
from analysis.budgets.shared_memory import attention_shared_memory, gemm_shared_memory
from analysis.budgets.thread_parallelism import thread_parallelism, warps_needed
from analysis.causes.ordering_barrier import barrier_value, ordering_barrier
from analysis.data_path.bank_conflicts import ldmatrix_ways, least_padding, strided_ways
from analysis.data_path.reuse import register_a_reuse, square_tile, warp_tile_reuse, wgmma_columns
from analysis.data_path.wave_traffic import fewest_wave_elements, floor_sum, row_major_strips
from analysis.memory.littles_law import bytes_in_flight, in_flight, ring_bandwidth, stages_in_flight
from analysis.memory.memory_path import known, memory_path
from analysis.memory.roofline import (
    exposed_epilogue_utilization,
    hidden_epilogue_utilization,
    ridge_point,
    roofline,
)
from analysis.rings.design_space import fewest_stages, over_provisioning, stage_rules
from analysis.rings.stages import choose_stages, corrected_stages, saturated_period, textbook_stages
from figures.drawing.saving import figure_bytes, save
from sweep.quantities.variables import GPU_FIELDS
from sweep.tensorcore.data_path_tables import tensorcore_table
from sweep.tensorcore.traffic.orders import tile_at
from tests.support.hostile import complaint, odd_values, parameters

TIMES: dict[str, Any] = {"t_issue": 100, "t_transfer": 768, "t_latency": 700, "t_mma": 1024}
PRODUCT: dict[str, Any] = {"m": 4096, "n": 4096, "k": 4096}
MATRICES: dict[str, Any] = {"a": np.ones((16, 16)), "b": np.ones((16, 8)), "c": np.ones((16, 8))}
PATH_FIELDS = (
    *("sm_count", "clock_hz", "dram_bytes_per_second", "mem_bytes_per_cycle", "latency_cycles"),
    *("smem_bytes_per_cycle", "host_link_bytes_per_second", "host_link_latency_seconds"),
    *("l2_latency_cycles", "shared_memory_latency_cycles"),
)

CALLS: tuple[tuple[Callable[..., Any], dict[str, Any], tuple[str, ...]], ...] = (
    (ldmatrix_ways, {"pitch_bytes": 64}, ()),
    (least_padding, {"row_bytes": 64}, ()),
    (strided_ways, {"stride_words": 1}, ()),
    (accumulator_budget, {"tile": "128x256x64", "warpgroups": 2}, ()),
    (compiled_registers, {"threads": 384}, ()),
    (most_consumer_registers, {}, ()),
    (register_split, {"producer_registers": 24, "consumer_registers": 240}, ()),
    (bytes_in_flight, {"bandwidth": 64, "latency": 700}, ()),
    (stages_in_flight, {"in_flight": 44_800, "bytes_per_stage": 49_152}, ()),
    (ring_bandwidth, {"stages": 4, "bytes_per_stage": 49_152, "round_trip": 2502}, ()),
    (in_flight, {}, PATH_FIELDS),
    (memory_path, {}, PATH_FIELDS),
    (known, {"level": memory_path()[0], "quantity": "bytes_per_second"}, ()),
    (occupancy, {"threads": 384, "registers_per_thread": 168}, ()),
    (registers_per_warp, {"registers_per_thread": 168}, ()),
    (warp_tile_reuse, {"rows": 64, "columns": 64}, ()),
    (register_a_reuse, {"rows": 64}, ()),
    (square_tile, {"needed": 16}, ()),
    (wgmma_columns, {"macs_per_cycle": 2048, "smem_bytes_per_cycle": 128}, ()),
    (exposed_epilogue_utilization, {"mainloop": 4096, "t_epilogue": 1280}, ()),
    (hidden_epilogue_utilization, {"mainloop": 99, "t_epilogue": 10, "output_tiles": 8}, ()),
    (ridge_point, {"flop_per_cycle": 4096, "bytes_per_cycle": 64}, ()),
    (roofline, {"flop_per_byte": 85, "flop_per_cycle": 4096, "bytes_per_cycle": 64}, ()),
    (gemm_shared_memory, {"tile": "128x256x64", "stages": 4, "limit": 232_448}, ()),
    (attention_shared_memory, {"query_rows": 128, "keys": 128, "head_dim": 128, "limit": 9}, ()),
    (textbook_stages, TIMES, ()),
    (corrected_stages, TIMES, tuple(TIMES)),
    (saturated_period, TIMES, tuple(TIMES)),
    (
        choose_stages,
        {"schedule": "multistage", "stage_bytes": 65_536, "smem_per_block_bytes": 232_448, **TIMES},
        tuple(TIMES),
    ),
    (thread_parallelism, {}, GPU_FIELDS),
    (warps_needed, {"in_flight": 44_800}, ()),
    (fewest_wave_elements, {"tiles": 64, "tile_m": 128, "tile_n": 128}, ()),
    (row_major_strips, {"grid_m": 32, "grid_n": 16, "slots": 132}, ()),
    (floor_sum, {"count": 4, "divisor": 10, "step": 6, "start": 3}, ()),
    (tc.block_product, {"a": np.ones((64, 64)), "b": np.ones((64, 64))}, ()),
    (tc.dram_traffic, PRODUCT, ("sm_count", "dram_bytes_per_second", "l2_bytes", "clock_hz")),
    (tc.feeding, {}, ("tc_flop_per_cycle", "smem_bytes_per_cycle", "max_registers_per_thread")),
    (tc.fragment, {"shape": "m16n8k16", "operand": "a"}, ()),
    (tc.ldmatrix_wavefronts, {"row_elements": 64}, ()),
    (tc.mma, MATRICES, ()),
    (tc.stage_budget, {}, ("tc_flop_per_cycle", "clock_hz", "smem_per_block_bytes", "sm_count")),
    (tc.stream_k_tiles, {"output_tiles": 512, "slots": 132, "k_tiles": 64}, ()),
    (tc.tile_order, {"grid_m": 9, "grid_n": 7, "group": 8}, ()),
    (tile_at, {"index": 0, "grid_m": 3, "grid_n": 2}, ()),
    (tc.wavefronts, {"byte_addresses": 4 * np.arange(32), "bytes_per_lane": 4}, ()),
    (tc.Swizzle, {"bits": 3, "base": 3, "shift": 3}, ()),
    (tc.Swizzle(3, 3, 3), {"offsets": 64}, ()),
    (tensorcore_table, {"name": "stages"}, ()),
    (tc.sweep_feeding, {}, ()),
    (tc.sweep_layouts, {"row_elements": 64}, ()),
    (tc.sweep_stages, {}, ()),
    (tc.sweep_traffic, PRODUCT, ()),
    (fewest_stages, {"k_tiles": 4, **TIMES}, ("t_mma",)),
    (over_provisioning, {"ds": None}, ()),
    (stage_rules, {"t_latency": 700}, ("t_latency", "tile", "gpu")),
    (ordering_barrier, {"schedule": "attention_pingpong", "kv_blocks": 2}, ("t_exp",)),
    (barrier_value, {"ds": None}, ()),
    (figure_bytes, {"figure": Figure()}, ()),
    (save, {"figure": Figure(), "path": "missing/x.pdf"}, ()),
)


def cases() -> list[Any]:
    return [
        pytest.param(function, good, name, id=f"{_name(function)}-{name}")
        for function, good, more in CALLS
        for name in dict.fromkeys((*parameters(function), *more))
    ]


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


@pytest.mark.parametrize(("function", "good", "parameter"), cases())
def test_odd_values(function: Callable[..., Any], good: dict[str, Any], parameter: str) -> None:
    wrong = {
        name: complaint(function, good, parameter, name, value) for name, value in odd_values()
    }
    assert not {name: what for name, what in wrong.items() if what}


def test_every_public_function_is_tried() -> None:
    tried = {_name(function) for function, _, _ in CALLS}
    assert set(tc.__all__) <= tried
