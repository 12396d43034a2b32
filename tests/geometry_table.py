#!/usr/bin/env python3
"""geometry_table.py [POSES [KERNEL...]]: gaps, slips and their derivatives of all kernels of contact to 50 digits.

Writes tests/geometry_table.txt's lines to stdout: kernel planar number sign z z g u0 u1 u2 gamma0 gamma1 gamma2.
Poses and features are small integers of a generator that test_geometry_digits.c has, too; everything else is
computed here from the nearest points of two features, with mpmath and nothing of Carom: u0 and gamma0 are the first
and second derivative of the gap along the motion, gamma1 and gamma2 the first of u1 and u2, by differences in 60 digits.
"""
import copy
import math
import sys
from mpmath import mp, mpf, sqrt, cos, sin, findroot

mp.dps = 60
KERNELS = ("point_point plane_point line_point line_line plane_circle circle_point plane_ellipsoid ellipsoid_point "
           "line_circle circle_circle").split()
# Among the first 10,000: rims that are all but parallel to what they meet, which a short table should have, too.
HARD = {"circle_circle": (3935, 4615, 5157, 6261, 8541, 9213, 9912), "line_circle": (4895,)}
MASK = (1 << 64) - 1


class Dice:
    def __init__(self, seed):
        self.state = seed

    def roll(self, low, high):
        self.state = (self.state + 0x9e3779b97f4a7c15) & MASK
        z = self.state
        z = ((z ^ z >> 30) * 0xbf58476d1ce4e5b9) & MASK
        z = ((z ^ z >> 27) * 0x94d049bb133111eb) & MASK
        return low + ((z ^ z >> 31) >> 11) % (high - low + 1)

    def vector(self, planar, most):
        while True:
            v = [self.roll(-most, most) for _ in range(3)]
            if planar:
                v[2] = 0
            if sum(x * x for x in v) > most * most / 4:
                return v


def vec(v, scale=1):
    return [mpf(x) / scale for x in v]


def add(a, b, s=1):
    return [x + s * y for x, y in zip(a, b)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def times(s, a):
    return [s * x for x in a]


def unit(a):
    return times(1 / sqrt(dot(a, a)), a)


def turn(R, a):
    return [dot(row, a) for row in R]


def rotation(q):
    w, x, y, z = times(1 / sqrt(dot(q, q)), [mpf(c) for c in q])
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]


def exponential(w, s):
    angle = sqrt(dot(w, w))
    if angle == 0 or s == 0:
        return rotation([1, 0, 0, 0])
    return rotation([cos(angle * s / 2)] + times(sin(angle * s / 2) / angle, w))


