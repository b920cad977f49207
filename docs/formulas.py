"""Write the page of formulas: ``python docs/formulas.py [POINTS]``, a million points by default."""

import sys
from pathlib import Path

from analysis.verification.page import all_claims, page, results
from analysis.verification.runner import verify_claims

points = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
text = page(results(verify_claims(all_claims(), points)))
Path(__file__).with_name("formulas.md").write_text(text, encoding="utf-8")
