"""Models, solutions, and what can go wrong."""
import os
import signal
import tempfile
import threading
import unittest

import numpy as np

import carom
from carom import _interface, _library

BALL = """carom: 1
coordinates: {y: 1}
mass: [[1]]
force: {y: -2}
contacts:
  ground: {gap: y, restitution: 0.5}
outputs: {height: 3*y}
"""


def python_ball(**more):
    given = dict(q={"y": 1.0}, parameters={"g": 2.0}, contacts=[carom.Contact("ground", 0.5)],
                 mass=lambda t, q, v, p: 1.0, force=lambda t, q, v, p: -p.g, gap=lambda t, q, v, p: q)
    return carom.Model.from_functions(**{**given, **more})


class Models(unittest.TestCase):
    def test_a_file_a_text_and_a_dictionary_are_the_same_model(self):
        import json
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ball.yaml")
            with open(path, "w") as file:
                file.write(BALL)
            made = [carom.Model.from_file(path), carom.Model.from_string(BALL), carom.Model.from_dict(
                json.loads('{"carom": 1, "coordinates": {"y": 1}, "mass": [[1]], "force": {"y": -2}, "outputs": '
                           '{"height": "3*y"}, "contacts": {"ground": {"gap": "y", "restitution": 0.5}}}'))]
            ends = [model.run(t_end=1.7).q.tolist() for model in made]
        self.assertEqual(ends[0], ends[1])
        self.assertEqual(ends[0], ends[2])

    def test_an_error_shows_file_line_column_and_a_caret(self):
        with self.assertRaises(carom.ModelError) as caught:
            carom.Model.from_string(BALL.replace("force: {y", "force: {z"), name="my.yaml")
        text = str(caught.exception)
        self.assertEqual(caught.exception.status, "BAD_MODEL")
        self.assertTrue(text.startswith("my.yaml:4:9: "), text)
        self.assertEqual(text.splitlines()[-1].strip(" |"), "^")
        self.assertIsInstance(caught.exception, ValueError)

    def test_wrong_names_are_told(self):
        ball = carom.Model.from_file("bouncing-ball")
        with self.assertRaisesRegex(carom.UsageError, "tolerance"):
            ball.run(scheme="tolerence")
        with self.assertRaises(carom.UsageError):
            ball.run(params={"nothing": 1})
        with self.assertRaisesRegex(carom.ModelError, "no-such-model"):
            carom.Model.from_file("no-such-model")
        with self.assertRaisesRegex(KeyError, "y'"):
            ball.run()["nothing"]

    def test_parameters_do_not_stick_to_a_model(self):
        ball = carom.Model.from_file("bouncing-ball")
        before = ball.run(t_end=2).q[-1, 0]
        ball.run(t_end=2, params={"e": 0.5, "q.y": 1})
        self.assertEqual(before, ball.run(t_end=2).q[-1, 0])
        self.assertEqual(ball.replace({"q.y": 2}).q.tolist(), [2.0])

    def test_functions_in_python_give_the_motion_of_the_text(self):
        text = carom.Model.from_string(BALL).run(t_end=1.9, rtol=1e-9)
        mine = python_ball().run(t_end=1.9, rtol=1e-9)
        self.assertAlmostEqual(text.q[-1, 0], mine.q[-1, 0], places=11)
        self.assertEqual([e.type for e in text.events], [e.type for e in mine.events])

    def test_friction_and_outputs_of_functions_in_python(self):
        block = carom.Model.from_functions(
            q={"x": 0, "y": 0}, v=[2, 0], contacts=[carom.Contact("floor", 0, friction=0.5, directions=1)],
            mass=lambda t, q, v, p: np.eye(2), force=lambda t, q, v, p: [0, -10], gap=lambda t, q, v, p: q[1],
            slip=lambda t, q, v, p: v[0], outputs=["twice"], output=lambda t, q, v, p: 2 * q[0])
        sol = block.run(t_end=1)
        self.assertAlmostEqual(sol.q[-1, 0], 0.4, places=6)  # v^2/(2 mu g)
        self.assertAlmostEqual(sol.outputs["twice"][-1], 0.8, places=6)
        self.assertAlmostEqual(sol.forces["floor.t"][0], -5, places=9)
        self.assertEqual(sol.modes["floor"][-1], 2)

    def test_initial_velocities_by_name_in_order_or_not_at_all(self):
        def flown(v):
            return carom.Model.from_functions(q={"x": 0, "y": 0}, v=v, mass=lambda t, q, v, p: np.eye(2),
                                              force=lambda t, q, v, p: [0, 0]).run(t_end=1).q[-1].tolist()
        self.assertEqual(flown(None), [0, 0])
        for v in ({"y": 2}, [0, 2], np.array([0.0, 2.0])):
            np.testing.assert_allclose(flown(v), [0, 2], rtol=1e-14)
        for v in ({"z": 1}, [1], [1, 2, 3]):
            with self.assertRaisesRegex(carom.UsageError, "initial velocities of x, y"):
                flown(v)

    def test_forces_of_functions_have_derivatives(self):
        model = carom.Model.from_functions(q={"y": 0}, parameters={"m": 2, "g": 10},
                                           contacts=[carom.Contact("floor", restitution=0)], gap=lambda t, q, v, p: q,
                                           mass=lambda t, q, v, p: p.m, force=lambda t, q, v, p: -p.m * p.g)
        found = carom.gradient(model, "floor.reaction", ["m", "g"], t_end=0.1)
        self.assertAlmostEqual(found.value, 20, places=9)
        self.assertAlmostEqual(found.gradient["m"], 10, places=7)
        self.assertAlmostEqual(found.gradient["g"], 2, places=7)

    def test_what_a_function_raises_comes_out_of_the_run(self):
        def broken(t, q, v, p):
            if t > 0.5:
                raise ZeroDivisionError("mine")
            return -2.0
        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            python_ball(force=broken).run(t_end=1)
        with self.assertRaisesRegex(ValueError, "mass of model 'model' returned 3 numbers, 1 are needed"):
            python_ball(mass=lambda t, q, v, p: [1, 2, 3]).run(t_end=1)


