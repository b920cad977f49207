"""Tables over output tiles: one value of a parameter, an entry for each tile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import sweep
from sweep.cli.commands import main
from sweep.errors import InputError
from sweep.inputs.space import Space, resolve
from sweep.inputs.space_file import read_space
from sweep.quantities.tile_table import MOST_ENTRIES, TileTable, read_table, table
from sweep.results.points import event_parameters
from tests.support.own_schedules import DRAINED

REPORT = {"t_report": 3}


def entries(space: Space, name: str) -> Any:
    """Return each point's entries, as its line of the table has them."""
    lines = space.tables[0][name]
    codes = space.values[0][f"table:{name}"]
    tiles = np.broadcast_to(space.values[0]["output_tiles"], codes.shape)
    return [
        lines.numbers[code][:count].tolist()
        for code, count in zip(codes.ravel(), tiles.ravel(), strict=True)
    ]


class TestReading:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("4+1+9", (4, 1, 9)),
            (" 4 + 1.5 +9 ", (4, 1.5, 9)),
            ("1e3+2", (1000.0, 2)),
            ("630+448+630", (630, 448, 630)),
            ("nine", None),
            ("4", None),
            ("4+", None),
            ("-4+1", None),
            ("1e+3", None),
            ("4++1", None),
            ("4+nan", None),
        ],
    )
    def test_texts(self, text: str, expected: tuple[float, ...] | None) -> None:
        found = read_table(text)
        assert (None if found is None else found.entries) == expected
        assert found is None or read_table(str(found)) == found

    def test_values(self) -> None:
        made = table(np.array([4, 1, 9]))
        assert (str(made), repr(made)) == ("4+1+9", "table([4, 1, 9])")
        assert table(iter([1e22, 2.5])).entries == (1e22, 2.5)
        assert read_table(str(table([1e22, 2.5]))) == table([1e22, 2.5])
        assert sweep.table is table

    @pytest.mark.parametrize(
        ("values", "says"),
        [
            ([], "has no values"),
            ("4+1", "give a list of numbers"),
            (4, "give a list of numbers"),
            ([4, "1"], "'1' must be a number"),
            ([True, 1], "True must be a number"),
            (range(MOST_ENTRIES + 1), "more than 65,536 values"),
            (iter(int, 1), "more than 65,536 values"),
        ],
    )
    def test_what_is_none_is_refused(self, values: Any, says: str) -> None:
        with pytest.raises(InputError, match=says):
            table(values)


class TestValues:
    def test_one_table_is_one_value(self) -> None:
        space = resolve(DRAINED, REPORT | {"k_tiles": table([4, 1, 9])})
        assert space.dims == {}
        assert entries(space, "k_tiles") == [[4, 1, 9]]
        values = space.values[0]
        assert (values["output_tiles"].item(), values["k_tiles"].item()) == (3, 9)
        assert values["table:k_tiles"].dtype == np.int64
        assert space.tables[0]["k_tiles"].numbers.dtype == np.int64
        assert space.coords["k_tiles"] == ((), np.array("4+1+9"))
        assert event_parameters(space)["k_tiles"] == (4, 1, 9)

    def test_durations_are_held_on_the_grid_and_shown_as_given(self) -> None:
        space = resolve(DRAINED, REPORT | {"t_mma": "100.0004+1"})
        assert entries(space, "t_mma") == [[100.0, 1.0]]
        assert space.coords["t_mma"] == ((), np.array("100.0004+1.0"))
        assert space.tables[0]["t_mma"].numbers.dtype == np.float64

    def test_an_axis_may_hold_several(self) -> None:
        axis = [table([4, 1, 9]), "2+2", 64]
        space = resolve(DRAINED, REPORT | {"k_tiles": axis, "t_mma": [5, 6]})
        assert space.dims == {"k_tiles": 3, "t_mma": 2}
        assert space.coords["k_tiles"][1].tolist() == ["4+1+9", "2+2", "64"]
        assert space.values[0]["output_tiles"].ravel().tolist() == [3, 2, 8]
        assert entries(space, "k_tiles") == [[4, 1, 9], [2, 2], [64] * 8]
        assert space.tables[0]["k_tiles"].lengths.tolist() == [3, 2, -1]
        assert space.values[0]["k_tiles"].ravel().tolist() == [9, 2, 64]

    def test_zipped(self) -> None:
        columns = {
            "k_tiles": xr.DataArray([table([4, 1]), table([2, 2, 2])], dims="point"),
            "t_mma": xr.DataArray([table([9, 8]), table([7, 7, 6])], dims="point"),
        }
        space = resolve(DRAINED, REPORT | columns)
        assert space.dims == {"point": 2}
        assert entries(space, "t_mma") == [[9, 8], [7, 7, 6]]
        assert space.values[0]["output_tiles"].tolist() == [2, 3]

    def test_what_follows_from_a_table_is_one(self) -> None:
        space = resolve(DRAINED, REPORT | {"t_mma": "100+200+300", "parts_count": [4, 8]})
        assert space.values[0]["table:t_drain"].shape == (2,)
        assert entries(space, "t_drain") == [[25, 50, 75], [12.5, 25, 37.5]]
        thirds = [
            [round(part * 1024 / 3) / 1024 for part in row] for row in entries(space, "t_drain")
        ]
        assert entries(space, "t_write") == thirds
        assert space.coords["t_drain"][1].tolist() == ["25.0+50.0+75.0", "12.5+25.0+37.5"]
        counted = resolve(DRAINED, REPORT | {"parts_count": "1+2", "t_mma": 64})
        assert entries(counted, "t_drain") == [[64, 32]]

    def test_registry_formulas_too(self) -> None:
        space = resolve("attention_serial", {"t_gemm": "100+200", "kv_blocks": "3+4"})
        assert entries(space, "t_gemm0") == entries(space, "t_gemm1") == [[100, 200]]

    def test_a_loop_may_run_no_times(self) -> None:
        assert entries(resolve(DRAINED, REPORT | {"k_tiles": "0+3"}), "k_tiles") == [[0, 3]]
        with pytest.raises(InputError, match="k_tiles=0: must be at least 1"):
            resolve(DRAINED, REPORT | {"k_tiles": 0})

    def test_useful_flop_are_those_of_all_tiles(self) -> None:
        space = resolve(DRAINED, REPORT | {"k_tiles": ["4+1+9", "2+2", 3], "tile": "64x64x64"})
        assert space.values[0]["flop"].tolist() == [one * 2.0 * 64**3 for one in (14, 4, 24)]


