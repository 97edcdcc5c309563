"""python -m takt"""

import gc
import sys

gc.set_threshold(100_000)  # a command is over soon, and what it reads is no garbage
try:
    from takt.cli import main
except KeyboardInterrupt:  # it takes a moment to load
    print("interrupted", file=sys.stderr)
    sys.exit(130)

main()
