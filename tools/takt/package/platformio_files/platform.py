"""Takt as a platform of PlatformIO, made by `takt package platformio`."""

import sys

from platformio.platform.base import PlatformBase


class TaktPlatform(PlatformBase):
    def is_embedded(self):
        """For the builder always; `pio test` runs programs on the virtual platform as it runs those
        of the host, unless test_port names the port of a board on the desk."""
        if "SCons.Script" in sys.modules or not self.project_env:
            return True
        return bool(self.config.get(f"env:{self.project_env}", "test_port"))
