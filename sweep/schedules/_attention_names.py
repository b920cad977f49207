"""Names that attention kernels share: the ring of keys and values, its loads, blocks and products.

A formula is rounded once to 1/1024 cycle. A block is ``block_n`` keys; ``head_dim`` is the width
of Q and K, ``head_dim_v`` that of V and O.
"""

from __future__ import annotations

from sweep.description import Count, Duration


def kv_stages(default: int) -> Count:
    """Declare the slots of the ring (or rings) that holds blocks of keys and values."""
    return Count("kv_stages", default, long_name="blocks held by a ring of keys or values")


def load_q(rows: str) -> Duration:
    """Declare the copy of a tile's queries, that many rows."""
    return Duration(
        "t_load_q",
        "occupancy of the copy path by a tile's queries",
        f"{rows} * head_dim * element_bytes / mem_bytes_per_cycle",
    )


LOAD_K = Duration(
    "t_load_k",
    "occupancy of the copy path by a block of keys",
    "block_n * head_dim * element_bytes / mem_bytes_per_cycle",
)
LOAD_V = Duration(
    "t_load_v",
    "occupancy of the copy path by a block of values",
    "block_n * head_dim_v * element_bytes / mem_bytes_per_cycle",
)
