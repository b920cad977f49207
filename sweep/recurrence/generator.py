"""Write a schedule's recurrence as readable scalar code, with exact jumps (see ``jumping``).

One function per phase of a tile's main loop: *fill* steps before the skewed events start,
*steady* steps, and *drain* steps after the last copy; ``tile`` strings them together with the
tile-level events. ``kernel`` loops over points.
"""

from __future__ import annotations

from textwrap import indent

from sweep.description import After, Event
from sweep.description.counts import linear, linear_text
from sweep.recurrence.code_text import end_name, function_code, latest_of, line_name
from sweep.recurrence.periods import steady_code
from sweep.recurrence.plan import Plan
from sweep.recurrence.policies import counted_code, responds_code, settle_code
from sweep.recurrence.round_jumps import jumping_code
from sweep.recurrence.state import OTHER_CONSUMER, TURN, Names
from sweep.recurrence.tile_jumps import tile_jumping_code

HEADER = '''"""{title}

{listing}
"""

import math

from sweep.compiling.numba_options import (
    batch,
    function,
    inlined,
)
from sweep.compiling.runtime import (
    EXACT,
    MOST_COUNTED,
    TAGS,
    as_count,
    common_multiple,
    copy,
    drifting,
    evaluate,
    fill,
    follow,
    gains_on_a_circuit,
    improve,
    later,
    latest,
    read_policy,
    repeats,
    ring_moved,
    rotate_back,
    rotated,
    same_advance,
    shift_ring,
    tag,
    uniform,
    uniform_group,
    with_counts,
)
'''


def generate(plan: Plan) -> str:
    """Return the source of a module whose ``kernel`` runs a schedule over arrays of points.

    Parameters
    ----------
    plan : Plan
        The schedule's recurrence; see ``sweep.recurrence.plan.plan``.

    Returns
    -------
    str
        Python source; ``sweep.recurrence.kernels.load`` compiles it.
    """
    names = Names(plan)
    tile = [
        *(_step(plan, names, phase) for phase in phases(plan)),
        jumping_code(names),
        _tile(plan, names),
    ]
    parts = [
        HEADER.format(title=_title(plan), listing=_listing(plan)),
        *tile,
        *(_between_tiles(names, "\n\n".join(tile)) if plan.schedule.tile_level else ()),
        steady_code(plan, names),
        _kernel(plan, names),
    ]
    return "\n\n".join(part.strip("\n") + "\n" for part in parts if part)


def _between_tiles(names: Names, tile: str) -> tuple[str, ...]:
    """Write the loop over tiles, and the tile once more with counts beside its times."""
    loop = tile_jumping_code(names)
    counted = counted_code(tile + "\n\n" + loop)
    return loop, counted, settle_code(names), responds_code(names)


def phases(plan: Plan) -> tuple[str, ...]:
    """Name the kinds of steps that a tile's main loop has."""
    return ("fill", "steady", "drain") if plan.skew != 0 else ("steady",)


def _title(plan: Plan) -> str:
    what = "extensions off" if plan.plain else f"release={plan.release}"
    return f"The recurrence of {plan.schedule.name} ({what}), one scalar point at a time."


def _listing(plan: Plan) -> str:
    return "\n".join(f"    {_describe(event)}" for event in plan.events)


def _describe(event: Event) -> str:
    where = " + ".join(part for part in (event.agent, event.on) if part) or "in flight"
    after = ", ".join(f"{a.event}[-{a.lag}]" if a.lag else a.event for a in event.after)
    skew = f", {event.behind} behind" if event.behind else ""
    return (
        f"{event.name}: {where}, {event.takes or '0'}"
        + (f", after {after}" if after else "")
        + (", asynchronous" if event.asynchronous else "")
        + skew
        + (f", {event.place}" if event.place != "k_tile" else "")
    )


