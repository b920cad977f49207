"""Which copy and MMA instructions a compute capability has, and the smallest tile they make.

Sources: PTX ISA 8.7 (``mma.sync``, ``wgmma``, ``tcgen05.mma`` shapes and target architectures,
``cp.async.bulk.tensor``) and the CUDA C++ Programming Guide 12.6 (thread block clusters).
"""

from __future__ import annotations

import numpy as np

from sweep.errors import Impossible
from sweep.hardware.capabilities import BY_CAPABILITY, INSTRUCTIONS, has, lacks, numbers
from sweep.hardware.durations import ELEMENT_BYTES
from sweep.hardware.gpu import GPU
from sweep.quantities.arrays import Array

TMA_CAPABILITY = INSTRUCTIONS["TMA"][0]
"""The first with TMA, clusters and multicast."""
PORTABLE_CLUSTER_CTAS = int(BY_CAPABILITY[TMA_CAPABILITY]["portable_cluster_ctas"][0])
MOST_CLUSTER_CTAS = int(max(row["largest_cluster_ctas"][0] for row in BY_CAPABILITY.values()))
"""With the attribute ``cudaFuncAttributeNonPortableClusterSizeAllowed``."""


def has_clusters(capability: Array | float | None) -> bool:
    """Whether a compute capability has clusters, as far as it is known."""
    return not np.any(lacks("cluster", capability))


def has_wgmma(capability: Array | float | None) -> Array:
    """Whether a compute capability has ``wgmma``: 9.0 alone."""
    return has("wgmma", capability)


def has_tcgen05(capability: Array | float | None) -> Array:
    """Whether a compute capability has ``tcgen05.mma`` and Tensor Memory: 10.x and 11.x."""
    return has("tcgen05", capability)


def smallest_mma(element_type: str, capability: Array | float | None) -> tuple[Array, Array, Array]:
    """Return the M, N and K that every tile must be a multiple of: the smallest MMA's.

    ``mma.sync`` m16n8 with 16 bytes of K on everything from compute capability 7.5 on (larger
    instructions are multiples of it); m8n8k4 of fp16 on 7.0; m8n8k16 of int8; fp4 on 10.x and 11.x
    is ``tcgen05`` alone, of 64 rows. NaN is a capability that is not known: the smallest of all.

    Examples
    --------
    >>> [int(size) for size in smallest_mma("bf16", 9.0)]
    [16, 8, 8]
    """
    number = numbers(capability)
    early = ~(number >= 7.5)
    rows = np.where(early | (element_type == "int8"), 8, 16)
    rows = np.where(has_tcgen05(number) & (element_type == "fp4"), 64, rows)
    deep = np.where(early, 8, 16) / ELEMENT_BYTES[element_type]
    return rows, np.full(number.shape, 8), deep.astype(np.int64)


def check_clusters(gpu: GPU, ctas: Array, most: Array) -> None:
    """Refuse clusters that a GPU does not have.

    Parameters
    ----------
    gpu : GPU
    ctas : numpy.ndarray of int
        CTAs of each cluster.
    most : numpy.ndarray of int
        ``max_cluster_ctas`` of each: 8 is portable, 16 needs the kernel's opt-in.

    Raises
    ------
    Impossible
        For a cluster before compute capability 9.0, or one of more CTAs than allowed or there.
    """
    largest, capability = int(ctas.max(initial=1)), gpu.compute_capability
    if largest > 1 and capability is not None and lacks("cluster", capability):
        raise Impossible(
            f"cluster={largest} CTAs: a cluster needs compute capability {TMA_CAPABILITY:.1f},"
            f" gpu={gpu.name!r} has {capability:.1f}; give cluster='1x1'"
        )
    held = gpu.value("largest_cluster_ctas")
    if held is not None and held < largest <= MOST_CLUSTER_CTAS:
        raise Impossible(more_than_the_gpu_has(f"cluster={largest} CTAs", gpu.name, int(held)))
    if (ctas > most).any():
        at = int(np.argmax(np.where(ctas > most, ctas, 0)))
        raise Impossible(too_many_ctas(f"cluster={ctas[at]} CTAs", int(ctas[at]), int(most[at])))


def more_than_the_gpu_has(shown: str, name: str, held: int) -> str:
    """Say what the largest cluster of a GPU is."""
    return f"{shown}: gpu={name!r} has clusters of at most largest_cluster_ctas={held} CTAs"


def too_many_ctas(shown: str, ctas: int, most: int) -> str:
    """Say what the limit of a cluster is, and how far it can be raised."""
    if ctas > MOST_CLUSTER_CTAS:
        return f"{shown}: no GPU has clusters of more than {MOST_CLUSTER_CTAS} CTAs"
    portable = f", the portable {PORTABLE_CLUSTER_CTAS}" if most == PORTABLE_CLUSTER_CTAS else ""
    return (
        f"{shown}: must be at most max_cluster_ctas={most}{portable}; give"
        f" max_cluster_ctas={MOST_CLUSTER_CTAS} where the kernel allows non-portable sizes"
    )
