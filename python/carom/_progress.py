"""How far a long call is: a line on a terminal, a line that is replaced in a notebook, or the caller's function."""
from __future__ import annotations

import sys
from typing import Any, Callable, Optional


def watcher(progress: Any) -> Optional[Callable[[float, float], Any]]:
    """What is called with (done, total) about ten times a second; None: nobody looks."""
    if not progress:
        return None
    if callable(progress):
        return progress

    def show(done: float, total: float) -> None:
        share = min(max(done / total, 0.0), 1.0) if total else 0.0
        bar = "#" * int(30 * share)
        sys.stderr.write(f"\r[{bar:.<30}] {100 * share:5.1f} %" + ("\n" if share >= 1 else ""))
        sys.stderr.flush()

    return show
