"""A trajectory that was computed: samples, dense values, forces, events, energy."""
from __future__ import annotations

import ctypes
import functools
import html
import os
import sys
import tempfile
import weakref
from typing import Any, Callable, Mapping, NamedTuple, Optional

import numpy as np

from ._library import (CaromError, Job, RunError, check as check_status, constant, failure, library, sized,
                       status_name, strings, struct)
from ._model import Model, make_options
from ._progress import watcher


class Event(NamedTuple):
    """An impact, or a contact that closes, opens, sticks or slips."""

    type: str
    t: float
    contact: str
    u_before: np.ndarray  #: velocities of the contact: normal, tangential
    u_after: np.ndarray
    impulse: np.ndarray


class State(NamedTuple):
    """Positions and velocities at one time or at many (one row for each)."""

    q: np.ndarray
    v: np.ndarray


def _pointer(array: Optional[np.ndarray], kind: Any = ctypes.c_double) -> Any:
    return None if array is None else array.ctypes.data_as(ctypes.POINTER(kind))


class Html(str):
    """A text that a notebook shows as HTML."""

    def _repr_html_(self) -> str:
        return str(self)


class Solution:
    """What :meth:`Model.run` returns. A solution is callable: ``q, v = solution(t)`` at any times, from dense output.

    >>> sol = Model.from_file("bouncing-ball").run(t_end=1, t_eval=[0, 0.1, 0.2])
    >>> sol.q[:, 0].round(6).tolist()
    [0.5, 0.45, 0.3]
    >>> sol(0.1).v.round(6).tolist()
    [-1.0]
    >>> sol["y'"].round(6).tolist()
    [0.0, -1.0, -2.0]
    """

    model: Model
    status: str  #: ``"OK"``, ``"STOPPED"`` by the model's stop condition, or what went wrong
    message: str  #: why it failed; empty: it did not
    note: str  #: what a reader of the results must know
    scheme: str
    t_end: float
    stats: dict  #: counts, worst penetration and residual, energy balance
    t: np.ndarray  #: [n]
    end: State  #: with which the run ended, to the last bit; ``q[-1]`` is from dense output, the same up to rounding

    def __init__(self, model: Model, trajectory: Any) -> None:
        self.model, self._trajectory = model, trajectory
        self._finalizer = weakref.finalize(self, library.carom_trajectory_free, trajectory)

    @property
    def success(self) -> bool:
        """Did the run reach its end?"""
        return self.status in ("OK", "STOPPED")

    # ---- dense output ----

    def __call__(self, t: Any, side: int = 1) -> State:
        """q and v at t: a number or an array of any order. At a jump the right limit, with ``side=-1`` the left."""
        times = np.asarray(t, dtype=float)
        flat = np.ascontiguousarray(times.ravel())
        order = None if flat.size < 2 or np.all(flat[1:] >= flat[:-1]) else np.argsort(flat, kind="stable")
        q, v = self._sample(flat if order is None else flat[order], side)
        if order is not None:
            back = np.empty_like(order)
            back[order] = np.arange(order.size)
            q, v = q[back], v[back]
        return State(q.reshape(times.shape + q.shape[1:]), v.reshape(times.shape + v.shape[1:]))

    def _sample(self, t: np.ndarray, side: int) -> tuple[np.ndarray, np.ndarray]:
        m = self.model._m
        q, v = np.empty((t.size, m.nq)), np.empty((t.size, m.nv))
        status = library.carom_trajectory_sample(self._trajectory, t.size, _pointer(t), side, _pointer(q), _pointer(v))
        if status:
            raise failure(status, f"times from {t.min():g} to {t.max():g}: the run lies in {self._span()}")
        return q, v

    def _span(self) -> str:
        parts = self._segments
        return f"[{parts['t0'][0]:g}, {parts['t1'][-1]:g}]" if parts.size else "no interval: no step was taken"

    def _list(self, kind: str, count: int, read: Callable[..., Any]) -> np.ndarray:
        """One of the trajectory's lists as a numpy array of records, without copying."""
        if count == 0:
            return np.empty(0, dtype=_record_type(kind))
        base = ctypes.addressof(read(self._trajectory, 0).contents)
        buffer = (ctypes.c_char * (count * ctypes.sizeof(struct[kind]))).from_address(base)
        return np.frombuffer(buffer, dtype=_record_type(kind))

    @functools.cached_property
    def _counts(self) -> tuple[int, int, int]:
        numbers = [ctypes.c_size_t() for _ in range(3)]
        library.carom_trajectory_counts(self._trajectory, *[ctypes.byref(number) for number in numbers])
        return tuple(number.value for number in numbers)  # type: ignore[return-value]

    @functools.cached_property
    def _segments(self) -> np.ndarray:
        return self._list("carom_segment", self._counts[0], library.carom_trajectory_segment)

    def _nodes(self) -> tuple[np.ndarray, np.ndarray]:
        """Ends of the steps; those of jumps twice, the first one from the left."""
        if not self._counts[0]:
            return np.empty(0), np.empty(0, dtype=bool)
        parts = self._segments
        jumps = self._list("carom_jump", self._counts[1], library.carom_trajectory_jump)["t"]
        times = np.unique(np.concatenate([parts["t0"][:1], parts["t1"]]))
        jumping = np.isin(times, jumps)
        t = np.repeat(times, 1 + jumping)
        left = np.zeros(t.size, dtype=bool)
        left[(np.cumsum(1 + jumping) - 2)[jumping]] = True
        return t, left

    # ---- samples ----

    def _set_times(self, t_eval: Any) -> None:
        if t_eval is None:
            self.t, self._left = self._nodes()
        else:
            self.t = np.array(t_eval, dtype=float).ravel()
            self._left = np.zeros(self.t.size, dtype=bool)

    @functools.cached_property
    def _state(self) -> State:
        if not self.t.size:
            return State(np.empty((0, self.model._m.nq)), np.empty((0, self.model._m.nv)))
        q, v = self(self.t)
        if self._left.any():
            q[self._left], v[self._left] = self(self.t[self._left], side=-1)
        return State(q, v)

    @property
    def q(self) -> np.ndarray:
        """Positions [n, nq] at ``t``."""
        return self._state.q

    @property
    def v(self) -> np.ndarray:
        """Velocities [n, nv] at ``t``."""
        return self._state.v

    @functools.cached_property
    def _contacts(self) -> tuple[np.ndarray, np.ndarray]:
        m = self.model._m
        nrow = m.njoint + m.ncontact + sum(m.contact[i].directions for i in range(m.ncontact))
        force, mode = np.zeros((self.t.size, nrow)), np.zeros((self.t.size, m.ncontact), dtype=np.uint8)
        order = np.argsort(self.t, kind="stable")
        for side in (1, -1):
            which = order[self._left[order] == (side < 0)]
            if which.size:
                f, k = np.empty((which.size, nrow)), np.empty((which.size, m.ncontact), dtype=np.uint8)
                check_status(library.carom_trajectory_contacts(
                    self._trajectory, which.size, _pointer(np.ascontiguousarray(self.t[which])), side, _pointer(f),
                    _pointer(k, ctypes.c_ubyte)))
                force[which], mode[which] = f, k
        return force, mode

    def _by_row(self, force: np.ndarray) -> dict[str, np.ndarray]:
        m = self.model._m
        names = list(self.model.joints)
        for i, name in enumerate(self.model.contacts):
            names += [name, *{0: [], 1: [f"{name}.t"], 2: [f"{name}.t1", f"{name}.t2"]}[m.contact[i].directions]]
        return {name: force[:, row] for row, name in enumerate(names)}

    @functools.cached_property
    def forces(self) -> dict[str, np.ndarray]:
        """Forces [n] of joints and contacts at t: ``forces["ground"]`` is normal, ``forces["ground.t"]`` (spatial:
        ``.t1``, ``.t2``) friction. Of a model that finds its contacts: those of joints, means over steps."""
        mean, mode = self._contacts
        if self.model._m.links or not mean.size:
            return self._by_row(mean)
        force, error = np.empty_like(mean), struct["carom_error"]()
        t, q, v = (np.ascontiguousarray(part) for part in (self.t, self.q, self.v))
        check_status(library.carom_model_reactions(self.model._c, None, self.t.size, _pointer(t), _pointer(q),
                                                   _pointer(v), _pointer(mode, ctypes.c_ubyte), _pointer(force),
                                                   ctypes.byref(error)), error)
        return self._by_row(force)

    @functools.cached_property
    def mean_forces(self) -> dict[str, np.ndarray]:
        """The same as means over the step that holds t: what the step has done with them."""
        return self._by_row(self._contacts[0])

    @functools.cached_property
    def modes(self) -> dict[str, np.ndarray]:
        """What each contact does [n]: 0 open, 1 closed, 2 stick, 3 slip."""
        return {name: self._contacts[1][:, i] for i, name in enumerate(self.model.contacts)}

    @functools.cached_property
    def _observed(self) -> tuple[np.ndarray, np.ndarray]:
        n, error = self.t.size, struct["carom_error"]()
        outputs, energy = np.empty((n, self.model._m.noutput)), np.empty((n, 2))
        t, q, v = (np.ascontiguousarray(part) for part in (self.t, self.q, self.v))
        check_status(library.carom_model_observe(self.model._c, None, n, _pointer(t), _pointer(q), _pointer(v),
                                                 _pointer(outputs), _pointer(energy), ctypes.byref(error)), error)
        return outputs, energy

    @property
    def energy(self) -> np.ndarray:
        """Kinetic and potential energy [n] at ``t``."""
        return self._observed[1].sum(axis=1)

    @property
    def outputs(self) -> dict[str, np.ndarray]:
        """The model's outputs [n] at ``t``."""
        return {name: self._observed[0][:, i] for i, name in enumerate(self.model.outputs)}

    @functools.cached_property
    def events(self) -> list[Event]:
        """Everything that happened to contacts, in the order of time."""
        names = [library.carom_event_name(i).decode() for i in range(constant["CAROM_EVENT_TYPES"])]
        found = self._list("carom_event", self._counts[2], library.carom_trajectory_event)
        text, rows = ctypes.create_string_buffer(200), ctypes.c_int()
        events = []
        for i, e in enumerate(found):  # contacts that come and go are known by their ids
            library.carom_event_contact(self.model._m, library.carom_trajectory_event(self._trajectory, i), text,
                                        len(text), ctypes.byref(rows))
            events.append(Event(names[e["type"]], float(e["t"]), text.value.decode(),
                                *(np.array(e[part][:rows.value]) for part in ("u_before", "u_after", "impulse"))))
        return events

    def __getitem__(self, name: str) -> np.ndarray:
        """A column [n] by its name: a coordinate, a velocity (``"y'"``), an output, a force (``"ground.reaction"`` as
        in files, or ``"ground"``), ``"energy"``, ``"t"``."""
        m = self.model
        if name in m.coordinates:
            return self.q[:, m.coordinates.index(name)]
        if name in m.velocities:
            return self.v[:, m.velocities.index(name)]
        if name in m.outputs:
            return self.outputs[name]
        if name in self._force_columns or name in self.forces:
            return self.forces[self._force_columns.get(name, name)]
        if name in ("t", "energy"):
            return getattr(self, name)
        raise KeyError(f"'{name}' (there are: {', '.join(self.columns())})")

    def columns(self) -> list[str]:
        """The names that ``solution[name]`` knows."""
        m = self.model
        return list(dict.fromkeys(["t", *m.coordinates, *m.velocities, *m.outputs, *self._force_columns, "energy"]))

    @property
    def _force_columns(self) -> dict[str, str]:
        """Names of ``forces`` by their names in files: rod.reaction, ground.reaction, ground.reaction_t; means: .force."""
        kind = "force" if self.model._m.links else "reaction"
        links, columns = {*self.model.joints, *self.model.contacts}, {}
        for name in self.forces:
            link, _, direction = name.rpartition(".")
            columns[f"{name}.{kind}" if name in links else f"{link}.{kind}_{direction}"] = name
        return columns

    def to_dataframe(self) -> Any:
        """All columns as a pandas.DataFrame; pandas must be there."""
        import pandas
        return pandas.DataFrame({name: self[name] for name in self.columns()})

    # ---- pictures ----

    def _table(self, names: list[str], arrays: list[np.ndarray]) -> tuple[Any, Any]:
        """The library's columns, and what they stand on."""
        rows = [np.ascontiguousarray(array, dtype=float) for array in arrays]
        pointers = (ctypes.POINTER(ctypes.c_double) * len(names))(*[_pointer(row) for row in rows])
        return struct["carom_columns"](title=self.model.name.encode(), ncolumn=len(names), nrow=len(rows[0]),
                                       name=strings(names), column=pointers), rows

    def at(self, t: Any) -> "Solution":
        """The same solution with its samples (``t``, ``q``, ``forces``, ...) at other times."""
        other = object.__new__(type(self))
        other.__dict__.update({key: value for key, value in self.__dict__.items() if key not in (
            "_state", "_contacts", "forces", "mean_forces", "modes", "_observed")})
        other._kept = self  # the trajectory is its
        other._set_times(t)
        return other

    def _dense_times(self, most: int = 1500) -> tuple[np.ndarray, np.ndarray]:
        """Equally spaced times and both sides of the jumps; which of them are left of a jump."""
        t, left = self._nodes()
        jump = np.repeat(t[left], 2)
        sides = np.tile([True, False], left.sum())
        even = np.setdiff1d(np.linspace(t[0], t[-1], most), jump)
        order = np.argsort(np.concatenate([even, jump]), kind="stable")
        return np.concatenate([even, jump])[order], np.concatenate([np.zeros(even.size, bool), sides])[order]

    def report(self, path: Optional[str] = None, title: Optional[str] = None) -> str:
        """One offline page: plots, contacts, energy, and an animation where the model has a section ``draw``.

        Written to ``path`` if it is given; the text of the page is returned.
        """
        dense = self.at([0.0])
        dense.t, dense._left = self._dense_times()
        names = ["t", "side", *self.model.coordinates, *self.model.velocities, *self.model.outputs]
        side = np.where(dense._left, -1.0, np.where(np.roll(dense._left, 1), 1.0, 0.0))
        arrays = [dense.t, side, *dense.q.T, *dense.v.T, *dense.outputs.values()]
        for name in self.model.contacts:
            names += [f"{name}.mode", f"{name}.force"]
            arrays += [dense.modes[name], dense.forces[name]]
        table, kept = self._table([*names, "energy"], [*arrays, dense.energy])
        error, (handle, file) = struct["carom_error"](), tempfile.mkstemp(suffix=".html")
        os.close(handle)
        try:
            check_status(library.carom_page_write(file.encode(), title.encode() if title else None,
                                                  ctypes.byref(table), self.model._c, ctypes.byref(error)), error)
            del kept
            with open(file, encoding="utf-8") as page:
                text = page.read()
        finally:
            os.unlink(file)
        if path is not None:
            with open(path, "w", encoding="utf-8") as page:
                page.write(text)
        return text

    def animation(self, height: int = 620) -> "Html":
        """The page of :meth:`report` for a notebook, with its animation."""
        page = html.escape(self.report(), quote=True)
        return Html(f'<iframe srcdoc="{page}" style="width:100%;height:{height}px;border:1px solid #ccc"></iframe>')

    def plot_svg(self, *panels: str, title: Optional[str] = None, width: int = 0, height: int = 0,
                 style: str = "screen") -> str:
        """A plot as SVG text; a panel is a column or several (``"y,y'"``). Without: coordinates and velocities.

        ``style="paper"``: for print.

        >>> Model.from_file("bouncing-ball").run().plot_svg("y")[:4]
        '<svg'
        """
        names = [name for name in self.columns() if name not in self._force_columns and name != "energy"]
        names += [column for panel in panels for column in panel.split(",") if column not in names]
        columns, kept = self._table(names, [self[name] for name in names])
        asked = panels or tuple(part for part in (",".join(self.model.coordinates), ",".join(self.model.velocities)))
        plot = sized("carom_plot", title=title.encode() if title is not None else None, width=width, height=height,
                     panels=strings(list(asked)), npanel=len(asked), paper=style == "paper")
        error, (handle, path) = struct["carom_error"](), tempfile.mkstemp(suffix=".svg")
        os.close(handle)
        try:
            check_status(library.carom_svg_plot(path.encode(), None, ctypes.byref(columns), ctypes.byref(plot),
                                                ctypes.byref(error)), error)
            with open(path, encoding="utf-8") as file:
                text = file.read()
        finally:
            os.unlink(path)
        del kept
        return text[text.index("<svg"):]

    def __repr__(self) -> str:
        last = f"t = {self._segments['t1'][-1]:g}" if self._counts[0] else "no step"
        return (f"<carom.Solution of '{self.model.name}': {self.status}, {last}, {self.stats['steps']} steps, "
                f"{self.stats['impacts']} impacts>")

    def _repr_html_(self) -> str:
        note = f"<p>{html.escape(self.message or self.note)}</p>" if self.message or self.note else ""
        return f"<div><p>{html.escape(repr(self)[1:-1])}</p>{note}{self.plot_svg() if self.t.size else ''}</div>"


