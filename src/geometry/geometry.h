/* geometry.h: shapes, the contacts of two posed shapes, and exactly how these change. No mechanics in here.
 *
 * A body has a pose: the place r of its reference point and a rotation R, x_space = r + R x_body. It moves with the
 * velocity of the point in space axes and the spin in body axes: r' = v, R' = R [spin]. A small displacement has the
 * same six components. In the plane the pose is spatial too, with r_z = 0 and R about z, but there are only three
 * components: v_x, v_y and the spin.
 *
 * The life of a contact:
 *   1. a shape is made once, in body axes: its vertices, edges, faces and radius (shape.c, mass.c);
 *   2. broad.c finds the pairs of shapes whose boxes come within reach;
 *   3. carom_pair_find says which features of a pair may touch: a list of carom_touch (pair.c, round.c). A touch is
 *      a kernel (point against plane, line against line ...), the two features in body axes, and an id that stays
 *      the same from step to step;
 *   4. carom_kernels_eval gives gap, points, normal, rows of G, gamma and the derivatives of a list of touches at any
 *      poses (kernel.c).
 * The list is frozen as long as the caller likes; each gap of it is a smooth function of the poses.
 *
 * Every contact is one of ten pairs of features, whatever the shapes: a ball is a point with a radius, a capsule and a
 * cylinder's side are a line with one, and so on. With the normal n from a to b, two tangents, and the arms c_a, c_b
 * from the reference points to the two points of contact,
 *   g = n . (r_b + c_b - r_a - c_a)                                                                      (1)
 *   u_k = t_k . (v_b + spin_b x p_b - v_a - spin_a x p_a) = G v,   t_0 = n,   u_0 = g'                    (2)
 *   gamma = (dG/dt) v = U_q v:  the derivative of u along the motion itself                               (3)
 *   U_q = d(G v)/dq,   A_q = d(G a + gamma)/dq,   A_v = d gamma/dv,   R_q = d(G^T x)/dq                    (4)
 * where p_a, p_b are the arms to one point of contact (kernel.c), and dq is a small displacement of the two bodies.
 * u_0 = g' holds because the points of contact are stationary.
 * The same derivatives by the numbers of the features (f) serve sizes that are parameters.
 *
 * The kernels are expressions of the two poses and of the features, differentiated by src/expr and evaluated by its
 * tape, one or eight contacts at a time. Closed forms for g and G by hand would be as short and up to three times as
 * fast (bench/geometry.c), but A_q needs third derivatives of each gap, twelve times three of them: by hand that is
 * more code than all of this folder, and a source of errors that only differences would find. */
#ifndef CAROM_GEOMETRY_H
#define CAROM_GEOMETRY_H

#include <stdint.h>

#include "core/core.h"

typedef struct carom_pose {
    double r[3], R[9]; /* row-major */
} carom_pose;

/* ---- shapes ---- */
typedef enum carom_shape_kind { /* size[], in the plane | in space; lengths are positive */
    CAROM_SHAPE_POINT,          /* none */
    CAROM_SHAPE_PLANE,          /* normal [2 | 3] of any length: the half-plane or half-space behind it is solid */
    CAROM_SHAPE_BALL,           /* radius: a disc | a sphere */
    CAROM_SHAPE_CAPSULE,        /* length of its axis, which lies along x, radius */
    CAROM_SHAPE_BOX,            /* widths [2 | 3] */
    CAROM_SHAPE_POLYTOPE,       /* none, but corners: a convex polygon in order | the convex hull of all of them */
    CAROM_SHAPE_RING,           /* inner and outer radius, angles from and to (less than pi apart): plane only */
    CAROM_SHAPE_CYLINDER,       /* length along z, radius: space only */
    CAROM_SHAPE_ELLIPSOID       /* semi-axes [3]: space only, against planes and balls */
} carom_shape_kind;

