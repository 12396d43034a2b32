/* section.h: the sections space, gravity, bodies, joints, laws and start of a model file on their way into its
 * equations. Private to this folder.
 *
 *   declare.c   names, repeated bodies and joints, and which coordinates there are: before expressions can be read
 *   read.c      bodies: shapes, mass, start; laws.c: laws of pairs; joints.c: joints
 *   frames.c    where bodies are and how they move, as expressions of coordinates and velocities
 *   gaps.c      contacts of pairs of shapes as expressions; boxes.c: of boxes in space
 *   start.c     start values, and those to be found; carried.c: velocities of bodies that joints lead to
 *   posing.c     all shapes at the start; overlap.c: those that overlap; settle.c: start values to be found where
 *               contacts are, too
 *   names.c     box.x, celt.spin.z, point(box, [1, 0]).y; forces on bodies
 *   picture.c   the default picture
 *   found.c     instead of formulas: many bodies and joints between them, contacts found per step (many/)
 *   acts.c      what expressions do to those: motors, forces
 *   mixed.c     formulas for all but the contacts of pairs, which are found per step */
#ifndef CAROM_BODIES_SECTION_H
#define CAROM_BODIES_SECTION_H

#include "bodies/algebra.h"
#include "bodies/bodies.h"
#include "model/source.h"

enum { CAROM_INDICES = 3, CAROM_MAX_BODIES = 100000 };

typedef struct carom_family { /* an entry of bodies or joints: one thing, or an array of them */
    const carom_text_node *node;
    int indices, size[CAROM_INDICES];
    const char *index[CAROM_INDICES];
    int first, count; /* of the bodies or joints */
} carom_family;

typedef struct carom_frame { /* where a body is and how it moves; in the plane R turns about z */
    carom_matrix R, R0;           /* R0, r0: at the poses of the file, expressions of parameters */
    carom_vector r, r0, v, w;     /* centre of mass; w in body axes */
    carom_vector centre;          /* in the frame of the user */
    carom_expr angle, angle0;     /* plane */
} carom_frame;

typedef struct carom_place_of { /* numbers among positions and velocities; -1: none */
    int q[4], v[6]; /* x y z, then the angle or the first of a quaternion; x y z and spins */
} carom_place_of;

typedef struct carom_section_of_bodies {
    carom_bodies b;
    carom_family *family, *joint_family; /* [nfamily] [njoint_family] */
    int nfamily, njoint_family;
    int *family_of, *parent; /* [nbody] the joint that leads to it, or -1 */
    int *joint_family_of, *child; /* [njoint] the body that it leads to, or -1; its other end is the parent */
    int *joint_q;            /* [njoint] its coordinate, or -1 */
    carom_place_of *place;   /* [nbody] */
    carom_frame *frame;      /* [nbody] */
    bool ready;              /* frames are there */
    int nquantity_most;
    struct carom_found_bodies *found; /* found.c; NULL: formulas */
    bool mixes;                       /* formulas, but for the contacts of pairs: mixed.c */
    struct carom_mixed *mixed;
    struct carom_many *many;          /* shapes and broad phase of found.c and mixed.c */
    carom_tape *where;                /* poses of all bodies, where there are formulas; NULL: no two bodies may touch */
    carom_contact_place *places;      /* [nplace] gaps.c: NULL until a picture asks */
    int nplace;
} carom_section_of_bodies;

/* ---- declare.c ---- */
/* The indices of member k of a family; index [CAROM_INDICES]. */
void carom_family_index(const carom_family *family, int k, carom_index *index);
/* The number of a body by its full name ("ground": CAROM_GROUND), or -2. */
int carom_bodies_find(const carom_section_of_bodies *x, const char *name);
/* The kind of a shape node {box: [w, h], ...}: index into carom_shape_words, or -1. */
extern const char *const carom_shape_words[];
enum { CAROM_SHAPE_WORDS = 12 };
extern const char *const carom_joint_words[];
enum { CAROM_JOINT_WORDS = 6 };

/* ---- frames.c ---- */
carom_status carom_bodies_file_poses(carom_loader *l); /* R0, r0, angle0, centre */
carom_status carom_bodies_frames(carom_loader *l);     /* all the rest */
carom_matrix carom_turns(carom_loader *l, const carom_quantity *turn); /* about x, y, z, in this order */
/* A point given in the user's frame of a body: where it is, how fast it moves. body CAROM_GROUND: space. */
carom_vector carom_frame_point(carom_loader *l, int body, carom_vector at);
carom_vector carom_frame_velocity(carom_loader *l, int body, carom_vector at);
carom_vector carom_frame_direction(carom_loader *l, int body, carom_vector direction);
carom_vector carom_frame_spin(carom_loader *l, int body); /* in space axes */
/* Of what a body has at a point of space. */
carom_vector carom_frame_velocity_at(carom_loader *l, int body, carom_vector point);

/* ---- names ---- */
carom_vector carom_quantities(carom_loader *l, const carom_quantity *q); /* three of them as expressions */
carom_expr carom_quantity_expr(carom_loader *l, const carom_quantity *q);

/* ---- read.c, laws.c, joints.c ---- */
carom_status carom_read_quantity(carom_loader *l, const carom_text_node *node, const char *what, carom_quantity *to);
carom_status carom_set_quantity(carom_loader *l, carom_expr e, carom_quantity *to);
/* Are those under a key of a map finite? */
carom_status carom_check_finite(const carom_source *s, const carom_text_node *map, const char *key,
                                const carom_quantity *q, int n, carom_error *error);
