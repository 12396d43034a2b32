"""Finding libcarom, checking that it is what this package expects, and calling it."""
from __future__ import annotations

import ctypes
import ctypes.util
import os
import pathlib
import threading
import time
from typing import Any, Callable, Optional

from ._interface import Interface


class CaromError(Exception):
    """What the library has to say: one sentence with the numbers; for a model file also the line and a caret.

    ``status`` is the name of the library's status, such as ``"BAD_MODEL"``.
    """

    def __init__(self, message: str, status: str = "") -> None:
        super().__init__(message)
        self.status = status


class ModelError(CaromError, ValueError):
    """A model that is not valid; the text shows where."""


class UsageError(CaromError, ValueError):
    """A wrong name, value or option."""


class RunError(CaromError, RuntimeError):
    """A run that failed on its way. ``solution`` holds what there is until then, if anything."""

    solution: Any = None


def _candidates() -> list[str]:
    here = pathlib.Path(__file__).resolve().parent
    if os.environ.get("CAROM_LIBRARY"):
        return [os.environ["CAROM_LIBRARY"]]
    names = ("libcarom.so", "libcarom.so.0", "libcarom.dylib")
    files = [folder / name for folder in (here, here.parent.parent / "build") for name in names]
    found = [str(file) for file in files if file.exists()]
    return [*found, *filter(None, [ctypes.util.find_library("carom")]), names[1]]


def _load() -> ctypes.CDLL:
    said = []
    for name in _candidates():
        try:
            return ctypes.CDLL(name)
        except OSError as problem:
            said.append(str(problem))
    why = "; ".join(said)
    raise ImportError(f"libcarom was not found: build it, install it, or name it in CAROM_LIBRARY ({why})")


library = _load()
try:
    library.carom_interface.restype = ctypes.c_char_p
    interface = Interface(library.carom_interface().decode())
except AttributeError:
    raise ImportError(f"{library._name} is older than this package: it does not tell its interface") from None
struct = interface.struct
constant = interface.constant


def _bind() -> None:
    library.carom_struct_size.restype = ctypes.c_size_t
    for name, kind in struct.items():
        size = library.carom_struct_size(name.encode())
        if size and size != ctypes.sizeof(kind):
            raise ImportError(f"{library._name}: {name} has {size} bytes, {ctypes.sizeof(kind)} were read from its "
                              "header")
    for name, (result, arguments) in interface.function.items():
        function = getattr(library, name, None)
        if function is not None:
            function.restype, function.argtypes = result, arguments


_bind()


def status_name(status: int) -> str:
    """``"BAD_MODEL"`` for the library's status of that number."""
    return interface.status_name[status]


def sized(kind: str, /, **members: Any) -> Any:
    """A struct that begins with its size."""
    return struct[kind](size=ctypes.sizeof(struct[kind]), **members)


def failure(status: int, message: str) -> CaromError:
    """The exception for a status and a sentence."""
    name = status_name(status)
    message = message or interface.status_text[status]
    if name in ("BAD_ARGUMENT", "BAD_OPTION"):
        return UsageError(message, name)
    if name in ("BAD_MODEL", "FILE"):
        return ModelError(message, name)
    return RunError(message, name)


def check(status: int, error: Any = None, allow: tuple[str, ...] = ()) -> str:
    """Raises unless the status is OK or one of ``allow``; returns its name."""
    name = status_name(status)
    if name != "OK" and name not in allow:
        raise failure(status, error.text.decode(errors="replace") if error is not None else "")
    return name


def strings(items: list[str]) -> Any:
    """A C array of strings."""
    return (ctypes.c_char_p * max(len(items), 1))(*[item.encode() for item in items])


def doubles(items: Any) -> Any:
    """A C array of numbers."""
    values = [float(item) for item in items]
    return (ctypes.c_double * max(len(values), 1))(*values)


class Job:
    """A long call of the library: other threads run meanwhile, Ctrl-C ends it, somebody may watch.

    The call runs in a thread of its own while the main thread waits, so that signals are seen at once. Exceptions
    that Python callbacks raise in the middle of it come out at its end.
    """

    def __init__(self, progress: Optional[Callable[[float, float], Any]] = None, total: float = 0) -> None:
        self.flag = ctypes.c_int(0)
        self.progress, self.total, self.done = progress, total, 0.0
        self.exception: Optional[BaseException] = None
        self._on_stop: list[Callable[[], None]] = []

    @property
    def user(self) -> ctypes.c_void_p:
        """For ``user`` of a request whose ``stop`` is ``stop_callback()``."""
        return ctypes.cast(ctypes.byref(self.flag), ctypes.c_void_p)

    def stop_callback(self, kind: Any) -> Any:
        """``stop`` of a request: the library looks at the flag itself, no Python is called."""
        return ctypes.cast(library.carom_flag_raised, kind)

    def on_stop(self, action: Callable[[], None]) -> None:
        """Something else that ends the call."""
        self._on_stop.append(action)

    def stop(self, exception: Optional[BaseException] = None) -> None:
        """Ends the call; the exception is raised when it has ended."""
        self.exception = self.exception or exception
        self.flag.value = 1
        for action in self._on_stop:
            action()

    def guard(self, function: Callable[..., Any], otherwise: Any = None) -> Callable[..., Any]:
        """The function as a callback: what it raises ends the call."""
        def guarded(*arguments: Any) -> Any:
            try:
                return function(*arguments)
            except BaseException as exception:  # noqa: B902 - also KeyboardInterrupt
                self.stop(exception)
                return otherwise
        return guarded

    def _show(self) -> None:
        if self.progress:
            self.progress(self.done, self.total)

    def run(self, call: Callable[[], int]) -> int:
        """Makes the call and returns its status."""
        result: list[int] = []
        if threading.current_thread() is not threading.main_thread():
            result.append(call())
        else:
            ended = threading.Event()  # not Thread.join: interrupted, it takes a running thread for a dead one

            def work() -> None:
                try:
                    result.append(call())
                finally:
                    ended.set()

            threading.Thread(target=work, daemon=True).start()
            self._wait(ended)
        if self.exception is not None:
            raise self.exception
        self._show()
        return result[0]

    def _wait(self, ended: threading.Event) -> None:
        shown = time.monotonic()
        while not ended.is_set():
            try:
                ended.wait(0.1 if self.progress else 1.0)
                if self.progress and time.monotonic() - shown > 0.1:
                    shown = time.monotonic()
                    self._show()
            except BaseException as exception:  # noqa: B902 - KeyboardInterrupt, or what progress has raised
                self.stop(exception)
