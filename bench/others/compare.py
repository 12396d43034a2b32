"""The same two problems with Carom, SciPy, Siconos and MuJoCo: errors against the closed form, and time.

    PYTHONPATH=python python3 bench/others/compare.py [PROGRAM]

What is not there is left out. PROGRAM is bench/others/mujoco.c, compiled: cc -O2 mujoco.c -o PROGRAM -lmujoco -lm

ball    falls from 0.5 m, g = 10, e = 0.9: its impacts accumulate at t = 6.0083, then it rests
block   on a spring (k = 100, m = 1) pulled 0.5 m, dry friction mu = 0.2: half cycles until it sticks at -0.1 or so
"""
import math
import subprocess
import sys
import time

G = 10.0
BALL = dict(height=0.5, e=0.9)
BLOCK = dict(k=100.0, mu=0.2, x=0.51)


def exact_ball(t):
    """Parabolas between impacts; at rest after the accumulation."""
    first = math.sqrt(2 * BALL["height"] / G)
    e, start, speed = BALL["e"], first, BALL["e"] * first * G
    if t < start:
        return BALL["height"] - G * t * t / 2
    if t >= first * (1 + e) / (1 - e):
        return 0.0
    while t > start + 2 * speed / G:
        start, speed = start + 2 * speed / G, e * speed
    return speed * (t - start) - G * (t - start) ** 2 / 2


def exact_block(t):
    """Half cycles about -+ mu g/k, until |x| <= mu g/k where it turns."""
    w, middle, x = math.sqrt(BLOCK["k"]), BLOCK["mu"] * G / BLOCK["k"], BLOCK["x"]
    while abs(x) > middle:
        centre = math.copysign(middle, x)
        if t < math.pi / w:
            return centre + (x - centre) * math.cos(w * t)
        t, x = t - math.pi / w, 2 * centre - x
    return x


EXACT = {"ball": exact_ball, "block": exact_block}
TIMES = {"ball": (5.0, 8.0), "block": (1.0, 3.0)}


# ---- Carom ----

def with_carom(rtol):
    return carom_runs(rtol=rtol, atol=rtol)


def with_carom_steps(h):
    return carom_runs(scheme="moreau-jean", h=h)


def carom_runs(**options):
    import carom
    models = {
        "ball": carom.Model.from_dict({
            "carom": 1, "coordinates": {"y": BALL["height"]}, "kinetic": "y'^2/2", "potential": f"{G}*y",
            "contacts": {"ground": {"gap": "y", "restitution": BALL["e"]}}}),
        "block": carom.Model.from_dict({
            "carom": 1, "coordinates": {"x": BLOCK["x"], "y": 0}, "kinetic": "(x'^2 + y'^2)/2",
            "potential": f"{G}*y + {BLOCK['k']}*x^2/2",
            "contacts": {"table": {"gap": "y", "slip": "x'", "friction": BLOCK["mu"], "restitution": 0}}})}
    return {name: lambda t, m=model: m.run(t_end=t, **options).end.q[0] for name, model in models.items()}


# ---- SciPy: events, the impact and the modes of friction by hand ----

def with_scipy(rtol):
    from scipy.integrate import solve_ivp
    options = dict(method="DOP853", rtol=rtol, atol=rtol)

    def hit(_, state):
        return state[0]
    hit.terminal, hit.direction = True, -1

    def ball(end, shortest=1e-6):
        t, state = 0.0, [BALL["height"], 0.0]
        while t < end:
            sol = solve_ivp(lambda _, y: [y[1], -G], (t, end), state, events=hit, **options)
            last, t = t, sol.t[-1]
            state = [0.0, -BALL["e"] * sol.y[1, -1]] if sol.status == 1 else sol.y[:, -1]
            if sol.status == 1 and t - last < shortest:  # or it never ends
                return 0.0
        return state[0]

    def block(end):
        t, x, force = 0.0, BLOCK["x"], BLOCK["mu"] * G
        while t < end and BLOCK["k"] * abs(x) > force:
            way = -math.copysign(1, x)  # it begins to slide this way, and does so until it turns

            def turns(_, state):
                return state[1] * way
            turns.terminal, turns.direction = True, -1
            sol = solve_ivp(lambda _, y: [y[1], -BLOCK["k"] * y[0] - way * force], (t, end), [x, way * 1e-300],
                            events=turns, **options)
            t, x = sol.t[-1], sol.y[0, -1]
        return x
    return {"ball": ball, "block": block}


