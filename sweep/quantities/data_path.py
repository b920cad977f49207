"""One row per quantity of the data path: units, long name and limits, as ``variables`` has.

Inputs are checked against their rows; datasets and printed results take units from them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from sweep.quantities.variables import VARIABLES, Variable

LARGEST = 2**31 - 1
"""Rows, columns and CTAs of a grid are 32-bit integers."""


def _inputs() -> Iterator[Variable]:
    rows: tuple[tuple[str, str, str, int, int], ...] = (
        ("m", "1", "rows of the product", 1, LARGEST),
        ("n", "1", "columns of the product", 1, LARGEST),
        ("k", "1", "inner dimension of the product", 1, LARGEST),
        ("tile_m", "1", "rows of a tile", 1, LARGEST),
        ("tile_n", "1", "columns of a tile", 1, LARGEST),
        ("tile_k", "1", "inner dimension of a k-tile", 1, LARGEST),
        ("block_m", "1", "rows of a CTA's block", 1, LARGEST),
        ("block_n", "1", "columns of a CTA's block", 1, LARGEST),
        ("bk", "1", "inner dimension of a k-tile", 1, LARGEST),
        ("warp_m", "1", "rows of a warp's tile", 1, LARGEST),
        ("warp_n", "1", "columns of a warp's tile", 1, LARGEST),
        ("cluster_m", "1", "CTAs of a cluster along M", 1, 16),
        ("cluster_n", "1", "CTAs of a cluster along N", 1, 16),
        (
            "group",
            "1",
            "rows of tiles (of clusters) that a grouped order takes together",
            1,
            LARGEST,
        ),
        ("grid_m", "1", "rows of tiles", 1, LARGEST),
        ("grid_n", "1", "columns of tiles", 1, LARGEST),
        ("index", "1", "place of a tile in an order", 0, 2**62),
        ("cluster_size", "1", "CTAs of a cluster", 1, LARGEST),
        ("output_tiles", "1", "tiles of the output", 1, LARGEST),
        ("slots", "1", "tiles that run at once", 1, LARGEST),
        ("k_tiles", "1", "main-loop iterations per output tile", 1, LARGEST),
        ("row_elements", "element", "elements of a row in shared memory", 1, 2**20),
        ("pad_elements", "element", "unused elements after each row", 0, 2**20),
        ("element_bytes", "byte", "size of an element", 1, 4),
        ("byte_addresses", "byte", "where each lane reads", 0, 2**40),
    )
    for name, units, long_name, lower, upper in rows:
        yield Variable(name, "physical", units, long_name, "int64", None, lower=lower, upper=upper)
    yield Variable("latency_seconds", "physical", "s", "latency of a copy", upper=1.0)


def _outputs() -> Iterator[Variable]:
    rows: tuple[tuple[str, str, str], ...] = (
        ("mma", "1", "mma instructions"),
        ("ldmatrix", "1", "ldmatrix.x4 instructions"),
        ("wavefronts", "1", "passes that shared memory takes"),
        ("ideal_wavefronts", "1", "passes without bank conflicts"),
        ("ways", "1", "bank conflict ways: wavefronts / ideal wavefronts"),
        ("row_bytes", "byte", "bytes of a row, without padding"),
        ("reuse", "1/byte", "multiply-adds per shared-memory byte"),
        ("needed", "1/byte", "multiply-adds per shared-memory byte that the Tensor Core needs"),
        ("accumulators_per_thread", "1", "32-bit accumulators of a thread"),
        ("register_limit", "1", "32-bit registers that a thread can address"),
        ("issue_interval", "cycle", "cycles between the wgmma of one SM, NaN for mma"),
        ("stage_bytes", "byte", "bytes of one ring slot"),
        ("stage_cycles", "cycle", "compute time of a stage"),
        ("stage_seconds", "s", "compute time of a stage"),
        ("stages_needed", "1", "stages that cover the latency"),
        ("stages_fit", "1", "stages that fit a block's shared memory"),
        ("bytes_per_second", "byte/s", "copy bandwidth that one SM needs"),
        ("gpu_bytes_per_second", "byte/s", "copy bandwidth that all SMs need"),
        ("over_dram", "1", "copy bandwidth that all SMs need over that of DRAM"),
        ("tiles", "1", "output tiles"),
        ("waves", "1", "rounds of one tile per SM, the last one perhaps partial"),
        ("waves_filled", "1", "output tiles per SM"),
        ("wave_efficiency", "1", "share of the SMs that have a tile, over all waves"),
        ("bytes", "byte", "DRAM traffic: strips read once per wave, the output written once"),
        ("seconds", "s", "time of the DRAM traffic"),
        ("floor_bytes", "byte", "compulsory DRAM traffic: everything once"),
        ("floor_seconds", "s", "time of the compulsory DRAM traffic"),
        ("l2_needed_bytes", "byte", "L2 that holds both operands, which gives the floor"),
        ("wave_bytes", "byte", "most operand bytes that one wave touches"),
        ("bytes_with_l2", "byte", "DRAM traffic: the floor where both operands fit the L2"),
        ("l2_read_bytes", "byte", "operand bytes read from L2, once per cluster"),
        ("compute_seconds", "s", "time of the multiply-adds at the dense peak"),
        ("stream_k_tiles", "1", "tiles that stream-K splits, by CUTLASS's heuristic"),
        ("stream_k_tiles_forced", "1", "tiles that stream-K splits where it is asked for"),
    )
    for name, units, long_name in rows:
        yield Variable(name, "output", units, long_name)
    yield Variable(
        "impossible", "output", "1", "why a cell cannot exist, empty where it can", "str"
    )


def _flags() -> Iterator[Variable]:
    rows: tuple[tuple[str, str, str], ...] = (
        ("fits_l2", "whether both operands fit the L2", "no yes"),
        ("fits", "whether the stages needed fit", "no yes"),
        ("feeds", "whether the tile's reuse feeds the Tensor Core", "no yes"),
        ("fits_registers", "whether the accumulators fit the registers", "no yes"),
        ("refused", "why ldmatrix cannot load the layout", "none unaligned_rows split_rows"),
    )
    for name, long_name, meanings in rows:
        yield Variable(name, "flag", "1", long_name, "int8", flag_meanings=tuple(meanings.split()))


QUANTITIES: Mapping[str, Variable] = MappingProxyType(
    {row.name: row for rows in (_inputs, _outputs, _flags) for row in rows()}
)


def bounded(row: Variable) -> Variable:
    """Return the row of a rate with limits that keep products and quotients of rates finite."""
    if row.dtype != "float64" or not row.above_lower:
        return row
    return replace(row, lower=1e-30, upper=1e30, above_lower=False)


def attributes(name: str) -> dict[str, Any]:
    """Return the CF attributes of a quantity; none for a name that is only a label."""
    row = QUANTITIES.get(name) or VARIABLES.get(name)
    if row is None:
        return {}
    found: dict[str, Any] = {"units": row.units, "long_name": row.long_name}
    if row.flag_meanings:
        found["flag_values"] = np.array(row.flag_values, dtype=np.int8)
        found["flag_meanings"] = " ".join(row.flag_meanings)
    return found
