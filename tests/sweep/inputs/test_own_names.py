"""Names that a schedule declares: parameters and outputs like any other, in every place."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import sweep
from sweep.cli.commands import main
from sweep.description import Count, Duration, Resource
from sweep.errors import InputError
from sweep.inputs.rules import uses
from sweep.inputs.space import Space, resolve
from sweep.inputs.space_file import read_space
from sweep.quantities.variables import OUTPUTS, PARAMETERS, VARIABLES
from tests.support.own_schedules import DRAINED, FENCED_FILE, fenced

FENCED = fenced()


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "fenced.py"
    path.write_text(FENCED_FILE)
    return str(path)


def value(space: Space, name: str) -> Any:
    return space.values[0][name].item()


def test_they_enter_the_registry_when_a_schedule_is_accepted() -> None:
    resolve(FENCED, {})
    row = VARIABLES["fence_ops"]
    assert (row.kind, row.units, row.long_name, row.default) == (
        "count",
        "1",
        "operations of a fence",
        6,
    )
    assert (row.lower, row.upper, row.dtype) == (2, 4096, "int64")
    assert VARIABLES["t_fence"].units == "cycle"
    assert {"fence_ops", "fence_share", "t_fence"} <= set(PARAMETERS) & uses(FENCED)
    resolve(DRAINED, {"t_report": 5})
    assert VARIABLES["store_utilization"].kind == "output"


class TestFormulas:
    def test_values_follow_from_what_they_need(self) -> None:
        space = resolve(
            FENCED, {"fence_ops": [2, 6], "fma_lanes": [64.0, 128.0], "tile": "64x64x32"}
        )
        expected = 0.25 * np.array([[2], [6]]) * 64 / np.array([64.0, 128.0])
        assert np.array_equal(space.values[0]["t_fence"], expected)
        assert space.coords["t_fence"][0] == ("fence_ops", "fma_lanes")
        assert space.coords["fence_share"] == ((), np.array(0.25))
        assert value(space, "t_transfer") == (64 + 32) * 32 * 2 / 64

    def test_they_are_rounded_once(self) -> None:
        odd = fenced(name="odd", declares=(Duration("t_fence", "time of a fence", "100 / 3"),))
        assert value(resolve(odd, {}), "t_fence") == round(102400 / 3) / 1024
        space = resolve(DRAINED, {"t_report": 1})
        assert value(space, "t_late") == round(102400 / 3) / 1024
        assert value(space, "t_drain") == 256
        assert value(space, "t_write") == round(256 * 1024 / 3) / 1024

    def test_a_value_that_is_given_wins(self) -> None:
        space = resolve(FENCED, {"t_fence": 7.0004, "t_transfer": 9})
        assert value(space, "t_fence") == 7.0
        assert space.coords["t_fence"] == ((), np.array(7.0004))
        assert "fence_ops" not in space.coords
        assert not space.values[0]["known"].item()  # the tile says what a fence takes

    def test_of_several_schedules_each_has_its_own(self) -> None:
        space = resolve(["sync", FENCED], {})
        assert [one["t_transfer"].item() for one in space.values] == [768.0, 512.0]
        assert space.coords["t_transfer"][1].tolist() == [768.0, 512.0]
        assert space.coords["t_fence"] == ((), np.array(1.5))

    def test_without_one_the_value_has_to_be_given(self) -> None:
        with pytest.raises(InputError, match=r"t_report: not known for drained; give t_report="):
            resolve(DRAINED, {})

    def test_what_it_needs_may_be_missing(self) -> None:
        needs_k = Duration("t_fence", "time of a fence", "k / 2")
        own = fenced(name="deep", declares=(needs_k,))
        with pytest.raises(InputError, match=r"k: not known for deep; give k="):
            resolve(own, {})
        assert value(resolve(own, {"k": 640}), "t_fence") == 320

    def test_an_unknown_field_of_a_gpu_is_refused(self) -> None:
        stores = Duration("t_fence", "time of a fence", "tile_m / staging_bytes_per_cycle")
        own = fenced(name="staged_fence", declares=(stores,))
        card = replace(sweep.GPUS["lecture"], name="mine", staging_bytes_per_cycle=None)
        with pytest.raises(InputError, match="staging_bytes_per_cycle: not known for gpu='mine'"):
            resolve(own, {"gpu": card})

    @pytest.mark.parametrize(
        ("formula", "says"),
        [
            ("tile_m / 0", "t_fence: is no finite number of cycles"),
            ("-1 * sqrt(0 - tile_m)", "t_fence: is no finite number of cycles"),
            ("0 - tile_m", "t_fence=-128 cycle: its formula must give at least 0"),
            (lambda tile_m: tile_m[9, 9], "wrong: the formula of t_fence ends in IndexError"),
        ],
    )
    def test_what_is_no_duration_is_refused(self, formula: Any, says: str) -> None:
        own = fenced(name="wrong", declares=(Duration("t_fence", "time of a fence", formula),))
        with pytest.raises(InputError, match=says):
            resolve(own, {})

    def test_the_rate_of_the_element_type_has_a_name(self) -> None:
        own = Duration("t_fence", "time of a fence", "tile_m * tile_n / tc_rate")
        for kind, rate in (("bf16", 4096), ("fp8", 8192)):
            space = resolve(fenced(name="rated", declares=(own,)), {"element_type": kind})
            assert value(space, "t_fence") == 128 * 256 / rate


class TestLimits:
    @pytest.mark.parametrize(
        ("given", "says"),
        [
            ({"fence_ops": 1}, "fence_ops=1: must be at least 2"),
            ({"fence_ops": [2, 5000]}, "fence_ops=5000: must be at most 4096"),
            ({"fence_ops": 2.5}, "fence_ops=2.5: must be a whole number"),
            ({"fence_share": 1.5}, "fence_share=1.5: must be at most 1"),
            ({"fence_share": -1}, "fence_share=-1: must be at least 0"),
            ({"t_fence": -1}, "t_fence=-1 cycle: must be at least 0 cycle"),
            ({"t_fence": float("nan")}, "t_fence=nan cycle: must be finite"),
            ({"fence_opps": 3}, "unknown parameter 'fence_opps': did you mean 'fence_ops'"),
        ],
    )
    def test_values_are_checked(self, given: dict[str, Any], says: str) -> None:
        resolve(FENCED, {})
        with pytest.raises(InputError, match=says):
            resolve(FENCED, given)

    def test_each_schedule_has_limits_of_its_own(self) -> None:
        meaning = "operations of a fence"
        narrow = fenced(
            name="narrow",
            declares=(
                Count("fence_ops", 3, least=3, long_name=meaning, most=5),
                Duration("t_fence", "time of a fence", "fence_ops"),
            ),
        )
        with pytest.raises(InputError, match="fence_ops=2: must be at least 3 in narrow"):
            resolve([FENCED, narrow], {"fence_ops": 2})
        with pytest.raises(InputError, match="fence_ops=6: must be at most 5 in narrow"):
            resolve([FENCED, narrow], {"fence_ops": [3, 6]})
        space = resolve([FENCED, narrow], {})
        assert space.coords["fence_ops"][1].tolist() == [6, 3]

    def test_they_are_refused_where_they_have_no_effect(self) -> None:
        resolve(FENCED, {})
        with pytest.raises(InputError, match="fence_ops: has no effect on sync; no schedule uses"):
            resolve("sync", {"fence_ops": 3})

    def test_each_schedule_has_its_meaning(self) -> None:
        other = fenced(name="other", declares=(Duration("t_fence", "a wait", "3"),))
        said = [sweep.run(one).t_fence.attrs["long_name"] for one in (FENCED, other, FENCED)]
        assert said == ["time of a fence", "a wait", "time of a fence"]

    def test_another_meaning_than_the_registrys_is_refused_naming_both(self) -> None:
        takes = fenced(
            name="other",
            declares=(Duration("t_mma", "a wait", "3"), Duration("t_fence", formula="3")),
        )
        with pytest.raises(InputError, match=r"'t_mma' is a duration 'a wait' .* in the registry"):
            resolve(takes, {})

    def test_a_built_in_schedule_keeps_its_name(self) -> None:
        with pytest.raises(InputError, match="a built-in one has that name"):
            resolve(fenced(name="sync", declares=(Duration("t_fence", "new", "3"),)), {})
        assert "new" not in VARIABLES["t_fence"].long_name


class TestEverywhere:
    def test_run_labels_them(self) -> None:
        ds = sweep.run(FENCED, fence_ops=[2, 4], t_mma=100, tile="128x256x64")
        assert ds.sizes == {"fence_ops": 2}
        assert ds.fence_ops.attrs == {"units": "1", "long_name": "operations of a fence"}
        assert ds.t_fence.attrs["units"] == "cycle"
        step = 100 + 512 + 700 + ds.t_fence.values + 100
        assert ds.cycles.values.tolist() == (64 * step + 1280).tolist()

    def test_the_order_of_coordinates_does_not_depend_on_what_ran_before(self) -> None:
        assert list(sweep.run(FENCED).coords)[-3:] == ["fence_ops", "fence_share", "t_fence"]

    def test_simulate_and_json(self, file: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["simulate", file, "fence_ops=4", "k_tiles=2", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["fence_ops"], found["fence_share"], found["t_fence"]) == (4, 0.25, 1.0)
        assert main(["simulate", file, "fence_ops=1"]) == 2
        assert capsys.readouterr().err == "warpsweep: error: fence_ops=1: must be at least 2\n"
        assert main(["simulate", file, "fence_op=1"]) == 2
        assert "did you mean 'fence_ops'?" in capsys.readouterr().err

    def test_timeline(self, file: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["timeline", file, "fence_ops=4000", "k_tiles=2"]) == 0
        assert "fence" in capsys.readouterr().out

    def test_variables_lists_those_of_built_in_schedules(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["variables"]) == 0
        shown = capsys.readouterr().out.split()
        for schedule in sweep.SCHEDULES.values():
            assert {one.name for one in schedule.declares if not isinstance(one, Resource)} <= set(
                shown
            )

    def test_space_files(self, file: str, tmp_path: Path) -> None:
        space = tmp_path / "space.toml"
        space.write_text(
            f'schedule = "{file}"\n[parameters]\nfence_ops = {{ start = 2, stop = 6, step = 2 }}\n'
            "[zip.point]\nfence_share = [0.5, 1.0]\n"
        )
        schedule, parameters = read_space(space)
        ds = sweep.run(schedule, **parameters)
        assert ds.sizes == {"fence_ops": 2, "point": 2}
        assert ds.t_fence.values.tolist() == [[1.0, 2.0], [2.0, 4.0]]
        space.write_text(f'schedule = "{file}"\n[parameters]\nfence_opps = 3\n')
        with pytest.raises(InputError, match="did you mean 'fence_ops'"):
            read_space(space)

    def test_stores(self, file: str, tmp_path: Path) -> None:
        from sweep.storage.store import write_sweep

        space = resolve(file, {"fence_ops": [2, 4, 6]})
        write_sweep(space, tmp_path / "own.zarr")
        found = xr.open_zarr(tmp_path / "own.zarr").load()
        assert found.fence_ops.attrs["long_name"] == "operations of a fence"
        assert (
            found.cycles.values.tolist()
            == sweep.run(file, fence_ops=[2, 4, 6]).cycles.values.tolist()
        )


def test_resources_of_ones_own_have_utilisations() -> None:
    space = resolve([DRAINED, "sync"], {"t_report": 3})
    assert space.own_outputs == ("store_utilization",)
    after = OUTPUTS.index("fma_utilization")
    assert space.outputs[after + 1] == "store_utilization"
    assert resolve("sync", {}).outputs == OUTPUTS


def test_rings_and_flop_are_evaluated() -> None:
    space = resolve(DRAINED, {"t_report": 3, "tile": "64x128x32", "output_tiles": 5})
    assert value(space, "ring:ab") == 192 * 32 * 2
    assert value(space, "ring:sums") == 128
    assert value(space, "ring:kept") == 17
    assert value(space, "flop") == 5 * 64 * 2.0 * 64 * 128 * 32
    assert "flop_per_step" not in space.values[0]
    unknown = resolve(DRAINED, {"t_report": 3, "t_mma": 64})
    assert np.isnan(value(unknown, "flop"))
