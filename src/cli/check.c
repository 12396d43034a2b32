/* check.c: `carom check`: what was derived from a model, and whether its derivatives are right. */
#include <stdlib.h>

#include "cli/cli.h"
#include "model/check.h"
#include "output/output.h"

enum { POINTS = 20 }; /* around the start */

typedef struct findings {
    const carom_model *model;
    carom_verdict verdict[CAROM_VERDICTS];
    int n, wrong;
    bool differenced;
    const char *note;
} findings;

static void print_text(const findings *f)
{
    printf("\nderivatives against finite differences, at the start and at %d points around it\n", POINTS);
    for (int i = 0; i < f->n; i++) {
        const carom_verdict *v = &f->verdict[i];
        printf("  %-6s %-42s %s  (%.1e)%s\n", v->name, v->meaning, v->ok ? "ok   " : "WRONG", v->error,
               v->differenced ? "  by finite differences: the model does not give it" : "");
    }
    if (*f->note)
        printf("note: %s\n", f->note);
}

static void put_names(carom_json *json, const char *key, const carom_model *model, int n,
                      const char *(*name)(const carom_model *, int, char *))
{
    char buffer[32];
    carom_json_array(json, key);
    for (int i = 0; i < n; i++)
        carom_json_string(json, NULL, name(model, i, buffer));
    carom_json_end(json);
}

static carom_status print_json(const findings *f, const char *description, carom_error *error)
{
    const carom_model *m = f->model;
    char buffer[32];
    carom_json *json;
    CAROM_TRY(carom_json_new(&json, "standard output", stdout, true, error));
    carom_json_object(json, NULL);
    carom_json_string(json, "model", m->name);
    put_names(json, "coordinates", m, m->nq, carom_model_q_name);
    carom_json_object(json, "parameters");
    for (int i = 0; i < m->np; i++)
        carom_json_number(json, carom_model_p_name(m, i, buffer), m->p[i]);
    carom_json_end(json);
    put_names(json, "joints", m, m->njoint, carom_model_joint_name);
    put_names(json, "contacts", m, m->ncontact, carom_model_contact_name);
    put_names(json, "outputs", m, m->noutput, carom_model_output_name);
    carom_json_string(json, "derived", description);
    carom_json_array(json, "derivatives");
    for (int i = 0; i < f->n; i++) {
        carom_json_object(json, NULL);
        carom_json_string(json, "name", f->verdict[i].name);
        carom_json_string(json, "meaning", f->verdict[i].meaning);
        carom_json_number(json, "error", f->verdict[i].error);
        carom_json_bool(json, "ok", f->verdict[i].ok);
        carom_json_bool(json, "differenced", f->verdict[i].differenced);
        carom_json_end(json);
    }
    carom_json_end(json);
    carom_json_bool(json, "ok", f->wrong == 0);
    if (*f->note)
        carom_json_string(json, "note", f->note);
    carom_json_end(json);
    return carom_json_close(json, error);
}

static carom_status describe(const carom_model *model, char **text, carom_error *error)
{
    size_t size;
    FILE *file = open_memstream(text, &size);
    if (!file)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory to describe the model");
    carom_status status = carom_model_describe(model, file, error);
    if (fclose(file) && status == CAROM_OK)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory to describe the model");
    return status;
}

static carom_status inspect(const carom_cli *cli, findings *f, carom_error *error)
{
    char *description = NULL;
    carom_status status = carom_model_verify(f->model, POINTS, (unsigned long)cli->seed, f->verdict, &f->n, error);
    for (int i = 0; i < f->n; i++) {
        f->wrong += !f->verdict[i].ok;
        f->differenced |= f->verdict[i].differenced;
    }
    if (status == CAROM_OK)
        status = describe(f->model, &description, error);
    if (status == CAROM_OK && cli->json)
        status = print_json(f, description, error);
    else if (status == CAROM_OK && !cli->quiet) {
        fputs(description, stdout);
        print_text(f);
    }
    free(description);
    return status;
}

int carom_cli_check(const carom_cli *cli)
{
    char note[200];
    carom_error error = {0};
    carom_options options;
    carom_model *model;
    int code = carom_cli_load(cli, &model, note);
    if (code == CAROM_EXIT_OK)
        code = carom_cli_settings(cli, model, &options);
    if (code == CAROM_EXIT_OK) {
        findings f = {.model = model, .note = note};
        carom_status status = inspect(cli, &f, &error);
        if (status != CAROM_OK)
            code = carom_cli_fail(carom_cli_exit(status), "%s", error.text);
        else if (f.wrong)
            code = carom_cli_fail(CAROM_EXIT_UNMET, "%d of %d derivatives do not agree with finite differences",
                                  f.wrong, f.n);
        else if (cli->strict && f.differenced)
            code = carom_cli_fail(CAROM_EXIT_UNMET,
                                  "the model leaves out derivatives, finite differences stand in (--strict)");
    }
    carom_model_free(model);
    return code;
}