# ---- Siconos: Moreau-Jean with a fixed step ----

def with_siconos(h):
    import siconos.kernel as sk

    def march(system, law, matrix, problem, end):
        relation = sk.LagrangianLinearTIR(matrix)
        model = sk.NonSmoothDynamicalSystem(0, end + h / 2)
        model.insertDynamicalSystem(system)
        model.link(sk.Interaction(law, relation), system)
        steps = sk.TimeStepping(model, sk.TimeDiscretisation(0, h), sk.MoreauJeanOSI(0.5), problem)
        for _ in range(round(end / h)):
            steps.computeOneStep()
            steps.nextStep()
        return system.q()[0]

    def ball(end):
        system = sk.LagrangianLinearTIDS([BALL["height"]], [0.0], [[1.0]])
        system.setFExtPtr([-G])
        return march(system, sk.NewtonImpactNSL(BALL["e"]), [[1.0]], sk.LCP(), end)

    def block(end):
        system = sk.LagrangianLinearTIDS([BLOCK["x"], 0.0], [0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]],
                                         [[BLOCK["k"], 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]])
        system.setFExtPtr([0.0, -G])
        law = sk.NewtonImpactFrictionNSL(0.0, 0.0, BLOCK["mu"], 2)
        return march(system, law, [[0.0, 1.0], [1.0, 0.0]], sk.FrictionContact(2), end)
    return {"ball": ball, "block": block}


# ---- MuJoCo: soft contacts; the program prints the coordinate and its own time ----

def with_mujoco(h):
    if len(sys.argv) < 2:
        raise ImportError("no program")

    def call(name):
        def run(end):
            words = subprocess.run([sys.argv[1], name, str(end), str(h)], capture_output=True, text=True, check=True)
            value, spent = map(float, words.stdout.split())
            return value, spent
        return run
    return {name: call(name) for name in EXACT}


def measure(run, end):
    """The value and the least processor time of three calls, after one that warms up."""
    run(end)
    least = math.inf
    for _ in range(3):
        begun = time.process_time()
        value = run(end)
        spent = time.process_time() - begun
        if isinstance(value, tuple):
            value, spent = value
        least = min(least, spent)
    return value, least


def main():
    methods = [("Carom, rtol", with_carom, (1e-4, 1e-8)), ("SciPy, rtol", with_scipy, (1e-4, 1e-8)),
               ("Carom, moreau-jean, h", with_carom_steps, (1e-3, 1e-4)), ("Siconos, h", with_siconos, (1e-3, 1e-4)),
               ("MuJoCo, h", with_mujoco, (2e-3, 1e-4))]
    for name, exact in EXACT.items():
        ends = TIMES[name]
        print(f"\n| {name} | " + " | ".join(f"error at t = {t:g}" for t in ends) + " | time |")
        print("|---|" + "---|" * (len(ends) + 1))
        for label, make, values in methods:
            for value in values:
                try:
                    run = make(value)[name]
                    found = [measure(run, end) for end in ends]
                except ImportError as missing:
                    print(f"| {label} | {missing} |", file=sys.stderr)
                    break
                errors = " | ".join(f"{abs(x - exact(t)):.1e}" for (x, _), t in zip(found, ends))
                print(f"| {label} = {value:g} | {errors} | {1e3 * found[-1][1]:.3g} ms |")


if __name__ == "__main__":
    main()