PAIR = {"carom": 1, "parameters": {"m": 2, "k": 4, "w": 1.7, "a": 1.5}, "coordinates": {"x": 0.2, "y": 0.5},
        "mass": [["m", "0.5*cos(x)"], ["0.5*cos(x)", 1]],
        "force": {"x": "-k*x + a*cos(w*t) - 0.1*x'", "y": "-y + x"},
        "contacts": {"stop": {"gap": "1 - y", "restitution": 0.7}}, "period": "2*pi/w"}


def python_pair(counts, lanes):
    """PAIR as functions; numbers and arrays are mixed in what they return."""
    def force(t, q, v, p):
        counts[np.ndim(t)] += 1
        return [-p.k * q[0] + p.a * np.cos(p.w * t) - 0.1 * v[0], q[0] - q[1]]

    def mass(t, q, v, p):
        c = 0.5 * np.cos(q[0])
        return [[p.m, c], [c, 1]]
    return carom.Model.from_functions(
        q={"x": 0.2, "y": 0.5}, parameters=PAIR["parameters"], contacts=[carom.Contact("stop", 0.7)], lanes=lanes,
        period=2 * np.pi / 1.7, mass=mass, force=force, gap=lambda t, q, v, p: 1 - q[1],
        jacobian=lambda t, q, v, p: [0, -1], offset=lambda t, q, v, p: 0, gamma=lambda t, q, v, p: 0)


