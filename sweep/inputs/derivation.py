"""From what was given to every value that a schedule needs, and what each one depends on."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from sweep.description import Schedule
from sweep.errors import InputError
from sweep.hardware.capabilities import lacks
from sweep.hardware.durations import (
    ELEMENT_BYTES,
    FORMULAS,
    ISSUE_CYCLES,
    KEYS,
    QUERY_ROWS,
    formula_inputs,
)
from sweep.hardware.gpu import GPU, GPUS
from sweep.hardware.shapes import (
    parse_shape,
)
from sweep.inputs.labels import Label, label_text
from sweep.quantities.arrays import Array
from sweep.quantities.numbers import check_numbers
from sweep.quantities.variables import GPU_FIELDS, VARIABLES

LOOKUPS: Mapping[str, tuple[str, ...]] = {
    "t_issue": ("loader",),
    "loader": ("compute_capability",),
    "tile_m": ("tile",),
    "tile_n": ("tile",),
    "tile_k": ("tile",),
    "cluster_m": ("cluster",),
    "cluster_n": ("cluster",),
    "element_bytes": ("element_type",),
    "element_rate": ("element_type", "gpu"),
    **dict.fromkeys(GPU_FIELDS, ("gpu",)),
}
"""What is looked up by a name or a shape, and by which."""

OF_SCHEDULE = ("loader", "kv_blocks", "consumer_warpgroups")
"""Parameters whose default is the schedule's."""

_SHARED = (
    "element_bytes",
    "smem_carveout_bytes",
    "smem_per_block_bytes",
    "registers_per_sm",
    "max_registers_per_thread",
    "element_type",
    "compute_capability",
)
BUDGET: Mapping[str, tuple[str, ...]] = {
    "gemm": ("tile_m", "tile_n", "tile_k", "stage_bytes", "consumer_warpgroups", *_SHARED),
    "attention": ("head_dim", *_SHARED),
}
"""What the budgets need, by family."""
THROUGHPUT = ("clock_hz", "sm_count")

TILE_DURATIONS = ("t_transfer", "t_mma", "t_store", "t_epilogue")
HEAD_DURATIONS = ("t_gemm", "t_gemm0", "t_gemm1")


class Quantity(NamedTuple):
    """Values on the grid: one axis per dimension, of length 1 where constant.

    ``dims`` are those that it depends on; ``labels`` what codes stand for (empty for numbers);
    ``given`` the numbers as they were passed, where rounding changed them.
    """

    dims: frozenset[str]
    array: Array
    labels: tuple[Label, ...] = ()
    given: Array | None = None


def inputs_of(name: str) -> tuple[str, ...]:
    """Return the names that a value is worked out from, empty for what can only be given."""
    if name in FORMULAS:
        return formula_inputs(name)
    return LOOKUPS.get(name, ())


def uses(schedule: Schedule) -> frozenset[str]:
    """Return every name with a path to an output of a schedule."""
    reached = _reached((*schedule.parameters, *BUDGET[schedule.family], *THROUGHPUT))
    clusters = {"max_cluster_ctas", "largest_cluster_ctas"} if "cluster" in reached else set()
    return reached | clusters


@lru_cache(maxsize=256)
def _reached(start: tuple[str, ...]) -> frozenset[str]:
    reached: set[str] = set()
    waiting = list(start)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting.extend(inputs_of(name))
    return frozenset(reached)


@lru_cache(maxsize=4096)
def depends_on(name: str, sources: frozenset[str]) -> bool:
    """Whether a value is one of the sources or worked out from one."""
    return name in sources or any(depends_on(need, sources) for need in inputs_of(name))


