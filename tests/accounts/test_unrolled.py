"""The kernel written out for a description does what the interpreter does, at every event."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numba
import numpy as np
import pytest

from sweep.description.interpreter import NeverHappens, ends_of
from sweep.description.residency import first_come
from sweep.recurrence.general.general_kernel import tables_of
from sweep.recurrence.kernels import load
from sweep.recurrence.unrolled import kernel_text
from sweep.recurrence.unrolled.row_text import RowText
from sweep.recurrence.unrolled.unrolled_kernel import UnrolledKernel, plain_points, unrolled_of
from tests.accounts.general_points import Ends, laid_out, run_general
from tests.accounts.random_descriptions import Drawn, draw
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


ALONE = {"ctas_per_sm": 1, "t_launch": 0.0, "t_stagger": 0.0, "arbitration": "ordered"}


def plain(one: Drawn) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a description's point with one CTA and without tables, as given and as arrays."""
    given = {
        name: value[0] if isinstance(value, tuple) else value
        for name, value in one.parameters.items()
    }
    p = {**given, **ALONE, "tile_scheduler": "static_persistent"}
    points, _ = laid_out(one.schedule, p)
    points["single"] = np.zeros(1, int)
    assert plain_points(points, 1)[0]
    return p, points


def expected(one: Drawn, p: dict[str, Any]) -> tuple[float, Ends]:
    """Return cycles and events by the interpreter, NaN where it never ends."""
    try:
        return ends_of(one.schedule, p)
    except NeverHappens:
        return float("nan"), {}


@plain_only
@pytest.mark.parametrize("first", range(0, DRAWS, CHUNK))
def test_every_event_is_the_interpreters(first: int, monkeypatch: Patch) -> None:
    noting(monkeypatch)
    ran = 0
    for seed in range(first, first + CHUNK):
        one = draw(seed)
        tables = tables_of(one.schedule, "consumer")
        if first_come(one.schedule, "ordered") or not kernel_text.KernelText(tables).possible:
            continue
        p, points = plain(one)
        cycles, period = np.empty(1), np.empty(1)
        NOTED.clear()
        if not UnrolledKernel(tables, "consumer").run(points, False, cycles, period)[0]:
            assert (float(cycles[0]), NOTED) == expected(one, p), f"draw({seed})"
            ran += 1
    assert ran > CHUNK // 2


@plain_only
def test_leaps_land_where_stepping_does() -> None:
    leapt = 0
    for seed in range(DRAWS):
        one = draw(seed, (12, 20))
        kernel = unrolled_of(tables_of(one.schedule, "consumer"), "consumer")
        if kernel is None or first_come(one.schedule, "ordered"):
            continue
        p, points = plain(one)
        for per_tile in (False, True):
            cycles, period = np.empty(1), np.empty(1)
            if not kernel.run(points, per_tile, cycles, period)[0]:
                assert cycles[0] == expected(one, p)[0], f"draw({seed}, (12, 20))"
                leapt += not np.isnan(period[0])
    assert leapt > DRAWS // 3


@pytest.mark.parametrize("name", KERNELS)
def test_it_is_the_table_driven_engine(name: str) -> None:
    """On published kernels: cycles and periods."""
    schedule, rng = KERNELS[name], np.random.default_rng(5)
    kernel = unrolled_of(tables_of(schedule, "consumer"), "consumer")
    assert kernel is not None
    ran = 0
    for _ in range(40):
        one = Drawn(schedule, random_point(schedule, rng))
        p, points = plain(one)
        cycles, period = np.empty(1), np.empty(1)
        if kernel.run(points, True, cycles, period)[0]:
            continue  # a deadlock, or what may be one
        found, pace = run_general(schedule, p, per_tile=True, own=False)
        assert (cycles[0], found) == (found, expected(one, p)[0])
        if not (np.isnan(pace) or np.isnan(period[0])):
            assert pace == period[0]
        ran += 1
    assert ran > 5


@plain_only
@pytest.mark.parametrize(("seed", "tiles"), [(3224, (1, 6)), (1769, (12, 20))])
def test_a_place_in_the_midst_of_a_loop_reads_its_present_tile(
    seed: int, tiles: tuple[int, int]
) -> None:
    """Lags of "stages - 1" that are 0 look into buffers: these two drawn descriptions told so."""
    one = draw(seed, tiles)
    p, points = plain(one)
    cycles, period = np.empty(1), np.empty(1)
    kernel = UnrolledKernel(tables_of(one.schedule, "consumer"), "consumer")
    assert not kernel.run(points, False, cycles, period)[0]
    assert cycles[0] == expected(one, p)[0]


def test_its_source_is_a_module() -> None:
    text = kernel_text.KernelText(tables_of(KERNELS["blackwell_gemm"], "consumer")).written()
    assert load("blackwell_gemm_again", text).kernel is not None
