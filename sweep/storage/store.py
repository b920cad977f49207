"""Sweeps of any size on disk: a zarr group that grows chunk by chunk and can be gone on with.

A chunk holds some million points of every output. It is computed in memory, written, and never
touched again, so that memory stays bounded whatever the sweep's size. A run that goes on reads
every chunk of every output, each with a checksum: what is not there or not sound is computed
again. What is not finished reads as NaN, flags as -1.
``xarray.open_zarr`` reads the store at any time.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sweep.engine.blocks import BLOCK_POINTS, Block, blocks
from sweep.engine.outputs import Outputs, allocate, result_bytes
from sweep.engine.run import run_block
from sweep.engine.variants import prepare
from sweep.errors import InputError
from sweep.host.files import cannot, shown
from sweep.host.memory import available_bytes, human_bytes
from sweep.host.processors import usable_processors
from sweep.host.work import Done, Progress, Stop, share_out
from sweep.inputs.space import Space
from sweep.quantities.variables import VARIABLES
from sweep.results.datasets import count_reasons
from sweep.storage.check import mend, require_same, unfinished
from sweep.storage.lock import locked, remove_leftovers
from sweep.storage.store_layout import check_coordinates, create, open_outputs, region, require_zarr

CHUNK_POINTS = 1 << 18
"""Points of a chunk: 8 MiB of each float output."""
REASONS = VARIABLES["infeasible_reason"].flag_meanings
MEMORY_OVER_CHUNK = 4
"""Peak memory of a chunk under way over the size of its outputs, with room to spare."""


@dataclass(frozen=True)
class Written:
    """What a sweep to disk did.

    Attributes
    ----------
    path : Path
    points : int
        Points in all.
    kept : int
        Points that an earlier run had finished.
    infeasible : dict of str to int
        Points that do not fit, by reason.
    damaged : int
        Points that an earlier run had finished, but whose files were damaged: computed again.
    """

    path: Path
    points: int
    kept: int
    infeasible: dict[str, int]
    damaged: int = 0

    def __str__(self) -> str:
        kept = f" ({self.kept:,} were there)" if self.kept else ""
        if self.damaged:
            kept += f" ({self.damaged:,} were damaged and are computed again)"
        reasons = ", ".join(f"{n:,} {name}" for name, n in self.infeasible.items())
        return f"{self.path}: {self.points:,} points{kept}; infeasible: {reasons or 'none'}"


def write_sweep(
    space: Space,
    path: Path,
    *,
    resume: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Written:
    """Run every point of a space and write it to a zarr group.

    Parameters
    ----------
    space : Space
    path : pathlib.Path
        Ends in ``.zarr``.
    resume : bool
        Go on with what an interrupted run left there, if anything.
    threads : int, optional
        Chunks to run side by side; all processors by default. The bytes written do not depend
        on it.
    progress : callable, optional
        Called with the points done and the points in all.

    Raises
    ------
    InputError
        Where there is something already, or another sweep to resume, or too little disk space;
        nothing is written then.
    KeyboardInterrupt
        On Ctrl-C, saying what is finished.
    """
    require_zarr()
    try:
        _check_target(path, resume)
        check_coordinates(space)
        remove_leftovers(path)
        if path.exists():
            return _go_on(space, path, threads, progress)
        return _begin(space, path, threads, progress)
    except OSError as error:
        raise cannot("write", path, error) from None


def _begin(space: Space, path: Path, threads: int | None, progress: Progress | None) -> Written:
    _check_disk(space, path, space.points)
    chunks = list(blocks(space, CHUNK_POINTS))
    _prepare(space, chunks)  # before there is a store: a kernel may not compile
    create(space, path, chunks[0])
    with locked(path, path):
        _run(space, path, chunks, threads, progress)
        return Written(path, space.points, 0, _finish(space, path, chunks))


def _go_on(space: Space, path: Path, threads: int | None, progress: Progress | None) -> Written:
    with locked(path, path):
        require_same(space, path)
        chunks = list(blocks(space, CHUNK_POINTS))
        mend(space, path, chunks[0])
        todo, damaged = unfinished(space, path, chunks)
        left = sum(chunk.points for chunk in todo)
        _check_disk(space, path, left)
        _prepare(space, todo)
        _run(space, path, todo, threads, progress)
        found = _finish(space, path, chunks)
        return Written(path, space.points, space.points - left, found, damaged)


def _check_target(path: Path, resume: bool) -> None:
    if path.suffix != ".zarr":
        raise InputError(f"{shown(path)}: the result is a zarr folder; its name must end in .zarr")
    if not path.parent.is_dir():
        raise InputError(f"cannot write {shown(path)}: there is no folder {shown(path.parent)}")
    if path.exists() and not resume:
        raise InputError(f"{shown(path)}: is there already; give --resume to go on with it")


def _check_disk(space: Space, path: Path, points: int) -> None:
    needed = result_bytes(points, space.own_outputs)
    free = shutil.disk_usage(path.parent).free
    if needed > free:
        raise InputError(
            f"{path}: {points:,} points take up to {human_bytes(needed)} on disk,"
            f" {human_bytes(free)} are free there: give fewer values, or another disk"
        )


def _prepare(space: Space, todo: list[Block]) -> None:
    """Load the kernels, compiled if need be."""
    for index in dict.fromkeys(chunk.index for chunk in todo):
        try:
            prepare(space.schedules[index], space.values[index])
        except OSError as error:  # a name of a schedule that no file can have, a full disk
            name = shown(space.schedules[index].name)
            raise InputError(f"schedule {name}: {cannot('keep', 'its kernel', error)}") from None


def _run(
    space: Space, path: Path, todo: list[Block], threads: int | None, progress: Progress | None
) -> None:
    """Compute and write chunks, some side by side."""
    if not todo:
        return
    arrays = open_outputs(space, path, "r+")
    done = Done(space.points, space.points - sum(chunk.points for chunk in todo), progress)
    done.add(0)
    try:
        share_out(
            todo,
            lambda chunk, stop: _write_chunk(space, chunk, arrays, stop),
            lambda chunk: chunk.points,
            done,
            _workers(space, todo, threads),
        )
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_left(path, done.points, space.points)) from None


def _workers(space: Space, todo: list[Block], threads: int | None) -> int:
    """Return how many chunks to have under way: no more than fit in memory."""
    largest = max(chunk.points for chunk in todo)
    chunk_bytes = result_bytes(largest, space.own_outputs) * MEMORY_OVER_CHUNK
    fit = max(1, available_bytes() // chunk_bytes)
    return min(threads or usable_processors(), len(todo), fit)


def _left(path: Path, done: int, points: int) -> str:
    return f"{done:,} of {points:,} points are in {path}; --resume goes on with them"


def _write_chunk(space: Space, chunk: Block, arrays: dict[str, Any], stop: Stop) -> None:
    """Compute a chunk piece by piece, then write its outputs, the one that marks it last."""
    shape = tuple(part.stop - part.start for part in chunk.slices)
    outputs = allocate(shape, space.own_outputs)
    for piece, local in _pieces(space, chunk, shape):
        stop.check()
        run_block(space, piece, _views(outputs, (*local, ...)))
    where = region(space, chunk)
    for name in space.outputs:
        stop.check()
        arrays[name][where] = outputs[name].reshape(
            (1, *shape) if len(where) > len(shape) else shape
        )


def _views(outputs: Outputs, where: Any) -> Outputs:
    return {name: array[where] for name, array in outputs.items()}


def _pieces(
    space: Space, chunk: Block, shape: tuple[int, ...]
) -> Iterator[tuple[Block, tuple[slice, ...]]]:
    """Cut a chunk into blocks, each with where it is inside the chunk."""
    grid = [dim for dim in space.dims if dim != "schedule"]
    own = replace(
        space,
        schedules=(space.schedules[chunk.index],),
        values=(space.values[chunk.index],),
        dims=dict(zip(grid, shape, strict=True)),
    )
    for local in blocks(own, BLOCK_POINTS):
        whole = tuple(
            slice(outer.start + inner.start, outer.start + inner.stop)
            for outer, inner in zip(chunk.slices, local.slices, strict=True)
        )
        yield replace(local, index=chunk.index, slices=whole), local.slices


def _finish(space: Space, path: Path, chunks: list[Block]) -> dict[str, int]:
    """Count the points that do not fit, over all chunks, and write that into the attributes."""
    zarr = require_zarr()
    group = zarr.open_group(path, mode="r+")
    reasons, counts = group["infeasible_reason"], Counter[str]()
    for chunk in chunks:
        counts.update(count_reasons({"infeasible_reason": reasons[region(space, chunk)]}))
    found = {name: counts[name] for name in REASONS if counts[name]}
    text = json.dumps(found)
    if group.attrs.get("infeasible_points") != text:
        group.attrs["infeasible_points"] = text
    return found
