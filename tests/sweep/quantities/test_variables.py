"""The registry of quantities, and the labels it puts on datasets."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import xarray as xr

from sweep.catalogue.discovery import discover
from sweep.description import Schedule
from sweep.quantities.attributes import attributes, label
from sweep.quantities.variables import GPU_FIELDS, OUTPUTS, PARAMETERS, VARIABLES

KINDS = {
    "duration",
    "count",
    "choice",
    "physical",
    "gpu_field",
    "output",
    "flag",
    "trace",
    "axis",
}


@pytest.mark.parametrize("name", VARIABLES)
def test_row_is_complete(name: str) -> None:
    row = VARIABLES[name]
    assert row.name == name
    assert row.kind in KINDS
    assert row.units
    assert row.long_name
    assert row.dtype in {"float64", "int64", "int8", "str", "shape"}
    assert row.lower <= row.upper
    if row.choices and row.default is not None:
        assert row.default in row.choices
    if row.numeric and row.default is not None:
        assert row.lower <= float(row.default) <= row.upper


@pytest.mark.parametrize("name", [name for name in VARIABLES if name.startswith("t_")])
def test_durations_are_in_cycles(name: str) -> None:
    row = VARIABLES[name]
    assert (row.kind, row.units, row.dtype) == ("duration", "cycle", "float64")


@pytest.mark.parametrize("schedule", discover().values(), ids=lambda one: one.name)
def test_every_parameter_of_a_schedule_has_a_row(schedule: Schedule) -> None:
    assert set(schedule.parameters) <= set(PARAMETERS)


def test_registry_is_read_only() -> None:
    with pytest.raises(TypeError):
        VARIABLES["x"] = VARIABLES["stages"]  # type: ignore[index]


def test_names_are_not_methods_of_a_dataset() -> None:
    assert not [name for name in VARIABLES if hasattr(xr.Dataset, name)]


def test_groups_do_not_overlap() -> None:
    assert not set(PARAMETERS) & set(OUTPUTS)
    assert set(GPU_FIELDS) < set(PARAMETERS)


@pytest.mark.parametrize(
    ("name", "meanings"),
    [
        (
            "bottleneck",
            (
                "none unordered tensor_core epilogue exp softmax copy_bandwidth mma_latency"
                " ring_depth copy_issue serial_chain no_work unsettled no_steady_state"
            ),
        ),
        ("feasible", "no yes unknown"),
        (
            "infeasible_reason",
            (
                "none deadlock shared_memory registers unsupported_element_type unknown_gpu_field"
                " loader cluster tile_shape"
            ),
        ),
        (
            "unknown_reason",
            "none no_tile fixed_block scale_factors tensor_memory compute_capability",
        ),
    ],
)
def test_flags_are_cf(name: str, meanings: str) -> None:
    found = attributes(name)
    assert found["flag_meanings"] == meanings
    assert found["flag_values"].dtype == np.int8
    assert found["flag_values"].tolist() == list(range(len(meanings.split())))
    assert VARIABLES[name].flag_meanings == tuple(meanings.split())


def test_choices_are_named() -> None:
    assert attributes("release")["choices"] == "consumer hardware"


def test_label_overwrites_by_name() -> None:
    ds = xr.Dataset({"cycles": ("stages", [1.0, 2.0])}, coords={"stages": [2, 3], "other": 1})
    ds.cycles.attrs = {"units": "1/cycle", "stale": "yes"}
    labelled = label(ds)
    assert labelled.cycles.attrs == attributes("cycles")
    assert labelled.stages.attrs["units"] == "1"
    assert labelled.other.attrs == {}


def test_label_says_cycles_only_of_cycles() -> None:
    ds = label(xr.Dataset({"cycles": ("stages", [1.0, 2.0])}))
    ds["tc_utilization"] = 1 / ds.cycles
    ds.tc_utilization.attrs = ds.cycles.attrs
    assert label(ds).tc_utilization.attrs["units"] == "1"


def test_import_does_not_import_xarray() -> None:
    modules = "sweep.quantities.variables, sweep.inputs.space"
    code = f"import sys, {modules}; sys.exit('xarray' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
