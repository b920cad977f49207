"""The commands of `analysis`: each calls the library and prints."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from sweep.cli.completion import schedule_names
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
@json_option("a table")
def verify(schedules: Sequence[str], points: int | None, seed: int, as_json: bool) -> None:
    """Test formulas and bounds against simulation.

    Closed forms, bounds, steady states and rules of thumb, on random points; all schedules unless
    some are named. The first claim is that the kernel, the list of events and the event-driven
    program of a schedule agree. Violations come with the first counterexample as a command. The
    exit code is 1 if a claim other than a rule of thumb is violated, or one could not be tested.

    \b
    warpsweep verify multistage pingpong --points 1000000
    """
    from analysis.verification.report import json_text, text_blocks
    from analysis.verification.runner import DEFAULT_POINTS
    from analysis.verification.runner import verify as verify_all
    from sweep.cli.printing import show
    from sweep.host.progress import ProgressBar

    with ProgressBar() as bar:
        found = verify_all(schedules or None, points or DEFAULT_POINTS, seed, progress=bar)
    if as_json:
        click.echo(json_text(found))
    else:
        show(text_blocks(found))
    if any(one.failed for one in found):
        raise Exit(1)