def _record_type(kind: str) -> np.dtype:
    """A struct for numpy: numbers and arrays of numbers; pointers as integers."""
    names, formats, offsets = [], [], []
    for name, member in struct[kind]._fields_:
        length: tuple[int, ...] = ()
        while hasattr(member, "_length_"):
            length, member = length + (member._length_,), member._type_
        simple = isinstance(getattr(member, "_type_", None), str) and member not in (ctypes.c_char_p, ctypes.c_void_p)
        names.append(name)
        formats.append((np.dtype(member) if simple else np.dtype(np.uintp), length))
        offsets.append(getattr(struct[kind], name).offset)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": ctypes.sizeof(struct[kind])})


def statistics(info: Any) -> dict[str, Any]:
    """``carom_info`` as a dictionary, with the counts of events by name."""
    stats: dict[str, Any] = {name: getattr(info, name) for name, kind in info._fields_
                             if isinstance(getattr(kind, "_type_", None), str)}
    names = {"impact": "impacts", "closing": "closings", "opening": "openings", "stick": "sticks", "slip": "slips"}
    for i in range(constant["CAROM_EVENT_TYPES"]):
        word = library.carom_event_name(i).decode()
        stats[names.get(word, word)] = info.events[i]
    stats["zeno"] = [{"contact": z.contact, "id": z.id, "t": z.t, "impacts": z.impacts, "skipped": z.skipped}
                     for z in info.zeno[:min(info.nzeno, constant["CAROM_ZENO_MAX"])]]
    return stats


