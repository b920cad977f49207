"""Write the page of formulas: ``python docs/formulas.py [POINTS] [SCHEDULE ...]``.

A million points by default. With schedules only their claims are tested, and the others keep what
the page says of them.
"""

import sys
from pathlib import Path

from analysis.verification.page import all_claims, page, read_results, results
from analysis.verification.runner import verify_claims

PAGE = Path(__file__).with_name("formulas.md")
points = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
names = sys.argv[2:]
claims = list(all_claims())
tested = read_results(PAGE.read_text(encoding="utf-8")) if names else {}
chosen = [claim for claim in claims if not names or claim.schedule.name in names]
found = {**tested, **results(verify_claims(chosen, points))}
there = {(claim.schedule.name, claim.name) for claim in claims}
text = page({key: one for key, one in found.items() if key in there})
PAGE.write_text(text, encoding="utf-8")
