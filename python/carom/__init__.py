"""Mechanical systems with impacts, contact, joints and Coulomb friction.

>>> import carom
>>> sol = carom.Model.from_file("bouncing-ball").run(t_end=2, rtol=1e-9)
>>> round(float(sol(0.5).q[0]), 6)
0.354164
>>> svg = sol.plot_svg("y")

Everything is computed by libcarom, whose command is ``carom``: same names, same bits.
"""
from ._analysis import Result, basin, bifurcate, converge, fit, gradient, lyapunov, orbit, reproduce, sweep
from ._library import CaromError, ModelError, RunError, UsageError, library as _c
from ._model import Contact, Model, builtin_models
from ._solution import Event, Solution, State

__version__ = _c.carom_version().decode().split()[0]
__all__ = ["CaromError", "Contact", "Event", "Model", "ModelError", "Result", "RunError", "Solution", "State",
           "UsageError", "basin", "bifurcate", "builtin_models", "converge", "fit", "gradient", "lyapunov", "orbit",
           "reproduce", "sweep"]
for _error in (CaromError, ModelError, RunError, UsageError):
    _error.__module__ = "carom"  # as tracebacks show them
del _error
