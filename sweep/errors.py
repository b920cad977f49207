"""The one exception for what a user can get wrong, and the nearest-name hint it carries."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class InputError(ValueError):
    """A mistake in what the user asked for, told in one line.

    The message names the parameter, the value, the limit and the unit; the command
    line prints it on stderr and exits with 2.
    """


class Impossible(InputError):
    """What cannot exist on this hardware: refused where it is all that was asked for.

    One cell of a grid is flagged instead, with this as its reason.
    """


def unknown_name(kind: str, name: object, known: Iterable[str]) -> InputError:
    """Return the error for a name that does not exist, with the nearest one that does.

    Parameters
    ----------
    kind : str
        What the name should have been ("schedule", "parameter", "GPU").
    name : object
        What was given.
    known : iterable of str
        The names that exist.

    Examples
    --------
    >>> print(unknown_name("schedule", "multistge", ["sync", "multistage"]))
    unknown schedule 'multistge': did you mean 'multistage'?
    """
    names = list(known)
    begins = [one for one in names if str(name) and one.startswith(str(name))]
    near = begins or difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names)}"
    return InputError(f"unknown {kind} {name!r}: {hint}")
