/* topics.c: the sections of a model file, each in a few lines and an example. */
#include <string.h>

#include "cli/cli.h"

static const struct section {
    const char *name, *text, *example;
} sections[] = {
    {"carom", "The version of the language. Needed.", "carom: 1"},
    {"parameters", "Numbers with a name, or expressions of other parameters. -p NAME=VALUE changes them, and what "
     "depends on "
     "them follows; sweeps, gradients and fits vary them.",
     "parameters: {m: 1, g: 9.81, h: 0.5, v0: sqrt(2*g*h)}"},
    {"coordinates", "The unknowns of the motion with their initial values: numbers or expressions of parameters. "
     "Needed. In "
     "expressions y is the coordinate and y' its velocity.",
     "coordinates: {x: 0, y: h}"},
    {"velocities", "Initial velocities by the name of the coordinate; 0 where absent.", "velocities: {y: -v0}"},
    {"let", "Names for intermediate expressions of anything, in any order.",
     "let:\n  tip: y + l*sin(phi)\n  reach: hypot(x, y)"},
    {"kinetic", "The kinetic energy, up to quadratic in the velocities; with potential and forces it gives the "
     "equations of "
     "motion. Instead: mass and force.",
     "kinetic: m*(x'^2 + y'^2)/2 + J*phi'^2/2"},
    {"potential", "The potential energy, of time, coordinates and parameters; 0 if absent.", "potential: m*g*y + "
     "k*x^2/2"},
    {"mass", "Instead of energies, with force: M a = F exactly as written. A map (diagonal) or a list of rows, "
     "symmetric.",
     "mass: {x: m, y: m}\nmass: [[m, 0], [0, m]]"},
    {"force", "With mass: the force on each coordinate; 0 where absent.", "force: {x: -k*x - c*x', y: -m*g}"},
    {"forces", "Generalized forces that are added to those of the energies: dampers, motors, loads.",
     "forces: {x: -c*x' + a*cos(w*t)}"},
    {"constraints", "Joints: expressions of time and coordinates that are kept at 0, or left = right. A start that "
     "violates "
     "one is refused, or moved with --assemble.",
     "constraints: {rod: x^2 + y^2 = l^2}"},
    {"contacts", "Where bodies may touch. gap (needed): open while positive; restitution (needed): 0 to 1; slip: "
     "the sliding "
     "velocity, one expression (planar friction) or two (spatial); friction: mu; friction_static; restitution_t. "
     "law names "
     "another law (carom list laws) with its own keys. Coefficients may depend on time, coordinates, parameters, "
     "and on approach (normal speed before the impact) and slip (sliding speed; mu at slip = 0 holds "
     "a contact that sticks).",
     "contacts:\n  ground: {gap: y - r, restitution: e, slip: \"x' + r*phi'\", friction: mu}\n"
     "  brake: {law: bounded, along: x, limit: c}"},
    {"repeat", "An entry that stands for several: repeat: {k: 8} makes eight of it, in which k is 0 to 7. In contacts "
     "and draw it stands beside the other keys; where names have expressions, beside value, and a list does the same. "
     "They are called name[0], name[1], ... A repeated shape names a repeated contact without its index. "
     "sum(k, 8, x[k]) adds up.",
     "parameters: {m: [1, 2, 1]}\ncoordinates:\n  x: {repeat: {i: 3}, value: 0.1*i}\n"
     "kinetic: sum(i, 3, m[i]*x[i]'^2/2)\n"
     "contacts:\n  spoke: {repeat: {k: 8}, gap: y - l*cos(phi + pi/4*k), restitution: 0}\n"
     "draw:\n  spoke: {repeat: {k: 8}, line: [[x, y], [x + l*sin(phi + pi/4*k), y - l*cos(phi + pi/4*k)]], contact: "
     "spoke}"},
    {"bodies", "Rigid bodies, instead of coordinates and energies or beside them: shape, mass or density, inertia, "
     "centre, at, "
     "turn (or angle), velocity, spin, fixed, moved, points, group; repeat makes arrays with indices.",
     "bodies:\n  table: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
     "  brick: {repeat: {i: 5}, shape: {box: [0.2, 0.1, 0.1]}, density: 1800, at: [0.25*i, 0, 0.05]}"},
    {"space", "With bodies: planar or spatial.", "space: spatial"},
    {"gravity", "With bodies: the acceleration of free fall as a vector.", "gravity: [0, 0, -9.81]"},
    {"joints", "With bodies: hinge, slider, ball, weld, distance or spring between two of them; at, axis, "
     "coordinate (its name), "
     "range with restitution (stops), stiffness, rest, damping, friction_torque, friction_force, motion, torque, "
     "force.",
     "joints:\n  elbow: {hinge: [arm, rod], at: [0.2, 0, 0], axis: x, coordinate: theta, friction_torque: 0.001}"},
    {"laws", "With bodies: the contact laws of pairs: default, or by names of bodies; none: they pass through each "
     "other.",
     "laws: {default: {friction: 0.6, restitution: 0}}"},
    {"start", "With bodies: initial values of the coordinates of joints.", "start: {theta: 3}"},
    {"solver", "The solver of contact problems and its fields (carom list solvers).", "solver: {method: "
     "interior-point}"},
    {"impacts", "The rule for several impacts at one instant: simultaneous (the default), sequential or poisson "
     "(carom list "
     "rules).", "impacts: sequential"},
    {"outputs", "Expressions with a name: columns of the results, and names for --of.", "outputs: {speed: "
     "\"hypot(x', y')\"}"},
    {"stop", "A condition that ends the run at the moment it begins to hold.", "stop: x > 5 or abs(phi) > pi/2"},
    {"period", "Of the forcing, an expression of parameters: the unit of lyapunov, bifurcate, orbit and basin.",
     "period: 2*pi/w"},
    {"tables", "Measured functions of one argument: x and y, points, or a file with two columns; kind: spline (the "
     "default), "
     "pchip, linear; periodic: true.",
     "tables:\n  lift: {x: [0, 90, 180, 270, 360], y: [0, 1, 2, 1, 0], periodic: true}"},
    {"draw", "A planar picture for carom report: entries of one shape each: point: [x, y], line: [[x, y], ...], "
     "polygon, "
     "circle: [x, y, radius], spring: [[x, y], [x, y]]; angle turns a circle, style is body, ground, thin or "
     "dashed, contact "
     "colours by what that contact does.",
     "draw:\n  floor: {line: [[-1, 0], [5, 0]], style: ground}\n  ball: {circle: [x, y, r], angle: phi, contact: "
     "ground}"},
    {"solver", "The solver of contact problems: method (carom list solvers) and its fields.",
     "solver: {method: nsgs, omega: 1.1}"},
    {"space", "With bodies: planar (x, y, angle) or spatial (x, y, z, rotation).", "space: planar"},
    {"gravity", "With bodies: the acceleration that all of them share, a list of 2 or 3 expressions.",
     "gravity: [0, -9.81]"},
    {"bodies", "Bodies by name: shape (one, or a list), density or mass and inertia, at, turn, velocity, spin, points, "
     "fixed, moved, fix, group, repeat. Every number is an expression of parameters.",
     "bodies:\n  floor: {fixed: true, shape: {plane: [0, 1]}}\n"
     "  box: {shape: {box: [w, h]}, density: 2700, at: [0, touch], velocity: [1, 0]}"},
    {"joints", "hinge, slider, ball, weld, distance or spring between two bodies or ground: at (or points), axis, "
     "coordinate (relative, or a name), range with restitution, stiffness, rest, damping, friction_torque, motion, "
     "torque.",
     "joints:\n  elbow: {hinge: [arm, rod], at: [L, 0], coordinate: theta, stiffness: c}"},
    {"laws", "The contact law of pairs of bodies, arrays of bodies, groups or parts (BODY.POINT): a map of "
     "coefficients or none. default is for all pairs that no other entry names; without it they do not touch.",
     "laws:\n  default: {friction: 0.3, restitution: 0.1}\n  link link: none"},
    {"start", "With bodies: start values by name; NAME' is a velocity; touch: found by moving downhill until something "
     "touches.", "start: {theta: 3, box.angle': -1, box.y: touch}"},
    {"plugin", "A shared library that brings the model, relative to the file; needs --allow-plugins.", "plugin: "
     "model.so"},
    {"name", "A title of one line; the file's name if absent.", "name: woodpecker"},
};

static const char *const others[] = {"model", "settings", "exit", "man"};

const char *carom_cli_topic(int i)
{
    return i < CAROM_COUNT(others) ? others[i]
           : i - CAROM_COUNT(others) < CAROM_COUNT(sections) ? sections[i - CAROM_COUNT(others)].name : NULL;
}

bool carom_cli_section_help(FILE *file, const char *name)
{
    for (int i = 0; i < CAROM_COUNT(sections); i++) {
        const struct section *s = &sections[i];
        if (strcmp(s->name, name) != 0)
            continue;
        fprintf(file, "%s (section of a model file)\n    ", s->name);
        carom_cli_wrap(file, s->text, 4, 96);
        fprintf(file, "\n    ");
        carom_cli_wrap(file, s->example, 4, 1000);
        fprintf(file, "\nThe whole file: carom help model. What follows from it: carom check FILE.\n");
        return true;
    }
    return false;
}
