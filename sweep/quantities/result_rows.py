"""The rows of what a run gives: outputs, flags with their meanings, columns of a trace."""

from __future__ import annotations

from collections.abc import Iterator

from sweep.quantities.bottlenecks import BOTTLENECKS
from sweep.quantities.variable import Variable

INFEASIBLE_REASONS = (
    "none deadlock shared_memory registers unsupported_element_type unknown_gpu_field loader"
    " cluster tile_shape tensor_memory threads ctas_per_sm"
)
"""A deadlock, budgets that do not suffice, and what cannot exist on the GPU; then more budgets."""
UNKNOWN_REASONS = "none no_tile fixed_block scale_factors tensor_memory compute_capability"
"""What the model would have to know, in the order of precedence."""


def utilization_row(resource: str, what: str) -> Variable:
    """Return the row of a resource's utilisation."""
    return Variable(
        f"{resource.lower()}_utilization",
        "output",
        "1",
        f"share of the makespan that holds {what}",
    )


def output_rows() -> Iterator[Variable]:
    """Yield what every run gives: numbers, then flags."""
    yield Variable("cycles", "output", "cycle", "makespan")
    for resource, what in (
        ("tc", "Tensor Core"),
        ("mem", "copy path"),
        ("sfu", "SFU"),
        ("fma", "FMA lanes"),
    ):
        yield utilization_row(resource, f"the {what}")
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


def trace_rows() -> Iterator[Variable]:
    """Yield the dimensions and columns of results and traces."""
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