class FunctionsInAnalyses(unittest.TestCase):
    def test_many_points_at_once_give_what_single_ones_give(self):
        told = {"periods": 2, "transient": 1, "starts": 8, "rtol": 1e-6, "atol": 1e-6}
        text = carom.lyapunov(carom.Model.from_dict(PAIR), **told)
        calls = {}
        for lanes in (False, True):
            calls[lanes] = [0, 0]
            mine = carom.lyapunov(python_pair(calls[lanes], lanes), **told)
            np.testing.assert_allclose(mine.exponents, text.exponents, rtol=1e-4, atol=1e-4)
        self.assertEqual(calls[False][1], 0)
        self.assertLess(sum(calls[True]), 0.5 * sum(calls[False]))

    def test_sweeps_and_diagrams_take_functions(self):
        model, text = python_pair([0, 0], True), carom.Model.from_dict(PAIR)
        told = dict(axes={"a": (1, 1.5, 2), "q.x": (0, 0.2, 2)}, measure=["impacts", "time"], t_end=2)
        mine, its = carom.sweep(model, **told), carom.sweep(text, **told)
        for name in ("a", "q.x", "impacts", "time"):
            self.assertEqual(mine[name].tolist(), its[name].tolist())
        rows = [carom.bifurcate(one, "a", (1, 1.5, 2), transient=1, show=2).rows for one in (model, text)]
        for one, other in zip(*rows):
            np.testing.assert_allclose(one.points, other.points, atol=1e-5)
        self.assertEqual(model.parameters["a"], 1.5)  # nothing has changed it
        self.assertIn("no parameter 'b'", carom.sweep(model, {"b": (0, 1, 2)}, "impacts", t_end=1).text[0])

    def test_fits_and_gradients_take_functions_and_the_names_of_their_parts(self):
        ball = python_ball(parameters={"g": 2.0, "e": 0.5}, law=lambda t, q, v, p: p.e, outputs=["root"],
                           output=lambda t, q, v, p: np.sqrt(q[0] + p.g))
        seen = ball.run(t_end=2.5, t_eval=np.linspace(0, 2.5, 40), params={"e": 0.6, "g": 2.3, "q.y": 1.1}, rtol=1e-12,
                        options={"atol": 1e-12})
        data = {"t": seen.t, "y": seen["y"], "root": seen["root"]}
        found = carom.fit(ball, data, {"e": (0, 1), "g": None, "q.y": None})
        self.assertTrue(found.converged)
        for name, true in (("e", 0.6), ("g", 2.3), ("q.y", 1.1)):
            self.assertAlmostEqual(found.estimate[name]["value"], true, delta=1e-8)
        text = carom.Model.from_string(BALL.replace("outputs: {", "outputs: {root: sqrt(y + 2), "))
        told = carom.gradient(text, "root", ["q.y", "v.y"], t_end=1.9)
        mine = carom.gradient(ball, "root", ["q.y", "v.y"], t_end=1.9)
        for name in ("q.y", "v.y"):
            self.assertAlmostEqual(mine.gradient[name], told.gradient[name], delta=1e-9)
        swept = carom.sweep(ball, {"e": (0.4, 0.6, 2)}, ["max:root", "final:y'"], t_end=1)
        self.assertAlmostEqual(swept["max:root"][0], np.sqrt(3), delta=1e-12)
        with self.assertRaisesRegex(carom.CaromError, "has no '2[*]y': t, its coordinates"):
            carom.gradient(ball, "2*y", ["e"], t_end=1)

    def test_basins_take_functions(self):
        values = {"w": 2.0, "alpha": 0.3, "e": 0.5, "umin": -0.2, "a": 1.0}
        mine = carom.Model.from_functions(
            q={"u": 1.0}, parameters=values, contacts=[carom.Contact("stop", 0.5)], lanes=True, period=np.pi,
            mass=lambda t, q, v, p: 1, gap=lambda t, q, v, p: q[0] - p.umin, law=lambda t, q, v, p: p.e,
            force=lambda t, q, v, p: p.a * np.cos(p.w * t) - 2 * p.alpha * v[0] - q[0],
            jacobian=lambda t, q, v, p: 1, offset=lambda t, q, v, p: 0, gamma=lambda t, q, v, p: 0)
        asked = dict(axes={"q.u": (0.5, 2, 2), "v.u": (-1, 1, 2)}, periods=60)
        found, told = carom.basin(mine, **asked), carom.basin("impact-oscillator", params=values, **asked)
        self.assertGreaterEqual(len(told.attractors), 1)
        self.assertEqual(found.owner.tolist(), told.owner.tolist())
        for one, other in zip(found.attractors, told.attractors):
            self.assertEqual((one.kind, one.period, one.count), (other.kind, other.period, other.count))
            for name in ("q.u", "v.u"):
                self.assertAlmostEqual(one.orbit[0][name], other.orbit[0][name], delta=1e-5)

    def test_what_a_function_returns_for_many_points_is_checked(self):
        wrong = python_ball(lanes=True, period=1.0, force=lambda t, q, v, p: [1, 2] if np.ndim(t) else -p.g)
        with self.assertRaisesRegex(ValueError, "force returned 2 numbers for several points, 1 are needed"):
            carom.lyapunov(wrong, periods=2, transient=0, starts=8)


