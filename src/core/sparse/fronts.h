/* fronts.h: what ordering and factorisation of a sparse matrix share: the fronts. */
#ifndef CAROM_SPARSE_FRONTS_H
#define CAROM_SPARSE_FRONTS_H

#include "core/sparse/sparse.h"

typedef struct carom_front {
    size_t first, pivots, boundary; /* blocks in list[first ..]: those eliminated, then the boundary */
    int np, nb;                     /* rows of both */
    int parent;                     /* front, or -1 */
    int next, child;                /* of the same parent; first child */
    size_t factor;                  /* first number in the factor: np x (np + nb), then nb x np */
    int exchange;                   /* first of its np exchanges of rows */
    int begin;                      /* its subtree is post[begin ..] up to itself */
    double work;                    /* multiplications of the subtree */
    size_t kept;                    /* what the root of a task leaves, in kept; SIZE_MAX: on the stack of a worker */
} carom_front;

enum { CAROM_SPARSE_THREADS = 8 };  /* at most */

typedef struct carom_front_worker { /* a thread at work on fronts */
    double *dense;                  /* the present front */
    double *stack;                  /* what fronts leave */
    int *position;                  /* [nblock] first row of a block in the present front, or -1 */
    size_t dense_room, stack_room, used; /* used: of the stack */
} carom_front_worker;

struct carom_sparse {
    carom_arena *arena;
    bool ready;              /* analysed, with room for a factor */
    carom_pattern pattern;
    const unsigned char *in;
    int nfront;
    carom_front *front;      /* [nfront] in the order of elimination */
    int *post;         /* [nfront] children first, the order of the work */
    int *list;         /* blocks of the fronts */
    size_t listed, list_room;
    size_t *twin;      /* [entries] entry (l, k) of the entry (k, l) */
    double *factor;    /* [factor_size] */
    size_t factor_size, factor_room;
    carom_front_worker worker[CAROM_SPARSE_THREADS];
    int threads;
    int *task, ntask;  /* [ntask] ascending places in post: fronts whose subtrees are factored side by side */
    size_t task_room;
    double *kept;      /* what they leave */
    size_t kept_room;
    int *exchange;     /* [rows] */
    double *gather;    /* [largest front] */
    size_t gather_room, bound_room;
    int *ordering;     /* [see order.c] scratch of the ordering, as are the next four */
    unsigned *hash;    /* [nblock + 1] */
    int *mark_of;      /* [2*nblock + 1] */
    size_t *boundary;  /* [nblock + 1] */
    int *bound;        /* [bound_room] */
};

/* Fills front, nfront and list; false: no memory. */
bool carom_sparse_order(carom_sparse *sparse);
/* Makes the array (a pointer to its pointer) of elements of this size as long as needed and more; what is in it stays.
 * false: no memory. */
bool carom_sparse_room(carom_arena *arena, void *array, size_t size, size_t *room, size_t need);

#endif
