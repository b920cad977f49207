"""The reference figures: every covered one comes out, and comes out of the engine."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from analysis.reproduction.experiments import computations
from analysis.reproduction.experiments.setup import Setup
from analysis.reproduction.reference_figures import claims
from analysis.reproduction.reproduce import Row, json_rows, reproduce, summary, text_table, write
from sweep.errors import InputError
from sweep.hardware.gpu import GPUS
from sweep.results.points import Point

LECTURE = GPUS["lecture"]
LATER = {"published"}
OF_THE_INSTRUCTION = ("mma.", "ldm.", "feed.")
"""Figures of an instruction or of the banks: no setting of a machine changes them."""


class SlowIssue(Setup):
    """The lecture with 50 cycles more per issue, whatever an experiment asks for."""

    def simulate(self, schedule: str, **parameters: Any) -> Point:
        issue = super().simulate(schedule, **parameters).get("t_issue")
        slower = {} if issue is None else {"t_issue": issue + 50}
        return super().simulate(schedule, **{**parameters, **slower})


PERTURBED = [
    SlowIssue(),
    Setup(replace(LECTURE, tc_flop_per_cycle=10_240)),
    Setup(replace(LECTURE, mem_bytes_per_cycle=9)),
    Setup(replace(LECTURE, latency_cycles=9_000, dram_bytes_per_second=1e12)),
    Setup(replace(LECTURE, exp_per_cycle=4, fma_lanes=32)),
    Setup(replace(LECTURE, registers_per_sm=32_768, sm_count=66, clock_hz=1e9)),
    Setup(LECTURE, tile="128x128x64"),
    Setup(replace(LECTURE, smem_per_block_bytes=99 * 1024)),
]


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return reproduce()


@pytest.mark.parametrize("claim", computations())
def test_covered(rows: list[Row], claim: str) -> None:
    (row,) = (row for row in rows if row.id == claim)
    assert row.covered
    assert row.ok is True, row


def test_everything_but_later_experiments_is_covered(rows: list[Row]) -> None:
    assert [row.id for row in rows] == [claim.id for claim in claims()]
    assert {row.experiment for row in rows if not row.covered} <= LATER
    assert not {row.experiment for row in rows if row.covered} & LATER


def test_what_is_not_covered_is_not_passed(rows: list[Row]) -> None:
    missing = [row for row in rows if row.id not in computations()]
    assert all(row.ok is None and row.computed is None for row in missing)
    table = text_table(rows)
    assert table.count("not yet covered") == len(missing) + 1
    assert summary(rows).endswith(f"{len(missing)} not yet covered")


def test_no_computation_without_a_claim() -> None:
    assert computations().keys() <= {claim.id for claim in claims()}


def test_every_figure_depends_on_what_it_runs_on(rows: list[Row]) -> None:
    unchanged = {row.id for row in rows if row.covered}
    unchanged = {name for name in unchanged if not name.startswith(OF_THE_INSTRUCTION)}
    reference = {row.id: row.computed for row in rows}
    for setup in PERTURBED:
        unchanged -= {row.id for row in reproduce(setup) if row.computed != reference[row.id]}
    assert not unchanged


def test_tolerance_is_inclusive_and_two_sided() -> None:
    def row(computed: float | str, expected: float | str = 10.0) -> Row:
        return Row("a", "b", "c", expected, computed, 0.5, "1", "")

    assert [row(value).ok for value in (9.4, 9.5, 10.5, 10.6)] == [False, True, True, False]
    assert row("8/4/4", "8/4/4").ok is True
    assert row("8/4/2", "8/4/4").ok is False
    assert row(8.0, "8/4/4").ok is False


def test_a_wrong_figure_is_shown() -> None:
    wrong = Row("a.b", "gemm", "cycles", 10.0, 11.0, 0.0, "cycle", "here")
    assert "WRONG" in text_table([wrong])
    assert summary([wrong]).startswith("0 of 1 covered figures reproduced, 1 wrong")


def test_text_keeps_its_kind() -> None:
    assert {claim.id: claim.expected for claim in claims()}["mma.per_lane"] == "8/4/4"


def test_table_is_aligned(rows: list[Row]) -> None:
    lines = text_table(rows).splitlines()
    start = lines[0].index("quantity")
    for row in rows:
        (line,) = (line for line in lines if line.startswith(f"{row.id} "))
        assert line.index(row.quantity) == start
        assert row.unit == "1" or row.unit in line


def test_written_files_are_whole(rows: list[Row], tmp_path: Path) -> None:
    text, document = write(rows, tmp_path / "new" / "folder")
    assert text.read_text() == text_table(rows)
    assert json.loads(document.read_text()) == json_rows(rows)
    assert {"id", "expected", "computed", "tolerance", "ok"} <= json_rows(rows)[0].keys()
    assert sorted(file.name for file in text.parent.iterdir()) == [
        "reproduce.json",
        "reproduce.txt",
    ]


def test_a_failed_write_leaves_the_old_file(
    rows: list[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, _ = write(rows, tmp_path)
    before = text.read_text()

    def fail(*args: object) -> Path:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(InputError, match=r"cannot write .*reproduce\.txt: disk full"):
        write(rows[:1], tmp_path)
    assert text.read_text() == before
    assert len(list(tmp_path.iterdir())) == 2
