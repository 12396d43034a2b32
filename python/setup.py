"""The version is that of the library. With CAROM_WHEEL_LIBRARY=/path/to/libcarom.so the wheel holds the library and is
made for this platform (py3-none-PLATFORM); without, it is pure Python and finds an installed library."""
import os
import pathlib
import re
import shutil

from setuptools import setup

here = pathlib.Path(__file__).resolve().parent
library = os.environ.get("CAROM_WHEEL_LIBRARY")
held = here / "carom" / "libcarom.so"


def version():
    header = here.parent / "include" / "carom.h"
    if not header.exists():  # in a source package
        return re.search(r"^Version: (\S+)", (here / "PKG-INFO").read_text(), flags=re.M).group(1)
    return re.search(r'CAROM_VERSION "([^"]+)"', header.read_text()).group(1)


commands = {}
if library:
    from wheel.bdist_wheel import bdist_wheel

    class PlatformWheel(bdist_wheel):
        """Any Python 3, one platform."""

        def finalize_options(self):
            super().finalize_options()
            self.root_is_pure = False

        def get_tag(self):
            return "py3", "none", super().get_tag()[2]

    commands["bdist_wheel"] = PlatformWheel
    shutil.copy(library, held)
try:
    setup(version=version(), cmdclass=commands)
finally:
    if library:
        held.unlink()
