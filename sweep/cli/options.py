"""Types of options that several commands have."""

from __future__ import annotations

from pathlib import Path

import click

FILE = click.Path(path_type=Path)
