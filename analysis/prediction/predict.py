"""Measured throughput of a problem on a GPU, with an interval: the face of the layer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from analysis.prediction.attention_face import attention_dataset
from analysis.prediction.gemm_face import gemm_dataset
from sweep.errors import unknown_name

if TYPE_CHECKING:
    import xarray as xr

PROBLEMS: Mapping[str, Callable[[dict[str, Any]], xr.Dataset]] = MappingProxyType(
    {"gemm": gemm_dataset, "attention": attention_dataset}
)


def predict(problem: str = "gemm", **parameters: Any) -> xr.Dataset:
    """Predict the throughput that would be measured, with an 80 % interval.

    Parameters
    ----------
    problem : {"gemm", "attention"}
        A product of matrices, or a forward pass of FlashAttention-3 on Hopper.
    **parameters
        Of a GEMM ``gpu``, ``m``, ``n`` and ``k`` are needed. Further ``element_type``, ``schedule``
        (serial, lookahead, multistage, warp_specialized, pingpong, cooperative, persistent),
        ``tile`` of a CTA, ``stages``, ``cluster``, ``cta_pair``, ``consumer_warpgroups``,
        ``threads``, ``mma_in_flight``, ``tile_scheduler``, ``epilogue`` (naive, tma, async,
        overlap), ``raster_group``, ``sms_used``, ``output_bytes``, ``ctas_per_sm``, ``barriers``,
        ``copies``; ``period_from`` (closed expressions, or the engine's schedules, which are as
        good and slower); ``clock_hz`` of a locked clock, and ``unit``, the clock under load of this
        unit over a typical one's, where it is known. Of
        attention ``gpu``, ``seq_q``, ``heads`` and ``head_dim`` are needed; further ``seq_k``,
        ``batch``, ``causal`` (0 or 1), ``element_type`` and ``direction``. A sequence is a
        dimension.

    Returns
    -------
    xarray.Dataset
        ``tflops`` with ``tflops_low`` and ``tflops_high``, ``utilization`` of the nominal peak,
        ``sm_clock_hz``, ``pipe_utilization``, ``ctas_per_sm``, ``waves``, what is ``binding``,
        and ``status``: calibrated, extrapolated (twice the interval), or not modelled, without a
        number; ``reason`` says why.

    Raises
    ------
    InputError
        For whatever a user can get wrong, in one line.

    Notes
    -----
    The exact cycle counts of ``sweep`` are those of one SM at a clock that is given. This adds
    what sets measured throughput beside them: CTAs per SM, waves, what the L2 delivers at the
    throttled clock, the drain of an MMA, DRAM, and the clock itself. Constants and their sources:
    ``analysis.prediction.constants``.

    Examples
    --------
    >>> ds = predict("gemm", gpu="h100_sxm", m=8192, n=8192, k=8192, tile="128x256x64",
    ...              schedule="cooperative", cluster="2x1", stages=4, mma_in_flight=1)
    >>> bool(600 < ds.tflops < 900), ds.status.attrs["flag_meanings"].split()[int(ds.status)]
    (True, 'calibrated')
    """
    if problem not in PROBLEMS:
        raise unknown_name("problem", problem, PROBLEMS)
    return PROBLEMS[problem](parameters)
