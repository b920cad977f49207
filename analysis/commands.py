"""The commands of `analysis`: each calls the library and prints."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from sweep.cli.completion import gpu_names, schedule_names
from sweep.cli.exit_codes import Exit
from sweep.cli.options import FILE, json_option


@click.command()
@click.option("--out", type=FILE, metavar="DIR", help="Write the table into this folder, too.")
@json_option("a table")
def reproduce(out: Path | None, as_json: bool) -> None:
    """Compute every reference figure and compare it.

    The exit code is 1 on a mismatch.
    """
    from analysis.reproduction.reproduce import json_text, make_folder, text_blocks, write
    from analysis.reproduction.reproduce import reproduce as reproduce_all
    from sweep.cli.printing import show

    if out is not None:
        make_folder(out)
    rows = reproduce_all()
    if out is not None:
        write(rows, out)
    if as_json:
        click.echo(json_text(rows))
    else:
        show(text_blocks(rows))
    if any(row.ok is False for row in rows):
        raise Exit(1)


@click.command()
@click.argument("schedules", nargs=-1, metavar="[SCHEDULE]...", shell_complete=schedule_names)
@click.option(
    "--points", type=click.IntRange(min=1), metavar="N", help="Points per claim; 100,000."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, metavar="N", help="Other points.")
@click.option("--published", is_flag=True, help="Predictions against published kernels instead.")
@json_option("a table")
def verify(
    schedules: Sequence[str], points: int | None, seed: int, published: bool, as_json: bool
) -> None:
    """Test formulas and bounds against simulation.

    Closed forms, bounds, steady states and rules of thumb, on random points; all schedules unless
    some are named. The first claim is that the kernel, the list of events and the event-driven
    program of a schedule agree. Violations come with the first counterexample as a command. The
    exit code is 1 if a claim other than a rule of thumb is violated, or one could not be tested.

    With --published the errors of predicted TFLOP/s against published kernels, by class; the exit
    code is 1 if a class is worse than its committed figure by more than 0.5 points.

    \b
    warpsweep verify --published
    warpsweep verify multistage pingpong --points 1000000
    """
    from analysis.verification.report import json_text, text_blocks
    from analysis.verification.runner import DEFAULT_POINTS
    from analysis.verification.runner import verify as verify_all
    from sweep.cli.printing import show
    from sweep.host.progress import ProgressBar

    if published:
        _verify_published(bool(schedules or points or seed), as_json)
        return
    with ProgressBar() as bar:
        found = verify_all(schedules or None, points or DEFAULT_POINTS, seed, progress=bar)
    if as_json:
        click.echo(json_text(found))
    else:
        show(text_blocks(found))
    if any(one.failed for one in found):
        raise Exit(1)


def _verify_published(others: bool, as_json: bool) -> None:
    from analysis.prediction.published_report import as_json as plain
    from analysis.prediction.published_report import report, text_blocks
    from sweep.cli.printing import show, show_json

    if others:
        raise click.UsageError("--published: takes no schedules, no --points and no --seed")
    found = report()
    if as_json:
        show_json(plain(found))
    else:
        show(text_blocks(found))
    if any(one.failed for one in found.lines):
        raise Exit(1)


@click.command()
@click.argument("problem", type=click.Choice(["gemm", "attention"]))
@click.argument("parameters", nargs=-1, metavar="[NAME=VALUE]...")
@click.option(
    "--gpu",
    metavar="NAME|FILE.toml",
    shell_complete=gpu_names,
    help="The same as gpu=...: a preset, or a card of one's own.",
)
@json_option()
def predict(problem: str, parameters: Sequence[str], gpu: str | None, as_json: bool) -> None:
    """Predict measured TFLOP/s of a problem, with an 80 % interval.

    A GEMM needs gpu, m, n and k; attention gpu, seq_q, heads and head_dim. The status says
    whether the layer was calibrated there; outside it is extrapolated, with twice the interval,
    or not modelled, without a number. Units of one GPU model differ by up to 20 %: unit=0.95
    says that this one's clock under load is 5 % lower.

    \b
    warpsweep predict gemm m=8192 n=8192 k=8192 schedule=cooperative cluster=2x1 --gpu h100_sxm
    warpsweep predict attention seq_q=8192 heads=16 batch=2 head_dim=128 --gpu h100_sxm
    """
    from analysis.prediction.told import known_names, text_blocks, values_of
    from sweep.cli.options import read_parameters
    from sweep.cli.printing import show, show_json

    given = read_parameters(parameters, gpu, known_names(problem))
    told = values_of(problem, given)
    if as_json:
        show_json(told)
    else:
        show(text_blocks(told))
