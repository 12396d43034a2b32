/* exact_testing.h: runs of the scheme `exact` with their events, for its tests. */
#ifndef CAROM_EXACT_TESTING_H
#define CAROM_EXACT_TESTING_H

#include <string.h>

#include "carom.h"
#include "running.h"
#include "testing.h"

enum { MOST = 4000 };
typedef struct record {
    int nevent;
    carom_event event[MOST];
} record;

static inline void on_event(void *user, const carom_event *e)
{
    record *r = user;
    if (r->nevent < MOST)
        r->event[r->nevent++] = *e;
}

static inline carom_sim *begin(const carom_model *m, double h, bool energy, record *r)
{
    carom_error error = {0};
    carom_sim *sim = NULL;
    carom_options o = carom_options_default();
    CHECK_OK(carom_options_set(&o, "scheme", "exact", &error), error);
    o.h = h, o.energy = energy;
    CHECK_OK(carom_sim_new(&sim, m, &o, &error), error);
    if (r) {
        r->nevent = 0;
        carom_sim_observe(sim, &(carom_observer){.size = sizeof(carom_observer), .user = r, .event = on_event});
    }
    return sim;
}

static inline const carom_event *of_type(const record *r, carom_event_type type, int k)
{
    for (int i = 0; i < r->nevent; i++)
        if (r->event[i].type == type && k-- == 0)
            return &r->event[i];
    ck_abort_msg("there is no such event among %d", r->nevent);
    return NULL;
}

#ifndef CAROM_NO_YAML
static inline carom_model *parse(const char *text)
{
    carom_error error = {0};
    carom_model *m = NULL;
    CHECK_OK(carom_model_parse(&m, "test", text, strlen(text), NULL, &error), error);
    return m;
}

static inline carom_model *with(const char *name, const char *const *names, const double *values, int n)
{
    carom_error error = {0};
    carom_model *m = NULL;
    CHECK_OK(carom_model_load(&m, name, NULL, &error), error);
    CHECK_OK(carom_model_set(m, names, values, n, &error), error);
    return m;
}

static inline double pi(void)
{
    return acos(-1);
}
#endif

#endif
