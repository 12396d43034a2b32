/* progress.c: one line on a terminal that says how far a run is, how fast it goes and how long it will take. */
#include <math.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

double carom_wall_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9*(double)now.tv_nsec;
}

void carom_progress_begin(carom_progress *progress, FILE *file, double t0, double t_end)
{
    const double now = carom_wall_time();
    *progress = (carom_progress){
        .file = file && isatty(fileno(file)) ? file : NULL, .t0 = t0, .t_end = t_end, .wall0 = now, .wall_shown = now};
}

static void show(const carom_progress *progress, double t, double now)
{
    enum { WIDTH = 30 };
    const double part = fmin(fmax((t - progress->t0)/(progress->t_end - progress->t0), 0), 1);
    const double rate = (double)(progress->steps - progress->steps_shown)/(now - progress->wall_shown);
    const double left = part > 0 ? (now - progress->wall0)*(1 - part)/part : INFINITY;
    char bar[WIDTH + 1];
    for (int i = 0; i < WIDTH; i++)
        bar[i] = i < (int)(part*WIDTH) ? '#' : '.';
    bar[WIDTH] = '\0';
    fprintf(progress->file, "\r\033[K%s[%s] %5.1f %%  ", progress->what ? progress->what : "", bar, 100*part);
    if (progress->unit)
        fprintf(progress->file, "%.9g of %.9g %s, %.3g/s", t, progress->t_end, progress->unit,
                (t - progress->t0) / (now - progress->wall0));
    else
        fprintf(progress->file, "t = %.6g  %.3g steps/s", t, rate);
    if (left < 359999)
        fprintf(progress->file, "  %d:%02d:%02d left", (int)left/3600, (int)left/60%60, (int)left%60);
    fflush(progress->file);
}

void carom_progress_step(carom_progress *progress, double t)
{
    progress->steps++;
    if (!progress->file)
        return;
    const double now = carom_wall_time();
    if (now - progress->wall_shown < (progress->shown ? 0.2 : 0.5)) /* short runs stay silent */
        return;
    show(progress, t, now);
    progress->shown = true;
    progress->wall_shown = now;
    progress->steps_shown = progress->steps;
}

void carom_progress_end(carom_progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", progress->file);
    progress->shown = false;
}
