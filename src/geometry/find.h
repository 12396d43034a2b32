/* find.h: what the files that look for touches share. */
#ifndef CAROM_GEOMETRY_FIND_H
#define CAROM_GEOMETRY_FIND_H

#include "geometry/vector.h"

#define CAROM_KIND(part) ((int)((part) >> 24))
#define CAROM_NUMBER(part) ((int)((part)&0xffffff))
#define CAROM_SLACK_ANGLE 0.3 /* largest violation of a Gauss arc, radians */
#define CAROM_OUTSIDE 2e-9 /* of the size: so far outside its features a touch is still one; above ties of faces */
#define CAROM_SHALLOW 1e-3 /* of the size of the smaller shape: overlaps of curved shapes that only touches know */

typedef struct carom_finder {
    carom_posed at[2];
    double reach, size;      /* size: of the smaller shape */
    bool exact;              /* edges that come to cross within reach are wanted, too */
    carom_touch *list;       /* [most] */
    int most, n;
    carom_touch spare;       /* takes what finds no place in the list */
    double there[2][3 * CAROM_MOST_CORNERS]; /* the vertices of each shape in the other's body axes */
} carom_finder;

typedef struct carom_closest { /* the part of a shape that is nearest to a point */
    uint32_t part;
    double distance, foot[3], normal[3]; /* from the surface to the point; inside: the least depth, negative */
} carom_closest;
int carom_shape_sides(const carom_shape *s);
carom_closest carom_shape_closest(const carom_shape *shape, const double *x);
/* The same for one side: a face, or the one after the last of a cylinder: its mantle. Returns the distance. */
double carom_side_distance(const carom_shape *s, int side, const double *x, carom_closest *c);
carom_closest carom_highest_side(const carom_shape *s, const double *x); /* that x is farthest in front of */
/* How far the foot of x lies inside of that side; negative: outside. */
double carom_side_inside(const carom_shape *s, int side, const double *x);

/* A new touch: normal and foot (on the host's surface) in the host's body axes. The caller adds the features. */
carom_touch *carom_find_emit(carom_finder *f, int host, carom_kernel kernel, uint32_t part, uint32_t guest_part,
                             const double *normal, const double *foot, double gap);
void carom_feature_point(double *feature, const double *x, double radius);
void carom_feature_line(double *feature, const double *x, const double *direction, double radius);
void carom_feature_plane(double *feature, const carom_face *face);
void carom_find_turn(const carom_finder *f, int from, const double *x, double *y); /* into the other's axes */
void carom_find_there(const carom_finder *f, int from, const double *x, double *y); /* points likewise */
/* A point of the guest against the part of the host that was found; x and radius: in the guest's axes. */
void carom_find_point(carom_finder *f, int host, const carom_closest *c, uint32_t part, const double *x, double radius);
/* All vertices of the guest against the host; all pairs of edges. */
void carom_find_vertices(carom_finder *f, int host);
void carom_find_edges(carom_finder *f);
/* Can an edge touch with this outward normal and this gap? Which way is outward: positive if the normal is. */
bool carom_edge_fits(const carom_finder *f, const carom_edge *e, const double *normal, double gap);
bool carom_foot_fits(const carom_finder *f, int k, const carom_edge *e, const double *x, double gap);
double carom_edge_outward(const carom_edge *e, const double *normal);

/* ---- margin.c ---- */
/* carom_touch_inside, without what is allowed. */
double carom_touch_within(const carom_touch *t, const carom_shape *a, const carom_shape *b, const carom_pose *pa,
                          const carom_pose *pb);
bool carom_touch_is_arc(const carom_touch *t); /* of the guest */
/* So far outside its features, by the size, a touch is one. Before its ends an arc moves up while its corner rolls. */
double carom_touch_allowed(const carom_touch *t);

/* ---- round.c: cylinders, ellipsoids and rings ---- */
#define CAROM_PARALLEL 1e-6 /* sine of the angle of two edges that count as parallel */
carom_status carom_find_round(carom_finder *f, carom_error *error);
carom_closest carom_ellipsoid_closest(const carom_shape *s, const double *x);
carom_closest carom_rim_closest(const carom_shape *s, const double *x);
void carom_feature_ellipsoid(double *feature, const carom_shape *s);
/* Of a touch of the guest's rim with a face, an edge or a rim of a, as carom_touch_inside. */
double carom_rim_inside(const carom_touch *t, const carom_shape *a, const carom_shape *b, const carom_pose *pa,
                        const carom_pose *pb);
void carom_feature_rim(double *feature, const carom_shape *s, int rim);

#endif
