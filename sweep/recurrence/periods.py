"""Write the code that gives a point's steady period and names what sets it.

Single-tile schedules: the largest circuit ratio. Tile-level schedules: the advance of a settled
group of tiles, and the durations that it responds to (a circuit that binds contains a duration
exactly where the period grows with it).
"""

from __future__ import annotations

from collections.abc import Callable

from sweep.description.circuits import Circuit, work_per_step, work_per_tile
from sweep.description.counts import linear_text
from sweep.quantities.bottlenecks import BOTTLENECKS, Bottleneck, bottleneck_code
from sweep.recurrence.code_text import function_code, latest_of
from sweep.recurrence.plan import Plan
from sweep.recurrence.state import Names


def steady_code(plan: Plan, names: Names) -> str:
    """Write ``steady_state`` (single-tile) or ``tile_bottleneck`` (tile-level)."""
    return _tile_level(plan, names) if plan.schedule.tile_level else _single_tile(plan, names)


def _single_tile(plan: Plan, names: Names) -> str:
    body = []
    for lag in plan.deadlocks_where:
        body += [
            f"if {linear_text(lag)} < 1:  # runs at all only for few k-tiles: no steady state",
            f"    return math.nan, {bottleneck_code('no_steady_state')}",
        ]
    ratios = {f"circuit_{i}": circuit for i, circuit in enumerate(plan.circuits)}
    body += [f"{name} = {circuit}" for name, circuit in ratios.items()]
    body += [f"period = {latest_of(ratios)}"]
    tests = [("period == 0.0", "no_work")]
    for row in BOTTLENECKS.values():
        tests += [(test, row.name) for test in _single_tile_tests(plan, row, ratios)]
    # The first test that holds wins: the last to be applied, without a branch to mispredict.
    body += [f"bottleneck = {bottleneck_code('serial_chain')}"]
    for test, name in reversed(tests):
        body += [f"bottleneck = {bottleneck_code(name)} if {test} else bottleneck  # {name}"]
    body += ["return period, bottleneck"]
    return function_code(
        "steady_state", ", ".join(names.parameters), "Return period and bottleneck.", body
    )


def _single_tile_tests(plan: Plan, row: Bottleneck, ratios: dict[str, Circuit]) -> tuple[str, ...]:
    """Write the test for a bottleneck, or nothing where it can't be asked for."""
    if row.resource:
        return _busy(plan, row.resource)
    if not row.duration or (row.ring_only and not plan.schedule.ring):
        return ()
    if row.through_slot:
        binding = _binding(ratios, lambda circuit: circuit.through_slot)
        return (binding,) if binding else ()
    binding = _binding(ratios, lambda circuit: row.duration in circuit.takes)
    return (f"({row.duration} > 0.0) & ({binding})",) if binding else ()


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
        f"    return {bottleneck_code('unsettled')}",
        "if period == 0.0:",
        f"    return {bottleneck_code('no_work')}",
    ]
    for row in BOTTLENECKS.values():
        body += _tile_level_lines(plan, names, row)
    body += [f"return {bottleneck_code('serial_chain')}"]
    return function_code(
        "tile_bottleneck",
        f"period, length, {names.counted_arguments}",
        "Name the durations that the period per output tile responds to.",
        body,
        "function",
    )


def _tile_level_lines(plan: Plan, names: Names, row: Bottleneck) -> list[str]:
    """Write the lines that return a bottleneck, none where it can't be asked for."""
    code = bottleneck_code(row.name)
    if row.resource:
        held = _busy(plan, row.resource, names.loop_count)
        return [
            line for test in held for line in (f"if {test}:", f"    return {code}  # {row.name}")
        ]
    if row.duration not in names.durations:
        return []
    lines = [
        f"found = {_response(names, row.duration)}",
        f"if found != 0.0:  # {row.name}, or not to be told",
        f"    return {code} if found > 0.0 else {bottleneck_code('unsettled')}",
    ]
    if row.through_slot:
        return lines
    return [f"if {row.duration} > 0.0:", *(f"    {line}" for line in lines)]


def _response(names: Names, duration: str) -> str:
    """Write the call that says whether a critical circuit contains a duration."""
    weights = ["1.0" if name == duration else "0.0" for name in names.durations]
    return f"responds({', '.join(['length', *weights, names.counted_arguments])})"
