"""One row per quantity: its kind, dtype, units, long name, default and limits.

Everything that is read from a user or written into a dataset is looked up here by name, so a
new quantity is one row. Units follow CF/UDUNITS style; "1" stands for a pure number or a name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from sweep.quantities.bottlenecks import BOTTLENECKS

Kind = Literal[
    "duration", "count", "choice", "physical", "gpu_field", "output", "flag", "trace", "axis"
]

EXACT_CYCLES = 2**43
"""Above this many cycles float64 no longer resolves 1/1024 cycle (52 bits less 10, plus one)."""
MOST_SLOTS = 1 << 16
"""The largest ring: half a megabyte of scratch for each of its states."""


@dataclass(frozen=True)
class Variable:
    """One quantity.

    Attributes
    ----------
    name : str
        What it is called everywhere.
    kind : str
        "duration" (a cycle parameter), "count", "choice", "physical", "gpu_field", "output",
        "flag" (an output that is an integer code), "trace" (a column of a trace) or "axis".
    units, long_name : str
        CF attributes.
    dtype : {"float64", "int64", "int8", "str", "shape"}
        How it is held; a shape ("128x256x64") is held as text.
    default : float, int, str or None
        None where it depends on the schedule, the tile or the GPU.
    lower, upper : float
        Limits of a number, inclusive; ``above_lower`` makes the lower one exclusive.
    choices : tuple of str
        The values of a choice; their order gives the integer codes.
    flag_values, flag_meanings : tuple
        CF attributes of a flag.
    """

    name: str
    kind: Kind
    units: str
    long_name: str
    dtype: str = "float64"
    default: float | int | str | None = None
    lower: float = 0
    upper: float = float("inf")
    above_lower: bool = False
    choices: tuple[str, ...] = ()
    flag_meanings: tuple[str, ...] = ()

    @property
    def flag_values(self) -> tuple[int, ...]:
        """The codes of a flag, in the order of their meanings."""
        return tuple(range(len(self.flag_meanings)))

    @property
    def numeric(self) -> bool:
        """Whether its values are numbers rather than names or shapes."""
        return self.dtype not in ("str", "shape")

    def with_unit(self, value: object) -> str:
        """Return a value as text, followed by the unit where there is one."""
        return f"{value}" if self.units == "1" else f"{value} {self.units}"


def _durations() -> Iterator[Variable]:
    rows: tuple[tuple[str, str, float | None], ...] = (
        ("t_issue", "time an agent spends issuing a copy", None),
        ("t_transfer", "occupancy of the copy path per k-tile", None),
        ("t_latency", "latency of a copy after its transfer", None),
        ("t_mma", "occupancy of the Tensor Core per k-tile", None),
        ("t_store", "time to store a staged k-tile from registers to shared memory", None),
        ("t_epilogue", "time of an epilogue", None),
        ("t_sync", "time added after each barrier wait", 0.0),
        ("t_mma_latency", "completion of an MMA after its occupancy", 0.0),
        ("t_gemm", "occupancy of the Tensor Core per attention GEMM of a block", None),
        ("t_gemm0", "occupancy of the Tensor Core by Q K^T of a block", None),
        ("t_gemm1", "occupancy of the Tensor Core by P V of a block", None),
        ("t_exp", "occupancy of the SFU by the exponentials of a block", None),
        ("t_softmax", "occupancy of the FMA lanes by the rest of softmax of a block", None),
    )
    for name, long_name, default in rows:
        yield Variable(name, "duration", "cycle", long_name, default=default, upper=EXACT_CYCLES)


def _counts() -> Iterator[Variable]:
    rows: tuple[tuple[str, str, int | None, int], ...] = (
        ("stages", "slots of the shared-memory ring", 4, 1),
        ("k_tiles", "main-loop iterations per output tile", 64, 1),
        ("output_tiles", "output tiles per persistent CTA", 8, 1),
        ("kv_blocks", "blocks of keys per warpgroup", None, 1),
        ("mma_in_flight", "MMAs left in flight before a slot is released", 0, 0),
    )
    for name, long_name, default, lower in rows:
        upper = MOST_SLOTS if name in ("stages", "mma_in_flight") else EXACT_CYCLES
        yield Variable(name, "count", "1", long_name, "int64", default, lower=lower, upper=upper)


def _choices() -> Iterator[Variable]:
    rows: tuple[tuple[str, str, str | None, tuple[str, ...]], ...] = (
        ("release", "who frees a slot", "consumer", ("consumer", "hardware")),
        ("arbitration", "order of service of shared resources", "ordered", ("ordered", "fifo")),
        ("loader", "instruction that issues the copies", None, ("tma", "cp_async", "ld_global")),
        (
            "element_type",
            "type of the input elements",
            "bf16",
            ("bf16", "fp16", "tf32", "fp8", "int8", "fp4"),
        ),
    )
    for name, long_name, default, choices in rows:
        yield Variable(name, "choice", "1", long_name, "str", default, choices=choices)


def _physical() -> Iterator[Variable]:
    yield Variable("gpu", "physical", "1", "GPU", "str", "lecture")
    yield Variable("tile", "physical", "1", "CTA tile, M x N x K", "shape", "128x256x64")
    yield Variable("cluster", "physical", "1", "CTAs that share loads, M x N", "shape", "1x1")
    yield _integer("k", "physical", "1", "inner dimension of the matrix product")
    yield Variable(
        "epilogue_weight", "physical", "1", "work of the epilogue, plain store = 1", default=1.0
    )
    yield Variable(
        "max_cluster_ctas", "physical", "1", "most CTAs of a cluster; above 8 is not portable",
        "int64", 8, lower=1, upper=16,
    )  # fmt: skip
    yield _integer("head_dim", "physical", "1", "head dimension", 128)
    yield _integer("consumer_warpgroups", "physical", "1", "warpgroups that compute")
    yield _integer(
        "smem_carveout_bytes", "physical", "byte", "shared memory kept from the ring", 0, lower=0
    )


def _gpu_fields() -> Iterator[Variable]:
    kind: Kind = "gpu_field"
    yield Variable("compute_capability", kind, "1", "compute capability, such as 9.0", lower=1)
    yield _integer("sm_count", kind, "1", "streaming multiprocessors")
    for name, units, long_name in (
        ("clock_hz", "Hz", "SM clock"),
        ("tc_flop_per_cycle", "FLOP/cycle", "dense 16-bit Tensor Core rate per SM"),
        ("mem_bytes_per_cycle", "byte/cycle", "copy bandwidth into shared memory per SM"),
    ):
        yield _rate(name, units, long_name)
    yield Variable("latency_cycles", kind, "cycle", "latency of a copy", upper=EXACT_CYCLES)
    for name, units, long_name in (
        ("exp_per_cycle", "1/cycle", "exponentials per SM"),
        ("fma_lanes", "1/cycle", "FP32 FMA lanes per SM"),
        ("staging_bytes_per_cycle", "byte/cycle", "registers to shared memory per SM"),
        ("smem_bytes_per_cycle", "byte/cycle", "shared-memory bandwidth per SM"),
    ):
        yield _rate(name, units, long_name)
    yield _integer("smem_per_block_bytes", kind, "byte", "shared memory of a block", lower=0)
    yield _integer("smem_per_sm_bytes", kind, "byte", "shared memory of an SM", lower=0)
    yield _integer("registers_per_sm", kind, "1", "32-bit registers of an SM")
    yield _integer("max_registers_per_thread", kind, "1", "32-bit registers a thread can address")
    yield _integer("l2_bytes", kind, "byte", "L2 cache", lower=0)
    yield _rate("dram_bytes_per_second", "byte/s", "device-memory bandwidth")
    for name, long_name in (
        ("l2_latency_cycles", "latency of an L2 hit"),
        ("shared_memory_latency_cycles", "latency of shared memory"),
    ):
        yield Variable(name, kind, "cycle", long_name, upper=EXACT_CYCLES)
    yield _rate("host_link_bytes_per_second", "byte/s", "bandwidth of the host link")
    yield _rate("host_link_latency_seconds", "s", "latency of the host link")
    yield _rate("tmem_bytes_per_cycle", "byte/cycle", "reads of Tensor Memory per SM")
    yield from _capability_fields(kind)


def _capability_fields(kind: Kind) -> Iterator[Variable]:
    """Yield what follows from the compute capability unless a card says otherwise."""
    rows: tuple[tuple[str, str, str, int], ...] = (
        ("max_threads_per_cta", "1", "most threads of a CTA", 1),
        ("max_threads_per_sm", "1", "most resident threads of an SM", 1),
        ("max_warps_per_sm", "1", "most resident warps of an SM", 1),
        ("max_ctas_per_sm", "1", "most resident CTAs of an SM", 1),
        ("register_unit", "1", "registers of a warp are given out in units of this many", 1),
        ("sm_partitions", "1", "warps that hold registers come in groups of this many", 1),
        ("smem_unit_bytes", "byte", "shared memory of a CTA is given out in units of this", 1),
        ("reserved_smem_bytes", "byte", "shared memory that the system takes per CTA", 0),
        ("tmem_columns", "1", "Tensor Memory columns of an SM, 128 lanes x 4 byte each", 0),
        ("portable_cluster_ctas", "1", "most CTAs of a portable cluster", 1),
        ("largest_cluster_ctas", "1", "most CTAs of a cluster", 1),
    )
    for name, units, long_name, lower in rows:
        yield _integer(name, kind, units, long_name, lower=lower)


def _rate(name: str, units: str, long_name: str) -> Variable:
    return Variable(name, "gpu_field", units, long_name, above_lower=True, upper=2**53)


def _integer(
    name: str, kind: Kind, units: str, long_name: str, default: int | None = None, lower: int = 1
) -> Variable:
    return Variable(name, kind, units, long_name, "int64", default, lower=lower, upper=2**53)


INFEASIBLE_REASONS = (
    "none deadlock shared_memory registers unsupported_element_type unknown_gpu_field loader"
    " cluster tile_shape"
)
"""A deadlock, budgets that do not suffice, and what cannot exist on the GPU."""
UNKNOWN_REASONS = "none no_tile fixed_block scale_factors tensor_memory compute_capability"
"""What the model would have to know, in the order of precedence."""


def _outputs() -> Iterator[Variable]:
    yield Variable("cycles", "output", "cycle", "makespan")
    for resource, what in (
        ("tc", "Tensor Core"),
        ("mem", "copy path"),
        ("sfu", "SFU"),
        ("fma", "FMA lanes"),
    ):
        yield Variable(
            f"{resource}_utilization", "output", "1", f"share of the makespan that holds the {what}"
        )
    yield Variable("period", "output", "cycle", "steady cycles per k-tile, output tile or block")
    yield Variable(
        "steady_tc_utilization", "output", "1", "share of the period that holds the Tensor Core"
    )
    yield Variable("tflops", "output", "TFLOP/s", "useful throughput of full tiles on all SMs")
    for name, long_name, meanings in (
        ("bottleneck", "what sets the period", " ".join(BOTTLENECKS)),
        ("feasible", "whether the point fits the hardware", "no yes unknown"),
        ("infeasible_reason", "why the point does not fit or cannot exist", INFEASIBLE_REASONS),
        ("unknown_reason", "why it is not known whether the point fits", UNKNOWN_REASONS),
    ):
        yield Variable(name, "flag", "1", long_name, "int8", flag_meanings=tuple(meanings.split()))


def _traces() -> Iterator[Variable]:
    yield Variable("schedule", "axis", "1", "schedule", "str")
    yield Variable("event", "trace", "1", "index of the event", "int64")
    for name, long_name in (
        ("agent", "warp or warpgroup"),
        ("resource", "resource held"),
        ("operation", "operation"),
        ("waits_for", "what the wait before it was for"),
    ):
        yield Variable(name, "trace", "1", long_name, "str")
    for name, long_name in (
        ("output_tile", "index of the output tile"),
        ("k_tile", "index of the k-tile within its output tile; -1 once per tile"),
        ("block", "index of the block of keys"),
    ):
        yield Variable(name, "trace", "1", long_name, "int64", lower=-1)
    for name, long_name in (
        ("since", "time the agent got there"),
        ("start", "time it began"),
        ("end", "time it ended"),
        ("wait", "time between getting there and beginning"),
    ):
        yield Variable(name, "trace", "cycle", long_name)


VARIABLES: Mapping[str, Variable] = MappingProxyType(
    {
        row.name: row
        for rows in (
            _traces,
            _physical,
            _gpu_fields,
            _durations,
            _counts,
            _choices,
            _outputs,
        )
        for row in rows()
    }
)

PARAMETERS: tuple[str, ...] = tuple(
    name
    for name, row in VARIABLES.items()
    if row.kind in ("duration", "count", "choice", "physical", "gpu_field")
)
"""The names a user can set."""

GPU_FIELDS: tuple[str, ...] = tuple(
    name for name, row in VARIABLES.items() if row.kind == "gpu_field"
)
OUTPUTS: tuple[str, ...] = tuple(
    name for name, row in VARIABLES.items() if row.kind in ("output", "flag")
)


def on_grid(row: Variable) -> bool:
    """Whether a number is rounded inside to 1/1024 cycle, so that every sum is exact."""
    return row.kind == "duration" or row.name == "latency_cycles"
