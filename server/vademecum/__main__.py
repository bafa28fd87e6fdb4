"""`python -m vademecum` is the `vademecum` command."""

import sys

from vademecum.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
