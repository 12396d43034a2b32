/* scene.h: the solids of a spatial picture as triangles: what the page, the still picture and the animation draw. */
#ifndef CAROM_OUTPUT_SCENE_H
#define CAROM_OUTPUT_SCENE_H

#include "output/draw/draw.h"

typedef struct carom_mesh {
    double *vertex, *normal;  /* [3*nvertex] */
    unsigned char *index;     /* [6*ntriangle] numbers of vertices, low byte first; counterclockwise from outside */
    int nvertex, ntriangle;
} carom_mesh;
static inline int carom_mesh_corner(const carom_mesh *m, int i) /* i-th of 3*ntriangle */
{
    return m->index[2 * i] | m->index[2 * i + 1] << 8;
}

enum { /* meshes of size 1 */
    CAROM_MESH_BALL,     /* radius 1 */
    CAROM_MESH_BOX,      /* widths 1 */
    CAROM_MESH_CYLINDER, /* radius 1, length 1 along z */
    CAROM_MESH_PLANE,    /* a square around 0 across z with half sides 1 */
    CAROM_MESH_ARROW,    /* from 0 to 1 along z, radius of its head 1 */
    CAROM_MESH_OWN       /* the first of the model's own */
};

typedef struct carom_solid { /* a point of it is r + R (scale x), x of the mesh, in axes of its body */
    int mesh, body;
    double r[3], R[9], scale[3];
    bool ground;             /* of a body that does not move freely */
} carom_solid;

typedef struct carom_scene {
    carom_arena *arena;
    carom_mesh *mesh;   /* [nmesh] */
    carom_solid *solid; /* [nsolid] */
    int nmesh, nsolid;
    double size;        /* of what moves: planes are drawn that large */
    double middle[3];   /* of it */
    double up[3];       /* against gravity; z if there is none */
} carom_scene;

/* The solids of a drawing, planes as large as what moves in the frames; points are small balls. */
carom_status carom_scene_new(carom_scene **scene, const carom_drawing *drawing, const carom_draw_frames *frames,
                             carom_error *error);
void carom_scene_free(carom_scene *scene); /* NULL is fine */
/* ---- how it is looked at: in perspective, from the side and above ---- */
typedef struct carom_view {
    double right[3], above[3], back[3], eye[3]; /* unit vectors, and where one looks from */
    double scale, x, y; /* pixels of what is as long as it is far; the middle of the picture */
} carom_view;
carom_view carom_view_of(const carom_scene *scene, double width, double height);
/* out [3]: pixels to the right and down, and how far it is */
void carom_view_project(const carom_view *view, const double *x, double *out);
/* How bright a surface is, 0 to 1. */
double carom_view_light(const carom_view *view, const carom_scene *scene, const double *normal);
/* The matrix of a solid in a frame: a point x of its mesh is at A x + r; A by rows. */
void carom_solid_at(const carom_solid *solid, const carom_draw_frames *frames, size_t frame, double *A, double *r);
/* The matrix of a mesh along z from a to b with this radius; from its middle if it is around 0. */
void carom_along(const double *a, const double *b, double radius, bool middle, double *A, double *r);

/* How far the solids of a body reach from its centre of mass; planes do not count. */
double carom_draw_reach(const carom_drawing *drawing, int body);
/* The rotation of a unit quaternion (not quite: it is made one), by rows. */
void carom_draw_rotation(const double *quaternion, double *R);

#endif
