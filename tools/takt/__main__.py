"""python -m takt"""

import sys

try:
    from takt.cli import main
except KeyboardInterrupt:  # it takes a moment to load
    print("interrupted", file=sys.stderr)
    sys.exit(130)

main()
