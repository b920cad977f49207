"""Paper-quality figures: pure functions from a dataset or a trace to a Matplotlib figure."""
