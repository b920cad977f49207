"""DRAM traffic of a matrix product: what each wave of output tiles reads, and what must be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sweep.errors import InputError
from sweep.hardware.durations import ELEMENT_BYTES, OUTPUT_BYTES
from sweep.hardware.instructions import PORTABLE_CLUSTER_CTAS, check_clusters
from sweep.hardware.lookup import find_gpu
from sweep.inputs.call_arguments import Arguments, check_fields
from sweep.inputs.hardware_names import element_bytes, element_type_of, rates
from sweep.inputs.one_or_many import read_names
from sweep.quantities.arrays import Array
from sweep.quantities.data_path import DATA_PATH, LARGEST
from sweep.tensorcore.record import Record, plain
from sweep.tensorcore.traffic.orders import check_group
from sweep.tensorcore.traffic.stream_k import stream_k_tiles
from sweep.tensorcore.traffic.strips import touched

TILE_K = 64
"""BK of a tile given as M x N; only stream-K's rule counts k-tiles."""
FIELDS = ("sm_count", "dram_bytes_per_second", "l2_bytes", "tc_flop_per_cycle", "clock_hz")
MOST_BYTES = 2**62


@dataclass(frozen=True, eq=False, repr=False)
class Traffic(Record):
    """DRAM traffic of a product, numbers or arrays over all points.

    Attributes
    ----------
    tiles, waves : int
        Output tiles, and rounds of one tile per SM.
    waves_filled, wave_efficiency : float
        Tiles per SM; share of the SMs that have a tile, over all waves. SMs that no whole cluster
        fits count as idle.
    bytes, seconds : int, float
        Row and column strips read once per wave, plus C written once in 2 bytes per element; and
        its time at the DRAM bandwidth.
    floor_bytes, floor_seconds : int, float
        Compulsory: everything once.
    l2_needed_bytes : int
        Both operands: an L2 this large reads them once, whatever the order.
    fits_l2, bytes_with_l2 : bool, int
        Whether the GPU's L2 is that large, and the traffic with that in mind.
    wave_bytes : int
        The most operand bytes that one wave touches. (An L2 that is smaller serves the repeats of
        a wave only as long as its CTAs keep in step along K.)
    l2_read_bytes : int
        Operand bytes that L2 delivers, once per cluster: TMA multicast.
    compute_seconds : float
        2 M N K over the dense peak of all SMs.
    stream_k_tiles, stream_k_tiles_forced : int
        Tiles that stream-K splits by CUTLASS's heuristic, and where it is asked for.
    """

    tiles: Any
    waves: Any
    waves_filled: Any
    wave_efficiency: Any
    bytes: Any
    seconds: Any
    floor_bytes: Any
    floor_seconds: Any
    l2_needed_bytes: Any
    fits_l2: Any
    bytes_with_l2: Any
    wave_bytes: Any
    l2_read_bytes: Any
    compute_seconds: Any
    stream_k_tiles: Any
    stream_k_tiles_forced: Any


def dram_traffic(
    m: Any,
    n: Any,
    k: Any,
    tile: Any = "128x256x64",
    gpu: Any = "lecture",
    order: str = "row",
    group: Any = 1,
    cluster: Any = (1, 1),
    *,
    element_type: Any = "fp16",
    max_cluster_ctas: Any = PORTABLE_CLUSTER_CTAS,
    **fields: Any,
) -> Traffic:
    """Count the DRAM traffic of C = A B, M x N x K, one output tile per SM at a time.

    In each wave every strip of rows of A and of columns of B that its tiles touch is read once:
    the L2 serves repeats within a wave and keeps nothing for the next. Strips at the edge count
    what the matrices have of them.

    Parameters
    ----------
    m, n, k : int or array_like
        The product; arrays broadcast against each other and against the tiles.
    tile : str, tuple or list
        "128x256", (128, 256), with or without BK, which only stream-K's rule needs (64 by
        default). A tuple of arrays broadcasts, a list of tiles is an axis.
    gpu : str, GPU or a list of them
    order : {"row", "grouped"}
        Order of tiles; see ``tile_order``.
    group : int or array_like
        Rows of tiles (of clusters, where there are some) that a grouped order takes together.
    cluster : tuple, str or list
        CTAs along M x along N that run together and share loads by multicast, from compute
        capability 9.0 on.
    element_type : str or list of str
        Of the operands; C has 2 bytes per element.
    max_cluster_ctas : int or array_like
        Most CTAs of a cluster: 8 is portable, up to 16 where the kernel opts in.
    **fields : array_like
        ``sm_count``, ``dram_bytes_per_second``, ``l2_bytes``, ``tc_flop_per_cycle`` or
        ``clock_hz`` instead of the GPU's.

    Returns
    -------
    Traffic

    Raises
    ------
    InputError
        If a number is no positive whole one, a group has no order, a cluster is too large, or the
        grid has more than 2**31 - 1 CTAs.

    Examples
    --------
    >>> [round(dram_traffic(4096, 4096, 4096, tile).seconds * 1e6) for tile in
    ...  ("64x64", "128x128", "128x256")]
    [336, 102, 61]
    >>> dram_traffic(4096, 4096, [1024, 4096], "128x128", order="grouped", group=8).waves.tolist()
    [8, 8]
    """
    check_fields(fields, FIELDS, "DRAM traffic")
    cards = read_names("gpu", gpu, find_gpu)
    elements = read_names("element_type", element_type, element_type_of(ELEMENT_BYTES))
    given = Arguments()
    for name, value in (("m", m), ("n", n), ("k", k)):
        given.number(name, value)
    if given.shape("tile", tile, (2, 3), "128x256x64") == 2:
        given.number("tile K", TILE_K, DATA_PATH["tile_k"])
    check_group(order, group)
    given.number("group", group)
    given.shape("cluster", cluster, (2,), "2x1")
    given.fields(FIELDS, cards, fields)
    given.number("max_cluster_ctas", max_cluster_ctas)
    given.codes("gpu", cards)
    given.codes("element_type", elements)
    *arrays, most, gpus, types = (one.ravel() for one in given.arrays().values())
    shape = np.broadcast_shapes(*(one.shape for one in given.arrays().values()))
    bits = np.rint(8 * element_bytes(elements)).astype(np.int64)[types]
    points = Points(*arrays)
    for code, card in enumerate(cards.labels):
        here = gpus == code
        check_clusters(card, (points.cluster_m * points.cluster_n)[here], most[here])
    found = _count(points, bits, rates(elements, cards, types, gpus))
    return Traffic(**{name: plain(one.reshape(shape)) for name, one in found.items()})


