"""The rows that the attention schedules share: one warpgroup's share of a block of keys."""

from __future__ import annotations

from sweep.description import After, Event


def gemm0_row(warpgroup: int, asynchronous: bool = False) -> Event:
    """Describe S = Q K^T of a block; in flight, it is issued once the last block's is there."""
    name = f"gemm0_{warpgroup}"
    return Event(
        name,
        f"warpgroup_{warpgroup}",
        on="TC",
        takes="t_gemm0",
        after=(After(name, lag=1),) if asynchronous else (),
        asynchronous=asynchronous,
        operation="gemm0",
    )


def softmax_rows(warpgroup: int, behind: int = 0) -> tuple[Event, ...]:
    """List exp, the rest of softmax, and O += P V of a block, ``behind`` steps after its GEMM0."""
    agent = f"warpgroup_{warpgroup}"

    def row(operation: str, on: str, takes: str, after: tuple[After, ...] = ()) -> Event:
        name = f"{operation}_{warpgroup}"
        return Event(name, agent, on, takes, after, behind=behind, operation=operation)

    return (
        row("exp", "SFU", "t_exp", (After(f"gemm0_{warpgroup}"),)),
        row("softmax", "FMA", "t_softmax"),
        row("gemm1", "TC", "t_gemm1"),
    )
