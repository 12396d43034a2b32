/* test_output.h: a small model and a synthetic motion for the tests of the output, all in dyadic numbers, so that
 * every expected value is exact. */
#ifndef CAROM_TEST_OUTPUT_H
#define CAROM_TEST_OUTPUT_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "output/output.h"
#include "testing.h"

static inline carom_status fixture_prepare(const carom_model *model, unsigned want, carom_error *error)
{
    (void)model, (void)want, (void)error;
    return CAROM_OK;
}
static inline size_t fixture_bytes(const carom_model *model, int lanes)
{
    (void)model, (void)lanes;
    return 8;
}
static inline void fixture_begin(const carom_model *model, int lanes, const double *p, void *work)
{
    (void)model, (void)lanes;
    *(double *)work = p[0];
}
/* outputs: p0 y; gap: y; energy: v^2/2 and y */
static inline void fixture_eval(const carom_model *model, const carom_eval *e, void *work)
{
    (void)model;
    if (e->want & CAROM_OUTPUTS)
        e->outputs[0] = *(double *)work * e->q[0];
    if (e->want & CAROM_GAP)
        e->g[0] = e->q[0];
    if (e->want & CAROM_ENERGY)
        e->energy[0] = e->v[0] * e->v[0] / 2, e->energy[1] = e->q[0];
}
static const carom_evaluator fixture_evaluator = {fixture_prepare, fixture_bytes, fixture_begin, fixture_eval};
static const char *const fixture_q[] = {"y"}, *const fixture_out[] = {"twice"};
static const carom_contact fixture_contact[] = {{.name = "ground"}, {.name = "wall", .directions = 1}};
static const double fixture_zero[] = {1}, fixture_p[] = {2};

/* One coordinate, a contact without and one with planar friction. */
static inline carom_model fixture_model(void)
{
    return (carom_model){.size = sizeof(carom_model), .name = "fixture", .nq = 1, .nv = 1, .np = 1, .ncontact = 1,
                         .noutput = 1, .q_name = fixture_q,
                         .output_name = fixture_out, .contact = fixture_contact, .q = fixture_zero, .v = fixture_zero,
                         .p = fixture_p, .evaluator = &fixture_evaluator};
}

/* y = 1 - t^2 on [0, 1]; a jump of v from -2 to 1 with impulse 3; y = t - 1 on [1, 1.5] with force 4. */
static inline void fixture_play(carom_observer o)
{
    const double q0[] = {1, 0, -1}, v0[] = {0, -2}, q1[] = {0, 0.5}, v1[] = {1}, none[] = {0, 0, 0},
                 force[] = {4, 0, 0};
    const double at[] = {0}, before[] = {-2}, after[] = {1}, impulse[] = {3, 0, 0};
    const unsigned char open[] = {0, 0}, closed[] = {1, 0};
    carom_segment fall = {0, 1, 2, 1, q0, q0 + 1, v0, none, open, 0, 0, 0, NULL, 0};
    carom_segment rise = {1, 1.5, 1, 0, q1, q1 + 1, v1, force, closed, 0, 0, 0, NULL, 0};
    carom_jump jump = {1, at, before, after, impulse};
    carom_event event = {CAROM_EVENT_IMPACT, 1, 0, {-2}, {1}, {3}, 0};
    o.segment(o.user, &fall);
    o.jump(o.user, &jump);
    o.event(o.user, &event);
    o.segment(o.user, &rise);
}

/* The two text formats first. */
static const char *const fixture_endings[] = {"csv", "json", "h5"};
#ifdef CAROM_NO_HDF5
enum { FIXTURE_TEXTS = 2, FIXTURE_FORMATS = 2 };
#else
enum { FIXTURE_TEXTS = 2, FIXTURE_FORMATS = 3 };
#endif

/* A path in a folder of this test's own. */
static inline const char *fixture_path(const char *name)
{
    static char folder[200], path[300];
    if (!folder[0]) {
        const char *temporary = getenv("TMPDIR");
        snprintf(folder, sizeof folder, "%s/carom-output-XXXXXX", temporary ? temporary : P_tmpdir);
        ck_assert_ptr_nonnull(mkdtemp(folder));
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static inline void fixture_remove(void)
{
    static const char *const names[] = {"a.csv", "a.events.csv", "a.h5", "a.json", "a.svg",
                                        "b.csv", "b.events.csv", "b.h5", "b.json"};
    for (int i = 0; i < CAROM_COUNT(names); i++)
        unlink(fixture_path(names[i]));
    char folder[300];
    strcpy(folder, fixture_path(""));
    folder[strlen(folder) - 1] = '\0';
    rmdir(folder);
}

static inline char *fixture_read(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s is missing", path);
    size_t room = 1 << 22;
    char *text = malloc(room);
    size_t n = fread(text, 1, room - 1, file);
    text[n] = '\0';
    fclose(file);
    if (length)
        *length = n;
    return text;
}

static inline void fixture_write(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text, 1, length, file), length);
    fclose(file);
}

#endif
