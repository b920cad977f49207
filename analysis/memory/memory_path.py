"""The levels that a byte passes on its way to the Tensor Core, with bandwidth and latency of each.

Bandwidths of DRAM, L2 and shared memory and the latency of DRAM are the GPU's own
(``sweep.hardware.gpu``). Host links and the latencies of L2 and shared memory are listed here,
since the engine does not need them, every number with its source.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from analysis.checked import find_gpu, one
from sweep.errors import InputError, unknown_name
from sweep.hardware.gpu import GPU
from sweep.inputs.labels import check_choice
from sweep.inputs.reading import read_object
from sweep.quantities.variables import GPU_FIELDS

LEVELS = ("host_link", "dram", "l2", "shared_memory")

Sourced = tuple[float, str]

_PCIE = "PCI Express {} x16, one direction, before protocol overhead"
_RECALLED = "recalled, not checked against a document"
_LECTURE = "the lecture's machine model: one latency for the whole copy path"
_RERUN = "H100 SXM5 microbenchmark re-run at 1,980 MHz"
_BENCHES = "gpu-benches, github te42kyfo/gpu-benches, random chase"

HOST_LINK_LATENCY: Sourced = (
    1.3e-6,
    f"order of magnitude: 1.0-1.6 us, V100 over PCIe 3.0, EMOGI, arXiv 2006.06890; {_RECALLED}",
)
"""Seconds from a GPU's request to host memory until the data is there."""

_GEN3: Sourced = (15.75e9, _PCIE.format("3.0"))
_GEN4: Sourced = (31.5e9, _PCIE.format("4.0"))
_GEN5: Sourced = (63.0e9, _PCIE.format("5.0"))
_HOPPER: Mapping[str, Sourced] = {
    "host_link_bytes_per_second": _GEN5,
    "l2_latency_cycles": (272.3, f"{_RERUN}: L2 hit, average; 295 near, 470 far, arXiv 2607.19922"),
    "shared_memory_latency_cycles": (29.015, _RERUN),
}

PATH_NUMBERS: Mapping[str, Mapping[str, Sourced]] = MappingProxyType(
    {
        "lecture": {
            "host_link_bytes_per_second": _GEN5,
            "l2_latency_cycles": (700, _LECTURE),
            "shared_memory_latency_cycles": (29.015, f"as H100 SXM: {_RERUN}"),
        },
        "v100_sxm2": {
            "host_link_bytes_per_second": _GEN3,
            "l2_latency_cycles": (215, _BENCHES),
        },
        "a100_sxm": {
            "host_link_bytes_per_second": _GEN4,
            "l2_latency_cycles": (211, f"{_BENCHES}; 218 near, 379 far, arXiv 2607.19922"),
            "shared_memory_latency_cycles": (29.0, "A100 PCIe, Luo et al., arXiv 2402.13499"),
        },
        "h100_sxm": _HOPPER,
        "h200_sxm": _HOPPER,
        "b200": {
            "host_link_bytes_per_second": _GEN5,
            "l2_latency_cycles": (300, "B200 microbenchmarks at 1,965 MHz"),
            "shared_memory_latency_cycles": (29.0, "B200 microbenchmarks at 1,587 MHz"),
        },
    }
)
"""What is known of the path beyond a GPU's own fields, by GPU."""

_OWN_FIELDS = (
    "host_link_bytes_per_second",
    "host_link_latency_seconds",
    "l2_latency_cycles",
    "shared_memory_latency_cycles",
)


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
        Numbers that replace the known ones: GPU fields, and ``host_link_bytes_per_second``,
        ``host_link_latency_seconds``, ``l2_latency_cycles``, ``shared_memory_latency_cycles``.

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
        if name not in (*GPU_FIELDS, *_OWN_FIELDS):
            raise unknown_name("parameter", name, (*GPU_FIELDS, *_OWN_FIELDS))
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
        if name in GPU_FIELDS:
            return self.gpu.value(name), self.gpu.sources.get(name, "")
        if name == "host_link_latency_seconds":
            return HOST_LINK_LATENCY
        return PATH_NUMBERS.get(self.gpu.name, {}).get(name, (None, ""))
