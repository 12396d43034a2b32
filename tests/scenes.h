/* scenes.h: models of many bodies in contact, as text: discs in a box, a stack of planar boxes, boxes in space. The
 * same numbers on every machine. Used by tests and by bench-scene. */
#ifndef CAROM_TEST_SCENES_H
#define CAROM_TEST_SCENES_H

#include <math.h>
#include <stdio.h>

static inline double scene_noise(unsigned long *seed) /* uniform in (-1, 1) */
{
    *seed = *seed * 6364136223846793005UL + 1442695040888963407UL;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

/* n rough discs of uneven size fall into a box of width 2.4 and come to rest in heaps. */
static inline void scene_discs(FILE *out, int n, unsigned long seed)
{
    double radius[100];
    fprintf(out, "carom: 1\nname: %d discs in a box\ncoordinates: {", n);
    for (int i = 0; i < n; i++) {
        radius[i] = 0.2 + 0.04 * scene_noise(&seed);
        fprintf(out, "%sx%d: %.6f, y%d: %.6f, a%d: 0", i ? ", " : "", i, 0.4 + 0.8 * (i % 3) + 0.1 * scene_noise(&seed),
                i, 0.3 + 0.55 * (i / 3) + 0.04 * scene_noise(&seed), i);
    }
    fprintf(out, "}\nvelocities: {");
    for (int i = 0; i < n; i++) {
        double vx = scene_noise(&seed), vy = scene_noise(&seed);
        fprintf(out, "%sx%d: %.6f, y%d: %.6f", i ? ", " : "", i, vx, i, vy);
    }
    fprintf(out, "}\nkinetic: ");
    for (int i = 0; i < n; i++) {
        double m = 25 * radius[i] * radius[i];
        fprintf(out, "%s%.9g*(x%d'^2 + y%d'^2)/2 + %.9g*a%d'^2", i ? " + " : "", m, i, i,
                m * radius[i] * radius[i] / 4, i);
    }
    fprintf(out, "\npotential: ");
    for (int i = 0; i < n; i++)
        fprintf(out, "%s%.9g*9.81*y%d", i ? " + " : "", 25 * radius[i] * radius[i], i);
    fprintf(out, "\ncontacts:\n");
    for (int i = 0; i < n; i++) {
        const char *law = "friction: 0.3, restitution: 0.5}\n";
        double r = radius[i];
        fprintf(out, "  f%d: {gap: y%d - %.9g, slip: \"x%d' + %.9g*a%d'\", %s", i, i, r, i, r, i, law);
        fprintf(out, "  l%d: {gap: x%d - %.9g, slip: \"y%d' - %.9g*a%d'\", %s", i, i, r, i, r, i, law);
        fprintf(out, "  r%d: {gap: 2.4 - x%d - %.9g, slip: \"y%d' + %.9g*a%d'\", %s", i, i, r, i, r, i, law);
        for (int j = 0; j < i; j++)
            fprintf(out,
                    "  c%d_%d: {gap: \"hypot(x%d-x%d, y%d-y%d) - %.9g\", slip: \"(-(y%d-y%d)*(x%d'-x%d') + "
                    "(x%d-x%d)*(y%d'-y%d'))/hypot(x%d-x%d, y%d-y%d) - %.9g*a%d' - %.9g*a%d'\", %s",
                    i, j, i, j, i, j, r + radius[j], i, j, i, j, i, j, i, j, i, j, i, j, r, i, radius[j], j, law);
    }
    fprintf(out, "run: {t_end: 2, scheme: moreau-jean, h: 2e-3}\n");
}

/* n planar boxes of 1 x 0.5 on each other; each but the lowest rests with its two lower corners on the one below. They
 * fall by `drop` and are turned by a little of `tilt`. */
static inline void scene_stack(FILE *out, int n, double drop, double tilt, unsigned long seed)
{
    fprintf(out, "carom: 1\nname: stack of %d\nparameters: {m: 1, g: 9.81, mu: 0.5, e: 0, J: 0.104166666666666667}\n"
            "coordinates: {", n);
    for (int i = 1; i <= n; i++)
        fprintf(out, "%sx%d: %.9g, y%d: %.9g, p%d: %.9g", i > 1 ? ", " : "", i, tilt * scene_noise(&seed), i,
                0.5 * i - 0.25 + drop + 2 * tilt * i, i, tilt * scene_noise(&seed));
    fprintf(out, "}\nlet:\n");
    for (int i = 1; i <= n; i++)
        for (int side = -1; side <= 1; side += 2)
            fprintf(out, "  r%c%dx: %g*cos(p%d) + 0.25*sin(p%d)\n  r%c%dy: %g*sin(p%d) - 0.25*cos(p%d)\n",
                    side < 0 ? 'l' : 'r', i, 0.5 * side, i, i, side < 0 ? 'l' : 'r', i, 0.5 * side, i, i);
    fprintf(out, "kinetic: ");
    for (int i = 1; i <= n; i++)
        fprintf(out, "%sm*(x%d'^2 + y%d'^2)/2 + J*p%d'^2/2", i > 1 ? " + " : "", i, i, i);
    fprintf(out, "\npotential: ");
    for (int i = 1; i <= n; i++)
        fprintf(out, "%sm*g*y%d", i > 1 ? " + " : "", i);
    fprintf(out, "\ncontacts:\n");
    for (int i = 1; i <= n; i++)
        for (int side = 0; side < 2; side++) {
            char s = side ? 'r' : 'l';
            int b = i - 1;
            if (b == 0)
                fprintf(out, "  %c%d: {gap: y%d + r%c%dy, slip: \"x%d' - r%c%dy*p%d'\", ", s, i, i, s, i, i, s, i, i);
            else
                fprintf(out,
                        "  %c%d: {gap: \"-sin(p%d)*(x%d+r%c%dx-x%d) + cos(p%d)*(y%d+r%c%dy-y%d) - 0.25\", slip: "
                        "\"cos(p%d)*(x%d' - r%c%dy*p%d' - x%d' + (y%d+r%c%dy-y%d)*p%d') + sin(p%d)*(y%d' + "
                        "r%c%dx*p%d' - y%d' - (x%d+r%c%dx-x%d)*p%d')\", ",
                        s, i, b, i, s, i, b, b, i, s, i, b, b, i, s, i, i, b, i, s, i, b, b, b, i, s, i, i, b, i, s, i,
                        b, b);
            fprintf(out, "friction: mu, restitution: e}\n");
        }
    fprintf(out, "run: {t_end: 0.5, scheme: moreau-jean, h: 1e-3}\n");
}

/* n cuboids in space (Euler angles, far from where they are singular), thrown onto a rough floor; balls around their
 * centres keep neighbours apart. */
static inline void scene_boxes(FILE *out, int n, unsigned long seed)
{
    static const char *const axis = "xyz";
    double half[100][3], mass[100];
    fprintf(out, "carom: 1\nname: %d boxes\nparameters: {mu: 0.5, e: 0.2, g: 9.81}\ncoordinates: {", n);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++)
            half[i][k] = 0.3 + 0.12 * scene_noise(&seed);
        mass[i] = 8 * half[i][0] * half[i][1] * half[i][2];
        fprintf(out, "%sx%d: %.6f, y%d: %.6f, z%d: %.6f, u%d: %.6f, v%d: %.6f, w%d: %.6f", i ? ", " : "", i,
                1.1 * (i % 4) + 0.1 * scene_noise(&seed), i, 1.1 * (i / 4 % 4) + 0.1 * scene_noise(&seed), i,
                0.75 + 1.2 * (i / 16), i, scene_noise(&seed), i, 0.25 * scene_noise(&seed), i,
                0.25 * scene_noise(&seed));
    }
    fprintf(out, "}\nvelocities: {");
    for (int i = 0; i < n; i++)
        fprintf(out, "%sx%d: %.4f, y%d: %.4f, u%d: %.4f, v%d: %.4f", i ? ", " : "", i, scene_noise(&seed), i,
                scene_noise(&seed), i, scene_noise(&seed), i, 0.5 * scene_noise(&seed));
    fprintf(out, "}\nlet:\n");
    for (int i = 0; i < n; i++) {
        fprintf(out, "  wx%d: w%d'*cos(u%d)*cos(v%d) - v%d'*sin(u%d)\n  wy%d: w%d'*sin(u%d)*cos(v%d) + v%d'*cos(u%d)\n"
                "  wz%d: u%d' - w%d'*sin(v%d)\n", i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i);
        for (int c = 0; c < 8; c++) {
            double a = half[i][0] * (c & 1 ? 1 : -1), b = half[i][1] * (c & 2 ? 1 : -1);
            double d = half[i][2] * (c & 4 ? 1 : -1);
            fprintf(out, "  rx%d_%d: %.6f*cos(u%d)*cos(v%d) + %.6f*(cos(u%d)*sin(v%d)*sin(w%d) - sin(u%d)*cos(w%d)) + "
                    "%.6f*(cos(u%d)*sin(v%d)*cos(w%d) + sin(u%d)*sin(w%d))\n", i, c, a, i, i, b, i, i, i, i, i, d, i, i,
                    i, i, i);
            fprintf(out, "  ry%d_%d: %.6f*sin(u%d)*cos(v%d) + %.6f*(sin(u%d)*sin(v%d)*sin(w%d) + cos(u%d)*cos(w%d)) + "
                    "%.6f*(sin(u%d)*sin(v%d)*cos(w%d) - cos(u%d)*sin(w%d))\n", i, c, a, i, i, b, i, i, i, i, i, d, i, i,
                    i, i, i);
            fprintf(out, "  rz%d_%d: %.6f*sin(v%d) + %.6f*cos(v%d)*sin(w%d) + %.6f*cos(v%d)*cos(w%d)\n", i, c, -a, i, b,
                    i, i, d, i, i);
        }
    }
    fprintf(out, "kinetic: ");
    for (int i = 0; i < n; i++) {
        double J[3];
        for (int k = 0; k < 3; k++)
            J[k] = mass[i] / 3 * (pow(half[i][(k + 1) % 3], 2) + pow(half[i][(k + 2) % 3], 2));
        fprintf(out, "%s%.9g*(x%d'^2 + y%d'^2 + z%d'^2)/2 + (%.9g*(w%d' - u%d'*sin(v%d))^2 + %.9g*(v%d'*cos(w%d) + "
                "u%d'*cos(v%d)*sin(w%d))^2 + %.9g*(-v%d'*sin(w%d) + u%d'*cos(v%d)*cos(w%d))^2)/2", i ? " + " : "",
                mass[i], i, i, i, J[0], i, i, i, J[1], i, i, i, i, i, J[2], i, i, i, i, i);
    }
    fprintf(out, "\npotential: ");
    for (int i = 0; i < n; i++)
        fprintf(out, "%s%.9g*g*z%d", i ? " + " : "", mass[i], i);
    fprintf(out, "\ncontacts:\n");
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < 8; c++)
            fprintf(out, "  k%d_%d: {gap: z%d + rz%d_%d, slip: [\"x%d' + wy%d*rz%d_%d - wz%d*ry%d_%d\", \"y%d' + "
                    "wz%d*rx%d_%d - wx%d*rz%d_%d\"], friction: mu, restitution: e}\n", i, c, i, i, c, i, i, i, c, i, i,
                    c, i, i, i, c, i, i, c);
        for (int j = i; j-- > 0;) {
            double reach = 0;
            if (i - j != 1 && i - j != 4 && i - j != 16)
                continue;
            for (int k = 0; k < 3; k++)
                reach += half[i][k] + half[j][k];
            fprintf(out, "  c%d_%d: {gap: \"sqrt(", i, j);
            for (int k = 0; k < 3; k++)
                fprintf(out, "%s(%c%d-%c%d)^2", k ? " + " : "", axis[k], i, axis[k], j);
            fprintf(out, ") - %.6f\", restitution: e}\n", 0.45 * reach);
        }
    }
    fprintf(out, "run: {t_end: 1, scheme: moreau-jean, h: 2e-3}\n");
}

#endif
