"""``warpsweep`` and ``python -m sweep``: the command line, where Ctrl-C counts from the start."""

from __future__ import annotations

import sys


def run() -> int:
    """Run what was typed and return the exit code, also where Ctrl-C comes before anything ran."""
    try:
        from sweep.cli.commands import main

        return main()
    except KeyboardInterrupt:
        if sys.stderr is not None:
            print("warpsweep: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(run())
