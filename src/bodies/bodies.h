/* bodies.h: bodies, joints and laws of pairs as plain data: what a model file says in its sections space, gravity,
 * bodies, joints and laws, or what a program fills in by hand.
 *
 * A body is a frame in which the user wrote its shapes and points, with its centre of mass c in that frame. It starts
 * with the frame's origin at `at`, turned about its own axes x, y, z in this order. From then on the place of a body is
 * that of its centre of mass, and inertia is about it in body axes:
 *   r = at + R c,   x_space = r + R (x_frame - c)                                                         (1)
 * Arrays of the plane use the components 0 and 1 of places and 2 of turns and spins; the others are 0.
 *
 * Every number is a carom_quantity: its value, and the expression of parameters that it is the value of. After a
 * parameter has changed carom_bodies_evaluate brings all values up to date; nothing else keeps copies of them.
 *
 * Two ways lead from here to a model: formulas (few bodies: joints may provide coordinates, contacts are a fixed list
 * of expressions) and links found per step (many bodies). carom_bodies_many says which. */
#ifndef CAROM_BODIES_H
#define CAROM_BODIES_H

#include "expr/expr.h"
#include "geometry/geometry.h"
#include "laws/law.h"

typedef struct carom_quantity {
    double value;
    carom_expr e; /* of parameters; CAROM_EXPR_NONE: a plain number */
} carom_quantity;

enum { CAROM_GROUND = -1 }; /* in the place of a body's number: what never moves, its frame is that of space */

/* ---- bodies ---- */
typedef struct carom_body_shape {
    carom_shape_kind kind; /* a box with a width of INFINITY is a slab between two planes */
    bool flat;             /* of a ring */
    carom_quantity size[4];
    carom_quantity *corner; /* [corners*(2 | 3)] of a polytope */
    int corners;
    carom_quantity offset[3], turn[3]; /* in the body's frame; a point is its offset */
    const char *name;                  /* of a point or of a shape that has one, else NULL */
    int class;                         /* shapes of a class have the same laws: see carom_bodies_law */
    const carom_text_node *node;       /* for errors; NULL: not from a file */
} carom_body_shape;

typedef enum carom_body_motion {
    CAROM_BODY_FREE,
    CAROM_BODY_FIXED, /* at its start */
    CAROM_BODY_MOVED  /* a given function of time */
} carom_body_motion;

typedef struct carom_body {
    const char *name;   /* box, brick[3,4] */
    const char *family; /* brick: what laws may call all of them */
    const char *group;  /* NULL: none */
    carom_body_motion motion;
    carom_body_shape *shape; /* [shapes] */
    int shapes;
    carom_quantity mass, centre[3], inertia[6]; /* xx yy zz xy yz zx: the matrix about the centre; plane: zz */
    carom_quantity at[3], turn[3];
    carom_quantity velocity[3], spin[3]; /* at the start: of the centre of mass, about space axes */
    unsigned touch;  /* bit i: at[i] is to be found: the body is moved along axis i until it touches */
    bool rolling;    /* velocity is to be found: that of rolling on what it touches */
    bool held[6];    /* x y z and turns about x y z that stay as they are (`fix`) */
    carom_expr moved[6]; /* of t and parameters, added to at and turn; CAROM_EXPR_NONE: 0 */
    /* What was found from all this by carom_bodies_start: r, rotation (a unit quaternion), velocities. */
    double place[3], rotation[4], v[3], w[3]; /* w: in body axes */
    int first_q, first_v; /* its place, then its rotation among the positions and velocities; -1: it has none there */
    const carom_text_node *node;
} carom_body;

/* ---- joints ---- */
typedef enum carom_joint_kind {
    CAROM_JOINT_HINGE,
    CAROM_JOINT_SLIDER,
    CAROM_JOINT_BALL,
    CAROM_JOINT_WELD,
    CAROM_JOINT_DISTANCE,
    CAROM_JOINT_SPRING /* no constraint at all: a force between two points */
} carom_joint_kind;

/* Between a point of body a and one of body b. Hinges turn about and sliders move along `axis`; the coordinate of a
 * joint is that of b relative to a: an angle, a length (0 at the poses of the file), a distance.
 * A prescribed motion is one more constraint; limits, spring, damper, dry friction and drive act on the coordinate. */
typedef struct carom_joint {
    const char *name;
    carom_joint_kind kind;
    int body[2];                        /* CAROM_GROUND or a body */
    carom_quantity point[2][3];         /* in the frames of the two bodies */
    carom_quantity axis[2][3];          /* hinge and slider: unit vectors in the frames of the two bodies */
    carom_quantity across[2][2][3];     /* and two more across it, so that each triple is right-handed */
    const char *coordinate;             /* the name of the relative coordinate it provides; NULL: it is a constraint */
    carom_quantity start, start_rate;   /* of this coordinate */
    bool has_range, loose;              /* loose: a distance that its range or its motion gives, not its length */
    carom_quantity range[2], restitution;
    carom_quantity stiffness, rest, damping, friction; /* 0: none; friction: the largest force or torque */
    carom_expr motion, drive;           /* of t: the coordinate; of anything: a force or torque. CAROM_EXPR_NONE */
    int motion_number, drive_number;    /* of many bodies: among `expressions`, from 1 on; 0: none */
    carom_quantity length;              /* distance; of a spring without force */
    const carom_text_node *node;
} carom_joint;
/* Are its bodies one thing, whose parts do not touch unless a law names them? */
static inline bool carom_joint_connects(const carom_joint *joint)
{
    return joint->kind != CAROM_JOINT_SPRING && joint->kind != CAROM_JOINT_DISTANCE;
}

