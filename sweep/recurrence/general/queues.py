"""First come, first served, compiled: one run laid out as a graph, for every point's durations.

Every end is a moment (cycles, round). Requests are collected until nothing else can happen at
the least moment, then served in the order of agents, each agent's own in program order. What
takes no time stays in its round, but a use of 0 cycles ends in the next one.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

from sweep.compiling.numba_options import function, graph_batch, inlined
from sweep.recurrence.general.graph import (
    AGENT,
    ASYNCHRONOUS,
    BEGIN,
    COPY,
    CTA,
    END,
    FIRST,
    FIRST_LINE,
    LAST,
    LAST_LINE,
    LINE,
    RANK,
    SIZE,
    TAKES,
    TILE,
    UNIT,
    Graph,
)

NEXT, WAITS = range(2)
"""Of a line: its next instance, and the line that waits for the same as it does."""
HEAP, STACK = range(2)
"""What is counted: requests that are not served, lines that can go on."""


class Run(NamedTuple):
    """A run under way.

    Attributes
    ----------
    ends, asked : float64 (instances, 2)
        Moments; NaN for what has not ended.
    state : int64 (instances, 2)
        The first line that waits for it, -1 for none; whether it asks for a resource in order.
    ready, held : float64 (lines, 2)
        Since when an agent is free, and what its asynchronous row waited for.
    line : int64 (lines, 2)
    heap, stack, sizes : int64
        Requests by moment, rank and position; lines that can go on; how many of each.
    free : float64 (resources, 2)
    ticket : int64 (resources)
    over : float64 (ctas, 2)
    left : int64 (ctas)
    latest : float64 (1)
        The latest end of a row with an agent.
    """

    ends: Any
    asked: Any
    state: Any
    ready: Any
    held: Any
    line: Any
    heap: Any
    stack: Any
    sizes: Any
    free: Any
    ticket: Any
    over: Any
    left: Any
    latest: Any


class Times(NamedTuple):
    """A block's durations: points x durations, tables over tiles, which one has; CTAs' starts."""

    takes: Any
    tables: Any
    table_of: Any
    starts: Any


@inlined
def _raise_to(moments: Any, at: int, time: float, turn: float) -> None:
    """Put a moment off to a later one."""
    if time > moments[at, 0] or (time == moments[at, 0] and turn > moments[at, 1]):
        moments[at, 0], moments[at, 1] = time, turn


@inlined
def _sooner(g: Any, r: Any, one: int, other: int) -> bool:
    """Whether a request is served before another."""
    if r.asked[one, 0] != r.asked[other, 0]:
        return r.asked[one, 0] < r.asked[other, 0]
    if r.asked[one, 1] != r.asked[other, 1]:
        return r.asked[one, 1] < r.asked[other, 1]
    first = g.lines[g.instances[one, LINE], RANK]
    second = g.lines[g.instances[other, LINE], RANK]
    return first < second or (first == second and one < other)


@function
def _push(g: Any, r: Any, one: int) -> None:
    at = r.sizes[HEAP]
    r.sizes[HEAP] += 1
    while at > 0 and _sooner(g, r, one, r.heap[(at - 1) // 2]):
        r.heap[at] = r.heap[(at - 1) // 2]
        at = (at - 1) // 2
    r.heap[at] = one


@function
def _pop(g: Any, r: Any) -> int:
    first = r.heap[0]
    r.sizes[HEAP] -= 1
    size = r.sizes[HEAP]
    last = r.heap[size]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and _sooner(g, r, r.heap[child + 1], r.heap[child]):
            child += 1
        if not _sooner(g, r, r.heap[child], last):
            break
        r.heap[at] = r.heap[child]
        at = child
    r.heap[at] = last
    return first + 0


@inlined
def _takes(g: Any, d: Any, point: int, one: int) -> float:
    which = g.instances[one, TAKES]
    if which < 0:
        return 0.0
    given = d.takes[point, which]
    if d.table_of[which] < 0:
        return given + 0.0
    return d.tables[d.table_of[which], int(given), g.instances[one, TILE]] + 0.0


@function
def _launch(g: Any, r: Any, d: Any, point: int, cta: int, time: float, turn: float) -> None:
    """Start a copy's next CTA that has something to do."""
    last = cta
    while last < g.ctas.shape[0] and g.ctas[last, COPY] == g.ctas[cta, COPY]:
        launch = d.starts[0, point]
        if launch > 0.0:
            time, turn = time + launch, 0.0
        r.over[last, 0], r.over[last, 1] = time, turn
        for line in range(g.ctas[last, FIRST_LINE], g.ctas[last, LAST_LINE]):
            r.ready[line, 0], r.ready[line, 1] = time, turn
            r.stack[r.sizes[STACK]] = line
            r.sizes[STACK] += 1
        if g.ctas[last, SIZE] > 0:
            return
        last += 1


