/* rows.h: coordinates between two bodies: their values, rates and derivatives (rows.c). What joints, ends of ranges,
 * springs and motors are made of. */
#ifndef CAROM_MANY_ROWS_H
#define CAROM_MANY_ROWS_H

#include "bodies/many/parts.h"

typedef enum carom_row_kind {
    CAROM_ROW_SPACE,    /* the distance of points along an axis of space */
    CAROM_ROW_BODY,     /* along an axis of the first body */
    CAROM_ROW_ACROSS,   /* the cosine between directions */
    CAROM_ROW_ANGLE,    /* in the plane */
    CAROM_ROW_TURN,     /* the angle about an axis in space */
    CAROM_ROW_DISTANCE
} carom_row_kind;

typedef struct carom_joint_row {
    carom_row_kind kind;
    int body[2];        /* CAROM_GROUND or a body */
    double p[2][3];     /* points from the centres, in body axes */
    double e[2][3];     /* directions, in body axes or (along axes of space) in space */
    double across[3];   /* of a turn: the second direction of the first body */
    double from;        /* what the coordinate is measured from: angle at the poses of the file, length, or an end */
    double sign;        /* -1: the upper end of a range */
    int motion;         /* its number among the prescribed motions, which it is measured from, too; -1: none */
    const carom_text_node *node; /* of its joint */
} carom_joint_row;

typedef struct carom_row_pair { /* the two bodies of a row, where they are */
    const carom_pose *pose[2];
    double arm[2][3], d[3], length;
    double n[3], m[3];
    double k[3], c, s; /* of a turn: the second direction of the first body; m along n and k */
} carom_row_pair;

carom_row_pair carom_row_at(const carom_joint_row *row, const carom_pose *poses);
/* The coordinate, without its sign; q: the angles of the plane. */
double carom_row_value(const carom_many *many, const carom_joint_row *row, const carom_row_pair *at, const double *q);
void carom_row_jacobian(const carom_joint_row *row, const carom_row_pair *at, double G[2][6]);
/* V [2][6]: velocities of the bodies, spins in space axes */
double carom_row_gamma(const carom_joint_row *row, const carom_row_pair *at, double V[2][6]);
/* How the part of body k in G^T changes with its own displacement. */
void carom_row_displaced(const carom_joint_row *row, const carom_row_pair *at, int k, double D[6][6]);
/* The block of a body, -1: it has none; the six of a body as its n, 3 in the plane. */
static inline int carom_row_block(const carom_many *many, int body)
{
    return body < 0 ? -1 : many->block[body];
}
static inline int carom_row_index(int n, int i)
{
    return n == 3 && i == 2 ? 5 : i;
}
/* What the motion of a moved body adds to G v: part CAROM_OF_SPEED of it, or CAROM_OF_CHANGE to G v'. */
double carom_many_of_moved(const carom_many *many, const carom_joint_row *row, double G[2][6], const double *motion,
                           int part);
/* R_q -= d(G^T x)/dq of a row, by bodies. */
void carom_many_row_gradient(const carom_many *many, const carom_joint_row *row, const carom_row_pair *at, double x,
                             double *R_q);
/* The coordinate of a joint or spring; joints.c has these three. */
carom_joint_row carom_many_coordinate(const carom_many *many, const carom_joint *joint);
/* The values of both bodies, that of the smaller block first, without what does not move; returns what follows. */
double *carom_row_pack(const carom_many *many, const carom_joint_row *row, double G[2][6], double *to);

#endif