/* ---- laws ---- */
typedef struct carom_pair_law {
    const char *name;     /* the two sides as the file has them: "link wall", "default" */
    const carom_law *law; /* NULL: the pair does not touch */
    const char *law_name; /* for carom_contact: NULL: by the directions of friction */
    int directions;       /* of friction */
    carom_quantity coefficient[CAROM_COEFFICIENTS_MAX]; /* at rest, if they depend on speeds */
    int ncoefficient;
    unsigned speeds;      /* CAROM_LAW_BY_APPROACH, CAROM_LAW_BY_SLIP: what coefficients depend on */
    const carom_text_node *node;
} carom_pair_law;

typedef struct carom_slope { /* a derivative of a force that is an expression */
    int of, velocity;        /* the number of the expression; of a body that it acts on */
    bool by_rate;            /* by the velocity; else along it */
} carom_slope;

/* ---- all of it ---- */
typedef struct carom_bodies {
    bool planar;
    carom_quantity gravity[3];
    carom_body *body; /* [nbody] */
    int nbody;
    carom_joint *joint; /* [njoint] */
    int njoint;
    carom_pair_law *law; /* [nlaw] */
    int nlaw;
    int nclass;
    int *law_of; /* [nclass*nclass] a number in law, or -1: none */
    carom_quantity **quantity; /* [nquantity] all that have an expression */
    int nquantity;
    /* r, v, w, a, w' and R [24] at t of each moved body in turn, w in body axes; NULL: none moves. mover: its needs. */
    void (*moves)(const struct carom_bodies *bodies, double t, double *out);
    void *mover;
    /* What the expressions of the file give at (t, q, v): f, f', f'' of each prescribed motion, from first_drive on the
     * forces or torques of joints, from first_push on forces on the velocities push_on. */
    void (*expressions)(const struct carom_bodies *bodies, double t, const double *q, const double *v, double *scratch,
                        double *out);
    int nexpression, first_drive, first_push, npush, *push_on;
    int nslope, first_slope; /* from first_slope on: derivatives, in the order of what they are of */
    carom_slope *slope;
    size_t expression_work;  /* numbers of scratch */
    void *actor;             /* what `expressions` needs */
} carom_bodies;

/* ---- pictures ---- */
typedef struct carom_contact_place { /* of a contact of formulas, as expressions */
    const char *name;
    int body[2];         /* its force acts on the second, its opposite on the first */
    carom_expr point[3], axis[3][3]; /* in space; the axes: along which the forces of its rows act */
} carom_contact_place;
struct carom_model;
/* Of all contacts between shapes of a model from a file; none for a model without bodies and one that finds its
 * contacts per step. */
carom_status carom_bodies_places(const struct carom_model *model, const carom_contact_place **places, int *n,
                                 carom_error *error);

/* Of a model from a file; NULL: it has none. */
const carom_bodies *carom_bodies_of(const struct carom_model *model);
/* What a contact that was found is called: "brick[0,1].3 brick[1,1]", the second of its bodies first; returns buffer.
 * body [2]: their numbers, -1: it is none of bodies. */
const char *carom_bodies_contact_name(const struct carom_model *model, long long id, int body[2], char *buffer,
                                      size_t size);
/* The same of any contact of a model: of its id if it was found, of its number if not. */
const char *carom_contact_called(const struct carom_model *model, int contact, long long id, char *buffer, size_t size);
/* Its law; NULL: it is none of bodies. */
const struct carom_pair_law *carom_bodies_found_law(const struct carom_model *model, long long id);
/* Where the contacts of a step are: out [15*ncontact] with two points, the normal and two tangents of each, in space
 * (all 0: nowhere). at->model: with the contacts of the step; at->work: of its evaluator; false: nobody knows. */
struct carom_point;
bool carom_bodies_found_places(const struct carom_point *at, double *out);
/* Where contacts are found: a length that coordinates of surfaces are rounded at, the largest place of a body and half
 * of the largest shape; -1: the model is none of bodies. The evaluator's poses are those of the point afterwards. */
double carom_bodies_length(const struct carom_point *at);

/* All values from their expressions; variables as the pool numbers them. */
void carom_bodies_evaluate(carom_bodies *bodies, const carom_expr_pool *pool, const double *variables);
/* The law of two shapes, or NULL: they do not touch. Shapes of the same body never do. */
const carom_pair_law *carom_bodies_law(const carom_bodies *bodies, const carom_body_shape *a,
                                       const carom_body_shape *b);
/* The law of shape m of body i and shape n of body j: NULL if neither body is free, and where a joint is between them
 * unless a law names them. */
const carom_pair_law *carom_bodies_law_between(const carom_bodies *bodies, int i, int m, int j, int n);
/* The shape for src/geometry, in axes of the body at its centre of mass. corner [corners*3] is the caller's. */
void carom_bodies_shape(const carom_bodies *bodies, const carom_body *body, const carom_body_shape *shape,
                        double *corner, carom_shape_spec *spec);
/* The rotation by turns about x, y, z (body axes, in this order) as a unit quaternion. */
void carom_bodies_turn(const carom_quantity *turn, double *rotation);
/* Place, rotation and velocities of every body from at, turn, velocity and spin, without what is to be found. */
void carom_bodies_start(carom_bodies *bodies);
/* Are there too many bodies or pairs for formulas, or shapes whose contacts formulas do not know? */
bool carom_bodies_many(const carom_bodies *bodies);
/* In the plane: have polygons so many corners that a scheme which locates events finds their contacts sooner than it
 * evaluates formulas of all of them? */
bool carom_bodies_crowded(const carom_bodies *bodies);

#endif