@function
def _end(g: Any, r: Any, d: Any, point: int, one: int, time: float, turn: float) -> None:
    """Note an end; wake those that wait for it, and the next CTA after the last one."""
    line = g.instances[one, LINE]
    cta = g.lines[line, CTA]
    r.ends[one, 0], r.ends[one, 1] = time, turn
    if g.instances[one, AGENT]:
        r.latest[0] = max(r.latest[0], time)
        if not g.instances[one, ASYNCHRONOUS]:
            r.ready[line, 0], r.ready[line, 1] = time, turn
    waiting = r.state[one, 0]
    while waiting >= 0:
        r.stack[r.sizes[STACK]] = waiting
        r.sizes[STACK] += 1
        waiting = r.line[waiting, WAITS]
    _raise_to(r.over, cta, time, turn)
    r.left[cta] -= 1
    if (
        r.left[cta] == 0
        and cta + 1 < g.ctas.shape[0]
        and g.ctas[cta + 1, COPY] == g.ctas[cta, COPY]
    ):
        _launch(g, r, d, point, cta + 1, r.over[cta, 0], r.over[cta, 1])


@function
def _serve(g: Any, r: Any, d: Any, point: int, one: int) -> None:
    """Serve a use."""
    unit = g.instances[one, UNIT]
    _raise_to(r.free, unit, r.asked[one, 0], r.asked[one, 1])
    takes = _takes(g, d, point, one)
    if takes > 0.0:
        r.free[unit, 0] += takes
        r.free[unit, 1] = 0.0
    else:
        r.free[unit, 1] += 1.0
    _end(g, r, d, point, one, r.free[unit, 0], r.free[unit, 1])
    if not g.instances[one, ASYNCHRONOUS]:
        r.stack[r.sizes[STACK]] = g.instances[one, LINE]
        r.sizes[STACK] += 1


@function
def _ask_in_order(g: Any, r: Any, d: Any, point: int, one: int) -> None:
    """Serve a use in program order, as soon as those before it are served."""
    unit = g.instances[one, UNIT]
    r.state[one, 1] = 1
    while r.ticket[unit] < g.by_unit[unit + 1] and r.state[g.tickets[r.ticket[unit]], 1] == 1:
        r.ticket[unit] += 1
        _serve(g, r, d, point, g.tickets[r.ticket[unit] - 1])


@function
def _unmet(g: Any, r: Any, one: int) -> int:
    """Return the first of an instance's needs that has not ended, -1 if all have."""
    for at in range(g.instances[one, FIRST], g.instances[one, LAST]):
        if math.isnan(r.ends[g.needs[at], 0]):
            return g.needs[at] + 0
    return -1


@function
def _go_on(g: Any, r: Any, d: Any, point: int, line: int) -> None:
    """Let a line do what it can, up to a use that it waits for."""
    while r.line[line, NEXT] < g.lines[line, END]:
        one = g.items[r.line[line, NEXT]]
        awaited = _unmet(g, r, one)
        if awaited >= 0:
            r.line[line, WAITS] = r.state[awaited, 0]
            r.state[awaited, 0] = line
            return
        r.line[line, NEXT] += 1
        _raise_to(r.held, line, r.ready[line, 0], r.ready[line, 1])
        for at in range(g.instances[one, FIRST], g.instances[one, LAST]):
            _raise_to(r.held, line, r.ends[g.needs[at], 0], r.ends[g.needs[at], 1])
        time, turn = r.held[line, 0], r.held[line, 1]
        if not (g.instances[one, ASYNCHRONOUS] and g.instances[one, AGENT]):
            r.held[line, 0], r.held[line, 1] = -math.inf, 0.0
        unit = g.instances[one, UNIT]
        if unit < 0:
            takes = _takes(g, d, point, one)
            _end(g, r, d, point, one, time + takes, 0.0 if takes > 0.0 else turn)
            continue
        r.asked[one, 0], r.asked[one, 1] = time, turn
        if g.queued[unit]:
            _push(g, r, one)
        else:
            _ask_in_order(g, r, d, point, one)
        if not g.instances[one, ASYNCHRONOUS]:
            return


@function
def _reset(g: Any, r: Any) -> None:
    r.ends[:] = math.nan
    r.state[:, 0] = -1
    r.state[:, 1] = 0
    r.held[:, 0] = -math.inf
    r.held[:, 1] = 0.0
    for line in range(g.lines.shape[0]):
        r.line[line, NEXT] = g.lines[line, BEGIN]
    r.sizes[:] = 0
    r.free[:] = 0.0
    for unit in range(r.ticket.size):
        r.ticket[unit] = g.by_unit[unit]
    for cta in range(r.left.size):
        r.left[cta] = g.ctas[cta, SIZE]
    r.latest[0] = 0.0


def serve_points(g: Any, r: Any, d: Any, cycles: Any) -> None:
    """Run every point into ``cycles``."""
    for point in range(cycles.size):
        _reset(g, r)
        for copy in range(g.copies.shape[0]):
            if g.copies[copy, 0] < g.copies[copy, 1]:
                _launch(g, r, d, point, g.copies[copy, 0], copy * d.starts[1, point], 0.0)
        while r.sizes[STACK] > 0 or r.sizes[HEAP] > 0:
            while r.sizes[STACK] > 0:
                r.sizes[STACK] -= 1
                _go_on(g, r, d, point, r.stack[r.sizes[STACK]])
            if r.sizes[HEAP] > 0:
                _serve(g, r, d, point, _pop(g, r))
        cycles[point] = r.latest[0]


COLUMNS = Path(__file__).with_name("graph.py").read_bytes()
kernel = graph_batch(serve_points, Graph, Run, Times, COLUMNS)
