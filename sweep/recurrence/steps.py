"""Write a step of the main loop, and the statements of an event."""

from __future__ import annotations

from sweep.description import After, Event
from sweep.description.counts import linear, linear_text
from sweep.recurrence.code_text import end_name, function_code, latest_of, line_name
from sweep.recurrence.plan import Plan
from sweep.recurrence.state import Names


def phases(plan: Plan) -> tuple[str, ...]:
    """Name the kinds of steps that a tile's main loop has."""
    return ("fill", "steady", "drain") if plan.skew != 0 else ("steady",)


def step_code(plan: Plan, names: Names, phase: str) -> str:
    """Write one step: the events of that phase in list order, then the ring positions."""
    body: list[str] = []
    for event in plan.rows("k_tile"):
        runs = phase == "steady" or (phase == "drain") == (event.behind != 0)
        if runs:
            body += statements(plan, event, draining=phase == "drain")
        body += remember(plan, event, runs)
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


def statements(plan: Plan, event: Event, draining: bool = False) -> list[str]:
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


def remember(plan: Plan, event: Event, runs: bool) -> list[str]:
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
