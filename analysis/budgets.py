"""Register budgets of a CTA: what it is launched with and what ``setmaxnreg`` makes of it.

A kernel compiled for ``threads`` gets floor8(65,536 / threads) each; ``setmaxnreg`` takes
24 to 256 in steps of 8, and the sum over warpgroups of 128 x registers must not exceed what the CTA
was launched with, or the kernel hangs waiting for registers (PTX ISA, setmaxnreg).
"""

from __future__ import annotations

from typing import NamedTuple

from sweep.errors import InputError
from sweep.feasibility import (
    OTHER_REGISTERS,
    PRODUCER_REGISTERS,
    WARPGROUP_THREADS,
    accumulator_registers,
)
from sweep.tile import parse_shape

REGISTERS_PER_SM = 65_536
MAX_REGISTERS_PER_THREAD = 255
"""What an instruction can address; ``setmaxnreg`` allows a nominal 256."""
SETMAXNREG = range(24, 257, 8)
"""The values that ``setmaxnreg`` takes."""


def compiled_registers(threads: int, registers_per_sm: int = REGISTERS_PER_SM) -> int:
    """Return the registers that each thread of a CTA of this size is launched with at most.

    floor8(65,536 / threads); above 255 a compiler uses 255.

    Examples
    --------
    >>> [compiled_registers(threads) for threads in (256, 384, 512)]
    [256, 168, 128]
    """
    if not 0 < threads <= REGISTERS_PER_SM // 8:
        raise InputError(f"threads={threads}: must be 1 to {REGISTERS_PER_SM // 8} threads")
    return registers_per_sm // threads // 8 * 8


class RegisterSplit(NamedTuple):
    """How producers and consumers share a CTA's registers.

    Attributes
    ----------
    producers, consumers : int
        Warpgroups of 128 threads.
    producer_registers, consumer_registers : int
        Registers per thread after ``setmaxnreg``.
    compiled : int
        Registers per thread at launch, which is what profilers show.
    total, limit : int
        Registers that the split needs, and those that the CTA has.
    """

    producers: int
    consumers: int
    producer_registers: int
    consumer_registers: int
    compiled: int
    total: int
    limit: int

    @property
    def fits(self) -> bool:
        """Whether the kernel runs; otherwise the last warpgroup waits forever."""
        return self.total <= self.limit

    def __str__(self) -> str:
        groups = f"{self.producers} x {self.producer_registers} + {self.consumers}"
        verdict = "fits" if self.fits else f"hangs: {self.total - self.limit:,} too many"
        return (
            f"{groups} x {self.consumer_registers} registers per thread:"
            f" {self.total:,} of {self.limit:,} registers, {verdict}"
        )


def register_split(
    producer_registers: int,
    consumer_registers: int,
    producers: int = 1,
    consumers: int = 2,
    registers_per_sm: int = REGISTERS_PER_SM,
) -> RegisterSplit:
    """Return what a ``setmaxnreg`` split needs, and whether it fits.

    Parameters
    ----------
    producer_registers, consumer_registers : int
        Registers per thread, 24 to 256 in steps of 8.
    producers, consumers : int
        Warpgroups.
    registers_per_sm : int

    Raises
    ------
    InputError
        For a number that ``setmaxnreg`` does not take, or no warpgroups.

    Examples
    --------
    >>> print(register_split(24, 240))
    1 x 24 + 2 x 240 registers per thread: 64,512 of 64,512 registers, fits
    >>> print(register_split(24, 240, producers=2))
    2 x 24 + 2 x 240 registers per thread: 67,584 of 65,536 registers, hangs: 2,048 too many
    """
    _check_groups(producers, consumers)
    _check_setmaxnreg("producer_registers", producer_registers)
    _check_setmaxnreg("consumer_registers", consumer_registers)
    threads = WARPGROUP_THREADS * (producers + consumers)
    compiled = compiled_registers(threads, registers_per_sm)
    total = WARPGROUP_THREADS * (producers * producer_registers + consumers * consumer_registers)
    return RegisterSplit(
        producers,
        consumers,
        producer_registers,
        consumer_registers,
        compiled,
        total,
        threads * compiled,
    )


def most_consumer_registers(
    producer_registers: int = PRODUCER_REGISTERS,
    producers: int = 1,
    consumers: int = 2,
    registers_per_sm: int = REGISTERS_PER_SM,
) -> int:
    """Return the most registers per thread that the consumers can take, 0 where not even 24 fit.

    floor8((threads floor8(65,536 / threads) - 128 producers producer_registers) /
    (128 consumers)), at most 256. (The engine's own budget caps a consumer at 240, CUTLASS's
    split.)

    Examples
    --------
    >>> most_consumer_registers(24), most_consumer_registers(40)
    (240, 232)
    >>> most_consumer_registers(consumers=3), most_consumer_registers(producers=2)
    (160, 232)
    """
    _check_groups(producers, consumers)
    _check_setmaxnreg("producer_registers", producer_registers)
    threads = WARPGROUP_THREADS * (producers + consumers)
    limit = threads * compiled_registers(threads, registers_per_sm)
    left = limit - WARPGROUP_THREADS * producers * producer_registers
    most = min(left // (WARPGROUP_THREADS * consumers) // 8 * 8, SETMAXNREG[-1])
    return most if most >= SETMAXNREG[0] else 0


def _check_groups(producers: int, consumers: int) -> None:
    if producers < 0 or consumers < 1 or producers + consumers > 8:
        raise InputError(
            f"producers={producers}, consumers={consumers}: must be at least 0 and 1 warpgroups,"
            " and together at most 8, 1,024 threads"
        )


def _check_setmaxnreg(name: str, registers: int) -> None:
    if registers not in SETMAXNREG:
        raise InputError(
            f"{name}={registers}: setmaxnreg takes {SETMAXNREG[0]} to {SETMAXNREG[-1]} registers"
            " per thread in steps of 8"
        )


class AccumulatorBudget(NamedTuple):
    """Registers per thread that a tile needs.

    Attributes
    ----------
    accumulators : float
        BM BN / (128 warpgroups).
    other : int
        Addresses, indices and the rest.
    available : int
        What a thread has.
    """

    accumulators: float
    other: int
    available: int

    @property
    def spills(self) -> float:
        """Registers per thread that do not fit and go to local memory."""
        return max(0.0, self.accumulators + self.other - self.available)

    @property
    def left(self) -> float:
        """Registers per thread left beside the accumulators."""
        return self.available - self.accumulators


def accumulator_budget(
    tile: str | tuple[int, ...],
    warpgroups: int,
    available: int = MAX_REGISTERS_PER_THREAD,
    other: int = OTHER_REGISTERS,
) -> AccumulatorBudget:
    """Return the register budget of a tile that this many warpgroups share.

    Examples
    --------
    >>> accumulator_budget("128x256x64", 1).accumulators
    256.0
    >>> accumulator_budget("128x256x64", 2, available=168).left
    40.0
    """
    tile_m, tile_n, _ = parse_shape("tile", tile)
    needed = float(accumulator_registers(tile_m, tile_n, warpgroups))
    return AccumulatorBudget(needed, other, available)