/* A list of numbers; n of them are needed. */
carom_status carom_read_list(carom_loader *l, const carom_text_node *node, const char *what, int n, carom_quantity *to);
/* Numbers of expressions of parameters, as these are now. */
carom_status carom_bodies_values_of(carom_loader *l, const carom_expr *e, int n, double *out);
/* The same of numbers by which formulas are chosen: with other parameters these are made anew. */
carom_status carom_bodies_choices(carom_loader *l, const carom_expr *e, int n, double *out);
carom_status carom_read_laws(carom_loader *l);
carom_status carom_laws_of_found(carom_loader *l); /* fails where a law depends on speeds */
carom_status carom_read_joints(carom_loader *l);
carom_status carom_joint_keys(carom_loader *l, const carom_text_node *node); /* are they known? */
carom_status carom_joint_values(carom_loader *l);
void carom_joint_watch(carom_loader *l);
carom_status carom_bodies_masses(carom_loader *l, carom_body *body, const carom_text_node *node);
/* The coordinate of a joint and its rate, whether it is one of the model's or not. */
carom_expr carom_joint_angle(carom_loader *l, int joint);
carom_expr carom_joint_rate(carom_loader *l, int joint);

/* Its prescribed motion; its torque or force. CAROM_EXPR_NONE: none */
carom_status carom_joint_motion(carom_loader *l, int joint, carom_expr *e);
carom_status carom_joint_drive(carom_loader *l, int joint, carom_expr *e);

/* ---- gaps.c ---- */
carom_status carom_bodies_pairs(carom_loader *l); /* contacts of all pairs with a law */
/* speed: g' if something shorter is known than what follows from g, else CAROM_EXPR_NONE */
carom_status carom_add_joint(carom_loader *l, const char *name, carom_expr g, carom_expr speed,
                             const carom_text_node *node);
carom_status carom_add_contact(carom_loader *l, const char *name, carom_expr gap, const carom_expr *slip,
                               int directions, const carom_pair_law *law, const carom_text_node *node);
carom_status carom_bodies_joints(carom_loader *l); /* joints.c: constraints, limits, friction */
carom_status carom_joint_forces(carom_loader *l);  /* joints.c: springs, dampers, drives */
carom_status carom_add_push(carom_loader *l, carom_expr force, carom_expr speed);

/* A contact with its branches. */
#define CAROM_TIE 1e-6 /* of the size of a shape: how far corners of two bodies may miss each other and coincide */
typedef struct carom_piece {
    carom_expr gap, speed, slip[2]; /* speed: the rate of the gap */
    carom_expr rank;                /* of several branches, that with the largest holds */
    carom_vector point, axis[3];    /* for pictures: where it is; normal and tangents */
} carom_piece;
/* Where a contact is belongs to pictures alone: runs do without these expressions. t [2] */
void carom_piece_place(carom_loader *l, carom_piece *x, carom_vector point, carom_vector normal, const carom_vector *t);
/* The one whose rank is larger. */
carom_piece carom_piece_larger(carom_loader *l, const carom_piece *one, const carom_piece *two);
/* ---- boxes.c ---- */
/* Two boxes in space. A vertex (0 to 7) of the second on the first: */
carom_piece carom_boxes_vertex(carom_loader *l, const int body[2], const carom_body_shape *const shape[2], int vertex);
/* Edges along `axis` of each; sign: which two of the four that there are. */
carom_piece carom_boxes_edges(carom_loader *l, const int body[2], const carom_body_shape *const shape[2],
                              const int axis[2], const int sign[2]);

/* ---- found.c, mixed.c ---- */
/* Variables of expressions among t, q, v and p: groups 0 to 3 of a tape; NULL: no memory. */
carom_tape_slot *carom_bodies_slots(const carom_source *s);
/* acts.c: the tape of expressions that act on many bodies, with these parameters; NULL where there are none. */
carom_status carom_bodies_acts(carom_loader *l, const double *p, carom_tape **tape);
/* Have forces or given motions branches (if, abs, sign ...)? */
carom_status carom_bodies_branch(carom_loader *l, bool *any);
void carom_bodies_unmix(carom_source *s);
void carom_mixed_places(const carom_point *at, double *out);
double carom_mixed_length(const carom_point *at);
const carom_contact *carom_mixed_contact(const carom_source *s, long long id); /* of formulas; NULL: it is none */

/* ---- start.c, carried.c ---- */
carom_status carom_bodies_initial(carom_loader *l);
carom_status carom_bodies_carry(carom_loader *l); /* rates of joints from the velocities of the bodies they lead to */
carom_expr carom_at_start(const carom_source *s, carom_expr e); /* with start values for coordinates and velocities */
carom_status carom_bodies_find_start(carom_loader *l); /* touch, rolling: after the contacts */
/* The variables of expressions with the parameters as they are; NULL: no memory. */
double *carom_bodies_variables(const carom_source *s);

/* ---- posing.c, settle.c ---- */
carom_status carom_bodies_where(carom_loader *l);  /* the tape of that name */
/* touch, rolling where contacts are found: once s->q and s->v are there */
carom_status carom_bodies_settle(carom_loader *l);
/* A free place of coordinate i and one where shapes overlap, next to each other; false: there is none. */
bool carom_bodies_touch(carom_loader *l, double *variables, int i, double *open, double *closed);
#endif
