"""What users get: a labelled Dataset, with provenance, and masks for what does not fit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from sweep.engine.outputs import Outputs
from sweep.errors import InputError, InputTypeError, quoted
from sweep.inputs.reading import number_row, read_scalar
from sweep.inputs.space import Space
from sweep.quantities.attributes import label
from sweep.quantities.variables import VARIABLES, Variable
from sweep.version import __version__

if TYPE_CHECKING:
    import xarray as xr

ORIGIN: Mapping[str, str] = MappingProxyType(
    {"Conventions": "CF-1.11", "source": f"warpsweep {__version__}"}
)
"""What every dataset says of itself."""
THREADS = number_row("threads", whole=True, lower=1, upper=1024)


def check_threads(threads: Any) -> int | None:
    """Return a number of threads, None for all processors.

    Raises
    ------
    InputError
        For what is no whole number between 1 and 1024.
    """
    return None if threads is None else int(read_scalar("threads", threads, THREADS))


def check_progress(progress: Any, what: str = "a function") -> None:
    """Refuse what is neither None nor can be called."""
    if not (progress is None or callable(progress)):
        raise InputTypeError(f"progress={quoted(progress)}: must be {what}")


def dataset(space: Space, outputs: Outputs) -> xr.Dataset:
    """Label outputs of shape (schedules, *grid) as a Dataset over the space's dimensions."""
    dims = tuple(space.dims)
    if "schedule" not in space.dims:
        outputs = {name: array[0] for name, array in outputs.items()}
    variables = {name: (dims, outputs[name]) for name in space.outputs}
    attrs = provenance(space) | {"infeasible_points": json.dumps(count_reasons(outputs))}
    return build(variables, space.coords, attrs)


def build(
    variables: Mapping[str, Any],
    coords: Mapping[str, Any],
    attrs: Mapping[str, str] = ORIGIN,
    rows: Mapping[str, Variable] | None = None,
) -> xr.Dataset:
    """Return a Dataset whose quantities say what they are, and which says what made it.

    Parameters
    ----------
    variables, coords : mapping of str to (dims, numpy.ndarray)
    attrs : mapping of str to str
        Of the whole.
    rows : mapping of str to Variable
        The quantities that the names can mean; by default what the schedules mean by them.
    """
    import xarray as xr

    found: xr.Dataset = label(xr.Dataset(dict(variables), dict(coords), dict(attrs)), rows)
    return found


def count_reasons(outputs: Mapping[str, Any]) -> dict[str, int]:
    """Count the points that do not fit by reason."""
    meanings = VARIABLES["infeasible_reason"].flag_meanings
    counts = np.bincount(np.ravel(outputs["infeasible_reason"]), minlength=len(meanings))
    return {name: int(n) for name, n in zip(meanings, counts, strict=True) if name != "none" and n}


def provenance(space: Space) -> dict[str, str]:
    """Say what made a result: version, schedules, parameters, and the sources of its GPUs."""
    parameters = {
        name: np.asarray(values).item() for name, (dims, values) in space.coords.items() if not dims
    }
    sources = {gpu.name: dict(gpu.sources) for gpu in space.gpus}
    return {
        **ORIGIN,
        "schedules": " ".join(schedule.name for schedule in space.schedules),
        "parameters": json.dumps(parameters),
        "axes": json.dumps(dict(space.dims)),
        "gpu_sources": json.dumps(sources),
    }


def where_feasible(ds: xr.Dataset) -> xr.Dataset:
    """Mask what does not fit: outputs become NaN where ``feasible`` is no.

    Flags keep their values, so that the reason stays readable; points whose feasibility is
    unknown are kept.

    Examples
    --------
    >>> import sweep
    >>> ds = sweep.run("multistage", stages=[4, 5])
    >>> sweep.where_feasible(ds).tc_utilization.round(3).values.tolist()
    [0.881, nan]
    """
    import xarray as xr

    if not isinstance(ds, xr.Dataset):
        raise InputTypeError(
            f"ds={quoted(ds)}: must be a Dataset of sweep.run, not {type(ds).__name__}"
        )
    if "feasible" not in ds:
        raise InputError("ds: has no variable 'feasible'; give a Dataset of sweep.run")
    if ds["feasible"].dtype.kind not in "iuf":
        raise InputError("ds: its variable 'feasible' is not the flag that sweep.run gives")
    fits = ds["feasible"] != VARIABLES["feasible"].flag_meanings.index("no")
    masked = ds.copy()
    for name, variable in ds.data_vars.items():
        if variable.dtype.kind == "f":
            masked[name] = variable.where(fits)
    labelled: xr.Dataset = label(masked)
    return labelled
