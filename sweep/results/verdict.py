"""Whether a point fits: one line of why it does not, or may not, and what it takes of an SM."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sweep.description import Schedule
from sweep.description.interpreter import NeverHappens, interpret
from sweep.description.program_order import instances_at_most
from sweep.engine.feasibility import budgets
from sweep.hardware.instructions import has_tcgen05
from sweep.inputs.limits import MOST_EVENTS
from sweep.inputs.space import Space
from sweep.simulator.simulation import Deadlock, run_events

UNKNOWN = {
    "no_tile": "durations replace what the tile sets; give the tile (head_dim) too",
    "fixed_block": (
        "the attention block is fixed at 64 queries by 128 keys in 2 buffers, which do not fit;"
        " a smaller block may"
    ),
    "scale_factors": "the shared memory of scale factors is not counted",
    "tensor_memory": (
        "accumulators lie in Tensor Memory on compute capability 10.x and 11.x, which is not"
        " modelled"
    ),
    "compute_capability": (
        "accumulators do not fit registers, and the GPU may have Tensor Memory; give"
        " compute_capability=..."
    ),
}
"""By the flag meanings of ``unknown_reason``."""


def verdict(space: Space, p: Mapping[str, Any], reason: str, unknown: str) -> str:
    """Say in one line why a single point does not run, does not fit, or why that is not known.

    Parameters
    ----------
    space : Space
        Of one point.
    p : mapping of str to float, int or str
        Its parameters as the event-driven simulator takes them.
    reason, unknown : str
        Its ``infeasible_reason`` and ``unknown_reason``.

    Returns
    -------
    str
        Empty for a point that fits.
    """
    if reason == "deadlock":
        return f"deadlock: {_who_waits(space.schedules[0], p)}"
    if reason != "none":
        return f"infeasible: {_short_of(space, reason)}"
    return f"feasibility unknown: {UNKNOWN[unknown]}" if unknown != "none" else ""


def uses(space: Space, unknown: str) -> dict[str, str]:
    """Return what a single point takes of an SM beside what there is, as far as that is known.

    Parameters
    ----------
    space : Space
        Of one point.
    unknown : str
        Its ``unknown_reason``.

    Examples
    --------
    >>> from sweep.inputs.space import resolve
    >>> uses(resolve("multistage", {}), "none")
    {'shared_memory': '196,608 of 232,448 byte', 'registers': '160 of 255 per thread'}
    """
    values = space.values[0]
    if not values["known"]:
        return {}
    needs, found = budgets(space.schedules[0], values), {}
    if unknown != "scale_factors":
        taken, there = _number(needs.smem_bytes), _number(needs.smem_limit)
        found["shared_memory"] = f"{taken} of {there} byte"
    if unknown != "compute_capability" and not has_tcgen05(values["compute_capability"]):
        taken, there = _number(needs.registers), _number(needs.register_limit)
        found["registers"] = f"{taken} of {there} per thread"
    return found


def _short_of(space: Space, reason: str) -> str:
    """Say what a point needs and what there is."""
    budget = budgets(space.schedules[0], space.values[0])
    if reason == "shared_memory":
        needed, limit = _number(budget.smem_bytes), _number(budget.smem_limit)
        return f"shared_memory, {needed} byte needed, {limit} byte of a block there"
    needed, limit = _number(budget.registers), _number(budget.register_limit)
    return f"registers, {needed} per thread needed, {limit} there"


def _number(value: Any) -> str:
    return f"{np.asarray(value).item():,.10g}"


def _who_waits(schedule: Schedule, p: Mapping[str, Any]) -> str:
    """Run the point until nothing goes on, and say who waits for what."""
    if instances_at_most(schedule, p) > MOST_EVENTS:
        return f"a run of {schedule.loop}={p[schedule.loop]} never ends"
    try:
        if schedule.program is None:
            interpret(schedule, p)
        else:
            run_events(schedule, p)
    except Deadlock as stuck:
        return str(stuck).removeprefix("deadlock ")
    except NeverHappens as stuck:
        return str(stuck)
    return "the run never ends"
