"""The Tensor Core's data path: fragments, banks and swizzles, feeding, stages, DRAM traffic.

Exact integer arithmetic throughout: what one ``mma`` holds per lane, how many wavefronts its
operands take to leave shared memory, how much reuse a tile has, how many stages fit, and what a
tile shape costs in DRAM traffic. The ``sweep_*`` functions give the same over whole spaces as
labelled datasets.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sweep.tensorcore.banks import wavefronts
    from sweep.tensorcore.feeding_space import sweep_feeding
    from sweep.tensorcore.fragments import fragment
    from sweep.tensorcore.layout_space import sweep_layouts
    from sweep.tensorcore.ldmatrix import ldmatrix_wavefronts
    from sweep.tensorcore.multiply import mma
    from sweep.tensorcore.orders import tile_order
    from sweep.tensorcore.products import block_product
    from sweep.tensorcore.reuse import feeding
    from sweep.tensorcore.stage_space import sweep_stages
    from sweep.tensorcore.stages import stage_budget
    from sweep.tensorcore.stream_k import stream_k_tiles
    from sweep.tensorcore.swizzle import Swizzle
    from sweep.tensorcore.traffic import dram_traffic
    from sweep.tensorcore.traffic_space import sweep_traffic

_WHERE = {
    "Swizzle": "swizzle",
    "block_product": "products",
    "dram_traffic": "traffic",
    "feeding": "reuse",
    "fragment": "fragments",
    "ldmatrix_wavefronts": "ldmatrix",
    "mma": "multiply",
    "stage_budget": "stages",
    "stream_k_tiles": "stream_k",
    "sweep_feeding": "feeding_space",
    "sweep_layouts": "layout_space",
    "sweep_stages": "stage_space",
    "sweep_traffic": "traffic_space",
    "tile_order": "orders",
    "wavefronts": "banks",
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


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
