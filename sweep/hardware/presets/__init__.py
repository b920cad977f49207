"""The GPUs known by name: a file each, named after the GPU, with every number and its source.

A module here without an underscore is a GPU: its ``PRESET`` has a line about it, its numbers by
field (``sweep.quantities.variables`` has their units) and the rates of its element types. What is
not known is left out, and what follows from the compute capability is in
``sweep.hardware.capabilities``.
"""