def product(A, B):
    return [[sum(A[i][k] * B[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


class Pose:
    def __init__(self, dice, planar):
        if planar:
            q = [dice.roll(1, 9), 0, 0, dice.roll(-9, 9)]
        else:
            q = [dice.roll(1, 9)] + [dice.roll(-9, 9) for _ in range(3)]
        self.R = rotation(q)
        self.r = vec(dice.vector(planar, 16), 16)

    def moved(self, motion, s):
        """After a time s with the velocity of space axes and the spin of body axes."""
        new = Pose.__new__(Pose)
        new.r = add(self.r, motion[:3], s)
        new.R = product(self.R, exponential(motion[3:], s))
        return new


class Feature:
    def __init__(self, dice, planar, kind):
        first = dice.vector(planar, 9)
        e = dice.vector(planar, 9)
        place = dice.vector(planar, 8)
        radius, sizes = dice.roll(0, 5), [dice.roll(6, 16) for _ in range(3)]
        self.kind, self.place, self.radius = kind, vec(place, 16), mpf(radius) / 16
        self.sizes = vec(sizes, 16)
        self.first = unit(vec(first))
        second = cross(vec(first), vec(e))
        self.whole = dot(second, second) > 0
        self.second = unit(second) if self.whole else self.first
        self.third = cross(self.first, self.second)

    def at(self, pose, x):
        return add(pose.r, turn(pose.R, x))

    def circle(self, pose, z):
        cos, sin = (math.cos, math.sin) if isinstance(z, float) else (mp.cos, mp.sin)
        x = add(times(cos(z), self.second), times(sin(z), self.third))
        tangent = add(times(-sin(z), self.second), times(cos(z), self.third))
        return self.at(pose, add(self.place, times(self.sizes[0], x))), turn(pose.R, tangent)


def rounded(thing):
    """A feature or a pose with numbers in double precision."""
    new = copy.copy(thing)
    for name, value in vars(thing).items():
        if isinstance(value, list):
            new.__dict__[name] = [[float(x) for x in v] if isinstance(v, list) else float(v) for v in value]
        elif isinstance(value, mpf):
            new.__dict__[name] = float(value)
    return new


class Contact:
    """The nearest points of two features; z: the unknowns, kept as a first guess."""

    def __init__(self, dice, kernel, planar):
        names = kernel.split("_")
        self.kernel, self.planar = kernel, planar
        self.f = [Feature(dice, planar, names[0]), Feature(dice, planar, names[1])]
        self.z, self.sign = [mpf(0), mpf(0)], 1

    def radius(self, k):
        kind = self.f[k].kind
        return self.f[k].radius if kind == "point" or kind == "line" else mpf(0)

    def guess(self, pose):
        """The nearest of some points of the curves, in double precision."""
        exact, at = self.f, pose
        self.f, pose = [rounded(f) for f in exact], [rounded(p) for p in at]
        a, b = self.f
        best = None
        n = 90
        for i in range(n if a.kind == "circle" else 1):
            for j in range(n):
                z = [6.283185307 * i / n, 6.283185307 * j / n] if a.kind == "circle" else [6.283185307 * j / n, 0.0]
                y = b.circle(pose[1], z[1] if a.kind == "circle" else z[0])[0]
                if a.kind == "circle":
                    x = a.circle(pose[0], z[0])[0]
                else:
                    x = self.foot(pose, y)
                d = add(y, x, -1)
                if best is None or dot(d, d) < best:
                    best, self.z = dot(d, d), [mpf(x) for x in z]
        self.f = exact

    def foot(self, pose, y):
        """Of a point on the line of a."""
        p, a = self.f[0].at(pose[0], self.f[0].place), turn(pose[0].R, self.f[0].first)
        return add(p, times(dot(add(y, p, -1), a), a))

    def points(self, pose):
        a, b = self.f
        x, y, k = a.at(pose[0], a.place), b.at(pose[1], b.place), self.kernel
        if k == "line_point":
            x = self.foot(pose, y)
        elif k == "line_line":
            d, e = turn(pose[0].R, a.first), turn(pose[1].R, b.first)
            m, w = dot(d, e), add(y, x, -1)
            s = (dot(d, w) - m * dot(e, w)) / (1 - m * m)
            t = (m * dot(d, w) - dot(e, w)) / (1 - m * m)
            x, y = add(x, times(s, d)), add(y, times(t, e))
        elif k == "circle_point":
            axis, w = turn(pose[0].R, a.first), add(y, x, -1)
            x = add(x, times(a.sizes[0], unit(add(w, times(dot(w, axis), axis), -1))))
        elif k == "ellipsoid_point":
            axes = [turn(pose[0].R, d) for d in (a.first, a.second, a.third)]
            w = [dot(add(y, x, -1), d) for d in axes]
            f = lambda z: sum((s * c / (s * s + z)) ** 2 for s, c in zip(a.sizes, w)) - 1
            if self.z[0] == 0:
                self.z[0] = sqrt(dot(w, w)) * max(a.sizes)
                low, high = mpf(0), mpf(100)
                for _ in range(60):
                    middle = (low + high) / 2
                    low, high = (middle, high) if f(middle) > 0 else (low, middle)
                self.z[0] = low
            z = findroot(f, self.z[0])
            for s, c, d in zip(a.sizes, w, axes):
                x = add(x, times(s * s * c / (s * s + z), d))
        elif k == "line_circle":
            def f(z):
                y, tangent = b.circle(pose[1], z)
                return dot(add(y, self.foot(pose, y), -1), tangent)
            y = b.circle(pose[1], findroot(f, self.z[0]))[0]
            x = self.foot(pose, y)
        elif k == "circle_circle":
            def g(z, zz):
                (x, one), (y, two) = a.circle(pose[0], z), b.circle(pose[1], zz)
                d = add(y, x, -1)
                return dot(d, one), dot(d, two)
            z = findroot(g, (self.z[0], self.z[1]))
            x, y = a.circle(pose[0], z[0])[0], b.circle(pose[1], z[1])[0]
        return x, y

    def on_plane(self, pose):
        """The lowest point of b above a plane through normal . x = offset of a."""
        a, b = self.f
        n, y = turn(pose[0].R, a.first), b.at(pose[1], b.place)
        if b.kind == "circle":
            axis = turn(pose[1].R, b.first)
            y = add(y, times(b.sizes[0], unit(add(n, times(dot(n, axis), axis), -1))), -1)
        elif b.kind == "ellipsoid":
            axes = [turn(pose[1].R, d) for d in (b.first, b.second, b.third)]
            w = [s * dot(n, d) for s, d in zip(b.sizes, axes)]
            for s, c, d in zip(b.sizes, w, axes):
                y = add(y, times(s * c / sqrt(dot(w, w)), d), -1)
        height = dot(n, add(y, pose[0].r, -1)) - a.radius
        return n, add(y, times(height, n), -1), y

    def touch(self, pose):
        """Normal, the point of a, the point of b."""
        if self.kernel.startswith("plane"):
            n, x, y = self.on_plane(pose)
            return n, x, add(y, times(self.radius(1), n), -1)
        x, y = self.points(pose)
        n = unit(add(y, x, -1))
        return n, add(x, times(self.radius(0), n)), add(y, times(self.radius(1), n), -1)

    def gap(self, pose):
        n, x, y = self.touch(pose)
        return dot(n, add(y, x, -1))

    def slip(self, pose, motion, reference):
        n, x, y = self.touch(pose)
        if self.planar:
            t = [[-n[1], n[0], mpf(0)]]
        else:
            one = unit(add(reference, times(dot(reference, n), n), -1))
            t = [one, cross(n, one)]
        alike = self.f[0].kind == self.f[1].kind
        at = times(mpf(1) / 2, add(x, y)) if alike else y
        w = [add(m[:3], cross(turn(p.R, m[3:]), add(at, p.r, -1))) for p, m in zip(pose, motion)]
        return [dot(d, add(w[1], w[0], -1)) for d in t]


def motion_of(dice, planar):
    v = [mpf(dice.roll(-16, 16)) / 16 for _ in range(6)]
    if planar:
        v[2] = v[3] = v[4] = mpf(0)
    return v


def line(kernel, planar, number):
    dice = Dice(KERNELS.index(kernel) * 1000003 + number * 2 + planar)
    c = Contact(dice, kernel, planar)
    if any(not f.whole for f in c.f if f.kind in ("circle", "ellipsoid")):
        return None  # two axes of it are one
    pose = [Pose(dice, planar), Pose(dice, planar)]
    away = dice.vector(planar, 16)
    pose[1].r = add(pose[0].r, times(mpf(3) / 16, vec(away)))
    motion = [motion_of(dice, planar), motion_of(dice, planar)]
    if kernel in ("line_circle", "circle_circle"):
        c.guess(pose)
        a, b = c.f
        if kernel == "line_circle":
            y = lambda z: b.circle(pose[1], z)
            c.z[0] = findroot(lambda z: dot(add(y(z)[0], c.foot(pose, y(z)[0]), -1), y(z)[1]), c.z[0])
        else:
            def g(z, zz):
                (x, one), (y, two) = a.circle(pose[0], z), b.circle(pose[1], zz)
                return dot(add(y, x, -1), one), dot(add(y, x, -1), two)
            c.z = list(findroot(g, (c.z[0], c.z[1])))
    n = c.touch(pose)[0]
    if kernel == "ellipsoid_point" and c.z[0] < mpf(10) ** -9:
        return None  # the point is inside
    if kernel in ("line_line", "line_circle", "circle_circle"):
        a, b = c.f
        one = turn(pose[0].R, a.first) if a.kind == "line" else a.circle(pose[0], c.z[0])[1]
        two = turn(pose[1].R, b.first) if b.kind == "line" else b.circle(pose[1], c.z[a.kind == "circle"])[1]
        c.sign = 1 if dot(cross(one, two), n) > 0 else -1
    least = 0
    for i in (1, 2):  # the first of equal ones, as the test has it
        least = i if abs(n[i]) < abs(n[least]) - mpf(10) ** -9 else least
    reference = [mpf(i == least) for i in range(3)]
    at = lambda s: [p.moved(m, s) for p, m in zip(pose, motion)]
    step = mpf(10) ** -18
    gaps = [c.gap(at(k * step)) for k in (-2, -1, 0, 1, 2)]
    slips = [c.slip(at(k * step), motion, reference) for k in (-1, 0, 1)]
    g = gaps[2]
    u = [(8 * (gaps[3] - gaps[1]) - (gaps[4] - gaps[0])) / (12 * step)] + slips[1]
    gamma = [(gaps[3] - 2 * g + gaps[1]) / step ** 2]
    gamma += [(b - a) / (2 * step) for a, b in zip(slips[0], slips[2])]
    if planar:
        u, gamma = u + [mpf(0)], gamma + [mpf(0)]
    numbers = " ".join(mp.nstr(x, 18) for x in c.z + [g] + u + gamma)
    return f"{kernel} {int(planar)} {number} {c.sign} {numbers}"


if __name__ == "__main__":
    poses = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for planar in (True, False):
        for kernel in sys.argv[2:] or KERNELS:
            if planar and kernel not in ("point_point", "plane_point", "line_point"):
                continue
            hard = [] if planar else [number for number in HARD.get(kernel, ()) if number >= poses]
            for number in [*range(poses), *hard]:
                told = line(kernel, planar, number)
                if told:
                    print(told)
