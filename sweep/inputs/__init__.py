"""From what a user types to the arrays that a kernel takes: dimensions, labels, limits."""