class Solutions(unittest.TestCase):
    def setUp(self):
        self.sol = carom.Model.from_string(BALL).run(t_end=5, rtol=1e-10)

    def test_dense_values_are_the_exact_ones_in_any_order_and_shape(self):
        t = np.array([[0.9, 0.1], [1.5, 0.0]])
        exact = np.where(t <= 1, 1 - t**2, (t - 1) - (t - 1)**2)
        q, v = self.sol(t)
        self.assertEqual(q.shape, (2, 2, 1))
        np.testing.assert_allclose(q[..., 0], exact, atol=1e-9)
        self.assertEqual(self.sol(0.25).q.shape, (1,))

    def test_a_jump_has_two_sides(self):
        hit = self.sol.events[0].t
        self.assertAlmostEqual(self.sol(hit, side=-1).v[0], -2, places=9)
        self.assertAlmostEqual(self.sol(hit).v[0], 1, places=9)
        where = np.flatnonzero(self.sol.t == hit)
        self.assertEqual(where.size, 2)
        np.testing.assert_allclose(self.sol.v[where, 0], [-2, 1], atol=1e-9)

    def test_a_million_samples_agree_with_single_ones(self):
        t = np.linspace(0, 5, 1_000_001)
        q, v = self.sol(t)
        for k in (0, 1, 333_333, 999_999, 1_000_000):
            self.assertEqual(q[k, 0], self.sol(float(t[k])).q[0])
            self.assertEqual(v[k, 0], self.sol(float(t[k])).v[0])

    def test_times_outside_of_the_run_are_refused(self):
        with self.assertRaisesRegex(carom.UsageError, r"\[0, 5\]"):
            self.sol([1, 6])

    def test_forces_energy_outputs_and_events(self):
        self.assertAlmostEqual(self.sol.forces["ground"][-1], 2, places=9)  # rests with its weight
        ball = carom.Model.from_file("bouncing-ball").run(t_end=1)
        self.assertAlmostEqual(ball.energy[-1] - ball.energy[0], -ball.stats["dissipated_impact"], places=9)
        np.testing.assert_array_equal(self.sol.outputs["height"], 3 * self.sol.q[:, 0])
        first = self.sol.events[0]
        self.assertEqual((first.type, first.contact), ("impact", "ground"))
        self.assertAlmostEqual(first.impulse[0], 3, places=9)
        self.assertAlmostEqual(self.sol.stats["zeno"][0]["t"], 3, places=9)

    def test_events_of_contacts_that_are_found_have_names(self):
        model = carom.Model.from_dict({
            "carom": 1, "space": "planar", "gravity": [0, -10], "contacts": "found",
            "bodies": {"floor": {"fixed": True, "shape": {"plane": [0, 1]}},
                       "ball": {"shape": {"circle": 0.2}, "density": 1, "at": [3, 1]},
                       "box": {"shape": {"box": [1, 0.5]}, "density": 1, "at": [0, 0.7], "angle": 0.1}},
            "laws": {"default": {"friction": 0.3, "restitution": 0.5}, "ball floor": {"restitution": 0.5}}})
        events = model.run(t_end=0.6, scheme="moreau-jean", h=0.01).events
        self.assertEqual({e.contact for e in events}, {"ball floor", "box.1 floor", "box.2 floor"})
        hit = [e for e in events if e.contact == "ball floor"][0]
        self.assertEqual((hit.type, hit.impulse.size), ("impact", 1))  # no friction
        self.assertAlmostEqual(hit.u_after[0], -0.5 * hit.u_before[0])
        self.assertEqual([e for e in events if e.contact == "box.1 floor"][0].impulse.size, 2)

    def test_forces_are_those_of_the_instant_and_means_those_of_the_step(self):
        hand = carom.Model.from_dict({
            "carom": 1, "parameters": {"m": 2, "a": 0.1, "w": 8}, "coordinates": {"y": 0}, "velocities": {"y": "a*w"},
            "kinetic": "m*y'^2/2", "potential": "10*m*y",
            "contacts": {"hand": {"gap": "y - a*sin(w*t)", "restitution": 0}}})
        sol = hand.run(t_end=2, t_eval=np.linspace(0, 2, 117))
        weight = 2 * (10 - 6.4 * np.sin(8 * sol.t))
        np.testing.assert_allclose(sol.forces["hand"], weight, atol=1e-10)
        self.assertGreater(np.abs(sol.mean_forces["hand"] - weight).max(), 0.1)
        np.testing.assert_allclose(sol.at([0.3]).forces["hand"], 2 * (10 - 6.4 * np.sin(2.4)), atol=1e-10)

    def test_a_run_that_fails_says_so_and_keeps_what_there_is(self):
        model = carom.Model.from_dict({"carom": 1, "coordinates": {"y": 1}, "mass": [[1]], "force": {"y": "1/(1-t)^2"}})
        with self.assertRaises(carom.RunError) as caught:
            model.run(t_end=2)
        self.assertFalse(caught.exception.solution.success)
        told = model.run(t_end=2, check=False)
        self.assertEqual(told.message, str(caught.exception))
        self.assertLess(told.t[-1], 2)

    def test_a_page_with_an_animation(self):
        sol = carom.Model.from_file("pendulum-wall").run(t_end=2)
        page = sol.report(title="my pendulum")
        self.assertIn("my pendulum", page)
        self.assertIn("canvas", page)
        self.assertIn("<iframe", sol.animation()._repr_html_())
        again = sol.at([0.5, 1.0])
        self.assertEqual(again.q.tolist(), sol([0.5, 1.0]).q.tolist())
        self.assertEqual(len(again.forces["wall"]), 2)

    def test_pictures(self):
        self.assertIn("<svg", self.sol._repr_html_())
        self.assertIn("energy", self.sol.plot_svg("energy"))

    def test_a_dataframe_where_pandas_is(self):
        try:
            import pandas
        except ImportError:
            with self.assertRaises(ImportError):
                self.sol.to_dataframe()
            self.skipTest("there is no pandas (python3-pandas)")
        table = self.sol.to_dataframe()
        self.assertIsInstance(table, pandas.DataFrame)
        self.assertEqual(list(table.columns), self.sol.columns())
        for name in table.columns:
            self.assertEqual(table[name].tolist(), self.sol[name].tolist())
        # a contact that has the name of a coordinate hides neither
        table = carom.Model.from_string("""{carom: 1, coordinates: {y: 0}, velocities: {}, mass: {y: 1}, force: {y: -3},
            contacts: {y: {gap: y, restitution: 0}}}""").run(t_end=1).to_dataframe()
        self.assertEqual(table["y"].iloc[-1], 0)
        self.assertAlmostEqual(table["y.reaction"].iloc[-1], 3, places=12)
        # the names of files
        sled = carom.Model.from_file("sliding-block").run(t_end=0.1).to_dataframe()
        np.testing.assert_allclose(sled["floor.reaction_t"], -0.3 * sled["floor.reaction"], rtol=1e-12)


