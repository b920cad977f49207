"""The figures of any dataset: odd values of their parameters are refused in one clear line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import xarray as xr

from figures import compare, heatmap, pareto
from tests.support.hostile import complaint, odd_values, parameters

DATA = xr.Dataset(
    {"tc_utilization": (("stages", "t_latency"), np.arange(6.0).reshape(2, 3))},
    {"stages": [1, 2], "t_latency": [300.0, 700.0, 1500.0]},
)
CALLS: tuple[tuple[Callable[..., Any], dict[str, Any]], ...] = (
    (heatmap, {"ds": DATA, "x": "t_latency", "y": "stages"}),
    (compare, {"ds": DATA, "x": "t_latency"}),
    (pareto, {"ds": DATA, "x": "stages"}),
)
CASES = [
    pytest.param(function, good, name, id=f"{function.__name__}-{name}")
    for function, good in CALLS
    for name in parameters(function)
]


@pytest.mark.parametrize(("function", "good", "parameter"), CASES)
def test_odd_values(function: Callable[..., Any], good: dict[str, Any], parameter: str) -> None:
    also = f"{function.__name__}: the dataset has no"
    wrong = {
        name: complaint(function, good, parameter, name, value, also)
        for name, value in odd_values()
    }
    assert not {name: what for name, what in wrong.items() if what}
