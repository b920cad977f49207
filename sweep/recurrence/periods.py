"""Write the code that gives a point's steady period and names what sets it.

Single-tile schedules: the largest circuit ratio. Tile-level schedules: the advance of a settled
group of tiles, and the durations that it responds to (a circuit that binds contains a duration
exactly where the period grows with it).
"""

from __future__ import annotations

from collections.abc import Callable

from sweep.description.circuits import Circuit, work_per_step, work_per_tile
from sweep.description.counts import linear_text
from sweep.quantities.variables import VARIABLES
from sweep.recurrence.code_text import function_code, latest_of
from sweep.recurrence.plan import Plan
from sweep.recurrence.state import Names


def steady_code(plan: Plan, names: Names) -> str:
    """Write ``steady_state`` (single-tile) or ``tile_bottleneck`` (tile-level)."""
    return _tile_level(plan, names) if plan.schedule.tile_level else _single_tile(plan, names)


def _code(name: str) -> int:
    return VARIABLES["bottleneck"].flag_meanings.index(name)


def _single_tile(plan: Plan, names: Names) -> str:
    body = []
    for lag in plan.deadlocks_where:
        body += [
            f"if {linear_text(lag)} < 1:  # runs at all only for few k-tiles: no steady state",
            f"    return math.nan, {_code('no_steady_state')}",
        ]
    ratios = {f"circuit_{i}": circuit for i, circuit in enumerate(plan.circuits)}
    body += [f"{name} = {circuit}" for name, circuit in ratios.items()]
    body += [f"period = {latest_of(ratios)}"]
    busy = (("TC", "tensor_core"), ("SFU", "exp"), ("FMA", "softmax"), ("MEM", "copy_bandwidth"))
    tests = [("period == 0.0", "no_work")]
    tests += [(test, cause) for resource, cause in busy for test in _busy(plan, resource)]
    with_latency = _binding(ratios, lambda c: "t_mma_latency" in c.takes)
    tests += [(f"(t_mma_latency > 0.0) & ({with_latency})" if with_latency else "", "mma_latency")]
    tests += [(_binding(ratios, lambda c: c.through_slot), "ring_depth")]
    issues = _binding(ratios, lambda c: "t_issue" in c.takes) if plan.schedule.ring else ""
    tests += [(f"(t_issue > 0.0) & ({issues})" if issues else "", "copy_issue")]
    # The first test that holds wins: the last to be applied, without a branch to mispredict.
    body += [f"bottleneck = {_code('serial_chain')}"]
    for test, bottleneck in reversed(tests):
        if test:
            body += [f"bottleneck = {_code(bottleneck)} if {test} else bottleneck  # {bottleneck}"]
    body += ["return period, bottleneck"]
    return function_code(
        "steady_state", ", ".join(names.parameters), "Return period and bottleneck.", body
    )


def _busy(plan: Plan, resource: str, steps: str = "") -> tuple[str, ...]:
    """Write the test that a resource is held all the time, or nothing if it is not used."""
    work = " + ".join(work_per_step(plan.events, resource))
    once = list(work_per_tile(plan.events, resource)) if steps else []
    held = " + ".join([*([f"{steps} * ({work})" if steps else work] if work else []), *once])
    return (f"period == {held}",) if held else ()


def _binding(ratios: dict[str, Circuit], wanted: Callable[[Circuit], bool]) -> str:
    return " | ".join(f"({name} == period)" for name, one in ratios.items() if wanted(one))


def _tile_level(plan: Plan, names: Names) -> str:
    body = [
        "if math.isnan(period):",
        f"    return {_code('unsettled')}",
        "if period == 0.0:",
        f"    return {_code('no_work')}",
    ]
    tests = [
        (_busy(plan, "TC", names.loop_count), "tensor_core"),
        (_responds(names, "t_epilogue", positive=True), "epilogue"),
        (_busy(plan, "MEM", names.loop_count), "copy_bandwidth"),
        (_responds(names, "t_mma_latency", positive=True), "mma_latency"),
        (_responds(names, "t_latency"), "ring_depth"),
        (_responds(names, "t_issue", positive=True), "copy_issue"),
    ]
    for test, bottleneck in tests:
        if len(test) == 1:
            body += [f"if {test[0]}:", f"    return {_code(bottleneck)}  # {bottleneck}"]
        elif test:
            condition, count = test
            lines = [
                f"found = {count}",
                f"if found != 0.0:  # {bottleneck}, or not to be told",
                f"    return {_code(bottleneck)} if found > 0.0 else {_code('unsettled')}",
            ]
            body += [f"if {condition}:", *(f"    {line}" for line in lines)] if condition else lines
    body += [f"return {_code('serial_chain')}"]
    return function_code(
        "tile_bottleneck",
        f"period, length, {names.counted_arguments}",
        "Name the durations that the period per output tile responds to.",
        body,
        "function",
    )


def _responds(names: Names, duration: str, positive: bool = False) -> tuple[str, ...]:
    """Write when a duration is asked for, and whether a critical circuit contains it."""
    if duration not in names.durations:
        return ()
    weights = ["1.0" if name == duration else "0.0" for name in names.durations]
    call = f"responds({', '.join(['length', *weights, names.counted_arguments])})"
    return f"{duration} > 0.0" if positive else "", call
