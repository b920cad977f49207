"""What the tests of results and of traces share."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import xarray as xr

from sweep.catalogue.schedules import SCHEDULES
from sweep.quantities.attributes import attributes
from sweep.quantities.variables import VARIABLES

SHORT: Final[dict[str, Any]] = {"k_tiles": 6, "output_tiles": 3, "kv_blocks": 4}


def short(name: str) -> dict[str, Any]:
    """Return counts for a run of few events."""
    return {one: value for one, value in SHORT.items() if one in SCHEDULES[name].parameters}


def assert_labelled(ds: xr.Dataset) -> None:
    """Check that every variable and coordinate says its unit and meaning."""
    rows = VARIABLES.meant_by(ds.attrs["schedules"].split())
    for name, variable in ds.variables.items():
        assert variable.attrs["units"], name
        assert variable.attrs["long_name"], name
        np.testing.assert_equal(variable.attrs, attributes(str(name), rows))
