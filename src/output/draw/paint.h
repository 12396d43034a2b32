/* paint.h: frames of a drawing as pixels, and as an animated GIF. */
#ifndef CAROM_OUTPUT_PAINT_H
#define CAROM_OUTPUT_PAINT_H

#include "output/draw/scene.h"
#include "output/raster/raster.h"

typedef struct carom_painting {
    const carom_model *model;
    const carom_draw_frames *frames;
    carom_scene *scene; /* NULL: in the plane */
    bool forces;        /* arrows */
    double strongest;   /* what a long one stands for */
    int digits;         /* of the clock */
    carom_canvas canvas, fine; /* the result; where space is painted */
} carom_painting;
carom_status carom_painting_new(carom_painting *painting, const carom_model *model, const carom_draw_frames *frames,
                                int width, int height, bool forces, carom_error *error);
void carom_painting_frame(carom_painting *painting, size_t frame); /* into its canvas */
void carom_painting_free(carom_painting *painting);

typedef struct carom_gif_options {
    int width, height;   /* 0: by the shape of the scene */
    double fps, speed;   /* frames a second; time of the motion that passes in a second */
    double from, to;     /* NAN: from the beginning, to the end */
    bool forces;
    /* Called before each frame; false ends the work. NULL: none. */
    bool (*progress)(void *user, size_t done, size_t all);
    void *user;
} carom_gif_options;
/* CAROM_INTERRUPTED: progress ended it; then there is no file. *frames: how many there are. */
carom_status carom_gif_animate(const char *path, const carom_animated *run, const carom_gif_options *options,
                               size_t *frames, carom_error *error);

#endif
