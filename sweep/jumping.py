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

The state between output tiles repeats after a number of tiles that is not known beforehand, so
the last ``HISTORY`` states are kept and compared.
"""

from __future__ import annotations

from textwrap import indent

from sweep.code_text import function_code
from sweep.description import unique
from sweep.names import HISTORY, Names

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


def tile_jumping_code(names: Names) -> str:
    """Write ``tiles_loop``: output tiles with jumps over groups of tiles."""
    times = [*names.times, *names.outer_times]
    crossing = [ring for ring in names.plan.rings if ring.crosses_tiles]
    position = {ring.name: names.plan.position(ring, ring.event) for ring in crossing}
    pack = "\n".join(f"into[{i}] = {name}" for i, name in enumerate(times))
    unpack = "\n".join(f"{name} = ahead[{i}]" for i, name in enumerate(times))
    restore = "\n".join(f"{name} = kept[{i}]" for i, name in enumerate(times))
    shift = "\n".join(f"{name} += shift" for name in times)
    offset = str(len(times))
    for ring in crossing:
        size, at = ring.size, position[ring.name]
        pack += f"\nrotated(into, {offset}, {ring.name}, {at}, {size})"
        unpack += f"\nrotate_back({ring.name}, ahead, {offset}, {at}, {size})"
        restore += f"\nrotate_back({ring.name}, kept, {offset}, {at}, {size})"
        shift += f"\nshift_ring({ring.name}, {size}, shift)"
        offset += f" + {size}"
    arguments = ", ".join(unique([*times, *position.values(), *position, *names.counts]))
    wait = (
        f"""
        if {names.unsettled}:
            continue"""
        if names.unsettled
        else ""
    )
    run_tile = f"{names.state} = tile(round_steps, {names.arguments})"
    return f'''
HISTORY = {HISTORY}
LONGEST = {HISTORY // 2}
UNTIL_SETTLED = 1 << 50
STEPPED = 1 << 14  # tiles stepped in search of the period before giving up


@function
def pack_tile(into, {arguments}):
    """Write the state between tiles into an array, rings from their position on."""
{indent(pack, "    ")}


@function
def drifting(history, done, size):
    """Return the smallest group of tiles whose last two advances agree; 0 if there is none."""
    now = history[(done - 1) % HISTORY]
    for group in range(1, min((done - 1) // 2, LONGEST) + 1):
        middle = history[(done - 1 - group) % HISTORY]
        first = history[(done - 1 - 2 * group) % HISTORY]
        if now[0] - middle[0] == middle[0] - first[0]:
            same = True
            for index in range(size):
                if now[index] - middle[index] != middle[index] - first[index]:
                    same = False
                    break
            if same:
                return group
    return 0


@function
def tiles_loop(tiles, until_settled, {names.tiles_arguments}):
    """Run output tiles, jumping groups of tiles once they repeat.

    Returns how far such a group advances and its number of tiles (0: not settled), and the state.
    """
    size = {names.tile_packed_size}
    kept, ahead = history[HISTORY], history[HISTORY + 1]
    reached, stride = history[HISTORY + 2], history[HISTORY + 3]
    done = 0
    retry = {PATIENCE}
    stepped = 0
    most = max(LONGEST, min(STEPPED, STEPPED * 256 // size))  # a deep ring costs more to compare
    while tiles > 0 and (not until_settled or stepped < most):
        {run_tile}
        tiles -= 1
        stepped += 1{wait}
        latest_state = history[done % HISTORY]
        pack_tile(latest_state, {arguments})
        done += 1
        for group in range(1, min(done - 1, LONGEST) + 1):
            before = history[(done - 1 - group) % HISTORY]
            moved = latest_state[0] - before[0]
            if latest_state[1] - before[1] != moved or not uniform(latest_state, before, size):
                continue
            if not until_settled:
                leaps = tiles // group
                shift = moved * leaps
{indent(shift, " " * 16)}
                for _ in range(tiles - leaps * group):
                    {run_tile}
            return moved, group, {names.state}
        if done < retry:
            continue
        group = drifting(history, done, size)
        if group == 0:
            continue
        leapt = 0
        before = history[(done - 1 - group) % HISTORY]
        for index in range(size):
            stride[index] = latest_state[index] - before[index]
        leap = 1
        while leap > 0:
            if tiles < (leap + 1) * group:
                leap //= 2
                continue
            pack_tile(kept, {arguments})
            origin, pace = (kept[0], stride[0]) if until_settled else (0.0, 0.0)
            for index in range(size):
                ahead[index] = kept[index] - origin + leap * (stride[index] - pace)
{indent(unpack, " " * 12)}
            for _ in range(group):
                {run_tile}
            stepped += group
            pack_tile(reached, {arguments})
            if repeats(reached, ahead, stride, size):
                tiles -= (leap + 1) * group
                leapt += leap
                leap *= 2
            else:
{indent(restore, " " * 16)}
                leap //= 2
        if leapt > 0:
            done = 0
            retry = {PATIENCE}
        else:
            retry = done + done // 2
    return 0.0, 0, {names.state}
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
