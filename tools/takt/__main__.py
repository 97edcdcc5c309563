"""python -m takt"""

from takt.cli import main

main()