def run(model: Model, given: Mapping[str, str], t_eval: Any, progress: Any, raising: bool) -> Solution:
    """Model.run, with options as words."""
    options, job = make_options(model, given), Job(watcher(progress))
    sim = ctypes.POINTER(struct["carom_sim"])()
    model._job = job
    try:
        solution, status = _simulate(model, options, job, sim)
    except CaromError:
        raise job.exception or sys.exc_info()[1] from None  # what a Python function raised is why
    finally:
        model._job = None
        library.carom_sim_free(sim)
    solution._set_times(t_eval)
    if raising and not solution.success:
        problem = failure(status, solution.message)
        if isinstance(problem, RunError):
            problem.solution = solution
        raise problem
    return solution


def _simulate(model: Model, options: Any, job: Job, sim: Any) -> tuple[Solution, int]:
    """Runs until t_end; sim is the caller's to free."""
    error, trajectory = struct["carom_error"](), ctypes.POINTER(struct["carom_trajectory"])()
    check_status(library.carom_sim_new(ctypes.byref(sim), model._c, ctypes.byref(options), ctypes.byref(error)), error)
    check_status(library.carom_trajectory_new(ctypes.byref(trajectory), sim, ctypes.byref(error)), error)
    solution = Solution(model, trajectory)
    filled = library.carom_sim_options(sim).contents
    solution.scheme, solution.t_end = filled.scheme.decode(), filled.t_end
    job.total = solution.t_end
    job.on_stop(lambda: library.carom_sim_interrupt(sim))
    observer = _watch(job, sim) if job.progress else None  # lives as long as the run
    status = job.run(lambda: library.carom_sim_run(sim, solution.t_end))
    del observer
    state, m = library.carom_sim_state(sim).contents, model._m
    solution.end = State(np.array(state.q[:m.nq]), np.array(state.v[:m.nv]))
    solution.status = status_name(status)
    solution.message = library.carom_sim_error(sim).contents.text.decode() if not solution.success else ""
    solution.note = " ".join(filter(None, [model.note, library.carom_sim_note(sim).decode()]))
    solution.stats = statistics(library.carom_sim_info(sim).contents)
    return solution, status


def _watch(job: Job, sim: Any) -> Any:
    """An observer that keeps job.done at the time of the run."""
    def segment(_: Any, part: Any) -> None:
        job.done = part.contents.t1

    observer = sized("carom_observer")
    observer.segment = type(observer.segment)(segment)
    check_status(library.carom_sim_observe(sim, ctypes.byref(observer)))
    return observer
