"""Makes wheels and source packages of carom for pip, with the standard library alone, so that `pip install` needs no network.

The version is that of the library. With CAROM_WHEEL_LIBRARY=/path/to/libcarom.so a wheel holds the library and is made for
this platform (py3-none-PLATFORM); without, it is pure Python and finds an installed library."""
import base64
import hashlib
import io
import os
import pathlib
import re
import sysconfig
import tarfile
import zipfile

here = pathlib.Path(__file__).resolve().parent
METADATA = """Metadata-Version: 2.1
Name: carom
Version: {version}
Summary: Mechanical systems with impacts, contact, joints and Coulomb friction
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: numpy
Provides-Extra: dataframes
Requires-Dist: pandas; extra == "dataframes"
Description-Content-Type: text/markdown

{readme}"""


def version():
    header = here.parent / "include" / "carom.h"
    if not header.exists():  # in a source package
        return re.search(r"^Version: (\S+)", (here / "PKG-INFO").read_text(encoding="utf-8"), flags=re.M).group(1)
    return re.search(r'CAROM_VERSION "([^"]+)"', header.read_text(encoding="utf-8")).group(1)


def metadata():
    return METADATA.format(version=version(), readme=(here / "README.md").read_text(encoding="utf-8")).encode()


def package():
    """The files of the module by their names in an archive."""
    return {f"carom/{path.name}": path.read_bytes()
            for path in sorted((here / "carom").iterdir()) if path.suffix == ".py" or path.name == "py.typed"}


def write_wheel(directory, files, platform="any"):
    tag, info = f"py3-none-{platform}", f"carom-{version()}.dist-info"
    pure = "true" if platform == "any" else "false"
    files = {**files, f"{info}/METADATA": metadata(),
             f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: carom\nRoot-Is-Purelib: {pure}\nTag: {tag}\n".encode()}
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = f"carom-{version()}-{tag}.whl"
    with zipfile.ZipFile(pathlib.Path(directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)  # of 1980: the same bytes whenever it is made
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o100644 << 16
            archive.writestr(entry, data)
    return wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    library = os.environ.get("CAROM_WHEEL_LIBRARY")
    if not library:
        return write_wheel(wheel_directory, package())
    return write_wheel(wheel_directory, {**package(), "carom/libcarom.so": pathlib.Path(library).read_bytes()},
                       re.sub(r"[-.]", "_", sysconfig.get_platform()))


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return write_wheel(wheel_directory, {"carom.pth": f"{here}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    top = f"carom-{version()}"
    files = {**package(), "PKG-INFO": metadata(),
             **{name: (here / name).read_bytes() for name in ("README.md", "backend.py", "pyproject.toml")}}
    with tarfile.open(pathlib.Path(sdist_directory) / f"{top}.tar.gz", "w:gz") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return f"{top}.tar.gz"