class TestRefusals:
    @pytest.mark.parametrize(
        ("given", "says"),
        [
            (
                {"k_tiles": "4+1+9", "output_tiles": 2},
                r"k_tiles=4\+1\+9: has 3 values, but output_tiles=2; a table has one value per",
            ),
            (
                {"k_tiles": "4+1+9", "output_tiles": [3, 4]},
                r"k_tiles=4\+1\+9: has 3 values, but output_tiles=4",
            ),
            (
                {"k_tiles": "4+1+9", "t_mma": "1+2"},
                r"(k_tiles=4\+1\+9 .*t_mma=1.0\+2.0|t_mma=1.0\+2.0 .*k_tiles=4\+1\+9)",
            ),
            ({"slots": "4+1"}, r"slots: a table over output tiles is for durations and for"),
            ({"output_tiles": "4+1"}, "output_tiles: a table over output tiles is for"),
            ({"t_launch": "4+1"}, "t_launch: a table over output tiles is for"),
            ({"held": table([1, 2])}, r"held: .* \(k_tiles, parts_count\); give one number"),
            ({"t_mma": "4+1e30"}, "t_mma=1e\\+30 cycle: must be at most"),
            ({"k_tiles": "4+1.5"}, "k_tiles=1.5: must be a whole number"),
            ({"k_tiles": ["4+1", "nine"]}, "k_tiles='nine': must be a whole number"),
            ({"k_tiles": ["4+1", None]}, "k_tiles=None: must be a whole number"),
            ({"k_tiles": ["4+1", "4+1"]}, r"k_tiles: '4\+1' is there twice in one axis"),
            ({"k_tiles": "4+1", "k": 128}, "k_tiles: a table over output tiles contradicts k="),
            ({"tile_m": "4+1"}, "unknown parameter 'tile_m'"),
            ({"sm_count": "4+1"}, "sm_count='4\\+1': must be a whole number"),
            ({"parts_count": "1+2", "t_mma": "1+2+3"}, "tables have one value per output tile"),
        ],
    )
    def test_in_one_line(self, given: dict[str, Any], says: str) -> None:
        with pytest.raises(InputError, match=says) as caught:
            resolve(DRAINED, REPORT | given)
        assert "\n" not in str(caught.value)

    def test_a_table_of_another_schedule_alone_matters_not(self) -> None:
        space = resolve(["sync", "multistage"], {"k_tiles": "4+1"})
        assert [one["output_tiles"].item() for one in space.values] == [2, 2]

    def test_memory_is_estimated_first(self) -> None:
        axes: dict[str, Any] = {
            "t_mma": [table(range(1, MOST_ENTRIES + 1))],
            "parts_count": range(1, 10**5),
            "t_latency": range(10**4),
        }
        with pytest.raises(InputError, match=r"t_drain: depends on .*output tiles"):
            resolve(DRAINED, REPORT | axes)


def test_command_line_and_space_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    space = tmp_path / "space.toml"
    space.write_text(
        'schedule = "persistent"\n[parameters]\nk_tiles = ["4+1+9", "2+2"]\nt_epilogue = 10\n'
    )
    schedule, parameters = read_space(space)
    assert resolve(schedule, parameters).values[0]["output_tiles"].tolist() == [3, 2]
    assert main(["simulate", "persistent", "k_tiles=4+1+9", "output_tiles=2"]) == 2
    assert "k_tiles=4+1+9: has 3 values, but output_tiles=2" in capsys.readouterr().err


def test_plain_numbers_are_no_tables() -> None:
    space = resolve(DRAINED, REPORT | {"k_tiles": [4, 5]})
    assert space.tables == ({},)
    assert not [name for name in space.values[0] if name.startswith("table:")]
    assert TileTable((4,), plain=True) != table([4])
