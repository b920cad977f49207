"""The reference figures, computed and compared with what was published."""
