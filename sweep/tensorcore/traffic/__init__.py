"""DRAM traffic of a product by tile order and scheduler."""