def _step(plan: Plan, names: Names, phase: str) -> str:
    """Write one step: the events of that phase in list order, then the ring positions."""
    body: list[str] = []
    for event in plan.rows("k_tile"):
        runs = phase == "steady" or (phase == "drain") == (event.behind != 0)
        if runs:
            body += _statements(plan, event, draining=phase == "drain")
        body += _remember(plan, event, runs)
    for name, size, _, skewed in plan.positions:
        if phase == "steady" or (phase == "drain") == skewed:
            body += [f"{name} += 1", f"if {name} == {size}:", f"    {name} = 0"]
    if plan.starts("k_tile") and phase != "drain":
        body += ["k_tile += 1"]
    return function_code(
        f"{phase}_step",
        names.loop_arguments,
        f"Advance one {phase} step.",
        [*body, f"return {names.loop_state}"],
    )


def _statements(plan: Plan, event: Event, draining: bool = False) -> list[str]:
    """Write one event: the latest of what it waits for, plus what it takes."""
    agent = line_name(event.agent, agents=True) if event.agent else ""
    resource = line_name(event.on, agents=False)
    lines = [line for line in (agent, resource) if line in (*plan.lines, *plan.idle_lines)]
    needs = [_value(plan, event, after) for after in event.after]
    if draining and event.drain_after:
        needs.append(end_name(event.drain_after))
    statements = []
    if event.asynchronous and needs:  # held until it can be issued
        statements.append(f"{agent} = {latest_of([agent, *needs])}")
        needs = []
    begin = latest_of([*lines, *needs])
    end = f"{begin} + {event.takes}" if event.takes else begin
    targets = [] if event.asynchronous or not agent else [agent]
    targets += [resource] if resource in lines else []
    targets += [end_name(event.name)] if _is_read(plan, event) else []
    statements.append(f"{' = '.join([*targets, end])}  # {event.name}")
    if event.starts_at == 0:
        return statements
    counter = "k_tile" if event.place == "k_tile" else "tiles_done"
    start = linear_text(linear(event.starts_at))
    late = [f"if {counter} >= {start}:", *(f"    {line}" for line in statements)]
    never = ["else:", f"    {end_name(event.name)} = 0.0"]
    return late + never * _is_read(plan, event)


def _is_read(plan: Plan, event: Event) -> bool:
    kept = event.name in (*plan.latest, *plan.carried)
    return kept or any(after.event == event.name for row in plan.events for after in row.after)


def _value(plan: Plan, reader: Event, after: After) -> str:
    """Say where the end of an earlier event is found."""
    written = plan.event(after.event)
    here = after.lag == 0 and written.behind == reader.behind
    if reader.place != "k_tile" or here:
        return end_name(written.name)
    for ring in plan.rings:
        if ring.event == written:
            return f"{ring.name}[{plan.position(ring, reader, after.lag)}]"
    register = next(one for one in plan.registers if one.event == written)
    return register.names()[plan.depth(reader, after) - 1]


def _remember(plan: Plan, event: Event, runs: bool) -> list[str]:
    """Write an event's end into its ring or shift it into its registers."""
    kept: list[str] = []
    for ring in plan.rings:
        if ring.event == event and runs:
            kept.append(f"{ring.name}[{plan.position(ring, event)}] = {end_name(event.name)}")
    for register in plan.registers:
        if register.event == event:
            names = register.names()
            shifted = zip(reversed(names[1:]), reversed(names[:-1]), strict=True)
            kept += [f"{older} = {newer}" for older, newer in shifted]
            kept += [f"{names[0]} = {end_name(event.name)}"] * runs
    return kept


