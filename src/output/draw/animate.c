/* animate.c: a trajectory as an animated GIF. */
#include <math.h>
#include <stdlib.h>

#include "output/draw/paint.h"

enum { FRAMES_MOST = 20000, SAMPLES = 12 }; /* SAMPLES: frames whose colours are counted */

static carom_status choose_times(const carom_animated *run, const carom_gif_options *o, double **t, size_t *n,
                                 carom_error *error)
{
    const carom_columns *table = run->table;
    const double *rows = table->column[carom_columns_find(table, "t")], first = rows[0], last = rows[table->nrow - 1];
    double from = isnan(o->from) ? first : o->from, to = isnan(o->to) ? last : o->to;
    if (!(from <= to) || from > last || to < first)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "from t = %g to %g there is no motion: the trajectory goes from %g to %g",
                   from, to, first, last);
    from = fmax(from, first), to = fmin(to, last);
    double count = floor((to - from) / o->speed * o->fps + 1e-9) + 1;
    if (count > FRAMES_MOST)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT,
                   "%.0f frames are too many (%d at most): choose a higher speed, fewer frames a second, or a part",
                   count, FRAMES_MOST);
    *n = (size_t)count;
    *t = malloc(*n * sizeof **t);
    if (!*t)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %zu frames", *n);
    for (size_t k = 0; k < *n; k++)
        (*t)[k] = from + (double)k * o->speed / o->fps;
    return CAROM_OK;
}

/* As wide as asked for, as high as the scene needs; even numbers. */
static void choose_size(const carom_draw_frames *f, const carom_gif_options *o, int *width, int *height)
{
    double shape = f->nbody ? 0.65 : (f->box[3] - f->box[1]) / (f->box[2] - f->box[0]);
    *width = o->width ? o->width : o->height ? (int)(o->height / fmin(fmax(shape, 0.25), 2)) : 480;
    *height = o->height ? o->height : (int)(*width * fmin(fmax(shape, 0.25), 1.25));
    *width = CAROM_MIN(CAROM_MAX(*width, 16), 4000);
    *height = CAROM_MIN(CAROM_MAX(*height, 16), 4000);
}

static carom_status write_frames(carom_gif *gif, carom_painting *p, size_t n, const carom_gif_options *o,
                                 carom_error *error)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        carom_painting_frame(p, (n - 1) * i / (SAMPLES - 1));
        carom_gif_count(gif, &p->canvas);
    }
    for (size_t k = 0; k < n; k++) {
        if (o->progress && !o->progress(o->user, k, n))
            CAROM_FAIL(error, CAROM_INTERRUPTED, "interrupted; no animation was written");
        carom_painting_frame(p, k);
        CAROM_TRY(carom_gif_frame(gif, &p->canvas, error));
    }
    return CAROM_OK;
}

static carom_status paint(const char *path, const carom_animated *run, const carom_draw_frames *f,
                          const carom_gif_options *o, carom_error *error)
{
    carom_painting p;
    carom_gif *gif = NULL;
    int width, height;
    choose_size(f, o, &width, &height);
    CAROM_TRY(carom_painting_new(&p, run->model, f, width, height, o->forces, error));
    double span = f->t[f->n - 1] - f->t[0];
    p.digits = (int)fmin(6, fmax(1, 2 - floor(log10(span > 0 ? span : 1))));
    carom_status status = carom_gif_new(&gif, path, width, height, (int)fmax(2, 100 / o->fps + 0.5), error);
    if (status == CAROM_OK)
        status = write_frames(gif, &p, f->n, o, error);
    carom_status closed = carom_gif_close(gif, status == CAROM_OK, error);
    carom_painting_free(&p);
    return status == CAROM_OK ? closed : status;
}

carom_status carom_gif_animate(const char *path, const carom_animated *run, const carom_gif_options *o, size_t *frames,
                               carom_error *error)
{
    carom_draw_frames f;
    char reason[300];
    double *t = NULL;
    *frames = 0;
    if (carom_draw_obstacle(run, reason))
        CAROM_FAIL(error, CAROM_UNSUPPORTED, "%.100s is not drawn: %.250s", run->name, reason);
    if (run->table->nrow == 0)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "'%.100s' has no rows", run->name);
    CAROM_TRY(choose_times(run, o, &t, frames, error));
    carom_status status = carom_draw_sample(&f, run, t, *frames, error);
    if (status == CAROM_OK) {
        status = paint(path, run, &f, o, error);
        carom_draw_free(&f);
    }
    free(t);
    return status;
}
