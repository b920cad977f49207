"""What is known of a GPU: per-SM rates, latency and limits, every number with its source."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from importlib import import_module
from types import MappingProxyType
from typing import Any

from sweep.errors import unknown_name
from sweep.hardware import presets
from sweep.hardware.capabilities import BY_CAPABILITY, CAPABILITY_FIELDS, INSTRUCTIONS, has
from sweep.hardware.presets._preset import Preset
from sweep.host.tables import Block, Column, Prose, Table, whole
from sweep.quantities.variables import GPU_FIELDS, VARIABLES


@dataclass(frozen=True, repr=False)
class GPU:
    """One GPU as the model sees it; a number that is not known is None.

    Attributes
    ----------
    name, summary : str
        Its name and one line about it.
    compute_capability, sm_count ... largest_cluster_ctas : float, int or None
        See ``sweep.quantities.variables`` for units and meanings. From ``max_threads_per_cta`` on
        they follow from the compute capability unless given.
    element_rates : mapping of str to float
        Tensor Core rate of an element type relative to 16-bit; a type that is absent is not
        supported.
    sources : mapping of str to str
        Where each number is from, by field; ``"element_rates.fp8"`` for a rate.
    """

    name: str
    summary: str = ""
    compute_capability: float | None = None
    sm_count: int | None = None
    clock_hz: float | None = None
    tc_flop_per_cycle: float | None = None
    mem_bytes_per_cycle: float | None = None
    latency_cycles: float | None = None
    exp_per_cycle: float | None = None
    fma_lanes: float | None = None
    staging_bytes_per_cycle: float | None = None
    smem_bytes_per_cycle: float | None = None
    smem_per_block_bytes: int | None = None
    smem_per_sm_bytes: int | None = None
    registers_per_sm: int | None = None
    max_registers_per_thread: int | None = None
    l2_bytes: int | None = None
    dram_bytes_per_second: float | None = None
    l2_latency_cycles: float | None = None
    shared_memory_latency_cycles: float | None = None
    host_link_bytes_per_second: float | None = None
    host_link_latency_seconds: float | None = None
    tmem_bytes_per_cycle: float | None = None
    max_threads_per_cta: int | None = None
    max_threads_per_sm: int | None = None
    max_warps_per_sm: int | None = None
    max_ctas_per_sm: int | None = None
    register_unit: int | None = None
    sm_partitions: int | None = None
    smem_unit_bytes: int | None = None
    reserved_smem_bytes: int | None = None
    tmem_columns: int | None = None
    portable_cluster_ctas: int | None = None
    largest_cluster_ctas: int | None = None
    element_rates: Mapping[str, float] = field(
        default_factory=lambda: {"bf16": 1.0, "fp16": 1.0}, hash=False
    )
    sources: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        """Fill in what the compute capability sets; keep the mappings from being changed."""
        sources = self._follow_capability(dict(self.sources))
        object.__setattr__(self, "sources", MappingProxyType(sources))
        object.__setattr__(self, "element_rates", MappingProxyType(dict(self.element_rates)))

    def _follow_capability(self, sources: dict[str, str]) -> dict[str, str]:
        """Set what is not given; what another capability had set, before ``replace``, follows."""
        row = BY_CAPABILITY.get(self.compute_capability or 0, {})
        for name in CAPABILITY_FIELDS:
            own = (self.value(name), sources.get(name, ""))
            if own[0] is None or any(own == one[name] for one in BY_CAPABILITY.values()):
                number, source = row.get(name, (None, ""))
                object.__setattr__(self, name, number)
                sources.pop(name, None)
                if source:
                    sources[name] = source
        return sources

    def __reduce__(self) -> tuple[Any, ...]:
        values = (getattr(self, row.name) for row in fields(self))
        plain = tuple(dict(one) if isinstance(one, Mapping) else one for one in values)
        return GPU, plain

    def value(self, name: str) -> float | int | None:
        """Return a field by name, None where it is not known."""
        found: float | int | None = getattr(self, name)
        return found

    @property
    def instructions(self) -> tuple[str, ...]:
        """Instructions that its compute capability has; none where that is not known."""
        return tuple(name for name in INSTRUCTIONS if has(name, self.compute_capability))

    def _shown(self, name: str) -> str:
        value = self.value(name)
        if name == "compute_capability" and value is not None:
            return f"{value:.1f}"
        if name == "tmem_bytes_per_cycle" and self.tmem_columns == 0:
            return "none"
        return _number(value)

    def blocks(self) -> tuple[Block, ...]:
        """Return what it is, and a table of every number with its unit and source."""
        rows = [
            (name, self._shown(name), _unit(name), self.sources.get(name, ""))
            for name in GPU_FIELDS
        ]
        rows.append(("instructions", "", "", " ".join(self.instructions) or "not known"))
        rows += [
            (f"  {name}", f"{rate:g}", "of 16-bit", self.sources.get(f"element_rates.{name}", ""))
            for name, rate in self.element_rates.items()
        ]
        columns = (Column(key=True), Column(right=True), Column(), Column(wraps=True))
        return Prose(f"{self.name}: {self.summary}", title=True), Table(columns, {"": rows})

    def __repr__(self) -> str:
        return whole(self.blocks())


class GPUTable(Mapping[str, GPU]):
    """A read-only mapping from names to GPUs that prints as a table."""

    def __init__(self, gpus: Mapping[str, GPU]) -> None:
        self._gpus = dict(gpus)

    def __getitem__(self, name: str) -> GPU:
        return self._gpus[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._gpus)

    def __len__(self) -> int:
        return len(self._gpus)

    def find(self, name: object) -> GPU:
        """Return the GPU of that name.

        Raises
        ------
        InputError
            With the nearest name where there is none.
        """
        if not isinstance(name, str) or name not in self._gpus:
            raise unknown_name("GPU", name, self._gpus)
        return self._gpus[name]

    def table(self) -> Table:
        """Return the GPUs below each other, with the numbers that differ most."""
        shown = (
            "sm_count",
            "clock_hz",
            "tc_flop_per_cycle",
            "mem_bytes_per_cycle",
            "latency_cycles",
            "exp_per_cycle",
            "smem_per_block_bytes",
        )
        numbers = (Column(name, _unit(name), right=True) for name in shown)
        columns = [Column("name", key=True), *numbers]
        rows = [(gpu.name, *(_number(gpu.value(name)) for name in shown)) for gpu in self.values()]
        return Table(columns, {"": rows})

    def __repr__(self) -> str:
        return str(self.table())


def _unit(name: str) -> str:
    units = VARIABLES[name].units
    return "" if units == "1" else units


def _number(value: float | None) -> str:
    if value is None:
        return "not known"
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"


def of_preset(name: str, preset: Preset) -> GPU:
    """Return the GPU that a preset's file describes."""
    numbers, rates = preset.numbers, preset.element_rates
    sources = {key: source for key, (_, source) in numbers.items()}
    sources |= {f"element_rates.{key}": source for key, (_, source) in rates.items()}
    figures: dict[str, Any] = {key: number for key, (number, _) in numbers.items()}
    return GPU(
        name,
        preset.summary,
        **figures,
        element_rates={key: rate for key, (rate, _) in rates.items()},
        sources=sources,
    )


def discover() -> dict[str, GPU]:
    """Return the GPU of every preset's file: the default first, then by compute capability."""
    names = (info.name for info in pkgutil.iter_modules(presets.__path__))
    found = {
        name: of_preset(name, import_module(f"{presets.__name__}.{name}").PRESET)
        for name in names
        if not name.startswith("_")
    }
    default = VARIABLES["gpu"].default
    order = sorted(
        found.values(), key=lambda gpu: (gpu.name != default, gpu.compute_capability or 0, gpu.name)
    )
    return {gpu.name: gpu for gpu in order}


GPUS: GPUTable = GPUTable(discover())
"""The GPUs that are known by name."""
