"""Bounds, rules and closed forms, each tested against simulation.

``dir(analysis)`` lists what there is; each name is imported when it is first used.

>>> import analysis
>>> analysis.textbook_stages.__module__
'analysis.rings.stages'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sweep.lazy import lazily

if TYPE_CHECKING:
    from analysis.bounds import bound_dataset, lower_bounds, tightest, utilization_bounds
    from analysis.budgets.occupancy import occupancy
    from analysis.budgets.registers import (
        accumulator_budget,
        compiled_registers,
        most_consumer_registers,
        register_split,
    )
    from analysis.budgets.shared_memory import attention_shared_memory, gemm_shared_memory
    from analysis.budgets.thread_parallelism import thread_parallelism, warps_needed
    from analysis.causes.critical_path import attribute, critical_path
    from analysis.causes.idle_time import idle_time
    from analysis.causes.ordering_barrier import barrier_value, ordering_barrier
    from analysis.closed_forms import CLOSED_FORMS, TILE_PERIODS
    from analysis.data_path.bank_conflicts import ldmatrix_ways, least_padding, strided_ways
    from analysis.data_path.reuse import square_tile, warp_tile_reuse
    from analysis.data_path.wave_traffic import fewest_wave_elements, row_major_strips
    from analysis.memory.littles_law import (
        bytes_in_flight,
        in_flight,
        ring_bandwidth,
        stages_in_flight,
    )
    from analysis.memory.memory_path import memory_path
    from analysis.memory.roofline import (
        exposed_epilogue_utilization,
        hidden_epilogue_utilization,
        ridge_point,
        roofline,
    )
    from analysis.periods.period import period_formula
    from analysis.prediction.calibration import calibrate
    from analysis.prediction.predict import predict
    from analysis.reproduction.reproduce import reproduce
    from analysis.rings.design_space import fewest_stages, over_provisioning, stage_rules
    from analysis.rings.stages import choose_stages, corrected_stages, textbook_stages
    from analysis.verification.runner import verify

_WHERE = {
    "CLOSED_FORMS": "closed_forms",
    "TILE_PERIODS": "closed_forms",
    "accumulator_budget": "budgets.registers",
    "attention_shared_memory": "budgets.shared_memory",
    "attribute": "causes.critical_path",
    "barrier_value": "causes.ordering_barrier",
    "bound_dataset": "bounds",
    "bytes_in_flight": "memory.littles_law",
    "calibrate": "prediction.calibration",
    "choose_stages": "rings.stages",
    "compiled_registers": "budgets.registers",
    "corrected_stages": "rings.stages",
    "critical_path": "causes.critical_path",
    "exposed_epilogue_utilization": "memory.roofline",
    "fewest_stages": "rings.design_space",
    "fewest_wave_elements": "data_path.wave_traffic",
    "gemm_shared_memory": "budgets.shared_memory",
    "hidden_epilogue_utilization": "memory.roofline",
    "idle_time": "causes.idle_time",
    "in_flight": "memory.littles_law",
    "ldmatrix_ways": "data_path.bank_conflicts",
    "least_padding": "data_path.bank_conflicts",
    "lower_bounds": "bounds",
    "memory_path": "memory.memory_path",
    "most_consumer_registers": "budgets.registers",
    "occupancy": "budgets.occupancy",
    "ordering_barrier": "causes.ordering_barrier",
    "over_provisioning": "rings.design_space",
    "period_formula": "periods.period",
    "predict": "prediction.predict",
    "register_split": "budgets.registers",
    "reproduce": "reproduction.reproduce",
    "ridge_point": "memory.roofline",
    "ring_bandwidth": "memory.littles_law",
    "roofline": "memory.roofline",
    "row_major_strips": "data_path.wave_traffic",
    "square_tile": "data_path.reuse",
    "stage_rules": "rings.design_space",
    "stages_in_flight": "memory.littles_law",
    "strided_ways": "data_path.bank_conflicts",
    "textbook_stages": "rings.stages",
    "thread_parallelism": "budgets.thread_parallelism",
    "tightest": "bounds",
    "utilization_bounds": "bounds",
    "verify": "verification.runner",
    "warp_tile_reuse": "data_path.reuse",
    "warps_needed": "budgets.thread_parallelism",
}

__all__ = [
    "CLOSED_FORMS",
    "TILE_PERIODS",
    "accumulator_budget",
    "attention_shared_memory",
    "attribute",
    "barrier_value",
    "bound_dataset",
    "bytes_in_flight",
    "calibrate",
    "choose_stages",
    "compiled_registers",
    "corrected_stages",
    "critical_path",
    "exposed_epilogue_utilization",
    "fewest_stages",
    "fewest_wave_elements",
    "gemm_shared_memory",
    "hidden_epilogue_utilization",
    "idle_time",
    "in_flight",
    "ldmatrix_ways",
    "least_padding",
    "lower_bounds",
    "memory_path",
    "most_consumer_registers",
    "occupancy",
    "ordering_barrier",
    "over_provisioning",
    "period_formula",
    "predict",
    "register_split",
    "reproduce",
    "ridge_point",
    "ring_bandwidth",
    "roofline",
    "row_major_strips",
    "square_tile",
    "stage_rules",
    "stages_in_flight",
    "strided_ways",
    "textbook_stages",
    "thread_parallelism",
    "tightest",
    "utilization_bounds",
    "verify",
    "warp_tile_reuse",
    "warps_needed",
]

__getattr__, __dir__ = lazily(__name__, _WHERE)
