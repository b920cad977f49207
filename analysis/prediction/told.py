"""A prediction of one point as a command prints it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.prediction.as_dataset import WARNING
from analysis.prediction.attention_face import ATTENTION
from analysis.prediction.constants import VERSION
from analysis.prediction.gemm_arguments import KNOWN
from analysis.prediction.predict import predict
from sweep.host.tables import Block, Prose, pairs
from sweep.quantities.predicted import PREDICTED

REASONS: Mapping[str, str] = {
    "small_problem": "the problem is smaller than those it was calibrated on",
    "short_k": "K is below 1,024",
    "gpu": "this GPU was not among those it was calibrated on",
    "element_type": "this element type was not among those it was calibrated on",
    "does_not_fit": "the kernel does not fit the SM: stages, registers or Tensor Memory",
    "split_k": "split-K is not modelled",
    "instruction": "mma.sync is not modelled",
    "backward": "backward attention is not modelled",
    "architecture": "only Hopper and Blackwell data-centre GPUs are modelled",
}
"""A flag's meaning in words."""


def known_names(problem: str) -> tuple[str, ...]:
    """Return the parameters of a problem."""
    return KNOWN if problem == "gemm" else ATTENTION


def values_of(problem: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is predicted of one point by name, flags as words."""
    ds = predict(problem, **given)
    found: dict[str, Any] = {"status": "", "reason": ""}
    for name, variable in ds.data_vars.items():
        meanings = PREDICTED[str(name)].flag_meanings
        value = variable.item()
        found[str(name)] = meanings[int(value)] if meanings else value
    if found["status"] == "not_modelled":
        found["binding"] = "none"
    return found | {"constants": VERSION}


def text_blocks(told: Mapping[str, Any]) -> list[Block]:
    """Return the lines that a command prints."""
    status = told["status"].replace("_", " ")
    why = REASONS.get(told["reason"], "")
    blocks: list[Block] = [Prose(f"{status}: {why}" if why else status, title=True)]
    if told["status"] == "not_modelled":
        return blocks
    low, high = (_number(told[name]) for name in ("tflops_low", "tflops_high"))
    rows = [("tflops", f"{_number(told['tflops'])} TFLOP/s (80 %: {low} to {high})")]
    skipped = ("status", "reason", "tflops", "tflops_low", "tflops_high", "constants")
    for name, value in told.items():
        if name not in skipped:
            rows.append((name, _with_unit(name, value)))
    blocks.append(pairs(rows))
    blocks.append(Prose(f"Constants of version {told['constants']}; {WARNING}."))
    return blocks


def _with_unit(name: str, value: Any) -> str:
    return PREDICTED[name].with_unit(value if isinstance(value, str) else _number(value))


def _number(value: float) -> str:
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e6 else f"{value:.4g}"
