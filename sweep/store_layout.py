"""What a sweep on disk looks like: a zarr v3 group, one array per output, one chunk per block."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from sweep.engine import Block
from sweep.errors import InputError
from sweep.results import provenance
from sweep.space import Space
from sweep.variables import OUTPUTS, VARIABLES, attributes, label
from sweep.version import __version__

FINGERPRINT = "space_fingerprint"
UNFINISHED_FLAG = -1


def require_zarr() -> Any:
    """Import zarr.

    Raises
    ------
    InputError
        Where it is not installed, saying how to.
    """
    try:
        import zarr
    except ImportError:
        raise InputError(
            "writing a sweep to disk needs zarr: pip install 'warpsweep[store]'"
        ) from None
    return zarr


def create(space: Space, path: Path, largest: Block) -> None:
    """Make a store with all labels and coordinates, and nothing finished, in one step.

    Parameters
    ----------
    space : Space
    path : pathlib.Path
    largest : Block
        The first block: those at the end of an axis can be smaller.
    """
    folder = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp"))
    try:
        folder.chmod(0o755)
        with warnings.catch_warnings():
            # zarr warns that version 3 does not specify consolidated metadata; xarray warns without
            warnings.filterwarnings("ignore", "Consolidated metadata", UserWarning)
            _write_coordinates(space, folder)
            _add_outputs(space, folder, largest)
            require_zarr().consolidate_metadata(folder)
        folder.rename(path)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _write_coordinates(space: Space, folder: Path) -> None:
    import xarray as xr

    found = label(xr.Dataset(coords=dict(space.coords)))
    found.attrs = provenance(space) | {FINGERPRINT: json.dumps(fingerprint(space))}
    found.to_zarr(folder, mode="w", zarr_format=3, consolidated=False)


def _add_outputs(space: Space, folder: Path, largest: Block) -> None:
    zarr = require_zarr()
    group = zarr.open_group(folder, mode="r+")
    packing = zarr.codecs.BloscCodec(cname="lz4", clevel=5, shuffle="shuffle")
    for name in OUTPUTS:
        dtype = np.dtype(VARIABLES[name].dtype)
        group.create_array(
            name,
            shape=tuple(space.dims.values()),
            chunks=_chunk_shape(space, largest),
            dtype=dtype,
            compressors=packing,
            fill_value=np.nan if dtype.kind == "f" else UNFINISHED_FLAG,
            dimension_names=tuple(space.dims),
            attributes={key: _plain(value) for key, value in attributes(name).items()},
            config={"write_empty_chunks": True},
        )


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _chunk_shape(space: Space, block: Block) -> tuple[int, ...]:
    return tuple(part.stop - part.start for part in region(space, block))


def region(space: Space, block: Block) -> tuple[slice, ...]:
    """Return where a block is in the arrays of the store."""
    if "schedule" not in space.dims:
        return block.slices
    return (slice(block.index, block.index + 1), *block.slices)


def chunk_key(space: Space, block: Block, largest: Block) -> str:
    """Return the file that is there once a block is finished: its chunk of the last output."""
    sizes = _chunk_shape(space, largest)
    indices = (part.start // size for part, size in zip(region(space, block), sizes, strict=True))
    return "/".join([OUTPUTS[-1], "c", *map(str, indices)])


def fingerprint(space: Space) -> dict[str, str]:
    """Return a digest of everything that decides a store's bytes, by what it is."""
    found = {"warpsweep": __version__, "dimensions": json.dumps(space.dims)}
    found["schedule"] = " ".join(one.name for one in space.schedules)
    for name, (dims, values) in space.coords.items():
        found.setdefault(name, _digest(json.dumps(dims).encode(), np.asarray(values)))
    for schedule, own in zip(space.schedules, space.values, strict=True):
        parts = (_digest(name.encode(), own[name]) for name in sorted(own))
        found[f"values of {schedule.name}"] = _digest(" ".join(parts).encode(), np.empty(0))
        rows = [schedule.events(release) for release in ("consumer", "hardware")]
        found[f"events of {schedule.name}"] = _digest(repr(rows).encode(), np.empty(0))
    return found


def _digest(head: bytes, array: Any) -> str:
    kind = f"{array.dtype.str}{array.shape}".encode()
    return hashlib.sha256(head + kind + np.ascontiguousarray(array).tobytes()).hexdigest()[:16]


def require_same(space: Space, path: Path) -> None:
    """Check that a store holds this very space.

    Raises
    ------
    InputError
        Naming the first thing that differs.
    """
    zarr = require_zarr()
    try:
        attrs = dict(zarr.open_group(path, mode="r").attrs)
        there = json.loads(attrs[FINGERPRINT])
    except Exception:
        raise InputError(
            f"{path}: is no sweep that can be gone on with; give another --out"
        ) from None
    here = fingerprint(space)
    for name in [*here, *there]:
        if here.get(name) != there.get(name):
            raise InputError(f"{path}: holds another sweep ({name} differs); give another --out")
