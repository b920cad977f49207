"""Schedules of a user's own, as files: the one in the README, and one with every odd trait."""

from __future__ import annotations

import re
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"

TWO_RINGS_OF_WORK = '''
"""A store that shares the copy path, a second epilogue, two tiles in turns: nothing built in."""

from sweep.description import After, Event, Schedule


def events(release):
    return (
        Event("wait_slot", "copier", after=(After("store", lag="stages"),), starts_at="stages"),
        Event("transfer", "copier", on="MEM", takes="t_transfer", asynchronous=True),
        Event("arrive", takes="t_latency", after=(After("transfer"),), signals="full"),
        Event("wait_copy", "worker", takes="t_sync", after=(After("arrive"),)),
        Event("mma", "worker", on="TC", takes="t_mma"),
        Event("store", "worker", on="MEM", takes="t_store", signals="empty"),
        Event("epilogue", "worker", takes="t_epilogue", place="tile_end"),
    )


SCHEDULE = Schedule(
    name="stored",
    family="gemm",
    summary="copies and stores share the copy path, over output tiles",
    reference="a test",
    agents=("copier", "worker"),
    events=events,
    loader="tma",
    producer=True,
    tile_level=True,
)
'''

WAITING_PAIR = '''
"""Attention in which one warpgroup waits for the other: it has no service but in order."""

from sweep.description import After, Event, Schedule


def events(release):
    return (
        Event("gemm0", "one", on="TC", takes="t_gemm0"),
        Event("exp", "one", on="SFU", takes="t_exp"),
        Event("softmax", "two", on="FMA", takes="t_softmax", after=(After("exp"),)),
        Event("gemm1", "two", on="TC", takes="t_gemm1"),
    )


SCHEDULE = Schedule(
    name="waiting_pair",
    family="attention",
    summary="one warpgroup waits for the other",
    reference="a test",
    agents=("one", "two"),
    events=events,
    kv_blocks=8,
)
'''


def documented() -> dict[str, str]:
    """Return every schedule that the README and the pages of the documentation show, by name."""
    pages = (README, *sorted((README.parent / "docs").glob("*.md")))
    texts = (page.read_text(encoding="utf-8") for page in pages)
    blocks = [one for text in texts for one in re.findall(r"```python\n(.*?)```", text, re.DOTALL)]
    shown = [block for block in blocks if "SCHEDULE = " in block]
    return {re.findall(r'\bname="(\w+)"', block)[-1]: block for block in shown}


def readme_schedule() -> str:
    """Return the schedule that the README shows."""
    return documented()["eager_copy"]


def written(folder: Path, name: str, text: str) -> str:
    """Write a schedule and return its path as a user gives it."""
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    return str(path)
