"""Draw the README's picture: ``python docs/utilization.py``."""

from pathlib import Path

from figures.gallery.utilization_against_stages import ENTRY

ENTRY.draw(ENTRY.data()).savefig(Path(__file__).with_name("utilization.png"), dpi=150)
