"""Shared-memory budgets of a CTA, item by item, every number with its unit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from analysis.checked import choice, read_flag, whole
from sweep.engine.feasibility import KV_STAGES
from sweep.errors import InputTypeError, quoted
from sweep.hardware.budgets import BARRIER_BYTES, carveout_bytes
from sweep.hardware.durations import ELEMENT_BYTES
from sweep.inputs.call_arguments import read_shape

_KIB = 1024


@dataclass(frozen=True)
class SharedMemory:
    """An itemised shared-memory budget of a CTA.

    Attributes
    ----------
    items : tuple of (str, int)
        What it is for and bytes, in order.
    limit : int
        Bytes that a CTA can have.
    """

    items: tuple[tuple[str, int], ...]
    limit: int

    @property
    def total(self) -> int:
        """Bytes of all items."""
        return sum(size for _, size in self.items)

    @property
    def margin(self) -> int:
        """Bytes left; negative where they do not suffice."""
        return self.limit - self.total

    @property
    def fits(self) -> bool:
        """Whether a CTA can have it."""
        return self.margin >= 0

    def __str__(self) -> str:
        state = "left" if self.fits else "too many"
        rows = [*self.items, ("total", self.total), ("limit", self.limit)]
        lines = [f"{name:<24} {size:>9,} byte  {size / _KIB:8.2f} KiB" for name, size in rows]
        lines.append(f"{abs(self.margin):,} byte {state}")
        return "\n".join(lines)


def gemm_shared_memory(
    tile: str | tuple[int, ...],
    stages: int,
    limit: int,
    element_type: str = "bf16",
    producer: bool = True,
    smem_carveout_bytes: int = 0,
    others: Iterable[tuple[str, int]] = (),
) -> SharedMemory:
    """Itemise the shared memory of a GEMM's ring.

    Parameters
    ----------
    tile : str or tuple of int
    stages : int
    limit : int
        ``smem_per_block_bytes`` of the GPU.
    element_type : str
        Of the operands as they lie in shared memory: converted ones count at their new size.
    producer : bool
        Whether every stage has a full and an empty mbarrier, 8 bytes each.
    smem_carveout_bytes : int
        Epilogue scratch, rounded up to 128 bytes.
    others : iterable of (str, int)
        Further items: tile scheduler, tensor maps, ...

    Raises
    ------
    InputError
        For a number that is not whole or negative, or a type that there is not.

    Examples
    --------
    >>> print(gemm_shared_memory("128x256x64", 4, 166_912, "fp16", producer=False))
    A, 4 stages                 65,536 byte     64.00 KiB
    B, 4 stages                131,072 byte    128.00 KiB
    total                      196,608 byte    192.00 KiB
    limit                      166,912 byte    163.00 KiB
    29,696 byte too many
    """
    tile_m, tile_n, tile_k = read_shape("tile", tile, (3,), "128x256x64")
    stages = whole("stages", stages, 0)
    items = [
        (f"A, {stages} stages", _bytes(stages * tile_m * tile_k, element_type)),
        (f"B, {stages} stages", _bytes(stages * tile_n * tile_k, element_type)),
    ]
    if read_flag("producer", producer):
        items.append(("full and empty barriers", stages * BARRIER_BYTES))
    if scratch := whole("smem_carveout_bytes", smem_carveout_bytes):
        items.append(("epilogue scratch", int(carveout_bytes(scratch))))
    return SharedMemory((*items, *_others(others)), whole("limit", limit))


def attention_shared_memory(
    query_rows: int,
    keys: int,
    head_dim: int,
    limit: int,
    element_type: str = "bf16",
    kv_stages: int = KV_STAGES,
    probabilities_in_registers: bool = True,
    others: Iterable[tuple[str, int]] = (),
) -> SharedMemory:
    """Itemise the shared memory of a forward attention kernel.

    Parameters
    ----------
    query_rows, keys : int
        Rows of Q per CTA and keys per block.
    head_dim : int
    limit : int
        ``smem_per_block_bytes`` of the GPU.
    element_type : str
    kv_stages : int
        Buffers of K and of V each.
    probabilities_in_registers : bool
        Otherwise P passes through shared memory.
    others : iterable of (str, int)
        Further items.

    Examples
    --------
    FlashAttention-3, head dimension 128, 128 x 192 with P in registers needs exactly 224 KiB:

    >>> attention_shared_memory(128, 192, 128, 232_448).total // 1024
    224
    """
    rows, columns = whole("query_rows", query_rows), whole("keys", keys)
    depth, buffers = whole("head_dim", head_dim), whole("kv_stages", kv_stages)
    items = [
        ("Q", _bytes(rows * depth, element_type)),
        (f"K, {buffers} stages", _bytes(buffers * columns * depth, element_type)),
        (f"V, {buffers} stages", _bytes(buffers * columns * depth, element_type)),
    ]
    if not read_flag("probabilities_in_registers", probabilities_in_registers):
        items.append(("P", _bytes(rows * columns, element_type)))
    return SharedMemory((*items, *_others(others)), whole("limit", limit))


def _bytes(elements: int, element_type: str) -> int:
    """Return the bytes of so many elements, the last one filled up."""
    bits = round(8 * ELEMENT_BYTES[choice("element_type", element_type)])
    return -(-elements * bits // 8)


def _others(others: Any) -> list[tuple[str, int]]:
    """Return further items, each checked to be a name and bytes."""
    if isinstance(others, str | bytes) or not hasattr(others, "__iter__"):
        raise _not_items(others)
    found = []
    for item in others:
        if not isinstance(item, tuple | list) or len(item) != 2 or not isinstance(item[0], str):
            raise _not_items(item)
        found.append((item[0], whole("others", item[1])))
    return found


def _not_items(value: object) -> InputTypeError:
    return InputTypeError(f"others={quoted(value)}: must be pairs of a name and bytes")
