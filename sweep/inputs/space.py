"""Axes to checked points: what a user asks for becomes the arrays that a kernel eats.

Nothing here is as large as the grid: every array has one axis per dimension, of length 1 where
the value does not depend on it, so that arrays broadcast against each other.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sweep.catalogue.discovery import accept_schedule, load_schedule
from sweep.catalogue.own_names import enter_names
from sweep.catalogue.schedules import SCHEDULES
from sweep.description import RESOURCES, Schedule
from sweep.errors import OTHER_NAMES, InputError, quoted, unknown_name
from sweep.hardware.capabilities import CAPABILITY_FIELDS
from sweep.hardware.gpu import GPU
from sweep.inputs.arguments import Argument, read_argument
from sweep.inputs.combinations import (
    check_declared_limits,
    check_k_tiles,
    check_release,
    check_service,
    check_warpgroups,
)
from sweep.inputs.coordinates import merge_coordinates
from sweep.inputs.derivation import Derivation
from sweep.inputs.dimensions import Coordinate, expand, lay_out
from sweep.inputs.limits import check_rounds, check_run_length, check_served_blocks
from sweep.inputs.quantity import Quantity
from sweep.inputs.rules import OCCUPANCY, rules_of, uses
from sweep.inputs.space_memory import check_derived_memory
from sweep.inputs.values import values_of
from sweep.quantities.arrays import Array
from sweep.quantities.named import as_array
from sweep.quantities.tile_table import Lines
from sweep.quantities.variables import GPU_FIELDS, OUTPUTS, PARAMETERS

MOST_SCHEDULES = 1000


@dataclass(frozen=True)
class Space:
    """Checked points.

    Attributes
    ----------
    schedules : tuple of Schedule
    dims : dict of str to int
        Dimensions of the result in order; "schedule" first where a sequence of them was given.
    coords : dict of str to (dims, numpy.ndarray)
        Coordinates of the result: of each dimension, of every parameter used (numbers as passed;
        ``values`` has them as they are held), and those that named objects brought. Where
        schedules differ in a parameter it has the dimension "schedule", and a schedule without
        it has NaN, 0 or "".
    values : tuple of dict of str to numpy.ndarray
        Per schedule, what ``sweep.inputs.values.values_of`` lists: each array has one axis per
        dimension other than "schedule", of length 1 where constant.
    tables : tuple of dict of str to Lines
        Per schedule, the lines of every parameter that is a table over output tiles somewhere;
        ``values["table:NAME"]`` says which line is whose.
    points : int
        Number of points, schedules included.
    gpus : tuple of GPU
        The GPUs that occur.
    """

    schedules: tuple[Schedule, ...]
    dims: dict[str, int]
    coords: dict[str, Coordinate]
    values: tuple[dict[str, Array], ...]
    tables: tuple[dict[str, Lines], ...]
    points: int
    gpus: tuple[GPU, ...]

    @property
    def grid(self) -> tuple[int, ...]:
        """Lengths of the dimensions other than "schedule": the shape of one schedule's points."""
        return tuple(size for dim, size in self.dims.items() if dim != "schedule")

    @property
    def own_outputs(self) -> tuple[str, ...]:
        """Utilisations of the schedules' own resources."""
        used = (name for one in self.schedules for name in one.resources)
        own = (f"{name.lower()}_utilization" for name in used if name not in RESOURCES)
        return tuple(dict.fromkeys(own))

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of what a run gives, in order: utilisations of own resources after FMA's."""
        first = OUTPUTS.index(f"{RESOURCES[-1].lower()}_utilization") + 1
        return (*OUTPUTS[:first], *self.own_outputs, *OUTPUTS[first:])


def resolve(schedule: Any, parameters: Mapping[str, Any]) -> Space:
    """Check what a user asks for and work out every value that the schedules need.

    Parameters
    ----------
    schedule : str, Schedule, or a sequence of them
        A sequence gives the dimension "schedule", always the first.
    parameters : mapping of str to value
        By the registry's names. A scalar fixes a parameter, a sequence is a new dimension, an
        ``xarray.DataArray`` brings its own, a ``pandas.Series`` its index; dimensions are in the
        order given.

    Returns
    -------
    Space

    Raises
    ------
    InputError
        For names that do not exist, parameters that none of the schedules uses (a GPU field is
        taken where all those that the schedules use are given too: together they are a card, and
        None in it is what is not known of the card),
        values outside the limits of the registry, axes that do not fit together, ``k`` and
        ``k_tiles`` that contradict each other, and what cannot exist on a GPU where none of the
        parameters that make it varies; where one does, its points are flagged.

    Examples
    --------
    >>> space = resolve("multistage", {"stages": [2, 3, 4]})
    >>> space.dims, space.values[0]["t_mma"]
    ({'stages': 3}, array([1024.]))
    """
    schedules, is_axis = read_schedules(schedule)
    parameters = _check_names(parameters, schedules)
    arguments = {name: read_argument(name, value) for name, value in parameters.items()}
    names = tuple(one.name for one in schedules) if is_axis else None
    dims, coords = lay_out(arguments, names)
    for chosen in schedules:
        check_derived_memory(chosen, arguments, dims)
    derivations = _derive(schedules, arguments, dims)
    worked_out = tuple(values_of(one, is_axis) for one in derivations)
    values, tables = (tuple(part) for part in zip(*worked_out, strict=True))
    for one, found in zip(derivations, values, strict=True):
        check_declared_limits(one)
        check_k_tiles(one)
        check_release(one.schedule, found)
        check_service(found)
        check_warpgroups(one.schedule, found)
        check_run_length(one.schedule, found, parameters)
        check_served_blocks(one.schedule, found)
        check_rounds(one.schedule, found)
    return Space(
        schedules,
        dims,
        coords | merge_coordinates(derivations, dims, coords),
        values,
        tables,
        math.prod(dims.values()),
        _gpus(derivations),
    )


