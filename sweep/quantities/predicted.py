"""Quantities of a prediction (``analysis.predict``), in the registry's rows.

``PREDICTED`` is the registry of a schedule's quantities with those added that describe a problem,
a kernel on a whole GPU, and what is predicted of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from sweep.quantities.data_path import DATA_PATH, LARGEST
from sweep.quantities.variables import VARIABLES, Variable

SCHEDULES = (
    "serial",
    "lookahead",
    "multistage",
    "warp_specialized",
    "pingpong",
    "sync",
    "ws",
    "persistent",
    "cooperative",
)
STATUSES = "calibrated extrapolated not_modelled"
REASONS = (
    "none small_problem short_k gpu element_type does_not_fit split_k"
    " instruction backward architecture"
)
"""Why a prediction is not calibrated; from ``does_not_fit`` on there is none."""
BINDINGS = "tensor_core copy_bandwidth ring_depth serial_chain epilogue dram launch exp softmax"

_KERNEL: tuple[tuple[str, str, str, int | None, int, int], ...] = (
    ("cta_pair", "1", "CTAs that share an MMA, each with half of B", 1, 1, 2),
    ("threads", "1", "threads of a CTA", None, 32, 1024),
    ("raster_group", "1", "rows of tiles that are taken together", 8, 1, LARGEST),
    ("sms_used", "1", "SMs that get a CTA", None, 1, 4096),
    ("half_sectors", "1", "1 where stores fill half of each 32-byte sector", 0, 0, 1),
    ("split_k", "1", "CTAs that share the inner dimension of a tile", 1, 1, LARGEST),
    ("seq_q", "1", "queries of a sequence", None, 1, LARGEST),
    ("seq_k", "1", "keys of a sequence", None, 1, LARGEST),
    ("heads", "1", "heads of queries", None, 1, LARGEST),
    ("batch", "1", "sequences, or products", 1, 1, LARGEST),
    ("causal", "1", "1 where a query sees no later key", 0, 0, 1),
)
"""Name, unit, meaning, default and limits of whole numbers that are given."""

_CHOICES: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("schedule", "how copies and MMAs follow each other", "warp_specialized", SCHEDULES),
    ("epilogue", "how a tile is stored", "tma", ("naive", "tma", "async", "overlap")),
    ("barriers", "mbarriers by PTX, or a library's objects", "ptx", ("ptx", "library")),
    ("copies", "what copies", "tma", ("tma", "cp_async")),
    ("instruction", "what multiplies", "warpgroup", ("warpgroup", "mma_sync")),
    ("period_from", "what gives the period of a k-tile", "closed", ("closed", "engine")),
    ("direction", "forward, or its gradient", "forward", ("forward", "backward")),
)

_RESULTS: tuple[tuple[str, str, str], ...] = (
    ("tflops", "TFLOP/s", "useful throughput"),
    ("tflops_low", "TFLOP/s", "lower end of the 80 % interval"),
    ("tflops_high", "TFLOP/s", "upper end of the 80 % interval"),
    ("utilization", "1", "throughput over the nominal peak"),
    ("sm_clock_hz", "Hz", "SM clock under this load"),
    ("pipe_utilization", "1", "share of the cycles that the Tensor Cores do useful work"),
    ("seconds", "s", "time of the whole problem"),
    ("problem_cycles", "cycle", "the same in cycles of the SM clock"),
    ("waves", "1", "rounds of tiles, the last one perhaps partial"),
    ("tiles", "1", "output tiles"),
    ("k_tile_period", "cycle", "steady cycles per k-tile, or per block of keys, of one CTA"),
    ("dram_bytes", "byte", "bytes to and from DRAM"),
)


def _given() -> Iterator[Variable]:
    for name, units, long_name, default, lower, upper in _KERNEL:
        yield Variable(name, "physical", units, long_name, "int64", default, lower, upper)
    for name, long_name, choice, choices in _CHOICES:
        yield Variable(name, "choice", "1", long_name, "str", choice, choices=choices)
    for name in ("m", "n", "k"):
        yield replace(DATA_PATH[name], default=None)
    yield Variable(
        "output_bytes", "physical", "byte", "of an output element", default=2.0, lower=0.5, upper=16
    )
    yield Variable(
        "unit", "physical", "1", "clock under load of this unit over a typical one's",
        default=1.0, lower=0.1, upper=10,
    )  # fmt: skip
    yield replace(VARIABLES["clock_hz"], lower=1e8, upper=1e10, above_lower=False)
    yield replace(VARIABLES["ctas_per_sm"], kind="physical", default=None, upper=32)
    yield replace(VARIABLES["mma_in_flight"], kind="physical", default=0, upper=1)


def _worked_out() -> Iterator[Variable]:
    for name, units, long_name in _RESULTS:
        yield Variable(name, "output", units, long_name)
    for name, long_name, words in (
        ("binding", "what takes most of the time", BINDINGS),
        ("status", "whether it was calibrated there", STATUSES),
        ("reason", "why it was not", REASONS),
    ):
        yield Variable(name, "flag", "1", long_name, "int8", flag_meanings=tuple(words.split()))


PREDICTED: Mapping[str, Variable] = MappingProxyType(
    {**VARIABLES, **{row.name: row for rows in (_given, _worked_out) for row in rows()}}
)


def predicted_code(name: str, meaning: str) -> int:
    """Return the code of a flag's meaning.

    Examples
    --------
    >>> predicted_code("status", "extrapolated")
    1
    """
    return PREDICTED[name].flag_meanings.index(meaning)
