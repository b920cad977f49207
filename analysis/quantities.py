"""One row per parameter of a formula that no schedule has: unit and limits.

``ROWS`` finds a parameter by its name, here first, then among the quantities of the data path
(``sweep.quantities.data_path``) and the parameters of a schedule
(``sweep.quantities.variables``). Limits keep every product and quotient of a formula finite. A
formula takes durations as they are, not to the nearest 1/1024 cycle.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from sweep.quantities.data_path import DATA_PATH, LARGEST, bounded
from sweep.quantities.variables import VARIABLES, Kind, Variable

SMALL, LARGE = 1e-30, 1e30
"""Limits of a rate or a time of any unit."""
MOST_BYTES = 2**53
"""Bytes that float64 counts exactly."""
_KIND: Kind = "physical"


def _rates() -> Iterator[Variable]:
    rows: tuple[tuple[str, str, str, float], ...] = (
        ("bandwidth", "1", "bytes per unit of time", 0),
        ("latency", "1", "in the same unit of time", 0),
        ("round_trip", "1", "from one use of a slot to the next", 0),
        ("mainloop", "1", "time of a main loop", 0),
        ("flop_per_byte", "FLOP/byte", "arithmetic intensity", 0),
        ("flop_per_cycle", "FLOP/cycle", "peak", 0),
        ("bytes_per_cycle", "byte/cycle", "bandwidth", SMALL),
        ("macs_per_cycle", "1/cycle", "multiply-adds per cycle", 0),
        ("needed", "1/byte", "multiply-adds per byte", 0),
    )
    for name, units, long_name, lower in rows:
        yield Variable(name, _KIND, units, long_name, lower=lower, upper=LARGE)


def _whole() -> Iterator[Variable]:
    rows: tuple[tuple[str, str, str, int, int], ...] = (
        ("rows", "1", "rows of a tile", 1, LARGEST),
        ("columns", "1", "columns of a tile", 1, LARGEST),
        ("tiles", "1", "tiles that are taken together", 0, LARGEST),
        ("grid_m", "1", "rows of output tiles", 1, LARGEST),
        ("grid_n", "1", "columns of output tiles", 1, LARGEST),
        ("pitch_bytes", "byte", "from a row to the next", -MOST_BYTES, MOST_BYTES),
        ("row_bytes", "byte", "bytes of a row", -MOST_BYTES, MOST_BYTES),
        ("stride_words", "word", "from a lane's word to the next lane's", 0, MOST_BYTES),
        ("threads", "1", "threads of a CTA", 1, 1024),
        ("producer_registers", "1", "registers of a thread that copies", 24, 256),
        ("consumer_registers", "1", "registers of a thread that computes", 24, 256),
        ("registers_per_thread", "1", "registers of a thread", 1, 2**16),
        ("smem_bytes", "byte", "shared memory of a CTA", 0, MOST_BYTES),
        ("tensor_columns", "1", "Tensor Memory columns of a CTA", 0, LARGEST),
        ("warpgroups", "1", "warpgroups that share a tile", 1, 8),
        ("producers", "1", "warpgroups that copy", 0, 7),
        ("consumers", "1", "warpgroups that compute", 1, 8),
        ("available", "1", "registers of a thread", 0, LARGEST),
        ("other", "1", "registers beside the accumulators", 0, LARGEST),
        ("others", "byte", "of a further item", 0, MOST_BYTES),
        ("limit", "byte", "shared memory of a block", 0, MOST_BYTES),
        ("query_rows", "1", "rows of Q per CTA", 1, 2**20),
        ("keys", "1", "keys per block", 1, 2**20),
        ("kv_stages", "1", "buffers of K and of V", 1, 2**16),
        ("stage_bytes", "byte", "a slot", 1, MOST_BYTES),
        ("count", "1", "terms of a sum", 0, MOST_BYTES),
        ("divisor", "1", "of every term", 1, MOST_BYTES),
        ("step", "1", "from term to term", 0, MOST_BYTES),
        ("start", "1", "of the first term", 0, MOST_BYTES),
    )
    for name, units, long_name, lower, upper in rows:
        yield Variable(name, _KIND, units, long_name, "int64", None, lower=lower, upper=upper)


def _real() -> Iterator[Variable]:
    yield Variable("in_flight", _KIND, "byte", "bytes in flight", upper=LARGE)
    yield Variable("bytes_per_stage", _KIND, "byte", "a slot", lower=SMALL, upper=LARGE)
    yield Variable("bytes_per_thread", _KIND, "byte", "outstanding", lower=SMALL, upper=LARGE)
    yield Variable("element_bytes", _KIND, "byte", "of an element", lower=1 / 8, upper=16)
    yield Variable("within", _KIND, "1", "of the best", upper=1)


ROWS: Mapping[str, Variable] = MappingProxyType(
    {
        **{name: replace(bounded(row), kind=_KIND) for name, row in VARIABLES.items()},
        **{name: row for name, row in DATA_PATH.items() if row.kind == "physical"},
        **{row.name: row for rows in (_rates, _whole, _real) for row in rows()},
    }
)


def limited(name: str, lower: float, upper: float | None = None) -> Variable:
    """Return the row of a parameter with limits of its own."""
    row = ROWS[name]
    return replace(row, lower=lower, upper=row.upper if upper is None else upper)
