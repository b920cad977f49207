"""Sweeps on disk: written in chunks, interrupted and gone on with."""
