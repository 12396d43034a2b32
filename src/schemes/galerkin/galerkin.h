/* galerkin.h: what the parts of the Galerkin families share: stages (galerkin.c), Newton's method for them
 * (newton.c), the end of a step (end.c) and what it has to tell (record.c). */
#ifndef CAROM_GALERKIN_H
#define CAROM_GALERKIN_H

#include "schemes/galerkin/table.h"
#include "contact/scale.h"
#include "schemes/scheme.h"

enum { CAROM_GALERKIN_FIELD_DEGREE, CAROM_GALERKIN_FIELD_ALTERNATE, CAROM_GALERKIN_FIELD_KAPPA,
       CAROM_GALERKIN_FIELD_BOUNDED };

typedef enum carom_galerkin_part { /* of a link in the problem at the end of a step */
    CAROM_GALERKIN_OUT,
    CAROM_GALERKIN_FREE, /* joint, or contact without stage forces: the impulse alone is in the law */
    CAROM_GALERKIN_HELD  /* closed and loaded at every stage: the total impulse is in the law */
} carom_galerkin_part;

typedef struct carom_galerkin {
    carom_galerkin_table *table;   /* [2] of degree and of alternate, built when first needed */
    const carom_galerkin_table *t; /* of this step */
    double *q, *v, *a, *force;     /* [stages*nq] [stages*nv] [stages*nv] [stages*nrow] */
    double *rate;                  /* [stages*nv] of the local coordinates: v itself if positions are vectors */
    double *kick, *kick_new;       /* [nv] M^-1 G^T P as the stages of D+ feel it, and as the end gives it */
    bool respond;                  /* D+: the end knows how vf follows the kick */
    double *S, *X;                 /* [nv*nv] dvf/dkick  [stages*nv*nv] */
    double *vf, *v_minus, *q_end;  /* [nv] [nv] [nq] at the end, without impulse */
    double *v_base;                /* [nv] what the impulse is added to */
    double *mean, *a_new;          /* [nv] */
    double *slip;                  /* [nrow] directions of slip at a stage */
    double *I, *P;                 /* [nrow] impulses of the stage forces, and at the end */
    double *base;                  /* [nrow] what P is added to in the law */
    double *g_start;               /* [nlink] gaps to be kept by contacts that stay closed */
    double *e, *e_full;            /* [nrow] restitution; before some of it is taken away */
    double *law;                   /* [nlaw] coefficients of the whole step, where they change in it */
    double *ls_work;               /* [4*nrow] */
    int *ls_order;                 /* [nrow] */
    unsigned char *closed;         /* [nlink] frozen for the step: links with forces at the stages */
    unsigned char *part;           /* [nlink] carom_galerkin_part, latched */
    unsigned char *spare;          /* [nlink] joints that follow from the others: they carry no force */
    unsigned char *straight;       /* [nlink] spatial slip keeps the direction of the start */
    unsigned char *loose;          /* [nlink] was held by static friction and slips */
    unsigned char *caught;         /* [nlink] slip that turned back in this step: static friction may hold it */
    bool turning;                  /* a spatial contact slips */
    bool latched;                  /* part is decided */
    double *J, *rhs, *D;           /* [(stages*nv)^2] [stages*nv] [2*nv*nv] of Newton's method */
    double *B, *K;                 /* [2*nrow*nv] [nrow*nrow] */
    carom_kept_lu newton;          /* [stages*nv] of J */
} carom_galerkin;

static inline double carom_galerkin_time(const carom_step *s, int l)
{
    const carom_galerkin *w = s->work;
    return w->t->c[l] == 1 ? s->next->t : s->now->t + w->t->c[l] * s->h;
}

/* Energy that errors of the step have gained, the balance of its account; leaves everything as it was. */
double carom_galerkin_gain(carom_step *step);
/* The whole step, and what the vtables of both families share. */
carom_status carom_galerkin_step(carom_step *step, bool plus);
void carom_galerkin_layout(carom_layout *layout, const carom_system *system, void *work);
int carom_galerkin_memory(const carom_system *system);
void carom_galerkin_orders(const double *field, double *smooth, double *impact);
extern const unsigned carom_galerkin_requests[];
extern const carom_field carom_galerkin_fields[];
/* What the entries of both families share, but for their names and their step. */
#define CAROM_GALERKIN_SCHEME \
    .orders = carom_galerkin_orders, .laws = CAROM_LAW_SPEEDS, .requests = carom_galerkin_requests, .segments = 1, \
    .degree = CAROM_GALERKIN_DEGREE + 1, .memory = carom_galerkin_memory, .work_bytes = sizeof(carom_galerkin), \
    .layout = carom_galerkin_layout

/* Stage velocities from accelerations; one stage's acceleration (at its position and velocity) and forces. */
void carom_galerkin_velocities(carom_step *step);
carom_status carom_galerkin_accelerate(carom_step *step, int l, double *a);
void carom_galerkin_rates(carom_step *step); /* of the stages' local coordinates, from their velocities */
/* How large velocities are that convergence is measured against. */
double carom_galerkin_size(const carom_step *step);
/* Newton's method for the accelerations of the stages lo .. hi. */
carom_status carom_galerkin_newton(carom_step *step, int lo, int hi);
/* D+: S = dvf/dkick at the present stages. */
carom_status carom_galerkin_response(carom_step *step);

/* Which links are in the problem of the stages, of the end. */
void carom_galerkin_stage_links(carom_step *step);
void carom_galerkin_end_links(carom_step *step);
/* A gap at q_end that is 0 but for rounding and for what Newton's method leaves; the system holds G there. */
double carom_galerkin_touch(const carom_step *step, const carom_link *link);
/* q_end, vf, the parts of the links (once) and the impulses; next->q, next->v. */
carom_status carom_galerkin_end(carom_step *step);
/* Modes, events, energy, segment, jump. */
carom_status carom_galerkin_tell(carom_step *step);

#endif