@dataclass(frozen=True)
class Points:
    """What was given, point by point."""

    m: Array
    n: Array
    k: Array
    tile_m: Array
    tile_n: Array
    tile_k: Array
    group: Array
    cluster_m: Array
    cluster_n: Array
    sm_count: Array
    dram_bytes_per_second: Array
    l2_bytes: Array
    tc_flop_per_cycle: Array
    clock_hz: Array


def _count(p: Points, bits: Array, rate: Array) -> Mapping[str, Array]:
    size = p.cluster_m * p.cluster_n
    grid_m, grid_n = -(-p.m // p.tile_m), -(-p.n // p.tile_n)
    clusters_m, clusters_n = -(-grid_m // p.cluster_m), -(-grid_n // p.cluster_n)
    slots = p.sm_count // size
    _check(size, slots, clusters_m * p.cluster_m, clusters_n * p.cluster_n)
    tiles = grid_m * grid_n
    waves = -(-clusters_m * clusters_n // slots)
    wide = (p.tile_m * p.cluster_m, p.tile_n * p.cluster_n)
    rows, columns, most = touched(np.array([p.m, p.n, *wide, p.group, slots]))
    from_l2 = p.m * clusters_n + p.n * clusters_m
    _check_bytes(np.maximum(rows + columns, from_l2), p)
    written = p.m * p.n * OUTPUT_BYTES
    operands = _bytes(p.m * p.k + p.n * p.k, bits)
    moved = _bytes((rows + columns) * p.k, bits) + written
    floor = operands + written
    fits = operands <= p.l2_bytes
    k_tiles = -(-p.k // p.tile_k)
    peak = p.tc_flop_per_cycle * rate * p.clock_hz * p.sm_count

    def splits(heuristic: bool) -> Array:
        return np.asarray(
            stream_k_tiles(tiles, slots * size, k_tiles, heuristic=heuristic, cluster_size=size)
        )

    return {
        "tiles": tiles,
        "waves": waves,
        "waves_filled": tiles / p.sm_count,
        "wave_efficiency": tiles / (waves * p.sm_count),
        "bytes": moved,
        "seconds": moved / p.dram_bytes_per_second,
        "floor_bytes": floor,
        "floor_seconds": floor / p.dram_bytes_per_second,
        "l2_needed_bytes": operands,
        "fits_l2": fits,
        "bytes_with_l2": np.where(fits, floor, moved),
        "wave_bytes": _bytes(most * p.k, bits),
        "l2_read_bytes": _bytes(from_l2 * p.k, bits),
        "compute_seconds": 2.0 * p.m * p.n * p.k / peak,
        "stream_k_tiles": splits(True),
        "stream_k_tiles_forced": splits(False),
    }


def _bytes(elements: Array, bits: Array) -> Array:
    """Bytes of elements, the last one filled up."""
    packed = np.maximum(8 // bits, 1)
    return np.asarray(-(-elements // packed) * np.maximum(bits // 8, 1))


def _check(size: Array, slots: Array, ctas_m: Array, ctas_n: Array) -> None:
    if (slots == 0).any():
        raise InputError(f"cluster={size[slots == 0][0]} CTAs: more than the GPU has SMs")
    ctas = ctas_m.astype(np.float64) * ctas_n
    if (ctas > LARGEST).any():
        raise InputError(
            f"tile: {ctas[ctas > LARGEST][0]:.4g} CTAs, a grid has at most {LARGEST:,}; take larger"
            " tiles"
        )


def _check_bytes(strips: Array, p: Points) -> None:
    """Refuse what int64 does not hold, at the widest element of 4 bytes."""
    largest = 4 * (strips.astype(np.float64) * p.k + p.m.astype(np.float64) * p.n).max(initial=0)
    if largest > MOST_BYTES:
        raise InputError(
            f"m, n, k: up to {largest:.3g} byte of traffic; at most {MOST_BYTES:.3g} byte are"
            " counted exactly"
        )
