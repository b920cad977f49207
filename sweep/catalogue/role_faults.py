"""What can be wrong with a schedule's agents (names, warps, registers, turns) and its loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sweep.catalogue.names import is_name, name_rule, shown, wrong_kinds
from sweep.description import RESOURCES, Agent, Count, Loop, Schedule, count_names
from sweep.description.counts import LOWEST, linear
from sweep.description.rows import SHORT_PLACES

MOST_WARPS, MOST_TURNS = 64, 64
FEWEST_REGISTERS, MOST_REGISTERS, REGISTER_STEP = 24, 256, 8
"""Of ``setmaxnreg`` (PTX ISA 8.7), per thread."""
WARPGROUP_WARPS = 4
MOST_LOOPS = 16
COUNTS = ("k_tiles", "kv_blocks", *LOWEST)
"""Counts of the registry that a loop may run for."""


def role_faults(schedule: Schedule) -> Iterator[str]:
    """Yield what is wrong with agents and loops."""
    if not isinstance(schedule.agents, tuple):
        return
    names = list(schedule.agent_names)
    for role in schedule.roles:
        for name in dict.fromkeys((role.name, *(role.each if role.turns != 1 else ()))):
            if not is_name(name):
                yield f"agent {shown(name)}: the name {name_rule()}"
            elif name in RESOURCES:
                yield f"agent {name!r}: has the name of a resource"
            elif names.count(name) > 1:
                yield f"agent {name!r} is there twice"
        yield from (f"agent {shown(role.name)}: {fault}" for fault in _fields(role))
    yield from _warpgroup_faults(schedule)
    yield from _loop_faults(schedule)


def _fields(role: Agent) -> Iterator[str]:
    for fault in wrong_kinds(role, ("warps", int), ("registers", int), ("turns", int)):
        yield fault
        return
    if not 1 <= role.warps <= MOST_WARPS:
        yield f"warps={role.warps}: must be from 1 to {MOST_WARPS}"
    if not 1 <= role.turns <= MOST_TURNS:
        yield f"turns={role.turns}: must be from 1 to {MOST_TURNS}"
    steps = range(FEWEST_REGISTERS, MOST_REGISTERS + 1, REGISTER_STEP)
    if role.registers and role.registers not in steps:
        yield (
            f"registers={role.registers}: must be from {FEWEST_REGISTERS} to {MOST_REGISTERS} in"
            f" steps of {REGISTER_STEP}, or 0 where not stated"
        )


def _warpgroup_faults(schedule: Schedule) -> Iterator[str]:
    """Refuse registers that would differ within a warpgroup, whichever warps form one."""
    warps: Counter[int] = Counter()
    for role in schedule.roles:
        if not isinstance(role.warps, int) or not isinstance(role.turns, int):
            return
        warps[role.registers] += role.warps * role.turns
    uneven = [n for n, count in warps.items() if n and count % WARPGROUP_WARPS]
    if len(warps) > 1 and len(uneven) > 1:
        yield (
            f"registers={uneven[0]} and {uneven[1]}: warps of one warpgroup have the same; give"
            f" them to multiples of {WARPGROUP_WARPS} warps"
        )


def _loop_faults(schedule: Schedule) -> Iterator[str]:
    if not isinstance(schedule.loops, tuple) or len(schedule.loops) > MOST_LOOPS:
        yield f"loops: must be a tuple of at most {MOST_LOOPS}"
        return
    seen: list[str] = []
    own = tuple(one.name for one in schedule.declares if isinstance(one, Count))
    for index, loop in enumerate(schedule.loops):
        if not isinstance(loop, Loop) or not is_name(loop.name):
            yield f"loop {shown(getattr(loop, 'name', loop))}: the name {name_rule()}"
        elif loop.name in (*SHORT_PLACES, *SHORT_PLACES.values()) or loop.name in seen:
            yield f"loop {loop.name!r}: another place has that name"
        else:
            seen.append(loop.name)
            yield from _loop_count_faults(loop, (*COUNTS, *own))
            if index == 0 and loop.count not in (*COUNTS, *own):
                yield f"loop {loop.name!r}: the main loop's count must be the name of a count"


def _loop_count_faults(loop: Loop, counts: tuple[str, ...]) -> Iterator[str]:
    whole = isinstance(loop.count, int) and not isinstance(loop.count, bool)
    if not (isinstance(loop.count, str) or (whole and int(loop.count) >= 0)):
        yield f"loop {loop.name!r}: count={shown(loop.count)}: must be a number or a count's name"
        return
    try:
        linear(loop.count)
    except ValueError as error:
        yield f"loop {loop.name!r}: {error}"
        return
    for name in count_names(loop.count):
        if name not in counts:
            yield f"loop {loop.name!r}: counts {shown(name)}; counts: {', '.join(counts)}"
