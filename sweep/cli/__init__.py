"""The command line: what was typed becomes a call of the library, and its answer a text."""