typedef struct carom_shape_spec {
    carom_shape_kind kind;
    bool planar;
    double size[4];
    bool flat;            /* ring: straight sides, a polygon; mass and inertia remain those of the ring */
    const double *corner; /* [corners*(2 | 3)] */
    int corners;
    carom_pose place;     /* of the shape in its body; R all 0 stands for no rotation */
} carom_shape_spec;

enum { CAROM_MOST_CORNERS = 64 }; /* of a polygon or polyhedron */

typedef struct carom_face { /* of a polygon: a side, with two corners */
    double normal[3], offset; /* outward; normal . x = offset */
    int first, corners;       /* corner[first ...]: vertices, counterclockwise seen from outside */
} carom_face;

typedef struct carom_edge {
    int vertex[2], face[2];  /* face -1: none (the axis of a capsule) */
    double direction[3], length;
    double inward[2][3];     /* unit vectors in its faces, across the edge, away from it, */
    double width[2];         /* and how far the face reaches along them */
} carom_edge;

typedef struct carom_shape {
    carom_shape_kind kind; /* a flat ring is a POLYTOPE */
    bool planar;
    double size[4];
    carom_pose place;
    double radius;                /* around all vertices and edges; 0: sharp */
    double extent;                /* largest distance of a point of it from the body's reference point */
    int nvertex, nedge, nface;
    double *vertex;               /* [nvertex*3] in body axes, as all of the following */
    carom_edge *edge;             /* [nedge]: none in the plane but the axis of a capsule */
    carom_face *face;             /* [nface] */
    int *corner, *neighbour;      /* of faces; neighbours of vertex i: neighbour[first_neighbour[i] ...] */
    int *first_neighbour;         /* [nvertex+1] */
    double volume, centre[3];     /* area in the plane; 0 for points and planes */
    double inertia[6];            /* xx yy zz xy yz zx of unit density about the centre; plane: only zz */
} carom_shape;

/* The shape lives in the arena. Errors say what is wrong with which number or corner. */
carom_status carom_shape_new(carom_arena *arena, const carom_shape_spec *spec, carom_shape *shape, carom_error *error);
/* The smallest distance of two parallel planes that hold it; 0 for a point, infinite for a plane. */
double carom_shape_thickness(const carom_shape *shape);
/* The smallest box around the posed shape, larger by reach on all sides; planes: infinite. low [3], high [3] */
void carom_shape_bounds(const carom_shape *shape, const carom_pose *pose, double reach, double *low, double *high);

/* ---- pairs of boxes ---- */
typedef struct carom_pair {
    int first, second; /* first < second */
} carom_pair;
typedef struct carom_broad carom_broad;
carom_broad *carom_broad_new(void); /* NULL: no memory */
void carom_broad_free(carom_broad *broad);
/* All pairs of n boxes (low [3], high [3] of each) that overlap, sorted; they live until the next call. Touching
 * counts, a box with NaN overlaps none. Allocates only while there are more boxes or pairs than ever before. */
carom_status carom_broad_find(carom_broad *broad, int n, const double *boxes, const carom_pair **pairs, int *npairs,
                              carom_error *error);

/* ---- touches: what pairs of shapes come down to ---- */
/* Numbers of a feature, in body axes. The radius rounds it; directions are unit vectors. */
enum {
    CAROM_FEATURE_SIZE = 12, /* the longest of
        point     [0] place [3] radius
        plane     [0] outward normal [3] offset: normal . x = offset
        line      [0] a point of it [3] direction [6] radius
        circle    [0] centre [3] axis [6] a direction across the axis, where its angle begins [9] radius
        ellipsoid [0] centre [3] first axis [6] second axis [9] the three semi-axes */
    CAROM_UNKNOWNS = 2 /* at most, of a kernel */
};

/* X(name, function, unknowns): the feature of a, that of b; the normal points from a to b. Unknowns are numbers found
 * by iteration: angles on circles, the multiplier of an ellipsoid. */