class Interruption(unittest.TestCase):
    def setUp(self):  # a shell's background jobs ignore Ctrl-C
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))

    def interrupted(self, call):
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            call()

    def test_a_run_ends_by_ctrl_c(self):
        self.interrupted(lambda: carom.Model.from_file("impact-oscillator").run(t_end=1e9))

    def test_an_analysis_ends_by_ctrl_c(self):
        self.interrupted(lambda: carom.lyapunov("impact-oscillator", periods=10**9))

    def test_functions_in_python_end_by_ctrl_c(self):
        self.interrupted(lambda: python_ball(contacts=[carom.Contact("ground", 1.0)]).run(t_end=1e9))

    def test_other_threads_run_meanwhile(self):
        counted, go = [0], [True]

        def count():
            while go[0]:
                counted[0] += 1

        thread = threading.Thread(target=count)
        thread.start()
        before = counted[0]
        carom.lyapunov("impact-oscillator", periods=3000)
        during = counted[0] - before
        go[0] = False
        thread.join()
        self.assertGreater(during, 100)

    def test_progress_is_told_and_may_end_a_run(self):
        class Enough(Exception):
            pass

        seen = []

        def watch(done, total):
            seen.append((done, total))
            if len(seen) == 2:
                raise Enough

        with self.assertRaises(Enough):
            carom.Model.from_file("impact-oscillator").run(t_end=1e9, progress=watch)
        self.assertEqual(seen[0][1], 1e9)
        self.assertGreater(seen[1][0], seen[0][0])


