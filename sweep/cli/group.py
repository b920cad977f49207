"""The commands: those of `sweep`, and those that any package registers as entry points."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

import click

ENTRY_POINTS = "warpsweep.commands"
"""The entry-point group under which packages register commands."""


class Commands(click.Group):
    """A group that looks at the entry points for names it does not know, and for its help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        registered = (entry.name for entry in entry_points(group=ENTRY_POINTS))
        return sorted({*super().list_commands(ctx), *registered})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; its own ones hide registered ones of the same name."""
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        for entry in entry_points(group=ENTRY_POINTS, name=cmd_name):
            return _loaded(entry)
        return None


def _loaded(entry: EntryPoint) -> click.Command:
    """Load a registered command; one that is broken says so when it is called."""
    try:
        command = entry.load()
        if isinstance(command, click.Command):
            return command
        reason = "not a click command"
    except Exception as error:  # one broken package must not take the others down
        reason = f"{type(error).__name__}: {error}"
    told = f"command {entry.name!r} ({entry.value}): {reason}"

    @click.command(entry.name, help=f"Broken: {reason}.", add_help_option=False)
    @click.argument("given", nargs=-1, type=click.UNPROCESSED)
    def broken(given: tuple[str, ...]) -> None:
        raise click.ClickException(told)

    broken.ignore_unknown_options = True
    return broken
