"""``python -m sweep``: the command line."""

import sys

from sweep.cli import main

if __name__ == "__main__":
    sys.exit(main())
