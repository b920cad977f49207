"""One row per quantity: its kind, dtype, units, long name, default and limits.

Everything that is read from a user or written into a dataset is looked up here by name, so a
new quantity is one row. Units follow CF/UDUNITS style; "1" stands for a pure number or a name.
Names that a schedule declares join them (``sweep.quantities.registry``).
"""

from __future__ import annotations

from collections.abc import Iterator

from sweep.quantities.registry import Names, Registry
from sweep.quantities.result_rows import output_rows, trace_rows
from sweep.quantities.variable import EXACT_CYCLES, MOST_SLOTS, Kind, Variable, on_grid

__all__ = [
    "EXACT_CYCLES",
    "GPU_FIELDS",
    "MOST_SLOTS",
    "OPERANDS",
    "OUTPUTS",
    "PARAMETERS",
    "RESIDENCY",
    "VARIABLES",
    "Kind",
    "Variable",
    "on_grid",
]

SERVICES = ("ordered", "fifo", "alternate")
"""In program order, who asked first, or copies of an SM by turns."""
TILE_SCHEDULERS = ("single", "static_persistent")
"""Each output tile is a CTA of its own, or a CTA runs over many."""
RESIDENCY = (
    "output_tiles",
    "ctas_per_sm",
    "tile_scheduler",
    "t_launch",
    "t_stagger",
    "arbitration",
)
"""What every schedule has: how many output tiles and CTAs an SM runs, and how they share it."""
MOST_CTAS = 1024
"""Far above what any SM holds."""
LARGEST_BLOCK = 2**16
ELEMENT_TYPES = ("bf16", "fp16", "tf32", "fp8", "int8", "fp4")
OPERANDS = (
    "element_type_a",
    "element_type_b",
    "element_type_acc",
    "element_type_c",
    "scale_factors",
)
"""What follows from ``element_type`` unless given: types of operands, accumulators and outputs."""


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
        ("t_launch", "time until a CTA starts", 0.0),
        ("t_stagger", "time between the starts of the CTAs that share an SM", 0.0),
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
        ("ctas_per_sm", "CTAs that share an SM", 1, 1),
    )
    for name, long_name, default, lower in rows:
        upper = MOST_SLOTS if name in ("stages", "mma_in_flight") else EXACT_CYCLES
        upper = MOST_CTAS if name == "ctas_per_sm" else upper
        yield Variable(name, "count", "1", long_name, "int64", default, lower=lower, upper=upper)


def _choices() -> Iterator[Variable]:
    rows: tuple[tuple[str, str, str | None, tuple[str, ...]], ...] = (
        ("release", "who frees a slot", "consumer", ("consumer", "hardware")),
        ("arbitration", "order of service of shared resources", "ordered", SERVICES),
        ("tile_scheduler", "how CTAs get their output tiles", None, TILE_SCHEDULERS),
        ("loader", "instruction that issues the copies", None, ("tma", "cp_async", "ld_global")),
        ("element_type", "type of the input elements", "bf16", ELEMENT_TYPES),
        ("element_type_a", "type of the elements of A", None, (*ELEMENT_TYPES, "int4")),
        ("element_type_b", "type of the elements of B", None, (*ELEMENT_TYPES, "int4")),
        ("element_type_acc", "type of the accumulators", None, ("fp32", "fp16", "int32")),
        (
            "element_type_c",
            "type of the output elements",
            None,
            ("bf16", "fp16", "fp32", "fp8", "int8", "int32"),
        ),
        (
            "scale_factors",
            "scale factors that go with each stage",
            "none",
            ("none", "mxfp8", "mxfp4", "nvfp4", "fp8_block"),
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
    yield _integer("head_dim_v", "physical", "1", "head dimension of the values")
    for name, long_name, default in (
        ("block_m", "rows of queries of a CTA", None),
        ("block_n", "keys of a block", 128),
    ):
        yield Variable(
            name, "physical", "1", long_name, "int64", default, lower=1, upper=LARGEST_BLOCK
        )
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


VARIABLES = Registry(
    row
    for rows in (
        trace_rows,
        _physical,
        _gpu_fields,
        _durations,
        _counts,
        _choices,
        output_rows,
    )
    for row in rows()
)
"""Every quantity by name, those that schedules declare included."""

PARAMETERS = Names(
    VARIABLES, lambda row: row.kind in ("duration", "count", "choice", "physical", "gpu_field")
)
"""The names a user can set, those that schedules declare included."""

GPU_FIELDS: tuple[str, ...] = tuple(
    name for name, row in VARIABLES.items() if row.kind == "gpu_field"
)
OUTPUTS: tuple[str, ...] = tuple(
    name for name, row in VARIABLES.items() if row.kind in ("output", "flag")
)
"""What every run gives; a schedule's own resources add their utilisations."""
