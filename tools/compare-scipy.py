"""A bouncing ball with SciPy's solve_ivp and a loop of restarts, and with Carom: errors against the closed form, and time.

    PYTHONPATH=python /usr/bin/python3 tools/compare-scipy.py
"""
import math
import time

from scipy.integrate import solve_ivp

import carom

G, E, HEIGHT, END = 10.0, 0.9, 0.5, 5.0


def exact(t):
    """Height: parabolas between impacts."""
    start, speed = math.sqrt(2 * HEIGHT / G), E * math.sqrt(2 * HEIGHT * G)
    if t < start:
        return HEIGHT - G * t * t / 2
    while t > start + 2 * speed / G:
        start, speed = start + 2 * speed / G, E * speed
    return speed * (t - start) - G * (t - start) ** 2 / 2


def by_scipy(tolerance, shortest=1e-6):
    """What one writes: an event that ends the run, the impact, a restart."""
    def hit(_, state):
        return state[0]
    hit.terminal, hit.direction = True, -1
    t, state, calls = 0.0, [HEIGHT, 0.0], 0
    while t < END:
        sol = solve_ivp(lambda _, y: [y[1], -G], (t, END), state, method="DOP853", rtol=tolerance, atol=tolerance,
                        events=hit)
        calls += sol.nfev
        last, t = t, sol.t[-1]
        state = [0.0, -E * sol.y[1, -1]] if sol.status == 1 else sol.y[:, -1]
        if sol.status == 1 and t - last < shortest:
            return 0.0, calls
    return state[0], calls


def by_carom(tolerance):
    sol = carom.Model.from_file("bouncing-ball").run(t_end=END, rtol=tolerance, atol=tolerance)
    return sol.end.q[0], sol.stats["rhs_evaluations"]


def main():
    print("| | error at t = 5 | evaluations | time |\n|---|---|---|---|")
    for name, run in (("SciPy", by_scipy), ("Carom", by_carom)):
        for tolerance in (1e-6, 1e-10):
            run(tolerance)
            begun = time.perf_counter()
            value, calls = run(tolerance)
            spent = time.perf_counter() - begun
            print(f"| {name}, {tolerance:g} | {abs(value - exact(END)):.1e} | {calls} | {1e3 * spent:.1f} ms |")


if __name__ == "__main__":
    main()