class Derivation:
    """The values of one schedule, worked out on demand, each once.

    Parameters
    ----------
    schedule : Schedule
    given : mapping of str to Quantity
        What the user gave.
    ndim : int
        Number of dimensions of the grid.
    shared : dict
        Values that do not depend on the schedule, kept for the next one.
    varying : frozenset of str
        The parameters that do.
    """

    def __init__(
        self,
        schedule: Schedule,
        given: Mapping[str, Quantity],
        ndim: int,
        shared: dict[str, Quantity],
        varying: frozenset[str],
    ) -> None:
        self.schedule = schedule
        self.given = given
        self.used: dict[str, Quantity] = {}
        self.ndim = ndim
        self._unit = (1,) * ndim
        self._shared = shared
        self._varying = varying

    def get(self, name: str) -> Quantity:
        """Return a value: given, worked out, or the default, in this order."""
        found = self.used.get(name)
        if found is None:
            found = self.used[name] = self.given.get(name) or self._work_out(name)
        return found

    @property
    def known(self) -> bool:
        """Whether the tile (the head dimension) is: not where durations replace what it sets."""
        gemm = self.schedule.family == "gemm"
        shape, durations = ("tile", TILE_DURATIONS) if gemm else ("head_dim", HEAD_DURATIONS)
        replaced = {name for name in durations if name in self.given} & uses(self.schedule)
        return shape in self.given or not replaced

    def flop_per_step(self) -> Array:
        """Return useful FLOP per k-tile, or per block of every warpgroup; NaN where unknown."""
        if not self.known:
            return np.full(self._unit, np.nan)
        if self.schedule.family == "gemm":
            m, n, k = (self.get(f"tile_{axis}").array for axis in "mnk")
            return np.asarray(2.0 * m * n * k)
        rows = QUERY_ROWS * self.schedule.consumer_warpgroups
        return np.asarray(4.0 * rows * KEYS * self.get("head_dim").array)

    def _work_out(self, name: str) -> Quantity:
        formula = name in FORMULAS and (name != "k_tiles" or "k" in self.given)
        if name == "loader":
            return self._loader()
        if not formula and name not in LOOKUPS:
            return self._default(name)
        inputs = [self.get(need) for need in inputs_of(name)]
        shareable = not depends_on(name, self._varying)
        if shareable and name in self._shared:
            return self._shared[name]
        if formula:
            with np.errstate(all="ignore"):  # what is not finite is refused with its name
                array = FORMULAS[name](*(one.array for one in inputs))
        else:
            array = _look_up(name, inputs)
        found = Quantity(frozenset().union(*(one.dims for one in inputs)), array)
        if shareable:
            self._shared[name] = found
        return found

    def _loader(self) -> Quantity:
        """Return the schedule's loader, or what a GPU too old for it has instead."""
        found = _constant("loader", _schedule_default("loader", self.schedule), self._unit)
        capability = self.get("compute_capability")
        tma, cp_async, ld_global = map(found.labels.index, ("tma", "cp_async", "ld_global"))
        codes = found.array
        codes = np.where((codes == tma) & lacks("TMA", capability.array), cp_async, codes)
        if loads_through_registers(self.schedule):
            older = lacks("cp.async", capability.array)
            codes = np.where((codes == cp_async) & older, ld_global, codes)
        if np.all(codes == codes.flat[0]):
            return _constant("loader", found.labels[codes.flat[0]], self._unit)
        return Quantity(capability.dims, codes, found.labels)

    def _default(self, name: str) -> Quantity:
        if name in OF_SCHEDULE:
            value: float | str | None = _schedule_default(name, self.schedule)
        elif name in VARIABLES and VARIABLES[name].default is not None:
            value = VARIABLES[name].default
        else:
            raise InputError(f"{name}: not known for {self.schedule.name}; give {name}=...")
        if name not in self._varying and name in self._shared:
            return self._shared[name]
        found = _constant(name, value, self._unit)
        if name not in self._varying:
            self._shared[name] = found
        return found


def loads_through_registers(schedule: Schedule) -> bool:
    """Whether its copies may pass through registers: they are stored from there, or waited for."""
    return "t_store" in schedule.durations or schedule.fixed_stages == 1


def _schedule_default(name: str, schedule: Schedule) -> int | str:
    if name == "loader":
        return schedule.loader or ("tma" if schedule.producer else "cp_async")
    if name == "kv_blocks":
        return schedule.kv_blocks or 32 // schedule.consumer_warpgroups
    return schedule.consumer_warpgroups


def _constant(name: str, value: Any, shape: tuple[int, ...]) -> Quantity:
    """Return a default as a quantity without dimensions."""
    variable = VARIABLES[name]
    if variable.numeric:
        return Quantity(frozenset(), check_numbers(variable, value).reshape(shape))
    labels: tuple[Label, ...] = variable.choices
    if name == "gpu":
        labels = (GPUS[value],)
    elif variable.dtype == "shape":
        labels = (parse_shape(name, value),)
    code = labels.index(value) if variable.choices else 0
    return Quantity(frozenset(), np.full(shape, code, dtype=np.int64), labels)


def _look_up(name: str, inputs: list[Quantity]) -> Array:
    first = inputs[0]
    if name == "t_issue":
        return _take(first, [ISSUE_CYCLES[str(label)] for label in first.labels])
    if name == "element_rate":
        return _element_rates(*inputs)
    if name == "element_bytes":
        return _take(first, [ELEMENT_BYTES[str(label)] for label in first.labels])
    if name in GPU_FIELDS:
        return _gpu_field(name, first)
    axis = "mnk".index(name[-1])
    return _take(first, [label[axis] for label in first.labels if isinstance(label, tuple)])


def _take(codes: Quantity, table: Any) -> Array:
    return np.asarray(np.asarray(table)[codes.array])


def _gpu_field(name: str, gpus: Quantity) -> Array:
    """Return a field of each GPU, NaN (0 where it is an integer) where it is not known."""
    variable = VARIABLES[name]
    unknown = 0 if variable.dtype == "int64" else np.nan
    figures = (label.value(name) for label in gpus.labels if isinstance(label, GPU))
    values = [unknown if one is None else check_numbers(variable, one) for one in figures]
    return _take(gpus, np.array(values, dtype=variable.dtype))


def _element_rates(elements: Quantity, gpus: Quantity) -> Array:
    """Return the rate of each element type on each GPU it meets, NaN where it has none."""
    cards = [label for label in gpus.labels if isinstance(label, GPU)]
    names = [label_text(label) for label in elements.labels]
    table = np.array([[card.element_rates.get(name, np.nan) for card in cards] for name in names])
    return np.asarray(table[elements.array, gpus.array])
