"""python -m takt"""

import gc
import sys

from takt import GARBAGE_AFTER

gc.set_threshold(GARBAGE_AFTER)
try:
    from takt.cli.commands import main
except KeyboardInterrupt:  # it takes a moment to load
    print("interrupted", file=sys.stderr)
    sys.exit(130)

if __name__ == "__main__":
    main()
