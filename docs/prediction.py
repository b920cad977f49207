"""Write ``docs/prediction.md``: the constants of predictions and how far they are from kernels."""

from __future__ import annotations

from pathlib import Path

from analysis.prediction.constants import ARCHITECTURES, CONSTANTS, VERSION
from analysis.prediction.published_report import report

HEAD = """\
# Predictions, and how far they are from measured kernels

Written by `python docs/prediction.py`. `warpsweep predict` gives the TFLOP/s that would be
measured, with an 80 % interval and a status. Beneath it the exact core is unchanged: this layer
adds what the cycles of one SM leave out.

* **Work of a k-tile**: bytes into shared memory, bytes from the L2 (multicast and pairs share),
  cycles of the Tensor Core.
* **L2**: its rate per SM cycle rises as the SM clock falls, and with the share of the problem that
  it holds; a copy's latency likewise.
* **Period of a k-tile**, by schedule: the chain of MMAs with what is exposed of their drain, and
  the ring. Limits that come close add up as `(sum v^12)^(1/12)`.
* **CTAs per SM**, whole **waves**, **epilogue** (direct, TMA, asynchronous, beside the next tile),
  **launch**, **DRAM**.
* **Clock**: `min(fmax, s F / (1 + alpha kappa u + beta m))`, u the share of busy Tensor Cores,
  m the bytes copied per cycle, s the factor of the unit; iterated with the cycles to a fixed point.
* **Attention**: the block of keys and the query tile of FlashAttention-3 forward on Hopper.

Not modelled, and said so instead of a number: split-K, `mma.sync`, backward attention, other
architectures. Units of one GPU model differ by up to 20 %: `unit=` says how one's clock under load
differs. Where a kernel's order of tiles misses the L2, or its warps do more than copy, multiply and
store, the prediction is too high.

## How far

Error of predicted TFLOP/s, in per cent, on published kernels of at least 2048^3; `warpsweep verify
--published` prints and guards this table. *Unit*: with a factor for units whose library row is
published. *Series left out*: refitted without the series that is predicted.

"""

PERIODS = """
## Closed expressions or the engine

The period of a k-tile can come from the engine's own schedules with the same durations
(`period_from=engine`). Refitted with either, over the kernels of known tile:

| architecture | closed: median, mean | engine: median, mean |
|---|--:|--:|
| hopper | 4.6, 8.1 | 4.1, 8.1 |
| hopper, series left out | 5.2, 8.6 | 4.8, 8.6 |
| blackwell | 5.3, 7.7 | 5.4, 7.7 |

Neither is better by more than the 0.3 points in the mean that would decide it. The closed
expressions are the default because they predict 10^5 kernels a second without compilation and cover
kernels that look ahead without a producer, for which the engine has no schedule; a test holds both
to each other.
"""


def constants_table() -> str:
    """Return the constants of both architectures as Markdown."""
    lines = [
        f"\n## Constants of version {VERSION}\n",
        "The four with an error are fitted; the prior beside them comes from elsewhere.\n",
        "| constant | meaning | hopper | blackwell | unit | source |",
        "|---|---|--:|--:|---|---|",
    ]
    hopper, blackwell = (CONSTANTS[name] for name in ARCHITECTURES)
    for name, one in hopper.items():
        cells = []
        for constant in (one, blackwell[name]):
            text = f"{constant.value:g}"
            if constant.error:
                text += f" +-{100 * constant.error:.0f} % (prior {constant.prior:g})"
            cells.append(text)
        lines.append(
            f"| `{name}` | {one.meaning} | {cells[0]} | {cells[1]} | {one.units} | {one.source} |"
        )
    return "\n".join(lines) + "\n"


def errors_table() -> str:
    """Return the errors by class as Markdown, and the order of steps in worklogs."""
    found = report()
    lines = [
        "| published kernels | median | mean | 90th | within 10 % | rows |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {one.name} | {one.errors.median:.1f} | {one.errors.mean:.1f} |"
        f" {one.errors.ninetieth:.1f} | {one.errors.within:.0f} | {one.errors.rows} |"
        for one in found.lines
    ]
    lines += ["", "Rank correlation of the steps within each worklog:", ""]
    lines += ["| worklog | correlation |", "|---|--:|"]
    lines += [
        f"| {name} | {'no difference' if value != value else f'{value:.2f}'} |"  # noqa: PLR0124
        for name, value in found.ranks.items()
    ]
    lines += [
        "",
        "Below 0.8 are kernels without a producer (`gluon-05`), where wide tiles lose to registers"
        " what they gain in traffic, and two output blocks in turn (`gluon-06-pipelined`), where a"
        " further warpgroup gains what the model takes as a loss.",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the page beside this file."""
    text = HEAD + errors_table() + PERIODS + constants_table()
    Path(__file__).with_suffix(".md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
