"""Rules of the data path: reuse, bank conflicts, traffic of a wave."""
