"""Timelines of traces: pictures, texts and Perfetto files."""
