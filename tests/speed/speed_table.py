"""Print the README's benchmark table from ``pytest --benchmark-only --benchmark-json=FILE``.

python -m tests.speed.speed_table FILE
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

WHAT = {
    "test_warp_specialized_against_scalar_recurrence": "warp_specialized: scalar recurrence",
    "test_against_own_scalar_recurrence": "{}: scalar recurrence",
    "test_warp_specialized_against_simpy": "warp_specialized: SimPy",
    "test_long_loops_cost_little_more": "{}, 65,536 k-tiles or blocks: 64 of them",
    "test_many_tiles_cost_little_more": "{}, 4,096 output tiles: 16 of them",
    "test_axis_at_a_near_tie": "warp_specialized, {} (65,536 k-tiles): random points",
    "test_points_that_differ_in_all_counts": "{}, all counts differ: scalar recurrence",
    "test_run_against_its_kernel": "the kernel of 10^6 points: `sweep.run` on them",
    "test_peak_memory_of_run": "the result of 10^6 points: peak memory that `run` adds",
    "test_import_against_its_dependencies": "`import sweep`, all of it: `import xarray, numba`",
    "test_space_costs_little": "resolving 10^6 points: running them",
}


def row(benchmark: dict[str, Any]) -> str:
    """Write one benchmark as a row: what against what, the ratio, ns per point."""
    name, _, case = benchmark["name"].partition("[")
    ours, theirs = WHAT[name].format(case.rstrip("]")).rsplit(": ", 1)
    extra = benchmark["extra_info"]
    points = extra.get("points")
    each = f"{benchmark['stats']['min'] / points * 1e9:,.0f}" if points else ""
    ratio = extra["ratio"]
    return (
        f"| {ours} | {theirs} | {ratio:,.0f} | {each} |"
        if ratio >= 100
        else (f"| {ours} | {theirs} | {ratio:.2f} | {each} |")
    )


def main() -> None:
    """Print the table."""
    found = json.loads(Path(sys.argv[1]).read_text())
    print("| this | against | time of the second / the first | ns per point |")
    print("|---|---|--:|--:|")
    for benchmark in found["benchmarks"]:
        print(row(benchmark))
    print(f"\nMachine: {found['machine_info']['cpu'].get('brand_raw', 'unknown')}.")


if __name__ == "__main__":
    main()
