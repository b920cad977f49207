"""The Tensor Core's data path: fragments, banks and swizzles, feeding, stages, DRAM traffic.

Exact integer arithmetic throughout: what one ``mma`` holds per lane, how many wavefronts its
operands take to leave shared memory, how much reuse a tile has, how many stages fit, and what a
tile shape costs in DRAM traffic. The ``sweep_*`` functions give the same over whole spaces as
labelled datasets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sweep.lazy import lazily

if TYPE_CHECKING:
    from sweep.tensorcore.block_products import block_product
    from sweep.tensorcore.budgets.reuse import feeding
    from sweep.tensorcore.budgets.stages import stage_budget
    from sweep.tensorcore.instructions.fragments import fragment
    from sweep.tensorcore.instructions.multiply import mma
    from sweep.tensorcore.shared_memory.banks import wavefronts
    from sweep.tensorcore.shared_memory.ldmatrix import ldmatrix_wavefronts
    from sweep.tensorcore.shared_memory.swizzle import Swizzle
    from sweep.tensorcore.spaces.feeding_space import sweep_feeding
    from sweep.tensorcore.spaces.layout_space import sweep_layouts
    from sweep.tensorcore.spaces.stage_space import sweep_stages
    from sweep.tensorcore.spaces.traffic_space import sweep_traffic
    from sweep.tensorcore.traffic.orders import tile_order
    from sweep.tensorcore.traffic.stream_k import stream_k_tiles
    from sweep.tensorcore.traffic.traffic import dram_traffic

_WHERE = {
    "Swizzle": "shared_memory.swizzle",
    "block_product": "block_products",
    "dram_traffic": "traffic.traffic",
    "feeding": "budgets.reuse",
    "fragment": "instructions.fragments",
    "ldmatrix_wavefronts": "shared_memory.ldmatrix",
    "mma": "instructions.multiply",
    "stage_budget": "budgets.stages",
    "stream_k_tiles": "traffic.stream_k",
    "sweep_feeding": "spaces.feeding_space",
    "sweep_layouts": "spaces.layout_space",
    "sweep_stages": "spaces.stage_space",
    "sweep_traffic": "spaces.traffic_space",
    "tile_order": "traffic.orders",
    "wavefronts": "shared_memory.banks",
}

__all__ = [
    "Swizzle",
    "block_product",
    "dram_traffic",
    "feeding",
    "fragment",
    "ldmatrix_wavefronts",
    "mma",
    "stage_budget",
    "stream_k_tiles",
    "sweep_feeding",
    "sweep_layouts",
    "sweep_stages",
    "sweep_traffic",
    "tile_order",
    "wavefronts",
]

__getattr__, __dir__ = lazily(__name__, _WHERE)
