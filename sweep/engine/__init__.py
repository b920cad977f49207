"""From a resolved space to its numbers: blocks of points through the kernels, then what fits."""
