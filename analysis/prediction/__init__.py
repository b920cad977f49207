"""From exact cycles of one SM to measured TFLOP/s of a problem, with an interval."""