def _tile(plan: Plan, names: Names) -> str:
    """Write one output tile: its start, the main loop in its phases, its drain, its end."""
    body = [line for row in plan.rows("tile_start") for line in _statements(plan, row)]
    skew = linear_text(linear(plan.skew))
    if plan.skew != 0:
        body += [
            f"skew = min({skew}, {names.loop_count})",
            "for _ in range(skew):",
            f"    {names.loop_state} = fill_step({names.loop_arguments})",
        ]
        shifts = [line for row in plan.rows("k_tile") for line in _remember(plan, row, runs=False)]
        if shifts:
            body += [f"for _ in range({skew} - skew):", *(f"    {line}" for line in shifts)]
    steps = f"{names.loop_count} - skew" if plan.skew != 0 else names.loop_count
    body += [f"{names.loop_state} = main_loop({steps}, round_steps, {names.main_arguments})"]
    body += [line for row in plan.rows("before_drain") for line in _statements(plan, row)]
    if plan.skew != 0:
        body += [
            "for _ in range(skew):",
            f"    {names.loop_state} = drain_step({names.loop_arguments})",
        ]
    body += [line for row in plan.rows("tile_end") for line in _statements(plan, row)]
    if plan.schedule.turns == 2:
        body += [f"{TURN}, {OTHER_CONSUMER} = {OTHER_CONSUMER}, {TURN}"]
    if "tiles_done" in names.integers:
        body += ["tiles_done += 1"]
    return function_code(
        "tile",
        f"round_steps, {names.arguments}",
        "Run one output tile.",
        [*body, f"return {names.state}"],
        "function" if plan.schedule.tile_level else "inlined",
    )


def _kernel(plan: Plan, names: Names) -> str:
    """Write the loop over points."""
    arrays = [f"{name}_all" for name in names.parameters]
    point = [f"{name} = {name}_all[point]" for name in names.parameters]
    dead = [f"{linear_text(lag)} < 1" for lag in plan.deadlocks_where]
    rows = [*names.ring_names, *names.scratch]
    body = [f"{name} = scratch[{row}]" for row, name in enumerate(rows)]
    if plan.schedule.tile_level:
        body += [f"history = scratch[{len(rows)}:]"]
        body += [f"{name}_counted = counted[{row}]" for row, name in enumerate(rows)]
        body += [f"history_counted = counted[{len(rows)}:]"]
    body += ["for point in range(cycles.size):", *(f"    {line}" for line in point)]
    if dead:
        stuck = f"({' or '.join(dead)}) and {names.loop_count} > stages"
        body += [
            f"    if {stuck}:",
            "        cycles[point] = period[point] = math.nan",
            "        bottleneck[point] = 0",
            "        continue",
        ]
    body += [f"    {line}" for line in names.reset_lines()]
    body += [f"    round_steps = {names.round_steps()}"]
    if plan.schedule.tile_level:
        body += [
            f"    pace, {names.state} = tiles_loop(output_tiles, {names.tiles_arguments})",
        ]
    else:
        body += [f"    {names.state} = tile(round_steps, {names.arguments})"]
    body += [f"    cycles[point] = {latest_of(names.all_lines)}"]
    body += [f"    {line}" for line in _steady_calls(plan, names)]
    counted = ["counted"] if plan.schedule.tile_level else []
    scratch = ["scratch", *counted]
    sizes = [len(names.durations), len(names.counts), *[names.counted_rows] * len(counted)]
    return "\n".join(
        [
            f"@batch({', '.join(map(str, sizes))})",
            f"def kernel({', '.join([*arrays, *scratch])}, cycles, period, bottleneck):",
            '    """Run every point of the arrays into ``cycles``, ``period``, ``bottleneck``."""',
            indent("\n".join(body), "    "),
        ]
    )


def _steady_calls(plan: Plan, names: Names) -> list[str]:
    values = ", ".join(names.parameters)
    if not plan.schedule.tile_level:
        return [f"period[point], bottleneck[point] = steady_state({values})"]
    return [
        *(
            [
                f"while {names.unsettled}:",
                f"    {names.state} = tile(round_steps, {names.arguments})",
            ]
            if names.unsettled
            else []
        ),
        f"pace, length = settle(pace, {names.counted_arguments})",
        "period[point] = pace / length if length > 0 else math.nan",
        f"bottleneck[point] = tile_bottleneck(period[point], length, {names.counted_arguments})",
    ]
