"""The functions and the command give the same bits."""
import csv
import io
import json
import math
import os
import subprocess
import tempfile
import unittest

import carom

BUILT = os.path.join(os.path.dirname(__file__), "..", "..", "build", "carom")
COMMAND = os.environ.get("CAROM") or (BUILT if os.path.exists(BUILT) else "carom")  # of the build, or installed
OSCILLATOR = {"alpha": 0.05, "e": 0.5, "umin": 0}


def words(params):
    return [word for name, value in params.items() for word in ("-p", f"{name}={value}")]


def output(*arguments):
    done = subprocess.run([COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"{arguments}: {done.stderr}")
    return done.stdout


def command(*arguments):
    return json.loads(output(*arguments, "--json"))


def number(value):
    """A number of JSON, which has no infinity and no NaN."""
    return value if isinstance(value, (int, float)) and math.isfinite(value) else None


class Command(unittest.TestCase):
    def same(self, told, found, keys):
        for key in keys:
            self.assertEqual(told[key], number(found[key]) if not isinstance(found[key], (str, dict, list, type(None)))
                             else found[key], key)

    def test_run(self):
        told = command("run", "woodpecker", "--t-end", "0.5", "--rtol", "1e-7")
        sol = carom.Model.from_file("woodpecker").run(t_end=0.5, rtol=1e-7)
        self.assertEqual(list(told["q"].values()), sol.end.q.tolist())
        self.assertEqual(list(told["v"].values()), sol.end.v.tolist())
        self.assertTrue(abs(sol.q[-1] - sol.end.q).max() < 1e-14)
        self.same(told, sol.stats, ["steps", "rejected", "rhs_evaluations", "impacts", "max_penetration"])
        self.assertEqual(told["energy"]["dissipated"]["impact"], sol.stats["dissipated_impact"])
        self.assertEqual(told["events"]["stick"], sol.stats["sticks"])

    def test_run_samples(self):
        rows = csv.DictReader(line for line in io.StringIO(
            output("run", "belt", "--t-end", "2", "--every", "0.5", "-o", "-")) if not line.startswith("#"))
        told = [row for row in rows if row["side"] == "0"]
        sol = carom.Model.from_file("belt").run(t_end=2, t_eval=[float(row["t"]) for row in told])
        for name in (*sol.model.coordinates, *sol.model.velocities, "energy"):
            self.assertEqual([float(row[name]) for row in told], sol[name].tolist(), name)

    def test_run_scheme(self):
        told = command("run", "bouncing-ball", "--scheme", "moreau-jean:theta=1", "--h", "1e-3", "-p", "e=0.7",
                       "--set", "scheme.gamma=0.5")
        sol = carom.Model.from_file("bouncing-ball").run(scheme="moreau-jean:theta=1", h=1e-3, params={"e": 0.7},
                                                         options={"scheme.gamma": 0.5})
        self.assertEqual(list(told["q"].values()), sol.end.q.tolist())
        self.assertEqual(told["steps"], sol.stats["steps"])

    def test_lyapunov(self):
        told = command("lyapunov", "impact-oscillator", "--periods", "300", "--transient", "20", "--starts", "2",
                       "--seed", "5")
        found = carom.lyapunov("impact-oscillator", periods=300, transient=20, starts=2, seed=5)
        self.same(told, found, ["per", "unit", "impacts_per_period", "sum_rule_defect", "kaplan_yorke", "flag",
                                "regular", "slowest_impact", "validity_radius", "grazing", "length", "model"])
        for mine, theirs in [(found, told), *zip(found.starts, told["starts"])]:
            self.assertEqual(theirs["exponents"], [number(x) for x in mine.exponents.tolist()])
            self.assertEqual(theirs["stderr"], [number(x) for x in mine.stderr.tolist()])

    def test_bifurcate(self):
        told = command("bifurcate", "impact-oscillator", "-p", "w=2.4:2.8:7", "--transient", "30", "--show", "6",
                       "--direction", "both", "--periods", "20")
        found = carom.bifurcate("impact-oscillator", "w", (2.4, 2.8, 7), transient=30, show=6, direction="both",
                                exponent=20)
        self.assertEqual(len(told["rows"]), 14)
        for theirs, mine in zip(told["rows"], found.rows):
            self.assertEqual((theirs["value"], theirs["direction"], theirs["points"], theirs["exponent"]),
                             (mine.value, mine.direction, mine.points.tolist(), mine.exponent))

    def test_orbit(self):
        told = command("orbit", "impact-oscillator", "-p", "w=2.5", *words(OSCILLATOR), "--sensitivity")
        found = carom.orbit("impact-oscillator", params={"w": 2.5, **OSCILLATOR}, sensitivity=True)
        self.same(told, found, ["period", "multiple", "q", "v", "stable", "impact_count", "residual", "iterations",
                                "sensitivity"])
        self.assertEqual([complex(one["re"], one["im"]) for one in told["multipliers"]], found.multipliers.tolist())

    def test_orbit_branch(self):
        told = command("orbit", "impact-oscillator", "-p", "w=2.5:2.6:5", *words(OSCILLATOR))
        found = carom.orbit("impact-oscillator", branch={"w": (2.5, 2.6, 5)}, params=OSCILLATOR)
        self.assertEqual(told["branch"]["points"], len(found.branch.points))
        self.assertEqual(told["branch"]["bifurcations"], found.branch.bifurcations)
        self.assertEqual(told["branch"]["ended"], found.branch.ended)

    def test_orbit_up_to_a_shift(self):
        told = command("orbit", "woodpecker", "--relative", "y", "--transient", "20")
        found = carom.orbit("woodpecker", relative=["y"], transient=20)
        self.same(told, found, ["period", "shift", "q", "v", "residual"])

    def test_gradient(self):
        told = command("gradient", "bouncing-ball", "--t-end", "1", "--of", "y", "--with-respect-to", "e,g,q.y")
        found = carom.gradient("bouncing-ball", "y", ["e", "g", "q.y"], t_end=1)
        self.same(told, found, ["value", "gradient", "differences", "radius", "one_sided"])

    def test_fit(self):
        sol = carom.Model.from_file("bouncing-ball").run(t_end=1.5, t_eval=[0.05 * i for i in range(31)],
                                                         params={"e": 0.7})
        noisy = [y + 0.001 * math.sin(17 * i * i) for i, y in enumerate(sol["y"])]
        noisy[7] = math.nan
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "data.csv")
            with open(path, "w") as file:
                file.write("t,y\n" + "".join(f"{t!r},{'' if math.isnan(y) else repr(y)}\n"
                                             for t, y in zip(sol.t.tolist(), map(float, noisy))))
            told = command("fit", "bouncing-ball", path, "--estimate", "e=0:1,g", "--starts", "2", "--seed", "4")
        found = carom.fit("bouncing-ball", {"t": sol.t, "y": noisy}, {"e": (0, 1), "g": None}, starts=2, seed=4)
        self.same(told, found, ["estimate", "deviation", "cost", "runs", "used", "converged", "starts"])
        self.assertEqual(told["used"], 30)

    def test_sweep(self):
        text = output("sweep", "bouncing-ball", "--design", "sobol", "--points", "9", "-p", "e=0.5:0.9", "-p",
                      "q.y=0.1:1", "--measure", "impacts", "--measure", "max:y", "--seed", "3")
        told = list(csv.DictReader(line for line in io.StringIO(text) if not line.startswith("#")))
        found = carom.sweep("bouncing-ball", {"e": (0.5, 0.9), "q.y": (0.1, 1)}, ["impacts", "max:y"], design="sobol",
                            points=9, seed=3)
        for name in ("e", "q.y", "impacts", "max:y"):
            self.assertEqual([float(row[name]) for row in told], found[name].tolist(), name)

    def test_basin(self):
        arguments = ["-p", "q.u=0.5:2:4", "-p", "v.u=-2:2:4", *words(OSCILLATOR), "--periods", "200"]
        told = command("basin", "impact-oscillator", *arguments)
        found = carom.basin("impact-oscillator", {"q.u": (0.5, 2, 4), "v.u": (-2, 2, 4)}, params=OSCILLATOR,
                            periods=200)
        self.same(told, found, ["points", "not_periodic", "stopped", "failed", "missing"])
        self.assertEqual(told["attractors"], found.attractors)

    def test_converge(self):
        told = command("converge", "bouncing-ball", "--schemes", "moreau-jean,tolerance", "--h", "0.02,0.01,0.005",
                       "--rtol", "1e-4,1e-6", "--norms", "L1.q,max.q")
        found = carom.converge("bouncing-ball", ["moreau-jean", "tolerance"], h=[0.02, 0.01, 0.005],
                               rtol=[1e-4, 1e-6], norms=["L1.q", "max.q"])
        self.assertEqual(len(told["rows"]), len(found.rows))
        for theirs, mine in zip(told["rows"], found.rows):
            for key in ("scheme", "norm", "error", "h", "rhs_evaluations"):
                self.assertEqual(theirs[key], mine[key] if isinstance(mine[key], str) else number(mine[key]), key)
        self.assertEqual(told["orders"]["moreau-jean"]["L1.q"]["order"], found.orders["moreau-jean"]["L1.q"]["order"])

    def test_reproduce(self):
        with tempfile.TemporaryDirectory() as folder:
            [told] = command("reproduce", "001-fig1", "--quick", "-o", os.path.join(folder, "page.html"))["entries"]
        [found] = carom.reproduce("001-fig1", quick=True)
        self.same(told, found, ["id", "title", "verdict", "command"])
        self.assertEqual(told["checks"], found.checks)


if __name__ == "__main__":
    unittest.main()