#define CAROM_KERNEL_LIST(X)                                                                                           \
    X(POINT_POINT, point_point, 0)                                                                                     \
    X(PLANE_POINT, plane_point, 0)                                                                                     \
    X(LINE_POINT, line_point, 0)                                                                                       \
    X(LINE_LINE, line_line, 0)                                                                                         \
    X(PLANE_CIRCLE, plane_circle, 0)                                                                                   \
    X(CIRCLE_POINT, circle_point, 0)                                                                                   \
    X(PLANE_ELLIPSOID, plane_ellipsoid, 0)                                                                             \
    X(ELLIPSOID_POINT, ellipsoid_point, 1)                                                                             \
    X(LINE_CIRCLE, line_circle, 1)                                                                                     \
    X(CIRCLE_CIRCLE, circle_circle, 2)
typedef enum carom_kernel {
#define CAROM_KERNEL_NAME(NAME, function, unknowns) CAROM_##NAME,
    CAROM_KERNEL_LIST(CAROM_KERNEL_NAME)
#undef CAROM_KERNEL_NAME
    CAROM_KERNELS
} carom_kernel;
const char *carom_kernel_name(carom_kernel kernel);

/* Parts of a shape: CAROM_PART(kind, number). */
enum { CAROM_WHOLE, CAROM_VERTEX, CAROM_EDGE, CAROM_FACE, CAROM_RIM, CAROM_ARC };
#define CAROM_PART(kind, number) ((uint32_t)(kind) << 24 | (uint32_t)(number))

typedef struct carom_touch {
    int body[2];             /* a, b: numbers of poses */
    uint32_t feature[2];     /* their parts: with body the id, which does not change from step to step */
    uint32_t branch;         /* the part of a that is used where feature[0] is the whole: not part of the id */
    carom_kernel kernel;
    double sign;             /* 1, or -1 where n points against the difference or the product it is made of */
    double a[CAROM_FEATURE_SIZE], b[CAROM_FEATURE_SIZE];
    double z[CAROM_UNKNOWNS]; /* where the iteration begins */
    double gap, point[3];    /* when found; the point halfway between the two */
    double normal[3];        /* when found; also the normal of a pose that has none */
    double reference[3];     /* a direction in space that t_1 follows, not parallel to n */
} carom_touch;

typedef struct carom_posed { /* a shape where it is */
    const carom_shape *shape;
    const carom_pose *pose;
    int body; /* its number for the touches */
} carom_posed;

/* Finds the touches of two shapes with gaps up to reach; returns how many there are: more than most, if the list is too
 * short to tell, and then it is not to be used.
 *
 * Polytopes: a vertex against a body, id (body, vertex), has the largest of the signed distances to its faces as gap;
 * the face is its branch. Faces that the vertex's neighbours lie behind do not count: a brick flush with the one below
 * touches its top, not its side, also where they overlap. Two edges touch if the feet lie strictly inside, sin(angle) >
 * 1e-6 and both Gauss arcs hold the normal, give or take what a motion of reach may change, and if they are not twice
 * as deep in each other as the shapes. Touches at the same place are one. So a face on a face gives all corners of the
 * area they share.
 * Round shapes have the distance as gap, where they lie outside, with the nearest face, edge or vertex as branch.
 * CAROM_UNSUPPORTED: ellipsoids touch planes and balls only. */
carom_status carom_pair_find(carom_posed first, carom_posed second, double reach, carom_touch *list, int most,
                             int *found, carom_error *error);
/* The same without those that lie at the other shape now but are none, carom_touch_inside < 0. */
carom_status carom_pair_find_exact(carom_posed first, carom_posed second, double reach, carom_touch *list, int most,
                                   int *found, carom_error *error);
/* The shortest way out of each other of two shapes whose insides overlap by more than their rounding, and its direction
 * (of second; [3], left alone if the result is 0); 0: they do not, or touches know it as well (overlap.c). */
