"""Charts of a dataset: heatmaps, comparisons, differences, Pareto fronts."""
