"""The kernel written out for a description does what the interpreter does, at every event."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numba
import numpy as np
import pytest

from sweep.description.interpreter import ends_of
from sweep.description.residency import first_come
from sweep.recurrence.general.kernels import tables_of
from sweep.recurrence.kernels import load
from sweep.recurrence.unrolled import kernel_text
from sweep.recurrence.unrolled.row_text import RowText
from sweep.recurrence.unrolled.unrolled_kernel import UnrolledKernel, plain_points, unrolled_of
from tests.accounts.general_points import Ends, laid_out, run_general
from tests.accounts.random_descriptions import Drawn, draw, services
from tests.support.kernels import KERNELS, random_point

DRAWS = int(os.environ.get("WARPSWEEP_DESCRIPTIONS", "300"))
CHUNK = 100
Patch = pytest.MonkeyPatch
plain_only = pytest.mark.skipif(
    bool(not numba.config.DISABLE_JIT), reason="a thousand kernels would be compiled"
)
NOTED: Ends = {}


def note(row: str, tile: int, iteration: int, end: float) -> None:
    """Take down an event; generated code calls it."""
    if end > float("-inf"):
        NOTED[row, int(tile), int(iteration)] = float(end)


def noting(patch: Patch) -> None:
    """Let kernels written from now on take down each event, and leap over none."""
    kept = RowText._kept

    def also_noted(self: RowText, row: Any, index: str, iteration: str) -> Iterator[str]:
        at = iteration if row.place in self.reads.loops else "-1"
        yield f"note({row.name!r}, tile, {at}, end_{row.name})"
        yield from kept(self, row, index, iteration)

    patch.setattr(RowText, "_kept", also_noted)
    head = kernel_text.HEAD.replace(
        "import math\n", f"import math\n\nfrom {__name__} import note\n"
    )
    patch.setattr(kernel_text, "HEAD", head.replace("FEW_TILES = 8", "FEW_TILES = 1 << 60"))
    patch.setattr(kernel_text.LoopText, "_leap", lambda _: [])


def points_of(one: Drawn) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield a description's points that a written-out kernel takes, as given and as arrays."""
    for service in services(one.parameters):
        p = {**one.parameters, "arbitration": service}
        points, lines = laid_out(one.schedule, p)
        single = np.asarray(points["tile_scheduler"]) == 0
        points["single"] = single.astype(int)
        if not lines and plain_points(points, 1)[0] and not first_come(one.schedule, service):
            yield p, points


@plain_only
@pytest.mark.parametrize("first", range(0, DRAWS, CHUNK))
def test_every_event_is_the_interpreters(first: int, monkeypatch: Patch) -> None:
    noting(monkeypatch)
    ran = 0
    for seed in range(first, first + CHUNK):
        one = draw(seed)
        for p, points in points_of(one):
            tables = tables_of(one.schedule, "consumer")
            if not kernel_text.KernelText(tables).possible:
                continue
            cycles, period = np.empty(1), np.empty(1)
            NOTED.clear()
            left = UnrolledKernel(tables, "consumer").run(points, False, cycles, period)
            if left[0]:
                continue
            assert (float(cycles[0]), NOTED) == ends_of(one.schedule, p), f"draw({seed})"
            ran += 1
    assert ran > CHUNK // 10


@plain_only
def test_leaps_land_where_stepping_does() -> None:
    leapt = 0
    for seed in range(DRAWS):
        one = draw(seed, (12, 20))
        for p, points in points_of(one):
            kernel = unrolled_of(tables_of(one.schedule, "consumer"), "consumer")
            for per_tile in (False, True):
                cycles, period = np.empty(1), np.empty(1)
                if kernel is None or kernel.run(points, per_tile, cycles, period)[0]:
                    continue
                assert cycles[0] == ends_of(one.schedule, p)[0], f"draw({seed}, (12, 20))"
                leapt += not np.isnan(period[0])
    assert leapt > DRAWS // 30


@pytest.mark.parametrize("name", KERNELS)
def test_it_is_the_table_driven_engine(name: str, monkeypatch: Patch) -> None:
    """On published kernels: cycles and periods."""
    schedule, rng = KERNELS[name], np.random.default_rng(5)
    kernel = unrolled_of(tables_of(schedule, "consumer"), "consumer")
    assert kernel is not None
    ran = 0
    for _ in range(40):
        p = random_point(schedule, rng)
        for given, points in points_of(Drawn(schedule, p)):
            cycles, period = np.empty(1), np.empty(1)
            if kernel.run(points, True, cycles, period)[0]:
                continue  # a deadlock, or what may be one
            with monkeypatch.context() as patch:
                patch.setattr("sweep.recurrence.general.kernels.unrolled_of", lambda *_: None)
                found, pace = run_general(schedule, given, per_tile=True)
            assert (cycles[0], found) == (found, ends_of(schedule, given)[0])
            if not (np.isnan(pace) or np.isnan(period[0])):
                assert pace == period[0]
            ran += 1
    assert ran > 5


def test_its_source_is_a_module() -> None:
    text = kernel_text.KernelText(tables_of(KERNELS["blackwell_gemm"], "consumer")).written()
    assert load("blackwell_gemm_again", text).kernel is not None
