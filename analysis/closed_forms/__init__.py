"""Makespans and periods as formulas, each with its domain, its kind and its derivation.

>>> form = CLOSED_FORMS["warp_specialized"]
>>> point = dict(t_issue=10, t_transfer=768, t_latency=700, t_mma=1024, t_epilogue=1280)
>>> float(form({**point, "stages": 4, "k_tiles": 64}))
68294.0
>>> CLOSED_FORMS["persistent.compute_bound"].domain_text.split(" and ")[-1]
'max(t_issue, t_transfer) <= t_mma'
"""

from analysis.closed_forms.domain import Condition
from analysis.closed_forms.form import ClosedForm
from analysis.closed_forms.form_registry import CLOSED_FORMS, TILE_PERIODS

__all__ = ["CLOSED_FORMS", "TILE_PERIODS", "ClosedForm", "Condition"]
