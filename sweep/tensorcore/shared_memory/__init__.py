"""Banks, swizzles and ldmatrix: how many wavefronts operands take."""
