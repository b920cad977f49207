"""Register budgets of a CTA: what it is launched with and what ``setmaxnreg`` makes of it.

A kernel compiled for ``threads`` gets floor8(65,536 / threads) each; ``setmaxnreg`` takes
24 to 256 in steps of 8, and the sum over warpgroups of 128 x registers must not exceed what the CTA
was launched with, or the kernel hangs waiting for registers (PTX ISA, setmaxnreg).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from analysis.checked import plain, read, whole
from analysis.quantities import ROWS
from sweep.errors import InputError
from sweep.hardware.budgets import (
    OTHER_REGISTERS,
    PRODUCER_REGISTERS,
    WARPGROUP_THREADS,
    accumulator_registers,
)
from sweep.hardware.capabilities import MAX_REGISTERS_PER_THREAD, REGISTERS_PER_SM
from sweep.inputs.call_arguments import Arguments

SETMAXNREG = range(24, 257, 8)
"""The values that ``setmaxnreg`` takes: nominally 256, of which instructions can address 255."""
MOST_COUNT = 2**31 - 1


def compiled_registers(threads: ArrayLike, registers_per_sm: ArrayLike = REGISTERS_PER_SM) -> Any:
    """Return the registers that each thread of a CTA of this size is launched with at most.

    floor8(65,536 / threads); above 255 a compiler uses 255.

    Examples
    --------
    >>> [compiled_registers(threads) for threads in (256, 384, 512)]
    [256, 168, 128]
    """
    count, file = read(threads=threads, registers_per_sm=registers_per_sm)
    return plain(file // count // 8 * 8)


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
    producers, consumers = _groups(producers, consumers)
    producer_registers = _setmaxnreg("producer_registers", producer_registers)
    consumer_registers = _setmaxnreg("consumer_registers", consumer_registers)
    threads = WARPGROUP_THREADS * (producers + consumers)
    compiled = int(compiled_registers(threads, whole("registers_per_sm", registers_per_sm)))
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
    producers, consumers = _groups(producers, consumers)
    producer_registers = _setmaxnreg("producer_registers", producer_registers)
    threads = WARPGROUP_THREADS * (producers + consumers)
    file = whole("registers_per_sm", registers_per_sm)
    limit = threads * int(compiled_registers(threads, file))
    left = limit - WARPGROUP_THREADS * producers * producer_registers
    most = min(left // (WARPGROUP_THREADS * consumers) // 8 * 8, SETMAXNREG[-1])
    return most if most >= SETMAXNREG[0] else 0


def _groups(producers: Any, consumers: Any) -> tuple[int, int]:
    copying = whole("producers", producers, -MOST_COUNT, MOST_COUNT)
    computing = whole("consumers", consumers, -MOST_COUNT, MOST_COUNT)
    if copying < 0 or computing < 1 or copying + computing > 8:
        raise InputError(
            f"producers={copying}, consumers={computing}: must be at least 0 and 1 warpgroups,"
            " and together at most 8, 1,024 threads"
        )
    return copying, computing


def _setmaxnreg(name: str, given: Any) -> int:
    registers = whole(name, given, -MOST_COUNT, MOST_COUNT)
    if registers not in SETMAXNREG:
        raise InputError(
            f"{name}={registers}: setmaxnreg takes {SETMAXNREG[0]} to {SETMAXNREG[-1]} registers"
            " per thread in steps of 8"
        )
    return registers


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

    accumulators: Any
    other: Any
    available: Any

    @property
    def spills(self) -> Any:
        """Registers per thread that do not fit and go to local memory."""
        return plain(np.maximum(0.0, self.accumulators + self.other - self.available))

    @property
    def left(self) -> Any:
        """Registers per thread left beside the accumulators."""
        return self.available - self.accumulators


def accumulator_budget(
    tile: Any,
    warpgroups: ArrayLike,
    available: ArrayLike = MAX_REGISTERS_PER_THREAD,
    other: ArrayLike = OTHER_REGISTERS,
) -> AccumulatorBudget:
    """Return the register budget of a tile that this many warpgroups share.

    Parameters
    ----------
    tile : str, tuple or a list of them
    warpgroups : int or array_like
        Warpgroups that share it, at least 1.
    available, other : int or array_like
        Registers of a thread: all, and those beside the accumulators.

    Raises
    ------
    InputError
        For a number that is not whole or out of limits.

    Examples
    --------
    >>> accumulator_budget("128x256x64", 1).accumulators
    256.0
    >>> accumulator_budget("128x256x64", 2, available=168).left
    40.0
    """
    given = Arguments()
    given.shape("tile", tile, (3,), "128x256x64")
    numbers = {"warpgroups": warpgroups, "available": available, "other": other}
    for name, value in numbers.items():
        given.number(name, value, ROWS[name])
    tile_m, tile_n, _, groups, file, rest = given.arrays().values()
    needed = accumulator_registers(tile_m, tile_n, groups)
    return AccumulatorBudget(plain(needed), plain(rest), plain(file))
