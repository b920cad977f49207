"""The levels that a byte passes on its way to the Tensor Core, with bandwidth and latency of each.

Bandwidths and latencies are the GPU's own (``sweep.hardware.presets``, each with its source); only
the latency of the host link has an order of magnitude for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from analysis.checked import find_gpu, one
from sweep.errors import InputError, unknown_name
from sweep.hardware.gpu import GPU
from sweep.inputs.labels import check_choice
from sweep.inputs.reading import read_object
from sweep.quantities.variables import GPU_FIELDS

LEVELS = ("host_link", "dram", "l2", "shared_memory")

_RECALLED = "recalled, not checked against a document"

HOST_LINK_LATENCY = (
    1.3e-6,
    f"order of magnitude: 1.0-1.6 us, V100 over PCIe 3.0, EMOGI, arXiv 2006.06890; {_RECALLED}",
)
"""Seconds from a GPU's request to host memory until the data is there, where the GPU has none."""


@dataclass(frozen=True)
class Level:
    """One level of the path; a number that is not known is None.

    Attributes
    ----------
    name : str
        One of ``LEVELS``.
    bytes_per_second : float or None
        Bandwidth of the whole GPU.
    latency_seconds : float or None
        From the request until the first byte is there.
    bandwidth_source, latency_source : str
        Where the numbers are from.
    """

    name: str
    bytes_per_second: float | None
    latency_seconds: float | None
    bandwidth_source: str = ""
    latency_source: str = ""


def memory_path(gpu: str | GPU = "lecture", **given: float) -> tuple[Level, ...]:
    """Return the levels of a GPU's path, the host first.

    Parameters
    ----------
    gpu : str or GPU
    **given : float
        GPU fields that replace the known ones.

    Raises
    ------
    InputError
        For a name that does not exist, or a value that is no number within its limits.

    Examples
    --------
    >>> for level in memory_path("h100_sxm"):
    ...     print(f"{level.name}: {level.bytes_per_second / 1e12:.3g} TB/s,"
    ...           f" {level.latency_seconds * 1e9:.0f} ns")
    host_link: 0.063 TB/s, 1300 ns
    dram: 3.35 TB/s, 264 ns
    l2: 8.21 TB/s, 149 ns
    shared_memory: 30.9 TB/s, 16 ns
    """
    card = find_gpu(gpu)
    for name in given:
        if name not in GPU_FIELDS:
            raise unknown_name("parameter", name, GPU_FIELDS)
    numbers = _Numbers(card, {name: one(name, value) for name, value in given.items()})
    return (
        numbers.level("host_link", "host_link_bytes_per_second", "host_link_latency_seconds"),
        numbers.level("dram", "dram_bytes_per_second", "latency_cycles"),
        numbers.level("l2", "mem_bytes_per_cycle", "l2_latency_cycles"),
        numbers.level("shared_memory", "smem_bytes_per_cycle", "shared_memory_latency_cycles"),
    )


def known(level: Level, quantity: str) -> float:
    """Return ``bytes_per_second`` or ``latency_seconds`` of a level.

    Raises
    ------
    InputError
        Where it is not known, with the parameters that supply it.
    """
    level = read_object("level", level, Level, "a level of memory_path")
    wanted = check_choice("quantity", quantity, ("bytes_per_second", "latency_seconds"))
    found: float | None = getattr(level, wanted)
    if found is None:
        names = _SUPPLIED_BY[level.name]
        missing = names[0] if wanted == "bytes_per_second" else names[1]
        raise InputError(f"{wanted} of {level.name}: not known for this GPU; give {missing}=...")
    return found


_SUPPLIED_BY = {
    "host_link": ("host_link_bytes_per_second", "host_link_latency_seconds"),
    "dram": ("dram_bytes_per_second", "latency_cycles and clock_hz"),
    "l2": ("mem_bytes_per_cycle, sm_count and clock_hz", "l2_latency_cycles and clock_hz"),
    "shared_memory": (
        "smem_bytes_per_cycle, sm_count and clock_hz",
        "shared_memory_latency_cycles and clock_hz",
    ),
}


class _Numbers:
    """A GPU's numbers, the given ones first, brought to seconds and the whole GPU."""

    def __init__(self, gpu: GPU, given: Mapping[str, float]) -> None:
        self.gpu, self.given = gpu, given

    def level(self, name: str, bandwidth: str, latency: str) -> Level:
        bytes_per_second, bandwidth_source = self._in_seconds(bandwidth)
        seconds, latency_source = self._in_seconds(latency)
        return Level(name, bytes_per_second, seconds, bandwidth_source, latency_source)

    def _in_seconds(self, name: str) -> tuple[float | None, str]:
        value, source = self._find(name)
        clock, sms = self._find("clock_hz")[0], self._find("sm_count")[0]
        if value is None or name.endswith(("_per_second", "_seconds")):
            return value, source
        if name.endswith("_bytes_per_cycle"):
            return (None if clock is None or sms is None else value * sms * clock), source
        return (None if clock is None else value / clock), source

    def _find(self, name: str) -> tuple[float | None, str]:
        if name in self.given:
            return self.given[name], "given"
        value = self.gpu.value(name)
        if value is None and name == "host_link_latency_seconds":
            return HOST_LINK_LATENCY
        return value, self.gpu.sources.get(name, "")
