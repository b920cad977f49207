"""What the experiments run on: the lecture's GPU and tile, or others, to see what changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sweep.hardware.gpu import GPU, GPUS
from sweep.results.points import Point


@dataclass(frozen=True)
class Setup:
    """A GPU and a tile.

    Attributes
    ----------
    gpu : GPU
        The reference is the lecture's.
    tile : str
        M x N x K.
    element_type : str
    """

    gpu: GPU = field(default_factory=lambda: GPUS["lecture"])
    tile: str = "128x256x64"
    element_type: str = "bf16"

    def simulate(self, schedule: str, **parameters: Any) -> Point:
        """Simulate one point of a schedule on this setup, other parameters at their defaults."""
        import sweep

        where: dict[str, Any] = {"gpu": self.gpu, "element_type": self.element_type}
        if sweep.SCHEDULES[schedule].family == "gemm":
            where["tile"] = self.tile
        return sweep.simulate(schedule, **{**where, **parameters})

    def durations(self, **parameters: Any) -> dict[str, float]:
        """Return the durations and stage bytes that this setup's hardware and tile give."""
        from sweep.hardware.durations import durations

        where: dict[str, Any] = {"tile": self.tile, "element_type": self.element_type}
        found = durations(self.gpu, **{**where, **parameters})
        return {name: float(cycles) for name, cycles in found.items()}

    def field(self, name: str) -> float:
        """Return a field of the GPU, which has to be known."""
        value = self.gpu.value(name)
        if value is None:
            raise ValueError(f"{name}: not known for gpu={self.gpu.name!r}")
        return value
