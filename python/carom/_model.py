"""Models: from a file, a text, a dictionary, or Python functions."""
from __future__ import annotations

import collections
import ctypes
import dataclasses
import json
import os
import tempfile
import weakref
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence, Union

import numpy as np

from ._library import CaromError, Job, UsageError, check, constant, doubles, library, sized, strings, struct

Params = Mapping[str, float]
#: of a model with Python functions: f(t, q, v, p) -> numbers; p has the parameters as attributes
Function = Callable[[float, np.ndarray, np.ndarray, Any], Any]


@dataclasses.dataclass(frozen=True)
class Contact:
    """A contact of a model with Python functions."""

    name: str
    restitution: float = 0.0
    friction: float = 0.0
    friction_static: float = 0.0
    restitution_t: float = 0.0
    directions: int = 0  #: of friction: 0 none, 1 planar, 2 spatial


class Model:
    """A mechanical system with impacts, contacts, joints and friction. Models do not change: see :meth:`replace`.

    >>> ball = Model.from_file("bouncing-ball")
    >>> ball.coordinates, ball.contacts
    (['y'], ['ground'])
    >>> ball.parameters["e"]
    0.9
    >>> ball.replace(e=0.5).parameters["e"]
    0.5
    """

    def __init__(self) -> None:
        raise TypeError("use Model.from_file, from_string, from_dict or from_functions")

    # ---- making ----

    @classmethod
    def from_file(cls, path: Union[str, os.PathLike], *, params: Optional[Params] = None, allow_plugins: bool = False,
                  jit: bool = False, assemble: bool = False) -> "Model":
        """The model file at a path, or the built-in model of that name.

        ``params`` are parameters (``"m"``) and initial values (``"q.y"``, ``"v.y"``) that win over the file's.
        """
        self = object.__new__(cls)
        self._path, self._text, self._name, self._functions = os.fspath(path), None, None, None
        self._load_options = dict(allow_plugins=allow_plugins, jit=jit, assemble=assemble)
        return self._open(params)

    @classmethod
    def from_string(cls, text: str, *, name: str = "model", params: Optional[Params] = None, jit: bool = False,
                    assemble: bool = False) -> "Model":
        """The text of a model file (YAML or JSON); ``name`` is what messages call it.

        >>> Model.from_string("{carom: 1, coordinates: {y: 1}, mass: [[1]], force: {z: 2}}", name="try")
        Traceback (most recent call last):
        ...
        carom.ModelError: try:1:54: there is no coordinate 'z'
          | {carom: 1, coordinates: {y: 1}, mass: [[1]], force: {z: 2}}
          |                                                      ^
        """
        self = object.__new__(cls)
        self._path, self._text, self._name, self._functions = None, text, name, None
        self._load_options = dict(allow_plugins=False, jit=jit, assemble=assemble)
        return self._open(params)

    @classmethod
    def from_dict(cls, model: Mapping[str, Any], *, name: str = "model", params: Optional[Params] = None,
                  jit: bool = False, assemble: bool = False) -> "Model":
        """A dictionary with the keys of a model file.

        >>> ball = Model.from_dict({"carom": 1, "coordinates": {"y": 1}, "mass": [[1]], "force": {"y": -2},
        ...                         "contacts": {"ground": {"gap": "y", "restitution": 0.5}}})
        >>> round(ball.run(t_end=1.5).events[0].t, 12)
        1.0
        """
        return cls.from_string(json.dumps(model), name=name, params=params, jit=jit, assemble=assemble)

    @classmethod
    def from_functions(cls, *, q: Union[Mapping[str, float], Sequence[float]], mass: Function, force: Function,
                       v: Union[Mapping[str, float], Sequence[float], None] = None,
                       parameters: Optional[Mapping[str, float]] = None,
                       contacts: Iterable[Contact] = (), joints: Iterable[str] = (), outputs: Iterable[str] = (),
                       gap: Optional[Function] = None, slip: Optional[Function] = None,
                       potential: Optional[Function] = None, law: Optional[Function] = None,
                       output: Optional[Function] = None, stop: Optional[Function] = None,
                       jacobian: Optional[Function] = None, offset: Optional[Function] = None,
                       gamma: Optional[Function] = None, force_q: Optional[Function] = None,
                       force_v: Optional[Function] = None, impacts: Optional[str] = None, period: float = 0.0,
                       lanes: bool = False, name: str = "model") -> "Model":
        """A model whose parts are Python functions ``f(t, q, v, p)``; ``p.m`` is the parameter m.

        ``q`` and ``v`` are initial values, by name or in order; velocities that are not given are 0.
        ``mass`` returns M [nv, nv], ``force`` F [nv], ``gap`` the joints' and contacts' g, ``slip`` the sliding
        velocities. Derivatives that are left out are finite differences. With ``lanes`` the functions may be called with
        several points at once: every ``t``, ``q[i]``, ``v[i]`` and ``p.m`` is then an array, and so may be each of the
        numbers that they return. Sweeps, basins, diagrams and exponents of many starts use that.

        >>> ball = Model.from_functions(q={"y": 0.5}, parameters={"g": 10}, contacts=[Contact("ground", 0.5)],
        ...                             mass=lambda t, q, v, p: 1, force=lambda t, q, v, p: -p.g,
        ...                             gap=lambda t, q, v, p: q)
        >>> round(ball.run(t_end=1).events[0].t, 9)
        0.316227766
        """
        self = object.__new__(cls)
        self._path, self._text, self._name, self._load_options = None, None, name, {}
        names = list(q) if isinstance(q, Mapping) else [f"q{i}" for i in range(len(q))]
        rates = v if isinstance(v, Mapping) else dict(zip(names, [0.0] * len(names) if v is None else v))
        if not rates.keys() <= set(names) or not (v is None or isinstance(v, Mapping) or len(v) == len(names)):
            raise UsageError(f"v: initial velocities of {', '.join(names)} are wanted, not {v!r}", "BAD_ARGUMENT")
        self._functions = dict(
            names=names, q=list(q.values() if isinstance(q, Mapping) else q), v=[rates.get(name, 0.0) for name in names],
            parameters=dict(parameters or {}), contacts=list(contacts), joints=list(joints), outputs=list(outputs),
            impacts=impacts, period=period, lanes=lanes,
            call={"mass": mass, "force": force, "gap": gap, "slip": slip, "potential": potential, "law": law,
                  "outputs": output, "stop": stop, "jacobian": jacobian, "offset": offset, "gamma": gamma,
                  "force_q": force_q, "force_v": force_v})
        return self._open(None)

    def replace(self, params: Optional[Params] = None, **more: float) -> "Model":
        """The same model with other parameters (``e=0.5``) or initial values (``{"q.y": 1}``)."""
        other = object.__new__(type(self))
        for key in ("_path", "_text", "_name", "_functions", "_load_options"):
            setattr(other, key, getattr(self, key))
        return other._open({**self._params, **(params or {}), **more})

    # ---- loading ----

    def _open(self, params: Optional[Params]) -> "Model":
        self._params = {key: float(value) for key, value in (params or {}).items()}
        self._job: Optional[Job] = None
        if self._functions is not None:
            return self._build()
        error, pointer = struct["carom_error"](), ctypes.POINTER(struct["carom_model"])()
        load = sized("carom_load_options", **self._load_options)
        if self._path is not None:
            status = library.carom_model_load(ctypes.byref(pointer), self._path.encode(), ctypes.byref(load),
                                              ctypes.byref(error))
        else:
            text = self._text.encode()
            status = library.carom_model_parse(ctypes.byref(pointer), self._name.encode(), text, len(text),
                                               ctypes.byref(load), ctypes.byref(error))
        check(status, error)
        self._c, self.note = pointer, load.note.decode()
        weakref.finalize(self, library.carom_model_free, pointer)
        if self._params:
            check(library.carom_model_set(pointer, strings(list(self._params)), doubles(self._params.values()),
                                          len(self._params), ctypes.byref(error)), error)
        return self

    def _build(self) -> "Model":
        f = self._functions
        values = dict(f["parameters"])
        start = {f"{kind}.{name}": x for kind in "qv" for name, x in zip(f["names"], f[kind])}
        for key, value in self._params.items():
            where = values if key in values else start
            if key not in where:
                raise CaromError(f"the model '{self._name}' has no parameter '{key}'", "BAD_ARGUMENT")
            where[key] = value
        nv = len(f["names"])
        contact = (struct["carom_contact"] * max(len(f["contacts"]), 1))()
        for place, given in zip(contact, f["contacts"]):
            for key, value in dataclasses.asdict(given).items():
                setattr(place, key, value.encode() if key == "name" else value)
        sizes = self._sizes()
        m = sized("carom_model", name=self._name.encode(), nq=nv, nv=nv, np=len(values), njoint=len(f["joints"]),
                  ncontact=len(f["contacts"]), noutput=len(f["outputs"]), q_name=strings(f["names"]),
                  p_name=strings(list(values)), joint_name=strings(f["joints"]), output_name=strings(f["outputs"]),
                  contact=contact, q=doubles(start[f"q.{n}"] for n in f["names"]),
                  v=doubles(start[f"v.{n}"] for n in f["names"]), p=doubles(values.values()), period=f["period"],
                  impacts=f["impacts"].encode() if f["impacts"] else None)
        names = collections.namedtuple("Parameters", list(values), rename=True)
        for key, call in f["call"].items():
            if call is not None:
                setattr(m, key, self._callback(key, call, nv, len(values), sizes[key], names))
        if f["lanes"]:
            m.lanes = self._all_lanes(nv, len(values), sizes, names)
        error, pointer = struct["carom_error"](), ctypes.POINTER(struct["carom_model"])()
        check(library.carom_model_copy(ctypes.byref(pointer), ctypes.byref(m), ctypes.byref(error)), error)
        self._c, self._values, self.note = pointer, m, ""
        weakref.finalize(self, library.carom_model_free, pointer)
        return self

    def _sizes(self) -> dict[str, int]:
        """How many numbers each function returns."""
        f, nv = self._functions, len(self._functions["names"])
        directions = sum(contact.directions for contact in f["contacts"])
        gaps = len(f["joints"]) + len(f["contacts"])
        rows = gaps + directions
        return {"mass": nv * nv, "force": nv, "gap": gaps, "slip": directions, "potential": 1,
                "law": sum(4 if one.directions else 1 for one in f["contacts"]), "outputs": len(f["outputs"]),
                "stop": 1, "jacobian": rows * nv,
                "offset": rows, "gamma": rows, "force_q": nv * nv, "force_v": nv * nv}

    def _callback(self, key: str, call: Function, nv: int, count: int, size: int, names: Any) -> Any:
        kind = dict(struct["carom_model"]._fields_)[key]
        numbers = ctypes.c_double

        def view(pointer: Any, n: int) -> np.ndarray:
            if n == 0:
                return np.empty(0)
            return np.frombuffer((numbers * n).from_address(ctypes.addressof(pointer.contents)), count=n)

        def callback(at: Any, out: Any) -> None:
            target = view(out, size)
            try:
                point = at.contents
                p = names(*point.p[:count]) if count else None
                found = np.asarray(call(point.t, view(point.q, nv), view(point.v, nv), p), dtype=float).ravel()
                if found.size != size:
                    raise ValueError(f"{key} of model '{self._name}' returned {found.size} numbers, {size} are needed")
                target[:] = found
            except BaseException as exception:  # noqa: B902 - ends the run, and comes out of it
                target[:] = np.nan
                if self._job is not None:
                    self._job.stop(exception)

        return kind(callback)

    def _all_lanes(self, nv: int, count: int, sizes: Mapping[str, int], names: Any) -> Any:
        """The functions for all lanes of an evaluation at once."""
        kind, calls = dict(struct["carom_model"]._fields_)["lanes"], self._functions["call"]
        parts = [("mass", "MASS", "M"), ("force", "FORCE", "F"), ("gap", "GAP", "g"), ("gamma", "GAMMA", "gamma"),
                 ("law", "LAW", "law"), ("outputs", "OUTPUTS", "outputs"), ("stop", "STOP", "stop")]
        parts = [(key, constant[f"CAROM_{bit}"], member) for key, bit, member in parts if calls[key]]
        moved = [(constant["CAROM_R_Q"], "R_q"), (constant["CAROM_R_V"], "R_v")]
        gaps = sizes["gamma"]
        if calls["jacobian"] and calls["offset"]:
            parts += [("jacobian", constant["CAROM_JACOBIAN"], "G"), ("offset", constant["CAROM_JACOBIAN"], "w")]

        def rows(pointer: Any, n: int, lanes: int) -> np.ndarray:
            if not n:
                return np.empty((0, lanes))
            numbers = (ctypes.c_double * (n * lanes)).from_address(ctypes.addressof(pointer.contents))
            return np.frombuffer(numbers).reshape(n, lanes)

        def callback(_: Any, at: Any) -> int:
            e, done = at.contents, 0
            lanes = e.lanes
            try:
                t, q, v = rows(e.t, 1, lanes)[0], rows(e.q, nv, lanes), rows(e.v, nv, lanes)
                p = names(*rows(e.p, count, lanes)) if count else None
                for key, bit, member in parts:
                    if e.want & bit and sizes[key] and getattr(e, member):
                        rows(getattr(e, member), sizes[key], lanes)[:] = _spread(calls[key](t, q, v, p), sizes[key],
                                                                                 lanes, key)
                        done |= bit
                for bit, member in moved:
                    if e.want & bit and not (e.x and rows(e.x, gaps, lanes).any()):
                        rows(getattr(e, member), nv * nv, lanes)[:] = self._slopes(
                            member == "R_q", t, q, v, p, rows(e.a, nv, lanes), rows(e.s, 1, lanes) if e.s else 1.0)
                        done |= bit
            except BaseException as exception:  # noqa: B902 - ends the run, and comes out of it
                if self._job is not None:
                    self._job.stop(exception)
            return done

        return kind(callback)

    def _slopes(self, by_q: bool, t: np.ndarray, q: np.ndarray, v: np.ndarray, p: Any, a: np.ndarray,
                s: Any) -> np.ndarray:
        """Derivatives of M a - s F by q or v [nv*nv, lanes], by differences of order 4 of all lanes at once."""
        call, n, lanes = self._functions["call"], q.shape[0], q.shape[1]
        size = np.maximum(np.abs(q if by_q else v), 1.0) * 1e-3
        move = np.zeros((n, n, 4, lanes))  # what moves, which way, by how much
        for j in range(n):
            move[j, j] = np.multiply.outer([1.0, -1.0, 2.0, -2.0], size[j])
        at = (q if by_q else v)[:, None, None, :] + move
        count = n * 4 * lanes

        def many(x: np.ndarray) -> np.ndarray:
            return np.broadcast_to(x[..., None, None, :], x.shape[:-1] + (n, 4, lanes)).reshape(*x.shape[:-1], count)

        time, rest = many(t), None if p is None else type(p)(*(many(one) for one in p))
        x, y = (at.reshape(n, count), many(v)) if by_q else (many(q), at.reshape(n, count))
        F = _spread(call["force"](time, x, y, rest), n, count, "force")
        value = -F.reshape(n, n, 4, lanes) * s
        if by_q:
            M = _spread(call["mass"](time, x, y, rest), n * n, count, "mass").reshape(n, n, n, 4, lanes)
            value = value + np.einsum("ikjdl,kl->ijdl", M, a)
        slope = (8 * (value[:, :, 0] - value[:, :, 1]) - (value[:, :, 2] - value[:, :, 3])) / (12 * size)
        return slope.reshape(n * n, lanes)

    def _source(self) -> str:
        """A path under which every thread of a sweep can load the model."""
        if self._functions is not None:
            raise CaromError("a model with Python functions has no file", "UNSUPPORTED")
        if self._path is None:
            handle, self._path = tempfile.mkstemp(prefix=f"{self._name}-", suffix=".yaml")
            with os.fdopen(handle, "w") as file:
                file.write(self._text)
            weakref.finalize(self, os.unlink, self._path)
        return self._path

    # ---- looking ----

    @property
    def _m(self) -> Any:
        return self._c.contents

    def _names(self, array: Any, n: int, prefix: str) -> list[str]:
        return [array[i].decode() for i in range(n)] if array else [f"{prefix}{i}" for i in range(n)]

    @property
    def name(self) -> str:
        """What the model is called."""
        return self._m.name.decode()

    @property
    def coordinates(self) -> list[str]:
        """Names of the coordinates, in the order of q."""
        return self._names(self._m.q_name, self._m.nq, "q")

    @property
    def velocities(self) -> list[str]:
        """Names of the velocities, in the order of v: those of the coordinates with a prime."""
        if self._m.v_name or self._m.manifold:
            return self._names(self._m.v_name, self._m.nv, "v")
        return [f"{name}'" for name in self.coordinates]

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters and their values."""
        return dict(zip(self._names(self._m.p_name, self._m.np, "p"), self._m.p[:self._m.np] if self._m.np else []))

    @property
    def contacts(self) -> list[str]:
        """Names of the contacts."""
        m = self._m
        named = [m.contact[i].name for i in range(m.ncontact)] if m.contact else []
        return [name.decode() if name else f"contact{i}" for i, name in enumerate(named)]

    @property
    def joints(self) -> list[str]:
        """Names of the joints."""
        return self._names(self._m.joint_name, self._m.njoint, "joint")

    @property
    def outputs(self) -> list[str]:
        """Names of the outputs."""
        return self._names(self._m.output_name, self._m.noutput, "output")

    @property
    def q(self) -> np.ndarray:
        """Initial positions."""
        return np.array(self._m.q[:self._m.nq])

    @property
    def v(self) -> np.ndarray:
        """Initial velocities."""
        return np.array(self._m.v[:self._m.nv]) if self._m.v else np.zeros(self._m.nv)

    @property
    def period(self) -> float:
        """Of the forcing; 0: there is none."""
        return self._m.period

    def __repr__(self) -> str:
        return (f"<carom.Model '{self.name}': {', '.join(self.coordinates)}; contacts: "
                f"{', '.join(self.contacts) or 'none'}>")

    # ---- running ----

    def run(self, t_end: Optional[float] = None, *, rtol: Optional[float] = None, atol: Optional[float] = None,
            scheme: Optional[str] = None, h: Optional[float] = None, t_eval: Any = None,
            params: Optional[Params] = None, options: Optional[Mapping[str, Any]] = None,
            progress: Any = None, check: bool = True) -> "Solution":
        """One trajectory. What is not given is taken from the model's section ``run``, then from the defaults.

        ``t_eval``: times of ``solution.t``; otherwise the ends of the steps, twice where velocities jump.
        ``params``: as in :meth:`replace`. ``options``: all others by their names (``{"scheme.theta": 1}``).
        ``progress``: ``True``, or a function of (t, t_end). A run that fails raises :class:`RunError`, unless
        ``check=False``: then ``solution.status`` and ``solution.message`` tell.

        >>> sol = Model.from_file("bouncing-ball").run(t_end=1, rtol=1e-10, params={"e": 0.5})
        >>> sol.status, sol.stats["impacts"] > 1
        ('OK', True)
        """
        from ._solution import run
        return run(self.replace(params) if params else self,
                   settings(t_end=t_end, rtol=rtol, atol=atol, scheme=scheme, h=h, options=options), t_eval,
                   progress, check)


def _spread(found: Any, size: int, lanes: int, key: str) -> np.ndarray:
    """What a function has returned for several points [size, lanes]; numbers stand for all of them."""
    if isinstance(found, np.ndarray) and found.size == size * lanes and found.shape[-1:] == (lanes,):
        return found.reshape(size, lanes)
    if isinstance(found, np.ndarray) and found.size == size:
        return np.broadcast_to(found.reshape(size, 1), (size, lanes))

    def flat(part: Any) -> Any:
        if isinstance(part, (list, tuple)) or (isinstance(part, np.ndarray) and part.shape not in ((), (lanes,))):
            for one in part:
                yield from flat(one)
        else:
            yield part
    numbers = list(flat(found))
    if len(numbers) != size:
        raise ValueError(f"{key} returned {len(numbers)} numbers for several points, {size} are needed")
    return np.array([np.broadcast_to(np.asarray(one, dtype=float), lanes) for one in numbers])


def settings(*, options: Optional[Mapping[str, Any]] = None, **named: Any) -> dict[str, str]:
    """Options of a run as the words that the command line and model files use."""
    all_of_them = {**{key: value for key, value in named.items() if value is not None}, **(options or {})}
    return {key: value if isinstance(value, str) else repr(float(value)) if not isinstance(value, bool)
            else str(value).lower() for key, value in all_of_them.items()}


def make_options(model: Model, given: Mapping[str, str]) -> Any:
    """The model's options, then those that are given; methods first, since fields belong to them."""
    error, options = struct["carom_error"](), library.carom_options_default()
    options.energy = True
    check(library.carom_options_from_model(ctypes.byref(options), model._c, ctypes.byref(error)), error)
    for key in sorted(given, key=lambda key: key not in ("scheme", "solver")):
        check(library.carom_options_set(ctypes.byref(options), key.encode(), given[key].encode(), ctypes.byref(error)),
              error)
    return options


def builtin_models() -> list[str]:
    """Names of the models that need no file.

    >>> "woodpecker" in builtin_models()
    True
    """
    names: list[str] = []
    while library.carom_builtin_name(len(names)):
        names.append(library.carom_builtin_name(len(names)).decode())
    return names


