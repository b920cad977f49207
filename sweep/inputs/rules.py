"""How a schedule's values follow from each other: formulas of the registry, and its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from sweep.catalogue.own_formulas import own_formulas
from sweep.description import Count, Factor, Schedule, count_names
from sweep.hardware.attention_durations import t_gemm1_of_values
from sweep.hardware.durations import FORMULAS, LOOKUPS, argument_names, formula_inputs
from sweep.hardware.sm_limits import LIMITS
from sweep.quantities.arrays import Array
from sweep.quantities.variables import GPU_FIELDS, RESIDENCY

Work = Callable[..., Array]

OF_SCHEDULE = (
    "loader",
    "kv_blocks",
    "consumer_warpgroups",
    "block_m",
    "warpgroup_rows",
    "output_tiles",
    "tile_scheduler",
)
"""Values that depend on the schedule unless given."""
BLOCK = ("block_m", "block_n", "head_dim_v")
"""Attention's block: shown where given, and where a schedule's own formulas are over it."""

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
    "gemm": (
        *("tile_m", "tile_n", "tile_k", "stage_bytes", "consumer_warpgroups"),
        *("element_type_a", "element_type_b", "accumulator_bytes", "scale_factors"),
        *(name for name in _SHARED if not name.startswith("element_")),
    ),
    "attention": ("head_dim", "head_dim_v", "warpgroup_rows", "block_m", "block_n", *_SHARED),
}
"""What the budgets need, by shape."""
ACCUMULATORS: Mapping[str, tuple[str, ...]] = {
    "gemm": ("tile_m", "tile_n", "accumulator_bytes"),
    "attention": ("warpgroup_rows", "block_n", "head_dim_v", "element_bytes"),
}
"""What the registers of accumulators need, by shape."""
OCCUPANCY = ("smem_per_sm_bytes", *(name for name in LIMITS if name in GPU_FIELDS))
"""What limits CTAs and threads of an SM: used where it is known."""
THROUGHPUT = ("clock_hz", "sm_count")
SHAPES: Mapping[str, str] = {"gemm": "tile", "attention": "head_dim"}
"""What must be known of a schedule's tile, by shape."""


CHOSEN: Mapping[str, tuple[str, ...]] = {
    "arbitration": ("ctas_per_sm",),
    "element_type_a": ("element_type",),
    "element_type_b": ("element_type",),
    "element_type_acc": ("element_type",),
    "element_type_c": ("element_type",),
}
"""Choices whose default depends on something else."""


class Rules:
    """Formulas, inputs and defaults by name, for one schedule.

    Attributes
    ----------
    defaults : mapping of str to number
        Of the counts and factors that it declares, and physical parameters of its own.
    limits : mapping of str to (least, most)
        Of the same.
    """

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        own = own_formulas(schedule)
        self._durations = own.durations
        self.rings, self.flop = own.rings, own.flop
        declared = [one for one in schedule.declares if isinstance(one, Count | Factor)]
        self.defaults = {one.name: one.default for one in declared} | dict(schedule.defaults)
        self.limits = {one.name: (one.least, one.most) for one in declared}

    def formula(self, name: str, given: Mapping[str, object]) -> tuple[Work, tuple[str, ...]]:
        """Return how a value is worked out and from what; KeyError where by no formula."""
        if name in self._durations:
            return self._durations[name], self._durations[name].names
        if name == "t_gemm1" and "head_dim_v" in given and "t_gemm" not in given:
            return t_gemm1_of_values, argument_names(t_gemm1_of_values)
        if name == "k_tiles" and "k" not in given:
            raise KeyError(name)
        return FORMULAS[name], formula_inputs(name)

    def is_own(self, name: str) -> bool:
        """Whether a duration's formula is the schedule's."""
        return name in self._durations

    def inputs(self, name: str) -> tuple[str, ...]:
        """Return the names that a value can follow from, empty for what can only be given."""
        if name in self._durations:
            return self._durations[name].names
        if name == "t_gemm1":
            return (*formula_inputs(name), *argument_names(t_gemm1_of_values))
        if name in FORMULAS:
            return formula_inputs(name)
        return LOOKUPS.get(name, CHOSEN.get(name, ()))

    @property
    def of_schedule(self) -> frozenset[str]:
        """What must be worked out for this schedule alone, whatever other ones run with it."""
        return frozenset({*OF_SCHEDULE, *self._durations, *self.defaults})

    @property
    def budget(self) -> tuple[str, ...]:
        """What the budgets need beside the schedule's parameters."""
        if not self.rings:
            return BUDGET[self.schedule.family]
        sizes = [name for formula in self.rings.values() for name in formula.names]
        tensor = any(ring.memory == "tensor" for ring in self.schedule.rings)
        accumulators = () if tensor else ACCUMULATORS[self.schedule.family]
        shared = (name for name in _SHARED if not name.startswith("element_"))
        return tuple(dict.fromkeys((*accumulators, *sizes, *shared)))

    @property
    def needed(self) -> tuple[str, ...]:
        """Every name that an output follows from at once."""
        flop = self.flop.names if self.flop else ()
        slots = (name for ring in self.schedule.rings for name in count_names(ring.slots))
        return (
            *self.schedule.parameters,
            *RESIDENCY,
            *self.budget,
            *THROUGHPUT,
            *flop,
            *slots,
        )


@lru_cache(maxsize=1024)
def rules_of(schedule: Schedule) -> Rules:
    """Return the rules of a schedule, read once."""
    return Rules(schedule)


@lru_cache(maxsize=1024)
def uses(schedule: Schedule) -> frozenset[str]:
    """Return every name with a path to an output of a schedule."""
    rules = rules_of(schedule)
    reached: set[str] = set()
    waiting = list(rules.needed)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting.extend(rules.inputs(name))
    clusters = {"max_cluster_ctas", "largest_cluster_ctas"} if "cluster" in reached else set()
    return frozenset(reached | clusters | set(OCCUPANCY))


@lru_cache(maxsize=1 << 14)
def depends_on(schedule: Schedule, name: str, sources: frozenset[str]) -> bool:
    """Whether a value of a schedule is one of the sources or can follow from one."""
    if name in sources:
        return True
    return any(depends_on(schedule, need, sources) for need in rules_of(schedule).inputs(name))