class TheInterface(unittest.TestCase):
    def test_every_struct_has_the_size_of_the_compiler(self):
        known = [name for name in _library.struct if _library.library.carom_struct_size(name.encode())]
        self.assertGreater(len(known), 45)
        self.assertEqual(_library.library.carom_struct_size(b"nothing"), 0)

    def test_a_struct_that_differs_is_refused(self):
        import ctypes
        kept = _library.struct["carom_jump"]
        try:
            _library.struct["carom_jump"] = type("carom_jump", (ctypes.Structure,), {"_fields_": [("t", ctypes.c_int)]})
            with self.assertRaisesRegex(ImportError, "carom_jump has 40 bytes, 4 were read"):
                _library._bind()
        finally:
            _library.struct["carom_jump"] = kept

    def test_declarations_are_read_as_c_means_them(self):
        read = _interface.Interface("""
            enum { A = 1 << 3, B, /* a comment; */ C = 4 };
            typedef struct x { double *M, *F; char s[B]; bool (*stop)(void *user); int d[3][A]; } x;
            const char *carom_x(const x *it, double, size_t n);
            """)
        self.assertEqual(read.constant, {"A": 8, "B": 9, "C": 4})
        kinds = dict(read.struct["x"]._fields_)
        self.assertEqual(list(kinds), ["M", "F", "s", "stop", "d"])
        self.assertEqual((kinds["s"]._length_, kinds["d"]._length_, kinds["d"]._type_._length_), (9, 3, 8))
        self.assertEqual(len(read.function["carom_x"][1]), 3)


def load_tests(loader, tests, pattern):
    import doctest
    from carom import _analysis, _model, _solution
    for module in (carom, _analysis, _model, _solution):
        tests.addTests(doctest.DocTestSuite(module))
    return tests


if __name__ == "__main__":
    unittest.main()
