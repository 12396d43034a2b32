/* view.c: how a scene is looked at where no reader turns it: from the side and above, all of it in the picture. */
#include <math.h>
#include <string.h>

#include "geometry/vector.h"
#include "output/draw/scene.h"

/* A unit vector across n. */
static void sideways(const double *n, double *to)
{
    const double axis[3] = {fabs(n[0]) < 0.6, fabs(n[0]) >= 0.6, 0};
    cross3(n, axis, to);
    unit3(to);
}

carom_view carom_view_of(const carom_scene *scene, double width, double height)
{
    const double yaw = -0.9, pitch = 0.42, near = 2.5; /* near: how far away, in sizes of the scene */
    carom_view v = {.x = width / 2, .y = height / 2, .scale = 0.82 * near * fmin(width, height)};
    double first[3], second[3];
    sideways(scene->up, first);
    cross3(scene->up, first, second);
    for (int i = 0; i < 3; i++) {
        v.back[i] = cos(pitch) * (cos(yaw) * first[i] + sin(yaw) * second[i]) + sin(pitch) * scene->up[i];
        v.eye[i] = scene->middle[i] + near * scene->size * v.back[i];
    }
    cross3(scene->up, v.back, v.right);
    unit3(v.right);
    cross3(v.back, v.right, v.above);
    return v;
}

void carom_view_project(const carom_view *v, const double *x, double *out)
{
    const double d[3] = {x[0] - v->eye[0], x[1] - v->eye[1], x[2] - v->eye[2]};
    out[2] = -dot3(d, v->back);
    out[0] = v->x + v->scale * dot3(d, v->right) / out[2];
    out[1] = v->y - v->scale * dot3(d, v->above) / out[2];
}

double carom_view_light(const carom_view *v, const carom_scene *scene, const double *normal)
{
    double from[3];
    for (int i = 0; i < 3; i++)
        from[i] = v->back[i] + 0.9 * scene->up[i];
    unit3(from);
    return fmin(1, 0.48 + 0.44 * fmax(dot3(normal, from), 0) + 0.11 * (1 + dot3(normal, scene->up)));
}

void carom_solid_at(const carom_solid *s, const carom_draw_frames *f, size_t frame, double *A, double *r)
{
    const double *pose = f->pose + 7 * (frame * (size_t)f->nbody + (size_t)s->body);
    double R[9];
    carom_draw_rotation(pose + 3, R);
    for (int i = 0; i < 3; i++) {
        r[i] = pose[i] + dot3(R + 3 * i, s->r);
        for (int j = 0; j < 3; j++)
            A[3 * i + j] = s->scale[j] * (R[3 * i] * s->R[j] + R[3 * i + 1] * s->R[3 + j] + R[3 * i + 2] * s->R[6 + j]);
    }
}

void carom_along(const double *a, const double *b, double radius, bool middle, double *A, double *r)
{
    double along[3], z[3], x[3], y[3];
    for (int i = 0; i < 3; i++) {
        z[i] = along[i] = b[i] - a[i];
        r[i] = a[i] + (middle ? 0.5 * along[i] : 0);
    }
    unit3(z);
    sideways(z, x);
    cross3(z, x, y);
    for (int i = 0; i < 3; i++)
        A[3 * i] = radius * x[i], A[3 * i + 1] = radius * y[i], A[3 * i + 2] = along[i];
}
