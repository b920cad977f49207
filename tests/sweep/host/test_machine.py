"""What the machine has: memory within the control group's limit, processors that may be used."""

from __future__ import annotations

import os
import sys
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from sweep.host import memory
from sweep.host.memory import available_bytes
from sweep.host.processors import usable_processors


def test_memory_is_what_the_system_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=3 << 30))
    monkeypatch.setattr(memory, "_group_bytes", lambda: sys.maxsize)
    assert available_bytes() == 3 << 30


def test_memory_is_within_the_control_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_group_bytes", lambda: 1 << 20)
    assert available_bytes() == 1 << 20


@pytest.mark.parametrize(
    ("limit", "used", "left"),
    [("1000\n", "300\n", 700), ("1000\n", "2000\n", 0), ("max\n", "300\n", sys.maxsize)],
)
def test_a_control_group(
    limit: str, used: str, left: int, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "memory.max").write_text(limit)
    (tmp_path / "memory.current").write_text(used)
    monkeypatch.setattr(memory, "GROUP", tmp_path)
    assert memory._group_bytes() == left
    monkeypatch.setattr(memory, "GROUP", tmp_path / "none")
    assert memory._group_bytes() == sys.maxsize


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="binds no processes")
def test_processors_are_those_it_is_bound_to() -> None:
    bound = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(bound)})
        assert usable_processors() == 1
    finally:
        os.sched_setaffinity(0, bound)
    assert usable_processors() == len(bound)


def test_processors_of_other_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    bound = SimpleNamespace(cpu_affinity=lambda: [0, 2, 5])
    monkeypatch.setattr(psutil, "Process", lambda: bound)
    assert usable_processors() == 3
    monkeypatch.setattr(psutil, "Process", SimpleNamespace)
    monkeypatch.setattr(psutil, "cpu_count", lambda: 6)
    assert usable_processors() == 6
    monkeypatch.setattr(psutil, "cpu_count", lambda: None)
    assert usable_processors() == 1
