"""Write the loops that jump through the periodic regime, exactly.

*Rounds.* A round is a number of steps after which the regime may repeat. Where every component
of the state has advanced equally over a round, all further rounds do the same, and the remaining
whole rounds are added at once.

*Drift.* Near a tie two parts of a schedule advance at almost equal rates, and the regime takes
thousands of rounds to settle. If over two rounds each component has its own constant advance,
m rounds are extrapolated, one is run, and the same advances are required again. Rounds are
max-plus maps, so the deviation from the extrapolation is convex in m and zero at 0, 1 and m + 1:
it is zero between (5.3 us become 0.7 us on a near tie). Leaps double while they hold and halve
when they don't.
"""

from __future__ import annotations

from textwrap import indent

from sweep.recurrence.code_text import function_code
from sweep.recurrence.state import Names

PATIENCE = 8
"""Rounds (or tiles) after which drift is looked for; most points settle before."""


def jumping_code(names: Names) -> str:
    """Write ``main_loop``: steady steps with jumps over whole rounds."""
    settle = (
        f"""
    while ({names.loop_unsettled}) and steps > 0:
        {names.loop_state} = steady_step({names.loop_arguments})
        steps -= 1"""
        if names.loop_unsettled
        else ""
    )
    return f'''
{_pack_code(names)}

@function
def drift(steps, round_steps, {names.main_arguments}):
    """Leap over rounds in which each component has its own constant advance."""
    size = {names.packed_size}
    fill(advance, size, math.nan)
    while steps >= 2 * round_steps:
        {_pack_call(names, "was")}
        for _ in range(round_steps):
            {names.loop_state} = steady_step({names.loop_arguments})
        steps -= round_steps
        {_pack_call(names, "now")}
        if uniform(now, was, size):
            rounds = steps // round_steps
            shift = (now[0] - was[0]) * rounds
{indent(_shift(names), " " * 12)}
            steps -= rounds * round_steps
            break
        if not repeats(now, was, advance, size):
            for index in range(size):
                advance[index] = now[index] - was[index]
            continue
        leap = 1
        while leap > 0:
            if steps < (leap + 1) * round_steps:
                leap //= 2
                continue
            {_pack_call(names, "was")}
            for index in range(size):
                now[index] = was[index] + leap * advance[index]
{indent(_unpack(names, "now"), " " * 12)}
            for _ in range(round_steps):
                {names.loop_state} = steady_step({names.loop_arguments})
            {_pack_call(names, "trial")}
            if repeats(trial, now, advance, size):
                steps -= (leap + 1) * round_steps
                leap *= 2
            else:
{indent(_unpack(names, "was"), " " * 16)}
                leap //= 2
    return {_commas("steps", names.loop_state)}


@inlined
def main_loop(steps, round_steps, {names.main_arguments}):
    """Run steady steps, jumping whole rounds once they repeat."""{settle}
    patience = {PATIENCE}
    while steps > 2 * round_steps:
        {_pack_call(names, "was")}
        for _ in range(round_steps):
            {names.loop_state} = steady_step({names.loop_arguments})
        steps -= round_steps
        moved = {names.times[0]} - was[0]
        if {_all_moved(names)}:
            rounds = steps // round_steps
            shift = moved * rounds
{indent(_shift(names), " " * 12)}
            steps -= rounds * round_steps
            break
        patience -= 1
        if patience == 0:
            {_commas("steps", names.loop_state)} = drift(steps, round_steps, {names.main_arguments})
            break
    for _ in range(steps):
        {names.loop_state} = steady_step({names.loop_arguments})
    return {names.loop_state}
'''


def _pack_code(names: Names) -> str:
    body = [f"into[{i}] = {name}" for i, name in enumerate(names.times)]
    offset = str(len(names.times))
    for ring in names.plan.rings:
        body += [
            f"for index in range({ring.size}):",
            f"    into[{offset} + index] = {ring.name}[index]",
        ]
        offset += f" + {ring.size}"
    arguments = ", ".join(["into", *names.times, *names.ring_names, *names.counts])
    return function_code("pack", arguments, "Write the main loop's state.", body)


def _pack_call(names: Names, into: str) -> str:
    return f"pack({', '.join([into, *names.times, *names.ring_names, *names.counts])})"


def _unpack(names: Names, source: str) -> str:
    body = [f"{name} = {source}[{i}]" for i, name in enumerate(names.times)]
    offset = str(len(names.times))
    for ring in names.plan.rings:
        body += [
            f"for index in range({ring.size}):",
            f"    {ring.name}[index] = {source}[{offset} + index]",
        ]
        offset += f" + {ring.size}"
    return "\n".join(body)


def _shift(names: Names) -> str:
    body = [f"{name} += shift" for name in names.times]
    body += [f"shift_ring({ring.name}, {ring.size}, shift)" for ring in names.plan.rings]
    return "\n".join(body)


def _all_moved(names: Names) -> str:
    """Whether the whole state moved by ``moved``: scalars first, then the rings."""
    tests = [f"{name} - was[{i}] == moved" for i, name in enumerate(names.times) if i]
    offset = str(len(names.times))
    for ring in names.plan.rings:
        tests.append(f"ring_moved({ring.name}, was, {offset}, {ring.size}, moved)")
        offset += f" + {ring.size}"
    return " and ".join(tests) or "True"


def _commas(*parts: str) -> str:
    return ", ".join(part for part in parts if part)
