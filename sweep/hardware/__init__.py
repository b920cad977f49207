"""GPUs and what their numbers make of a tile: durations, shapes."""
