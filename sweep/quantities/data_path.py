"""Quantities of the data path (``sweep.tensorcore``), in the registry's rows.

``DATA_PATH`` is the registry of a schedule's quantities with those that have a meaning in the data
path only added: names as short as ``m``, ``bytes`` or ``group`` are free for a user's own
dimensions beside a schedule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from sweep.quantities.variables import VARIABLES, Variable

LARGEST = 2**31 - 1
"""Rows, columns and CTAs of a grid are 32-bit integers."""

_COUNTED = ("k", "k_tiles", "output_tiles")
"""Of the registry, here limited to what a grid counts."""

_WHOLE: tuple[tuple[str, str, str, int, int], ...] = (
    ("m", "1", "rows of the product", 1, LARGEST),
    ("n", "1", "columns of the product", 1, LARGEST),
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
    ("group", "1", "rows of tiles (of clusters) that an order takes together", 1, LARGEST),
    ("grid_m", "1", "rows of tiles", 1, LARGEST),
    ("grid_n", "1", "columns of tiles", 1, LARGEST),
    ("index", "1", "place of a tile in an order", 0, 2**62),
    ("cluster_size", "1", "CTAs of a cluster", 1, LARGEST),
    ("slots", "1", "tiles that run at once", 1, LARGEST),
    ("row_elements", "element", "elements of a row in shared memory", 1, 2**20),
    ("pad_elements", "element", "unused elements after each row", 0, 2**20),
    ("element_bytes", "byte", "size of an element", 1, 4),
    ("byte_addresses", "byte", "where each lane reads", 0, 2**40),
)
"""Name, unit, meaning and limits of whole numbers that are given."""

_RESULTS: tuple[tuple[str, str, str], ...] = (
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
"""Name, unit and meaning of numbers that are worked out."""

_FLAGS: tuple[tuple[str, str, str], ...] = (
    ("fits_l2", "whether both operands fit the L2", "no yes"),
    ("fits", "whether the stages needed fit", "no yes"),
    ("feeds", "whether the tile's reuse feeds the Tensor Core", "no yes"),
    ("fits_registers", "whether the accumulators fit the registers", "no yes"),
    ("refused", "why ldmatrix cannot load the layout", "none unaligned_rows split_rows"),
)
"""Name, meaning, and what each code stands for."""

_TEXTS: tuple[tuple[str, str], ...] = (
    ("swizzle", "layout of a tile in shared memory"),
    ("operands", "where A and B are read from: shared memory (s) or registers (r)"),
    ("instruction", "instruction that multiplies"),
    ("verdict", "whether the Tensor Core is fed and the registers suffice"),
    ("impossible", "why a cell cannot exist, empty where it can"),
)


def _given() -> Iterator[Variable]:
    for name in _COUNTED:
        yield replace(VARIABLES[name], kind="physical", default=None, upper=LARGEST)
    for name, units, long_name, lower, upper in _WHOLE:
        yield Variable(name, "physical", units, long_name, "int64", None, lower=lower, upper=upper)
    yield Variable("latency_seconds", "physical", "s", "latency of a copy", upper=1.0)


def _worked_out() -> Iterator[Variable]:
    for name, units, long_name in _RESULTS:
        yield Variable(name, "output", units, long_name)
    for name, long_name, words in _FLAGS:
        yield Variable(name, "flag", "1", long_name, "int8", flag_meanings=tuple(words.split()))
    for name, long_name in _TEXTS:
        yield Variable(name, "output", "1", long_name, "str")


DATA_PATH: Mapping[str, Variable] = MappingProxyType(
    {**VARIABLES, **{row.name: row for rows in (_given, _worked_out) for row in rows()}}
)


def bounded(row: Variable) -> Variable:
    """Return the row of a rate with limits that keep products and quotients of rates finite."""
    if row.dtype != "float64" or not row.above_lower:
        return row
    return replace(row, lower=1e-30, upper=1e30, above_lower=False)
