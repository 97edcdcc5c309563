"""The tools and this folder's simulation are importable."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
for folder in (HERE, HERE.parents[2] / "tools"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
