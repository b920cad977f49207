"""Closed forms at the points of a dataset, to be drawn over what was simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.closed_forms import CLOSED_FORMS
from sweep.quantities.numbers import held
from sweep.quantities.variables import VARIABLES

if TYPE_CHECKING:
    import xarray as xr


def closed_form_cycles(ds: xr.Dataset, schedule: str) -> xr.DataArray | None:
    """Return the makespan that a schedule's exact closed form says.

    Parameters
    ----------
    ds : xarray.Dataset
        From ``sweep.run``, of this one schedule.
    schedule : str

    Returns
    -------
    xarray.DataArray or None
        Shaped as the dataset's ``cycles``, NaN outside the form's domain; None without a form.

    Examples
    --------
    >>> import sweep
    >>> ds = sweep.run("sync", k_tiles=[1, 64])
    >>> bool((closed_form_cycles(ds, "sync") == ds.cycles).all())
    True
    """
    import xarray as xr

    form = CLOSED_FORMS.get(schedule)
    if form is None or form.kind != "exact":
        return None
    parameters = [name for name in ds.coords if ds[name].dtype.kind in "if"]
    spread = xr.broadcast(ds["cycles"], *(ds[name] for name in parameters))
    points = {
        str(name): held(VARIABLES[str(name)], one.values) if name in VARIABLES else one.values
        for name, one in zip(parameters, spread[1:], strict=True)
    }
    if not set(form.parameters) <= set(points):
        return None
    found = spread[0].copy(data=form.evaluate(points))
    return found.where(form.domain(points))