def read_schedules(schedule: Any) -> tuple[tuple[Schedule, ...], bool]:
    """Return the schedules asked for, and whether they are an axis.

    Raises
    ------
    InputError
        For a name that does not exist, one that is there twice, or an empty sequence.
    """
    if isinstance(schedule, str | Schedule | os.PathLike):
        return (_find_schedule(schedule),), False
    if hasattr(schedule, "__array__"):
        array = as_array("schedule", schedule)
        if array.ndim == 0:
            return (_find_schedule(array.item()),), False
        if array.ndim > 1 or getattr(schedule, "dims", ("schedule",)) != ("schedule",):
            raise InputError("schedule: an array of them has one dimension, named 'schedule'")
        schedule = array.tolist()
    if isinstance(schedule, bytes | bytearray) or not isinstance(schedule, Iterable):
        raise unknown_name("schedule", schedule, SCHEDULES)
    found: dict[str, Schedule] = {}
    for item in schedule:  # which may have no end
        one = _find_schedule(item)
        if one.name in found:
            raise InputError(
                f"schedule={quoted(one.name)}: is there twice; give each schedule once"
            )
        if len(found) == MOST_SCHEDULES:
            raise InputError(f"schedule: more than {MOST_SCHEDULES} schedules in one axis")
        found[one.name] = one
    if not found:
        raise InputError("schedule: an empty axis; give at least one schedule")
    return tuple(found.values()), True


def _find_schedule(schedule: Any) -> Schedule:
    if isinstance(schedule, str) and schedule in SCHEDULES:
        return SCHEDULES[schedule]
    if isinstance(schedule, Schedule):
        found = accept_schedule(schedule) if schedule not in SCHEDULES.values() else schedule
    elif isinstance(schedule, os.PathLike) or (
        isinstance(schedule, str) and schedule.endswith(".py")
    ):
        found = load_schedule(schedule)
    else:
        raise unknown_name("schedule", schedule, SCHEDULES)
    if SCHEDULES.get(found.name, found) is not found:
        raise InputError(f"schedule {quoted(found.name)}: a built-in one has that name; rename it")
    enter_names(found)
    return found


def known_parameters(schedule: Any) -> tuple[str, ...]:
    """Return the names of all parameters that there are, those of these schedules included.

    Raises
    ------
    InputError
        For a schedule that cannot be read.
    """
    read_schedules(schedule)
    return tuple(PARAMETERS)


def _check_names(
    parameters: Mapping[str, Any], schedules: tuple[Schedule, ...]
) -> Mapping[str, Any]:
    """Refuse what has no effect; return the parameters without what a whole card leaves unknown."""
    used = frozenset().union(*(uses(one) for one in schedules))
    optional = {"compute_capability", *OCCUPANCY, *CAPABILITY_FIELDS}
    card = used.intersection(GPU_FIELDS) - optional <= set(parameters)
    for name in parameters:
        if name not in PARAMETERS:
            raise unknown_name("parameter", name, PARAMETERS)
        if name not in used and not (name in GPU_FIELDS and card):
            chosen = ", ".join(one.name for one in schedules)
            users = [one.name for one in SCHEDULES.values() if name in uses(one)]
            who = f"used by {', '.join(users)}" if users else "no schedule uses it"
            hint = f"; {OTHER_NAMES[name]}" if name in OTHER_NAMES else ""
            raise InputError(f"{name}: has no effect on {chosen}; {who}{hint}")
    unknown = set(GPU_FIELDS) if card else set()
    return {
        name: value
        for name, value in parameters.items()
        if value is not None or name not in unknown
    }


def _derive(
    schedules: tuple[Schedule, ...], arguments: Mapping[str, Argument], dims: Mapping[str, int]
) -> tuple[Derivation, ...]:
    grid = tuple(dim for dim in dims if dim != "schedule")
    by_schedule = {name for name, one in arguments.items() if "schedule" in one.dims}
    set_by = frozenset[str]().union(*(rules_of(one).of_schedule for one in schedules))
    varying = by_schedule | {name for name in set_by if name not in arguments}
    common = {name: expand(one, grid) for name, one in arguments.items() if name not in by_schedule}
    shared: dict[str, Quantity] = {}
    found = []
    for index, schedule in enumerate(schedules):
        own = {name: expand(arguments[name], grid, index) for name in by_schedule}
        given = common | own
        found.append(Derivation(schedule, given, len(grid), shared, frozenset(varying)))
    return tuple(found)


def _gpus(derivations: Iterable[Derivation]) -> tuple[GPU, ...]:
    labels = (label for one in derivations for label in one.get("gpu").labels)
    return tuple(dict.fromkeys(label for label in labels if isinstance(label, GPU)))
