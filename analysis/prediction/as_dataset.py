"""Labelled predictions: numbers with their interval, flags, and what made them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.prediction.arguments import Arguments
from analysis.prediction.cards import card_of
from analysis.prediction.constants import VERSION
from analysis.prediction.status import status
from sweep.quantities.arrays import Array
from sweep.quantities.predicted import PREDICTED, predicted_code
from sweep.results.datasets import ORIGIN, build

if TYPE_CHECKING:
    import xarray as xr

WARNING = "units of one model differ by up to 20 %"


def as_dataset(
    arguments: Arguments, numbers: Mapping[str, Array], width: Array, binding: Array, reason: Array
) -> xr.Dataset:
    """Return predictions over the dimensions of their arguments.

    Parameters
    ----------
    arguments : Arguments
    numbers : mapping of str to Array
        By name; ``tflops`` among them.
    width : Array
        h of the interval ``exp(+-h)``.
    binding, reason : Array
        Codes; where the reason means that there is no prediction, numbers become NaN.
    """
    numbers = {
        "tflops": numbers["tflops"],
        "tflops_low": numbers["tflops"] * np.exp(-width),
        "tflops_high": numbers["tflops"] * np.exp(width),
        **numbers,
    }
    state = status(reason)
    without = state == predicted_code("status", "not_modelled")
    dims, shape = tuple(arguments.sizes), arguments.shape
    variables: dict[str, Any] = {
        name: (dims, np.where(without, np.nan, np.broadcast_to(values, shape)))
        for name, values in numbers.items()
    }
    for name, codes in (("binding", binding), ("status", state), ("reason", reason)):
        variables[name] = (dims, np.broadcast_to(codes, shape).astype(np.int8))
    coords = arguments.coords()
    for name in set(coords) & set(variables):
        del variables[name]
    told = "; ".join(f"{card.name}: {card_of(card).source}" for card in _cards(arguments))
    attrs = {**ORIGIN, "constants": VERSION, "interval": "80 %", "cards": told, "note": WARNING}
    return build(variables, coords, attrs, PREDICTED)


def _cards(arguments: Arguments) -> tuple[Any, ...]:
    codes, cards = arguments.codes("gpu")
    return tuple(cards[int(code)] for code in np.unique(codes))
