"""Write the loop over output tiles, with jumps over groups of tiles.

The state between output tiles repeats after a number of tiles that is not known beforehand. Short
groups are found by comparing the last states. For longer ones a snapshot is kept and renewed at
powers of two (Brent 1980): a regime of any length shows where the advance over the last tile
equals the advance over the tile before the snapshot.
"""

from __future__ import annotations

from textwrap import indent

from sweep.description import unique
from sweep.recurrence.round_jumps import PATIENCE
from sweep.recurrence.state import HISTORY, Names

SHORT = (HISTORY - 1) // 2
"""Groups that are found by comparing the last states."""


def packing(names: Names) -> dict[str, str]:
    """Write the pieces that move the state between tiles into and out of arrays.

    Returns
    -------
    dict of str to str
        ``arguments`` of pack_tile; the statements ``pack`` (into ``into``), ``unpack:X`` (from
        the array X) and ``shift``.
    """
    times = [*names.times, *names.outer_times]
    crossing = [ring for ring in names.plan.rings if ring.crosses_tiles]
    position = {ring.name: names.plan.position(ring, ring.event) for ring in crossing}
    pieces = {"pack": "\n".join(f"into[{i}] = {name}" for i, name in enumerate(times))}
    pieces["shift"] = "\n".join(f"{name} += shift" for name in times)
    sources = ("ahead", "kept")
    for source in sources:
        pieces[source] = "\n".join(f"{name} = {source}[{i}]" for i, name in enumerate(times))
    offset = str(len(times))
    for ring in crossing:
        size, at = ring.size, position[ring.name]
        pieces["pack"] += f"\nrotated(into, {offset}, {ring.name}, {at}, {size})"
        pieces["shift"] += f"\nshift_ring({ring.name}, {size}, shift)"
        for source in sources:
            pieces[source] += f"\nrotate_back({ring.name}, {source}, {offset}, {at}, {size})"
        offset += f" + {size}"
    used = unique([*times, *position.values(), *position, *names.counts])
    return pieces | {"arguments": ", ".join(used)}


def tile_jumping_code(names: Names) -> str:
    """Write ``pack_tile`` and ``tiles_loop``: output tiles with jumps over groups of tiles."""
    pieces = packing(names)
    arguments = pieces["arguments"]
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
SHORT = {SHORT}


@function
def pack_tile(into, {arguments}):
    """Write the state between tiles into an array, rings from their position on."""
{indent(pieces["pack"], "    ")}


@function
def tiles_loop(tiles, {names.tiles_arguments}):
    """Run output tiles, jumping groups of tiles once they repeat.

    Returns how far a tile advances where every component advances as far (else 0), and the state.
    """
    size = {names.tile_packed_size}
    kept, ahead = history[HISTORY], history[HISTORY + 1]
    reached, stride = history[HISTORY + 2], history[HISTORY + 3]
    mark, before_mark = history[HISTORY + 4], history[HISTORY + 5]
    done = 0
    marked = 0
    retry = {PATIENCE}
    while tiles > 0:
        {run_tile}
        tiles -= 1{wait}
        here = history[done % HISTORY]
        pack_tile(here, {arguments})
        done += 1
        group = uniform_group(history, done, SHORT, size)
        far = False
        if group == 0 and marked > 0 and done > marked + SHORT:
            if same_advance(here, history[(done - 2) % HISTORY], mark, before_mark, size):
                group = done - marked
                far = not uniform(here, mark, size)
        if group > 0 and not far:
            before = mark if group > SHORT else history[(done - 1 - group) % HISTORY]
            moved = here[0] - before[0]
            leaps = tiles // group
            shift = moved * leaps
{indent(pieces["shift"], " " * 12)}
            for _ in range(tiles - leaps * group):
                {run_tile}
            return moved if group == 1 else 0.0, {names.state}
        if far:  # its own advance for each component, once: is it so again?
            if tiles < group:
                continue
            for index in range(size):
                stride[index] = here[index] - mark[index]
            copy(kept, here, size)
            for _ in range(group):
                {run_tile}
            tiles -= group
            here = history[0]
            pack_tile(here, {arguments})
            done = 1
            marked = 0
            retry = {PATIENCE}
            if not repeats(here, kept, stride, size):
                continue
        elif done >= retry:
            group = drifting(history, done, SHORT, size)
            if group > 0:
                before = history[(done - 1 - group) % HISTORY]
                for index in range(size):
                    stride[index] = here[index] - before[index]
        if group == 0:
            if done >= 2 * marked + 2:
                marked = done
                copy(before_mark, history[(done - 2) % HISTORY], size)
                copy(mark, here, size)
            if done >= retry:
                retry = done + done // 2
            continue
        pack_tile(kept, {arguments})
        leapt = 0
        leap = 1
        while leap > 0:
            if tiles < (leap + 1) * group:
                leap //= 2
                continue
            pack_tile(kept, {arguments})
            for index in range(size):
                ahead[index] = kept[index] + leap * stride[index]
{indent(pieces["ahead"], " " * 12)}
            for _ in range(group):
                {run_tile}
            pack_tile(reached, {arguments})
            if repeats(reached, ahead, stride, size):
                tiles -= (leap + 1) * group
                leapt += leap
                leap *= 2
            else:
{indent(pieces["kept"], " " * 16)}
                leap //= 2
        if leapt > 0:
            done = 0
            marked = 0
            retry = {PATIENCE}
        else:
            retry = done + done // 2
    return 0.0, {names.state}
'''
