"""The version, read by the package's metadata and written into every result."""

__version__ = "0.1.0"
