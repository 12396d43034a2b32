"""What is done with many runs: exponents, diagrams, orbits, basins, sweeps, gradients, convergence, the literature.

The functions are named like the commands, and so is what they return: a :class:`Result` has the keys of
``carom ... --json``. Options that are not named here go through ``options``; ``params`` are parameters and initial
values. A model is a :class:`Model`, the path of a model file or the name of a built-in model.
"""
from __future__ import annotations

import ctypes
import os
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from ._library import Job, check, constant, doubles, library, sized, strings, struct
from ._model import Model, Params, make_options, settings
from ._progress import watcher

AnyModel = Union[Model, str, os.PathLike]
Range = tuple[float, float, int]


class Result(dict):
    """What an analysis found: ``result["period"]`` or ``result.period``."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no '{name}' (there are: {', '.join(self)})") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]


def _prepare(model: AnyModel, params: Optional[Params], **given: Any) -> tuple[Model, Any, dict[str, str]]:
    made = model if isinstance(model, Model) else Model.from_file(model)
    made = made.replace(params) if params else made
    words = settings(**given)
    return made, make_options(made, words), words


def _sharpen(options: Any, words: Mapping[str, str], tolerance: float) -> None:
    """Tolerances of what needs more than a run does, unless they were given."""
    for key in ("rtol", "atol"):
        if key not in words:
            setattr(options, key, tolerance)


def _named(names: Sequence[str], values: Any) -> dict[str, float]:
    return dict(zip(names, (float(value) for value in values)))


def _member(kind: str, name: str) -> Any:
    return dict(struct[kind]._fields_)[name]


def _stop(job: Job, request: Any) -> None:
    """Ctrl-C reaches the library through a flag."""
    request.user = job.user
    request.stop = job.stop_callback(_member(type(request).__name__, "stop"))


def _finish(job: Job, call: Any, error: Any, model: Optional[Model] = None) -> None:
    if model is not None:
        model._job = job
    try:
        check(job.run(call), error)
    finally:
        if model is not None:
            model._job = None


# ---- Lyapunov exponents ----

_MEASURED = ("sum_rule_defect", "kaplan_yorke", "regular", "length")


def _exponents(r: Any) -> dict[str, Any]:
    found = {"exponents": np.array(r.exponent[:r.n]), "stderr": np.array(r.error[:r.n]),
             "impacts_per_period": r.impacts, "flag": r.flag.decode() if r.flag else None}
    return {**found, **{key: getattr(r, key) for key in _MEASURED}}


def lyapunov(model: AnyModel, *, periods: Optional[int] = None, time: Optional[float] = None, transient: int = 100,
             method: str = "tangent", epsilon: float = 0.0, starts: int = 1, exponents: int = 0, parts: int = 0,
             blocks: int = 100, seed: int = 0, threads: int = 0, scheme: Optional[str] = None,
             h: Optional[float] = None, rtol: Optional[float] = None, atol: Optional[float] = None,
             params: Optional[Params] = None, options: Optional[Mapping[str, Any]] = None,
             progress: Any = None) -> Result:
    """Lyapunov exponents per period of the forcing, or per unit of time; -inf where a direction is lost.

    >>> found = lyapunov("impact-oscillator", periods=200)
    >>> len(found.exponents), found.per
    (2, 'period')
    """
    made, o, _ = _prepare(model, params, scheme=scheme, h=h, rtol=rtol, atol=atol, options=options)
    o.energy = False
    request = library.carom_lyapunov_request_default()
    unit = made.period or 1.0
    request.method = constant["CAROM_LYAPUNOV_" + method.upper()]
    if periods is not None:
        request.length = periods
    elif time is not None:
        request.length = max(1, int(np.ceil(time / unit - 1e-9)))
    request.transient, request.exponents, request.parts = transient, exponents, parts
    request.blocks, request.epsilon = blocks, epsilon or request.epsilon
    job, error = Job(watcher(progress), float((request.length + transient) * starts)), struct["carom_error"]()
    _stop(job, request)

    def go_on(_: Any, done: int) -> bool:
        job.done = done
        return True

    if progress:
        request.go_on = _member("carom_lyapunov_request", "go_on")(job.guard(go_on, False))
    each = (struct["carom_lyapunov_result"] * starts)()
    mean = struct["carom_lyapunov_result"]()
    _finish(job, lambda: library.carom_lyapunov_starts(made._c, ctypes.byref(o), ctypes.byref(request), starts, seed,
                                                       threads, each, ctypes.byref(mean), ctypes.byref(error)),
            error, made)
    return Result(model=made.name, scheme=o.scheme.decode(), method=method, per="period" if made.period else "time",
                  unit=mean.per, **_exponents(mean), slowest_impact=mean.slowest, validity_radius=mean.radius,
                  grazing=mean.grazing, transient=transient, starts=[Result(_exponents(one)) for one in each])


# ---- bifurcation diagrams ----

def bifurcate(model: AnyModel, parameter: str, values: Range, *, map: str = "strobe", section: Optional[str] = None,
              crossing: str = "up", contact: Optional[str] = None, after: bool = False, of: Optional[str] = None,
              transient: int = 200, show: int = 100, limit: int = 0, direction: str = "up", fresh: bool = False,
              exponent: int = 0, threads: int = 0, scheme: Optional[str] = None, h: Optional[float] = None,
              rtol: Optional[float] = None, atol: Optional[float] = None, params: Optional[Params] = None,
              options: Optional[Mapping[str, Any]] = None, progress: Any = None) -> Result:
    """The points that the settled motion leaves in a map, for ``values = (from, to, n)`` of a parameter.

    >>> found = bifurcate("impact-oscillator", "w", (2.5, 2.6, 3), transient=20, show=5)
    >>> [len(row.points) for row in found.rows]
    [5, 5, 5]
    """
    made, o, _ = _prepare(model, params, scheme=scheme, h=h, rtol=rtol, atol=atol, options=options)
    made = made.replace() if made is model else made  # the call leaves its last value in the model
    ways = {"up": 1, "down": -1, "both": 0}
    start, end, n = values
    map = "section" if section else map
    request = sized(
        "carom_bifurcation_request", name=parameter.encode(), to=end, n=n, direction=ways[direction],
        fresh=fresh or parameter[:2] in ("q.", "v."), map=constant["CAROM_MAP_" + map.upper()],
        section=section.encode() if section else None, crossing=ways[crossing],
        contact=contact.encode() if contact else None, after=after, of=of.encode() if of else None,
        transient=transient, show=show, limit=limit, exponent=exponent, threads=threads)
    setattr(request, "from", start)
    job, error = Job(watcher(progress), float(n)), struct["carom_error"]()
    _stop(job, request)

    def go_on(_: Any, done: int, everything: int) -> bool:
        job.done, job.total = done, everything
        return True

    if progress:
        request.go_on = _member("carom_bifurcation_request", "go_on")(job.guard(go_on, False))
    result = ctypes.POINTER(struct["carom_bifurcation"])()
    try:
        _finish(job, lambda: library.carom_bifurcation_run(ctypes.byref(result), made._c, ctypes.byref(o),
                                                           ctypes.byref(request), ctypes.byref(error)), error, made)
        b = result.contents
        rows = []
        for slot in range(b.passes * b.n):
            count, first = b.count[slot], slot * b.show
            if count >= 0:
                row = Result(value=b.value[slot % b.n], direction="up" if b.direction[slot // b.n] > 0 else "down",
                             points=np.array(b.x[first:first + count]), t=np.array(b.t[first:first + count]))
                rows.append(Result(row, exponent=b.exponent[slot]) if exponent else row)
        return Result(model=made.name, scheme=o.scheme.decode(), parameter=parameter, map=map, failed=b.failed,
                      failure=b.failure.decode(), rows=rows)
    finally:
        library.carom_bifurcation_free(result)


# ---- gradients ----

_FLAGS = ("RANK", "ONE_SIDED", "NONE", "GRAZING", "BEYOND")


def gradient(model: AnyModel, of: str, with_respect_to: Optional[Sequence[str]] = None, *, check: bool = True,
             t_end: Optional[float] = None, scheme: Optional[str] = None, rtol: Optional[float] = None,
             atol: Optional[float] = None, params: Optional[Params] = None,
             options: Optional[Mapping[str, Any]] = None) -> Result:
    """Derivatives, exact through impacts, of an expression of the state at t_end or of the time of ``event:N``.

    >>> found = gradient("bouncing-ball", "event:1", ["q.y"], check=False)  # t = sqrt(2 y/g)
    >>> round(found.gradient["q.y"], 12)
    0.316227766017
    """
    made, o, words = _prepare(model, params, t_end=t_end, scheme=scheme, rtol=rtol, atol=atol, options=options)
    _sharpen(o, words, 1e-11)
    o.energy = False
    names = list(with_respect_to) if with_respect_to is not None else [
        *made.parameters, *(f"q.{name}" for name in made.coordinates), *(f"v.{name}" for name in made.coordinates)]
    slope, difference, side = np.full(len(names), np.nan), np.full(len(names), np.nan), np.zeros(len(names), np.uint8)
    event = int(of[6:]) if of.startswith("event:") else 0
    g = sized("carom_gradient", of=of.encode(), event=event, name=strings(names), n=len(names), check=check,
              slope=slope.ctypes.data_as(ctypes.POINTER(ctypes.c_double)),
              difference=difference.ctypes.data_as(ctypes.POINTER(ctypes.c_double)),
              side=side.ctypes.data_as(ctypes.POINTER(ctypes.c_ubyte)))
    job, error = Job(), struct["carom_error"]()
    _finish(job, lambda: library.carom_gradient_run(ctypes.byref(g), made._c, ctypes.byref(o), ctypes.byref(error)),
            error, made)
    found = Result(model=made.name, of=of, value=g.value, gradient=_named(names, slope), radius=g.radius,
                   one_sided=[name for name, one in zip(names, side) if one],
                   flags=[flag.lower() for flag in _FLAGS if g.flags & constant[f"CAROM_TANGENT_{flag}"]])
    return Result(found, differences=_named(names, difference)) if check else found


# ---- fits ----

def fit(model: AnyModel, data: Mapping[str, Any],
        estimate: Union[Sequence[str], Mapping[str, Optional[Sequence[float]]]], *,
        columns: Optional[Sequence[str]] = None, sigma: Optional[Mapping[str, float]] = None, starts: int = 1,
        seed: int = 0, sequence: bool = False, iterations: int = 0, scheme: Optional[str] = None,
        rtol: Optional[float] = None, atol: Optional[float] = None, params: Optional[Params] = None,
        options: Optional[Mapping[str, Any]] = None) -> Result:
    """Parameters and initial values from measured motion, with confidence intervals.

    ``data``: columns by name, ``t`` among them (a dictionary, or a pandas.DataFrame), where NaN is a gap. ``estimate``:
    names, or a dictionary of names and bounds.

    >>> true = Model.from_file("bouncing-ball").run(t_end=2, rtol=1e-12, t_eval=np.linspace(0, 2, 50),
    ...                                             options={"atol": 1e-12}, params={"e": 0.83})
    >>> found = fit("bouncing-ball", {"t": true.t, "y": true["y"]}, {"e": (0, 1), "g": None})
    >>> round(found.estimate["e"]["value"], 8), found.converged
    (0.83, True)
    """
    made, o, words = _prepare(model, params, scheme=scheme, rtol=rtol, atol=atol, options=options)
    made = made.replace()  # the call leaves the estimate in the model
    _sharpen(o, words, 1e-11)
    names = list(estimate)
    bounds = [(estimate[name] or (-np.inf, np.inf)) if isinstance(estimate, Mapping) else (-np.inf, np.inf)
              for name in names]
    of = list(columns) if columns is not None else [name for name in data if name != "t"]
    t = np.ascontiguousarray(data["t"], dtype=float)
    value = np.ascontiguousarray(np.column_stack([np.asarray(data[name], dtype=float) for name in of]))
    pointer = ctypes.POINTER(ctypes.c_double)
    request = sized("carom_fit_request", name=strings(names), n=len(names), low=doubles(low for low, _ in bounds),
                    high=doubles(high for _, high in bounds), t=t.ctypes.data_as(pointer), of=strings(of),
                    value=value.ctypes.data_as(pointer), samples=t.size, nof=len(of), starts=starts, seed=seed,
                    iterations=iterations, sequence=sequence)
    if sigma is not None:
        request.sigma = doubles(sigma[name] for name in of)
    job, error, result = Job(), struct["carom_error"](), ctypes.POINTER(struct["carom_fit"])()
    _stop(job, request)
    try:
        _finish(job, lambda: library.carom_fit_run(ctypes.byref(result), made._c, ctypes.byref(o),
                                                   ctypes.byref(request), ctypes.byref(error)), error, made)
        f, n = result.contents, len(names)
        one = {name: {key: getattr(f, part)[k] for key, part in
                      (("value", "value"), ("stderr", "error"), ("low", "low"), ("high", "high"), ("start", "first"))}
               for k, name in enumerate(names)}
        return Result(model=made.name, estimate=one, deviation=_named(of, f.deviation[:f.nof]),
                      covariance=np.array(f.covariance[:n * n]).reshape(n, n),
                      residual={name: np.array(f.residual[j:f.nof * t.size:f.nof]) for j, name in enumerate(of)},
                      starts=[{"cost": f.start_cost[s], "value": _named(names, f.start_value[s * n:(s + 1) * n])}
                              for s in range(f.starts)],
                      **{key: getattr(f, key) for key in ("samples", "used", "cost", "iterations", "runs", "rank",
                                                          "converged")})
    finally:
        library.carom_fit_free(result)


# ---- periodic orbits ----

def _orbit_point(made: Model, point: Any, parameters: Sequence[str]) -> Result:
    nq, n = made._m.nq, made._m.nq + made._m.nv
    x = point.x[:n]
    kind = library.carom_branch_event_name(point.kind).decode() if point.kind >= 0 else ""
    parts = np.array(point.multiplier[:2 * point.nmultiplier]).reshape(-1, 2)
    found = Result(period=point.period, q=_named(made.coordinates, x[:nq]), v=_named(made.coordinates, x[nq:]),
                   multipliers=parts[:, 0] + 1j * parts[:, 1], stable=bool(point.stable), impact_count=point.impacts,
                   residual=point.residual, iterations=point.iterations, kind=kind, parameter=point.parameter,
                   slowest=point.slowest, nearest=point.nearest)
    state = [*(f"q.{name}" for name in made.coordinates), *(f"v.{name}" for name in made.coordinates)]
    if parameters:
        count = len(parameters)
        found["sensitivity"] = {name: _named(state, point.x_p[k:n * count:count]) for k, name in enumerate(parameters)}
    return found


def orbit(model: AnyModel, *, multiple: int = 1, transient: float = 200, period: float = 0.0,
          relative: Union[Sequence[str], Mapping[str, float]] = (), sensitivity: bool = False,
          branch: Optional[Mapping[str, Range]] = None, points: int = 2000,
          scheme: Optional[str] = None, rtol: Optional[float] = None, atol: Optional[float] = None,
          t_end: Optional[float] = None, params: Optional[Params] = None,
          options: Optional[Mapping[str, Any]] = None, progress: Any = None) -> Result:
    """The periodic orbit that the motion tends to, with its multipliers; ``branch={"w": (2.3, 2.8, 25)}`` follows it.

    ``relative``: coordinates that drift (``["y"]``), or repeat in steps (``{"x": 0, "phi": 2*pi}``).

    >>> found = orbit("impact-oscillator", params={"w": 2.5, "alpha": 0.05, "e": 0.5, "umin": 0})
    >>> found.stable, len(found.multipliers)
    (True, 2)
    """
    varied, (start, end, n) = next(iter(branch.items())) if branch else ("", (0.0, 0.0, 1))
    given = {**(params or {}), **({varied: start} if varied else {})}
    made, o, words = _prepare(model, given, t_end=t_end, scheme=scheme, rtol=rtol, atol=atol, options=options)
    _sharpen(o, words, 1e-12)
    o.energy = False
    wanted = [varied] if varied else []
    wanted += [name for name in made.parameters if sensitivity and name != varied]
    request = sized("carom_orbit_request", multiple=multiple, transient=transient, period=period,
                    parameter=strings(wanted), np=len(wanted), to=end, step=(end - start) / n if varied else 0.0,
                    points=points)
    steps = list(relative.values()) if isinstance(relative, Mapping) else [0.0] * len(relative)
    request.relative, request.relative_step = strings(list(relative)), doubles(steps)
    request.nrelative = len(steps)
    job, error, ended = Job(watcher(progress), end), struct["carom_error"](), ctypes.create_string_buffer(200)
    _stop(job, request)
    found: list[Result] = []

    def take(_: Any, point: Any) -> bool:
        one = _orbit_point(made, point.contents, wanted if sensitivity else [])
        found.append(Result(one, shift=_named(list(relative), point.contents.shift[:len(steps)])) if steps else one)
        job.done = point.contents.parameter
        return True

    request.point = _member("carom_orbit_request", "point")(job.guard(take, False))
    _finish(job, lambda: library.carom_orbit_run(made._c, ctypes.byref(o), ctypes.byref(request), ended,
                                                 ctypes.byref(error)), error, made)
    result = Result(model=made.name, multiple=multiple, **found[0])
    if varied:
        result["branch"] = Result(parameter=varied, ended=ended.value.decode(), points=found, bifurcations=[
            {"kind": one.kind, "value": one.parameter} for one in found if one.kind])
    return result


# ---- sweeps and basins ----

def _request(made: Model, words: Mapping[str, str], axes: Mapping[str, Sequence[float]], design: str, points: int,
             seed: int, threads: int) -> Any:
    axis = (struct["carom_sweep_axis"] * len(axes))()
    for place, (name, span) in zip(axis, axes.items()):
        place.name, place.to, place.n = name.encode(), span[1], int(span[2]) if len(span) > 2 else 0
        setattr(place, "from", span[0])
    setting = (struct["carom_setting"] * max(len(words), 1))()
    for place, (key, value) in zip(setting, words.items()):
        place.key, place.value = key.encode(), value.encode()
    request = sized("carom_sweep_request", fixed=strings(list(made._params)),
                    fixed_value=doubles(made._params.values()), nfixed=len(made._params), setting=setting,
                    nsetting=len(words), design=constant["CAROM_DESIGN_" + design.upper()], axis=axis,
                    naxis=len(axes), points=points, seed=seed, threads=threads)
    for key, value in made._load_options.items():
        setattr(request.load, key, value)
    if made._functions is None:
        request.path = made._source().encode()
    else:  # Python runs one thread at a time
        request.model, request.nfixed, request.threads = made._c, 0, 1
    return request


def sweep(model: AnyModel, axes: Mapping[str, Sequence[float]], measure: Union[str, Sequence[str]], *,
          design: str = "grid", points: int = 0, seed: int = 0, periods: Optional[float] = None,
          time: Optional[float] = None, transient: float = 0.0, threads: int = 0, t_end: Optional[float] = None,
          scheme: Optional[str] = None, h: Optional[float] = None, rtol: Optional[float] = None,
          atol: Optional[float] = None, params: Optional[Params] = None,
          options: Optional[Mapping[str, Any]] = None, progress: Any = None) -> Result:
    """Measures of many runs: ``axes={"e": (0.5, 0.9, 5)}`` of a grid, ``(0.5, 0.9)`` of random and Sobol points.

    The columns are arrays by name, in the order of the points; ``status`` and ``text`` tell which have failed and why.

    >>> found = sweep("bouncing-ball", {"e": (0.5, 0.9, 3)}, ["impacts", "max:y"])
    >>> found["e"].tolist(), found["max:y"].tolist()
    ([0.5, 0.7, 0.9], [0.5, 0.5, 0.5])
    """
    made, _, words = _prepare(model, params, t_end=t_end, scheme=scheme, h=h, rtol=rtol, atol=atol, options=options)
    measures = [measure] if isinstance(measure, str) else list(measure)
    request = _request(made, words, axes, design, points, seed, threads)
    request.span.unit = constant["CAROM_SPAN_" + ("PERIODS" if periods else "TIME" if time else "RUN")]
    request.span.length, request.span.transient = periods or time or 0.0, transient
    request.measure, request.nmeasure = strings(measures), len(measures)
    count = points if design != "grid" else int(np.prod([span[2] for span in axes.values()]))
    job, error = Job(watcher(progress), float(count)), struct["carom_error"]()
    _stop(job, request)
    table = np.full((count, len(axes) + len(measures)), np.nan)
    status, text = np.full(count, -1), [""] * count

    def take(_: Any, index: int, x: Any, ended: int, value: Any, why: Any) -> int:
        table[index] = [*x[:len(axes)], *value[:len(measures)]]
        status[index], text[index] = ended, why.decode() if why else ""
        job.done += 1
        return 0

    request.row = _member("carom_sweep_request", "row")(job.guard(take, constant["CAROM_INTERRUPTED"]))
    _finish(job, lambda: library.carom_sweep_compute(ctypes.byref(request), ctypes.byref(error)), error)
    columns = {name: table[:, k].copy() for k, name in enumerate([*axes, *measures])}
    return Result(**columns, status=status, text=text)


def basin(model: AnyModel, axes: Mapping[str, Range], *, periods: int = 500, transient: int = 0, strobe: float = 0.0,
          max_period: int = 16, tol: float = 1e-6, same: float = 1e-3, threads: int = 0,
          scheme: Optional[str] = None, h: Optional[float] = None, rtol: Optional[float] = None,
          atol: Optional[float] = None, params: Optional[Params] = None,
          options: Optional[Mapping[str, Any]] = None) -> Result:
    """Which attractor each point of a grid ends on; ``owner`` has the shape of the grid, the last axis first.

    >>> found = basin("impact-oscillator", {"q.u": (0.5, 2, 2), "v.u": (-1, 1, 2)}, periods=100,
    ...               params={"alpha": 0.05, "e": 0.5, "umin": 0})
    >>> found.owner.shape, found.failed
    ((2, 2), 0)
    """
    made, _, words = _prepare(model, params, scheme=scheme, h=h, rtol=rtol, atol=atol, options=options)
    request = _request(made, words, axes, "grid", 0, 0, threads)
    ask = sized("carom_basin", strobe=strobe, transient=transient, most=periods, max_period=max_period, tol=tol)
    job, error, basins = Job(), struct["carom_error"](), struct["carom_basins"]()
    _stop(job, request)
    _finish(job, lambda: library.carom_basin_compute(ctypes.byref(basins), ctypes.byref(request), ctypes.byref(ask),
                                                     same, ctypes.byref(error)), error)
    try:
        sizes = [int(span[2]) for span in axes.values()]
        names = [*(f"q.{name}" for name in made.coordinates), *(f"v.{name}" for name in made.coordinates)]
        attractors = []
        for number in range(basins.n):
            a = basins.attractor[number]
            orbit_of = np.array(a.orbit[:a.period * len(names)]).reshape(a.period, len(names))
            attractors.append(Result(number=number + 1, kind="rest" if a.rest else "periodic", period=a.period,
                                     count=a.count, share=a.count / float(np.prod(sizes)), first=a.first,
                                     orbit=[_named(names, row) for row in orbit_of]))
        owner = np.array(basins.owner[:int(np.prod(sizes))]).reshape(sizes[::-1])
        return Result(model=made.name, points=int(np.prod(sizes)), attractors=attractors, owner=owner,
                      **{key: getattr(basins, key) for key in ("not_periodic", "stopped", "failed", "missing")})
    finally:
        library.carom_basins_free(ctypes.byref(basins))


# ---- convergence ----

def converge(model: AnyModel, schemes: Sequence[str] = ("moreau-jean",), *, h: Sequence[float] = (),
             rtol: Sequence[float] = (), norms: Sequence[str] = ("L1.q", "L1.v"), shifts: int = 5,
             reference: str = "auto", threads: int = 0, t_end: Optional[float] = None,
             params: Optional[Params] = None, options: Optional[Mapping[str, Any]] = None,
             progress: Any = None) -> Result:
    """Errors against steps or tolerances, and the fitted orders.

    >>> found = converge("bouncing-ball", ["moreau-jean"], h=[0.01, 0.005, 0.0025, 0.00125])
    >>> 0.8 < found.orders["moreau-jean"]["L1.q"]["order"] < 1.2
    True
    """
    made, o, _ = _prepare(model, params, t_end=t_end, options=options)
    steps, tolerances = list(h), list(rtol)
    if not steps and not tolerances:
        steps = [(o.t_end if o.t_end > 0 else 1.0) / 50 / 2**i for i in range(5)]
        tolerances = [1e-4, 1e-5, 1e-6, 1e-7, 1e-8]
    request = sized("carom_converge_request", model=made._c, options=ctypes.pointer(o), schemes=strings(list(schemes)),
                    norms=strings(list(norms)), h=doubles(steps), rtol=doubles(tolerances), nscheme=len(schemes),
                    nnorm=len(norms), nh=len(steps), nrtol=len(tolerances), shifts=shifts,
                    reference=constant["CAROM_REFERENCE_" + reference.upper()], threads=threads)
    job, error, result = Job(watcher(progress)), struct["carom_error"](), struct["carom_converge_result"]()
    _stop(job, request)

    def watch(_: Any, done: int, runs: int) -> bool:
        job.done, job.total = done, runs
        return True

    if progress:
        request.progress = _member("carom_converge_request", "progress")(job.guard(watch, False))
    try:
        _finish(job, lambda: library.carom_converge_run(ctypes.byref(request), ctypes.byref(result),
                                                        ctypes.byref(error)), error, made)
        rows = [Result({name: getattr(row, name) for name, _ in row._fields_}, scheme=schemes[row.scheme],
                       norm=norms[row.norm]) for row in result.row[:result.nrow]]
        orders: dict[str, dict[str, Any]] = {scheme: {} for scheme in schemes}
        for one in result.order[:result.norder]:
            orders[schemes[one.scheme]][norms[one.norm]] = {
                key: getattr(one, key) for key in ("order", "spread", "envelope", "constant", "points")}
        return Result(model=made.name, reference=result.reference.decode(), t_end=result.t_end, rows=rows,
                      orders=orders, failed=result.failed, failure=result.failure.decode())
    finally:
        library.carom_converge_free(ctypes.byref(result))


# ---- the literature ----

def reproduce(ids: Union[None, str, Sequence[str]] = None, *, quick: bool = False, threads: int = 0,
              progress: Any = None) -> list[Result]:
    """Figures and tables of the literature, computed and checked; without ids all, or the quick ones.

    >>> [found] = reproduce("001-fig1", quick=True)
    >>> found.verdict
    'pass'
    """
    chosen = [ids] if isinstance(ids, str) else list(ids) if ids is not None else []
    flag = ctypes.c_bool()
    for i in range(10000 if ids is None else 0):
        name = library.carom_reproduce_id(i, ctypes.byref(flag))
        if not name:
            break
        if flag.value or not quick:
            chosen.append(name.decode())
    found: list[Result] = []
    job, error = Job(watcher(progress), float(len(chosen))), struct["carom_error"]()

    def take(_: Any, one: Any) -> None:
        r = one.contents
        texts = {key: getattr(r, key).decode() if getattr(r, key) else None
                 for key in ("id", "title", "verdict", "command", "message")}
        found.append(Result(texts, wall_s=r.wall_s, checks=[
            Result(what=c.what.decode(), measured=c.measured, least=c.least, most=c.most, passes=c.passes)
            for c in r.check[:r.ncheck]]))

    for name in chosen:
        request = sized("carom_reproduce_request", id=name.encode(), quick=quick, threads=threads)
        request.found = _member("carom_reproduce_request", "found")(job.guard(take))
        _stop(job, request)
        _finish(job, lambda: library.carom_reproduce_run(ctypes.byref(request), ctypes.byref(error)), error)
        job.done += 1
    return found
