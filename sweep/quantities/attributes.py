"""What a dataset says of its quantities: attributes, put on by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sweep.quantities.variables import VARIABLES, Variable, on_grid


def attributes(name: str, rows: Mapping[str, Variable] = VARIABLES) -> dict[str, Any]:
    """Return the attributes that a quantity carries in a dataset, CF names where CF has them."""
    row = rows[name]
    found: dict[str, Any] = {"units": row.units, "long_name": row.long_name}
    if row.flag_meanings:
        found["flag_values"] = np.array(row.flag_values, dtype=np.int8)
        found["flag_meanings"] = " ".join(row.flag_meanings)
    if row.choices:
        found["choices"] = " ".join(row.choices)
    if on_grid(row):
        found["rounding"] = "held inside on a grid of 1/1024 cycle"
    return found


def label(ds: Any, rows: Mapping[str, Variable] | None = None) -> Any:
    """Overwrite the attributes of every variable of a dataset that is known by name.

    xarray keeps attributes through arithmetic, so ``1 / cycles`` would still claim cycles;
    labelling on the way out says what each name means whatever happened before.

    Parameters
    ----------
    ds : xarray.Dataset
        Changed in place.
    rows : mapping of str to Variable
        The quantities that its names can mean, such as those of the data path; by default what
        the schedules mean by them that the dataset is of.

    Returns
    -------
    xarray.Dataset
        The same dataset.
    """
    if rows is None:
        rows = VARIABLES.meant_by(str(ds.attrs.get("schedules", "")).split())
    for name, variable in ds.variables.items():
        if name in rows:
            variable.attrs = attributes(str(name), rows)
        if variable.dtype.kind == "U":
            variable.encoding["dtype"] = object  # zarr specifies no text of fixed length
    return ds