double carom_pair_depth(carom_posed first, carom_posed second, double *normal);
/* How far the poses are inside the region where the touch's branch (or its pair of edges) is the right one, as a
 * length: negative outside, INFINITY if there is no other branch. a and b: the shapes of touch->body. */
double carom_touch_margin(const carom_touch *touch, const carom_shape *a, const carom_shape *b, const carom_pose *pose);
/* How far the points of contact lie inside the features of the touch, as a length, give or take 2e-9 of the size:
 * where the gap is 0 and this is negative the two shapes do not touch there. */
double carom_touch_inside(const carom_touch *touch, const carom_shape *a, const carom_shape *b, const carom_pose *pose);

/* t_1 is the reference projected on the tangent plane, t_2 = n x t_1. Keeps the reference (a unit vector, or 0 for
 * none) as long as it is more than 25 degrees off the normal, otherwise takes the axis x of space, or y where x is
 * near the normal: the same for a face that shakes by rounding, so that impulses of the last step are a good guess. */
void carom_touch_reference(const double *normal, double *reference);

/* ---- kernels ---- */
enum { /* what can be asked of a touch; rows = 2 in the plane, 3 in space; columns = 6, 12: those of a, then of b */
    CAROM_TOUCH_GAP = 1 << 0,      /* g [1] */
    CAROM_TOUCH_PLACE = 1 << 1,    /* place [15]: points of a and b in space, n, t_1, t_2 */
    CAROM_TOUCH_JACOBIAN = 1 << 2, /* G [rows*columns] */
    CAROM_TOUCH_GAMMA = 1 << 3,    /* gamma [rows] */
    CAROM_TOUCH_U_Q = 1 << 4,      /* U_q [rows*columns] */
    CAROM_TOUCH_A_Q = 1 << 5,      /* A_q [rows*columns] */
    CAROM_TOUCH_A_V = 1 << 6,      /* A_v [rows*columns] */
    CAROM_TOUCH_R_Q = 1 << 7,      /* R_q [columns*columns]: of G^T x */
    CAROM_TOUCH_G_F = 1 << 8,      /* g_f [24]: by the numbers of both features, for sizes that are parameters */
    CAROM_TOUCH_U_F = 1 << 9,      /* U_f [rows*24] */
    CAROM_TOUCH_A_F = 1 << 10,     /* A_f [rows*24] */
    CAROM_TOUCH_R_F = 1 << 11,     /* R_f [columns*24] */
    CAROM_TOUCH_QUANTITIES = 12
};

typedef struct carom_touch_values { /* one touch after the other; only what is wanted needs to be there */
    double *g, *place, *G, *gamma, *U_q, *A_q, *A_v, *R_q, *g_f, *U_f, *A_f, *R_f;
} carom_touch_values;

typedef struct carom_touch_motion {
    const carom_pose *pose; /* [bodies] */
    const double *v, *a;    /* [bodies*columns/2]: v with gamma and all derivatives, a with A_q and A_f */
    const double *x;        /* [touches*rows]: with R_q and R_f */
} carom_touch_motion;

typedef struct carom_kernels carom_kernels;
/* Compiles the kernels (bits 1 << CAROM_POINT_POINT ...) for each of the nwant combinations that will be asked. */
carom_status carom_kernels_new(carom_kernels **kernels, bool planar, unsigned which, const unsigned *want, int nwant,
                               carom_error *error);
void carom_kernels_free(carom_kernels *kernels);
size_t carom_kernels_work(const carom_kernels *kernels); /* doubles of scratch */
int carom_kernels_length(const carom_kernels *kernels, carom_kernel kernel, unsigned want); /* operations; 0: none */
/* want is one of those given to carom_kernels_new. The bits of a touch do not depend on its neighbours in the list. */
carom_status carom_kernels_eval(const carom_kernels *kernels, unsigned want, int n, const carom_touch *touch,
                                const carom_touch_motion *motion, const carom_touch_values *values, double *work,
                                carom_error *error);

#endif
