/* request.c: an entry in one call. */
#include "output/reproduce/reproduce.h"

typedef struct job {
    const carom_reproduce_request *request;
} job;

static bool go_on(void *user)
{
    const carom_reproduce_request *r = ((const job *)user)->request;
    return !(r->stop && r->stop(r->user));
}

const char *carom_reproduce_id(int i, bool *quick)
{
    for (const carom_paper *paper = carom_papers; paper->key; paper++)
        for (const carom_entry *entry = paper->entry; entry->id; entry++)
            if (i-- == 0) {
                if (quick)
                    *quick = entry->quick;
                return entry->id;
            }
    return NULL;
}

carom_status carom_reproduce_run(const carom_reproduce_request *r, carom_error *error)
{
    CAROM_SIZED(r, carom_reproduce_request, error);
    CAROM_NEED(r->id, error);
    CAROM_NEED(r->found, error);
    const carom_entry *entry = carom_entry_find(r->id);
    if (!entry)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "there is no entry '%s'", r->id);
    job j = {r};
    carom_findings f = {.quick = r->quick, .threads = r->threads, .go_on = go_on, .user = &j};
    carom_status status = carom_entry_run(&f, entry);
    if (status == CAROM_OK) {
        const carom_reproduced reproduced = {
            .id = entry->id, .title = entry->title, .verdict = carom_verdict_name(carom_findings_verdict(&f)),
            .command = entry->command, .message = f.status != CAROM_OK ? f.error.text : NULL, .check = f.check,
            .ncheck = f.ncheck, .wall_s = f.wall_s};
        r->found(r->user, &reproduced);
    }
    carom_findings_free(&f);
    return status == CAROM_OK ? status : carom_fail(error, status, "%s", carom_status_text(status));
}
