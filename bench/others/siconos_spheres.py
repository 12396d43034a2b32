"""Spheres that settle in a box with Siconos and Bullet's collision detection: the scene of bench/bodies.c.

    python3 bench/others/siconos_spheres.py SPHERES [TOLERANCE]

Moreau's scheme with theta = 1/2, nonsmooth Gauss-Seidel on friction cones to the tolerance (1e-6), 1000 sweeps at most;
the mean of steps 201 to 400. Needs python3-siconos and python3-h5py.
"""
import os
import sys
import tempfile
import time

STEP, STEPS, RADIUS = 5e-3, 400, 0.1


def places(n):
    """As bench/bodies.c draws them."""
    state = 1

    def draw():
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 11) / 2**53 * 2 - 1
    for i in range(n):
        yield [(i % 8 - 3.5) * 0.23 + 0.01 * draw(), (i // 8 % 8 - 3.5) * 0.23 + 0.01 * draw(),
               0.12 + i // 64 * 0.23 + 0.01 * draw()]


class Clock:
    """Told of every step."""

    def initialize(self, io):
        self.io, self.steps, self.contacts = io, 0, 0

    def step(self):  # before each
        if self.steps == STEPS - 200:
            self.begun = time.process_time()
        if self.steps >= STEPS - 200:
            active = self.io._simulation.nonSmoothDynamicalSystem().topology().indexSet(1)
            self.contacts += len(active.interactions())
        self.steps += 1


def main():
    n, tolerance = int(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 1e-6
    try:
        import siconos.kernel as kernel
        import siconos.numerics as numerics
        from siconos.io.mechanics_run import MechanicsHdf5Runner
        from siconos.mechanics.collision.tools import Contactor
    except ImportError as error:
        sys.exit("left out: %s" % error)
    folder = tempfile.TemporaryDirectory()
    name = os.path.join(folder.name, "spheres.hdf5")
    mass = 1000 * 4 / 3 * 3.141592653589793 * RADIUS**3
    with MechanicsHdf5Runner(io_filename=name) as io:
        io.add_primitive_shape("ball", "Sphere", (RADIUS,), insideMargin=0.0, outsideMargin=0.0)
        io.add_primitive_shape("slab", "Box", (8, 8, 1), insideMargin=0.0, outsideMargin=0.0)
        io.add_primitive_shape("wall", "Box", (1, 8, 40), insideMargin=0.0, outsideMargin=0.0)
        io.add_primitive_shape("side", "Box", (8, 1, 40), insideMargin=0.0, outsideMargin=0.0)
        io.add_Newton_impact_friction_nsl("law", mu=0.5, e=0.0)
        for i, (shape, at) in enumerate([("slab", [0, 0, -0.5]), ("wall", [1.5, 0, 20]), ("wall", [-1.5, 0, 20]),
                                         ("side", [0, 1.5, 20]), ("side", [0, -1.5, 20])]):
            io.add_object("box%d" % i, [Contactor(shape)], translation=at)
        inertia = 0.4 * mass * RADIUS**2
        for i, at in enumerate(places(n)):
            io.add_object("ball%d" % i, [Contactor("ball")], translation=at, velocity=[0, 0, 0, 0, 0, 0], mass=mass,
                          inertia=[inertia] * 3)
    solver = kernel.solver_options_create(numerics.SICONOS_FRICTION_3D_NSGS)
    solver.iparam[numerics.SICONOS_IPARAM_MAX_ITER] = 1000
    solver.dparam[numerics.SICONOS_DPARAM_TOL] = tolerance
    clock = Clock()
    said = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # it warns of every problem that is not solved
    try:
        with MechanicsHdf5Runner(mode="r+", io_filename=name) as io:
            io.run(t0=0, T=STEPS * STEP, h=STEP, theta=0.5, solver_options=solver, controller=clock,
                   Newton_options=kernel.SICONOS_TS_LINEAR, output_frequency=STEPS, verbose=False,
                   verbose_progress=False)
    finally:
        os.dup2(said, 1)
    spent = (time.process_time() - clock.begun) / 200
    print("Siconos and Bullet, NSGS to %g: %d spheres, %.0f contacts, %.3f ms a step"
          % (tolerance, n, clock.contacts / 200, 1e3 * spent))


if __name__ == "__main__":
    main()
