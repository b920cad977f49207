"""The programs of attention's warpgroups, and the service orders that named barriers enforce."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sweep.simulator.barriers import Barrier
from sweep.simulator.operations import AsyncUse, Program, Use, Wait
from sweep.simulator.resources import Resource
from sweep.simulator.simulation import Simulation


class Units(NamedTuple):
    """The three units that a warpgroup uses."""

    tensor_core: Resource
    exponential: Resource
    cuda_cores: Resource


def units_in_order(
    simulation: Simulation, p: Mapping[str, Any], warpgroups: tuple[str, ...], ahead: int
) -> Units:
    """Add the units, serving in fixed order where ``arbitration`` is "ordered".

    Parameters
    ----------
    simulation : Simulation
        Where the units are added.
    p : mapping
        ``kv_blocks`` and ``arbitration``.
    warpgroups : tuple of str
        Who takes turns.
    ahead : int
        How many blocks GEMM0 runs ahead of GEMM1.
    """
    if p["arbitration"] == "fifo":
        return Units(*(simulation.resource(name) for name in ("TC", "SFU", "FMA")))
    blocks = p["kv_blocks"]
    return Units(
        simulation.resource("TC", tensor_core_turns(warpgroups, blocks, ahead)),
        simulation.resource("SFU", warpgroups * blocks),
        simulation.resource("FMA", warpgroups * blocks),
    )


def tensor_core_turns(warpgroups: tuple[str, ...], blocks: int, ahead: int) -> Iterator[str]:
    """Yield who has the Tensor Core next: GEMM1 of block j, then GEMM0 of block j + ahead.

    Examples
    --------
    >>> "".join(tensor_core_turns(("A", "B"), blocks=3, ahead=1))
    'ABAABBAABBAB'
    """
    for _ in range(min(ahead, blocks)):
        yield from warpgroups
    for block in range(blocks):
        gemms = 2 if block + ahead < blocks else 1
        for warpgroup in warpgroups:
            for _ in range(gemms):
                yield warpgroup


def serial(units: Units, p: Mapping[str, Any]) -> Program:
    """Run GEMM0, exp, the rest of softmax and GEMM1 of each block in series."""
    for block in range(p["kv_blocks"]):
        yield Use(units.tensor_core, "gemm0", p["t_gemm0"], 0, block)
        yield Use(units.exponential, "exp", p["t_exp"], 0, block)
        yield Use(units.cuda_cores, "softmax", p["t_softmax"], 0, block)
        yield Use(units.tensor_core, "gemm1", p["t_gemm1"], 0, block)


def overlapped(units: Units, p: Mapping[str, Any]) -> Program:
    """Run the same with the next GEMM0 in flight during softmax.

    GEMM0 of block j + 2 is issued after GEMM1 of block j and once the scores of block j + 1 are
    there, that is before softmax of block j + 1.
    """
    scores = Barrier("gemm0")

    def issue_gemm0(block: int) -> AsyncUse:
        return AsyncUse(units.tensor_core, "gemm0", p["t_gemm0"], 0, (scores,), 0, block)

    blocks = p["kv_blocks"]
    yield issue_gemm0(0)
    if blocks > 1:
        yield Wait(scores, 1)
        yield issue_gemm0(1)
    for block in range(blocks):
        yield Wait(scores, block + 1)
        yield Use(units.exponential, "exp", p["t_exp"], 0, block)
        yield Use(units.cuda_cores, "softmax", p["t_softmax"], 0, block)
        yield Use(units.tensor_core, "gemm1", p["t_gemm1"], 0, block)
        if block + 2 < blocks:
            yield Wait(scores, block + 2)
            yield issue_gemm0(block + 2)
