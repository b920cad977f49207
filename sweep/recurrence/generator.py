"""Write a schedule's recurrence as readable scalar code, with exact jumps (see ``jumps``).

One function per phase of a tile's main loop: *fill* steps before the skewed events start,
*steady* steps, and *drain* steps after the last copy; ``tile`` strings them together with the
tile-level events. ``kernel`` loops over points.
"""

from __future__ import annotations

from textwrap import indent

from sweep.description import Event
from sweep.description.counts import linear, linear_text
from sweep.recurrence.code_text import function_code, latest_of
from sweep.recurrence.jumps import counted_code, policies_code, round_jumps_code, tile_jumps_code
from sweep.recurrence.packing import pack_code, pack_tile_code
from sweep.recurrence.periods import steady_code
from sweep.recurrence.plan import Plan
from sweep.recurrence.state import OTHER_CONSUMER, TURN, Names
from sweep.recurrence.steps import phases, remember, statements, step_code

HEADER = '''"""{title}

{listing}
"""

import math

from sweep.compiling.jump_settings import AHEAD, HISTORY, KEPT, PATIENCE, POLICIES, REACHED, STRIDE
from sweep.compiling.numba_options import batch, function, inlined
from sweep.compiling.policy_runtime import (
    MOST_COUNTED,
    TAGS,
    evaluate,
    follow,
    gains_on_a_circuit,
    improve,
    later,
    read_policy,
    tag,
    with_counts,
)
from sweep.compiling.runtime import (
    EXACT,
    advance_of,
    as_count,
    common_multiple,
    copy,
    drifting,
    extrapolate,
    fill,
    latest,
    renewed_mark,
    repeating,
    repeats,
    ring_moved,
    rotate_back,
    rotated,
    shift_ring,
    subtract,
    uniform,
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
        *(step_code(plan, names, phase) for phase in phases(plan)),
        pack_code(names),
        round_jumps_code(names),
        _tile(plan, names),
    ]
    parts = [
        HEADER.format(title=_title(plan), listing=_listing(plan)),
        *tile,
        *(_between_tiles(names, tile) if plan.schedule.tile_level else ()),
        steady_code(plan, names),
        _kernel(plan, names),
    ]
    return "\n\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def _between_tiles(names: Names, tile: list[str]) -> tuple[str, ...]:
    """Write the loop over tiles, and the tile once more with counts beside its times."""
    pack = pack_tile_code(names)
    counted = (counted_code("\n\n\n".join(part.strip("\n") for part in [*tile, pack])),)
    return pack, tile_jumps_code(names), *counted, policies_code(names)


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


def _tile(plan: Plan, names: Names) -> str:
    """Write one output tile: its start, the main loop in its phases, its drain, its end."""
    body = [line for row in plan.rows("tile_start") for line in statements(plan, row)]
    skew = linear_text(linear(plan.skew))
    if plan.skew != 0:
        body += [
            f"skew = min({skew}, {names.loop_count})",
            "for _ in range(skew):",
            f"    {names.loop_state} = fill_step({names.loop_arguments})",
        ]
        shifts = [line for row in plan.rows("k_tile") for line in remember(plan, row, runs=False)]
        if shifts:
            body += [f"for _ in range({skew} - skew):", *(f"    {line}" for line in shifts)]
    steps = f"{names.loop_count} - skew" if plan.skew != 0 else names.loop_count
    body += [f"{names.loop_state} = main_loop({steps}, round_steps, {names.main_arguments})"]
    body += [line for row in plan.rows("before_drain") for line in statements(plan, row)]
    if plan.skew != 0:
        body += [
            "for _ in range(skew):",
            f"    {names.loop_state} = drain_step({names.loop_arguments})",
        ]
    body += [line for row in plan.rows("tile_end") for line in statements(plan, row)]
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
