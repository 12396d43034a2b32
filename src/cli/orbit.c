/* orbit.c: `carom orbit`: a periodic orbit with its multipliers, and the branch it belongs to. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/orbit/orbit.h"
#include "cli/cli.h"
#include "output/output.h"
#include "sim/sim.h"

static const carom_cli_option options[] = {
    {"--multiple", NULL, "K", 0, CAROM_CLI_OWN, NULL, 0,
     "the orbit closes after K periods of the forcing; 1 if not given"},
    {"--transient", NULL, "N", 0, CAROM_CLI_OWN, NULL, 0,
     "periods (of a model without forcing: runs of t_end) before the search begins, so that an attracting orbit is at "
     "hand; 200 if not given. 0 begins at the model's own start, which also finds unstable orbits"},
    {"--period", NULL, "T", 0, CAROM_CLI_OWN, NULL, 0,
     "a guess of the period of a model without forcing; otherwise it is measured"},
    {"--sensitivity", NULL, NULL, 0, CAROM_CLI_OWN, NULL, 0, "also print how the orbit moves with every parameter"},
    {"--points", NULL, "N", 0, CAROM_CLI_OWN, NULL, 0, "the most points of a branch; 2000 if not given"},
    {.name = NULL},
};

const carom_cli_command carom_cli_orbit_command = {
    "orbit", "MODEL", 1, 1, CAROM_CLI_ORBIT, carom_cli_orbit,
    "periodic orbits, their stability, branches and bifurcations",
    "Finds a periodic orbit of MODEL by Newton's method on the return map, whose derivative is the tangent flow, and "
    "prints its Floquet multipliers. With -p NAME=FROM:TO:N the orbit at FROM is followed to TO, around folds, "
    "beginning with steps of (TO - FROM)/N; period doublings, saddle-nodes and grazings are located and reported. -o "
    "FILE.csv writes the branch. Without --rtol and --atol the runs use 1e-12.",
    "carom orbit impact-oscillator -p w=2.5 -p alpha=0.05 -p e=0.5 -p umin=0\n"
    "carom orbit impact-oscillator -p alpha=0 -p umin=0 -p w=2.3:2.8:25 -o branch.csv",
    options};

typedef struct special {
    int kind;
    double value;
} special;

typedef struct work {
    const carom_cli *cli;
    carom_model *model;
    carom_options options;
    carom_orbits orbits;
    bool open; /* orbits is to be freed */
    int *which, np;
    const char *varied; /* NULL: no branch */
    FILE *csv;
    carom_progress progress;
    special special[64];
    int nspecial;
    long points;
} work;

/* ---- set-up ---- */

static int find_parameter(work *w, const char *name)
{
    const carom_model *m = w->model;
    const char **names = CAROM_NEW(w->cli->arena, const char *, m->np + 1);
    char buffer[32];
    for (int i = 0; names && i < m->np; i++) {
        names[i] = carom_arena_format(w->cli->arena, "%s", carom_model_p_name(m, i, buffer));
        if (names[i] && !strcmp(names[i], name))
            return i;
    }
    if (names)
        carom_cli_unknown("parameter to vary", name, names, "orbit");
    return -1;
}

/* To the beginning of the branch. A parameter that depends on others becomes one of its own. */
static int move_to_branch(work *w)
{
    const carom_cli *cli = w->cli;
    carom_error error = {0};
    if (cli->nrange > 1)
        return carom_cli_fail(CAROM_EXIT_USAGE, "orbit follows a branch in one parameter, not in %d", cli->nrange);
    if (cli->nrange && cli->range[0].from == cli->range[0].to)
        return carom_cli_fail(CAROM_EXIT_USAGE, "a branch from %g to %g has no length; -p %s=%g finds the orbit there",
                              cli->range[0].from, cli->range[0].to, cli->range[0].name, cli->range[0].from);
    if (cli->nrange == 0)
        return CAROM_EXIT_OK;
    w->varied = cli->range[0].name;
    if (carom_model_set(w->model, &w->varied, &cli->range[0].from, 1, &error) != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_USAGE, "-p: %s", error.text);
    return CAROM_EXIT_OK;
}

/* Parameters whose derivatives are wanted, the one that is varied first. */
static int choose_parameters(work *w)
{
    const carom_cli *cli = w->cli;
    const int np = w->model->np;
    w->which = CAROM_NEW(cli->arena, int, np + 1);
    if (!w->which)
        return carom_cli_fail(CAROM_EXIT_FAILED, "no memory");
    if (w->varied) {
        int i = find_parameter(w, w->varied);
        if (i < 0)
            return CAROM_EXIT_USAGE;
        w->which[w->np++] = i;
    }
    for (int i = 0; i < np && carom_cli_own(cli, "--sensitivity"); i++)
        if (!w->np || i != w->which[0])
            w->which[w->np++] = i;
    return CAROM_EXIT_OK;
}

/* -o takes the branch, as a file or on standard output, where nothing else is printed then. */
static int check_output(const carom_cli *cli)
{
    const char *ending = cli->output ? strrchr(cli->output, '.') : NULL;
    if (!cli->output)
        return CAROM_EXIT_OK;
    if (!cli->nrange)
        return carom_cli_fail(CAROM_EXIT_USAGE, "-o writes a branch: it needs -p NAME=FROM:TO:N");
    if (strcmp(cli->output, "-") != 0 && (!ending || strcmp(ending, ".csv") != 0) &&
        strncmp(cli->output, "/dev/", 5) != 0)
        return carom_cli_fail(CAROM_EXIT_USAGE, "-o takes a file that ends in .csv, or -, not '%s'", cli->output);
    if (cli->json && !strcmp(cli->output, "-"))
        return carom_cli_fail(CAROM_EXIT_USAGE, "--json and -o - would both write to standard output");
    return CAROM_EXIT_OK;
}

static bool prints(const carom_cli *cli)
{
    return cli->output && !strcmp(cli->output, "-");
}

static int prepare(work *w)
{
    const carom_cli *cli = w->cli;
    carom_error error = {0};
    char note[200];
    long multiple = 1, transient = 200;
    double period = 0;
    const carom_cli_count counts[] = {{"--multiple", 1, 1000, &multiple}, {"--transient", 0, 1e9, &transient}};
    int code = check_output(cli);
    if (code == CAROM_EXIT_OK)
        code = carom_cli_load(cli, &w->model, note);
    if (code == CAROM_EXIT_OK)
        code = move_to_branch(w);
    if (code == CAROM_EXIT_OK)
        code = choose_parameters(w);
    if (code == CAROM_EXIT_OK)
        code = carom_cli_settings(cli, w->model, &w->options);
    if (code == CAROM_EXIT_OK)
        code = carom_cli_own_counts(cli, counts, CAROM_COUNT(counts));
    if (code == CAROM_EXIT_OK)
        code = carom_cli_own_number(cli, "--period", 1e-300, 1e300, &period);
    if (code != CAROM_EXIT_OK)
        return code;
    carom_cli_sharpen(cli, &w->options, 1e-12);
    w->options.energy = false;
    carom_status status = carom_orbits_new(&w->orbits, w->model, &w->options, w->which, w->np, &error);
    w->open = status == CAROM_OK;
    w->orbits.multiple = (int)multiple;
    if (status == CAROM_OK) {
        w->orbits.orbit.T = period;
        status = carom_orbit_guess(&w->orbits, &w->options, (double)transient, &error);
    }
    if (status == CAROM_STOPPED)
        return carom_cli_fail_job(cli, w->model, CAROM_EXIT_FAILED, status,
                                  "the stop condition of the model ends the run before an orbit is found");
    return status == CAROM_OK ? CAROM_EXIT_OK
                              : carom_cli_fail_job(cli, w->model, carom_cli_exit(status), status, error.text);
}

/* ---- the branch ---- */

static void write_header(work *w)
{
    char name[32];
    const carom_model *m = w->model;
    fprintf(w->csv, "%s,kind,T", w->varied);
    for (int i = 0; i < m->nq; i++)
        fprintf(w->csv, ",%s", carom_model_q_name(m, i, name));
    for (int i = 0; i < m->nv; i++)
        fprintf(w->csv, ",%s'", carom_model_q_name(m, i, name));
    for (int i = 0; i < w->orbits.map.nb; i++)
        fprintf(w->csv, ",re%d,im%d", i + 1, i + 1);
    fprintf(w->csv, ",stable,impacts,slowest,nearest\n");
}

static bool on_point(void *user, const carom_branch_point *at)
{
    work *w = user;
    const carom_orbit *o = at->orbit;
    const double value = at->kind < 0 ? o->parameter : at->estimate;
    if (at->kind >= 0 && w->nspecial < CAROM_COUNT(w->special))
        w->special[w->nspecial++] = (special){at->kind, value};
    w->points++;
    carom_progress_step(&w->progress, value);
    if (w->csv) {
        fprintf(w->csv, "%.17g,%s,%.17g", value,
                at->kind < 0 ? "" : carom_branch_event_name((carom_branch_event)at->kind), o->T);
        for (int i = 0; i < w->orbits.map.N; i++)
            fprintf(w->csv, ",%.17g", o->x[i]);
        for (int i = 0; i < w->orbits.map.nb; i++)
            if (i < o->nmultiplier)
                fprintf(w->csv, ",%.15g,%.15g", creal(o->multiplier[i]), cimag(o->multiplier[i]));
            else
                fprintf(w->csv, ",,");
        fprintf(w->csv, ",%d,%ld,%.10g,%.10g\n", o->stable, o->passage.impacts, o->passage.slowest, o->passage.nearest);
    }
    return !carom_cli_interrupted();
}

static bool stop(void *user)
{
    (void)user;
    return carom_cli_interrupted();
}

static int follow(work *w, carom_branch *branch)
{
    const carom_cli *cli = w->cli;
    carom_error error = {0};
    long most = 2000;
    int code = carom_cli_own_counts(cli, &(carom_cli_count){"--points", 2, 1e7, &most}, 1);
    if (code != CAROM_EXIT_OK)
        return code;
    if (cli->output && !(w->csv = prints(cli) ? stdout : fopen(cli->output, "w")))
        return carom_cli_fail(CAROM_EXIT_FAILED, "'%s' cannot be created: %s", cli->output, strerror(errno));
    if (w->csv)
        write_header(w);
    const carom_cli_range *range = &cli->range[0];
    *branch = (carom_branch){.from = range->from, .to = range->to, .step = (range->to - range->from) / (double)range->n,
                             .most = most, .point = on_point, .user = w};
    carom_progress_begin(&w->progress, cli->quiet ? NULL : stderr, range->from, range->to);
    w->progress.unit = range->name;
    carom_cli_catch(NULL);
    carom_sim_ask(w->orbits.map.sim, stop, NULL);
    carom_status status = carom_orbit_follow(&w->orbits, branch, &error);
    const bool interrupted = carom_cli_interrupted();
    carom_cli_release();
    carom_progress_end(&w->progress);
    const bool lost = w->csv && (fflush(w->csv) || ferror(w->csv));
    if ((w->csv && !prints(cli) && fclose(w->csv)) || lost)
        return carom_cli_fail(CAROM_EXIT_FAILED, "cannot write %s: is the disk full?", cli->output);
    if (interrupted)
        return carom_cli_fail(CAROM_EXIT_INTERRUPTED, "interrupted; the branch so far was %s",
                              w->csv ? "written" : "not written");
    return status == CAROM_OK ? CAROM_EXIT_OK : carom_cli_fail(carom_cli_exit(status), "%s", error.text);
}

/* ---- results ---- */

static void put_orbit(const work *w, carom_json *json)
{
    const carom_orbit *o = &w->orbits.orbit;
    const carom_model *m = w->model;
    char name[40], buffer[32];
    carom_json_number(json, "period", o->T);
    carom_json_integer(json, "multiple", w->orbits.multiple);
    carom_json_object(json, "q");
    for (int i = 0; i < m->nq; i++)
        carom_json_number(json, carom_model_q_name(m, i, buffer), o->x[i]);
    carom_json_end(json);
    carom_json_object(json, "v");
    for (int i = 0; i < m->nv; i++)
        carom_json_number(json, carom_model_q_name(m, i, buffer), o->x[m->nq + i]);
    carom_json_end(json);
    carom_json_array(json, "multipliers");
    for (int i = 0; i < o->nmultiplier; i++) {
        carom_json_object(json, NULL);
        carom_json_number(json, "re", creal(o->multiplier[i]));
        carom_json_number(json, "im", cimag(o->multiplier[i]));
        carom_json_end(json);
    }
    carom_json_end(json);
    carom_json_bool(json, "stable", o->stable);
    carom_json_integer(json, "impact_count", o->passage.impacts);
    carom_json_array(json, "impacts"); /* the first ones */
    for (int i = 0; i < o->passage.impacts && i < CAROM_PASSAGE_IMPACTS; i++) {
        carom_json_object(json, NULL);
        carom_json_string(json, "contact", carom_model_contact_name(m, o->passage.impact[i].contact, buffer));
        carom_json_number(json, "t", o->passage.impact[i].t);
        carom_json_number(json, "speed", o->passage.impact[i].speed);
        carom_json_end(json);
    }
    carom_json_end(json);
    carom_json_number(json, "residual", o->residual);
    carom_json_integer(json, "iterations", o->iterations);
    if (!carom_cli_own(w->cli, "--sensitivity"))
        return;
    carom_json_object(json, "sensitivity");
    for (int k = 0; k < w->np; k++) {
        carom_json_object(json, carom_model_p_name(m, w->which[k], buffer));
        for (int i = 0; i < m->nq + m->nv; i++) {
            char inner[32];
            snprintf(name, sizeof name, "%c.%s", i < m->nq ? 'q' : 'v', carom_model_q_name(m, i % m->nq, inner));
            carom_json_number(json, name, o->x_p[i * w->np + k]);
        }
        carom_json_end(json);
    }
    carom_json_end(json);
}

static void put_branch(const work *w, const carom_branch *branch, carom_json *json)
{
    carom_json_object(json, "branch");
    carom_json_string(json, "parameter", w->varied);
    carom_json_integer(json, "points", w->points);
    carom_json_string(json, "ended", branch->reason);
    carom_json_array(json, "bifurcations");
    for (int i = 0; i < w->nspecial; i++) {
        carom_json_object(json, NULL);
        carom_json_string(json, "kind", carom_branch_event_name((carom_branch_event)w->special[i].kind));
        carom_json_number(json, "value", w->special[i].value);
        carom_json_end(json);
    }
    carom_json_end(json);
    carom_json_end(json);
}

static void say_orbit(const work *w)
{
    const carom_orbit *o = &w->orbits.orbit;
    const carom_model *m = w->model;
    char name[32];
    printf("%s: periodic orbit, T = %.13g", m->name, o->T);
    if (w->orbits.multiple > 1)
        printf(" (%d periods)", w->orbits.multiple);
    printf(", %s, |P(x) - x| = %.1e after %d steps\n", o->stable ? "stable" : "unstable", o->residual, o->iterations);
    for (int i = 0; i < m->nq; i++)
        printf("  %-12s %20.13g   %s' %20.13g\n", carom_model_q_name(m, i, name), o->x[i],
               carom_model_q_name(m, i, name), o->x[m->nq + i]);
    printf("  multipliers");
    for (int i = 0; i < o->nmultiplier; i++)
        printf(cimag(o->multiplier[i]) != 0 ? "%s%.12g%+.12gi" : "%s%.12g", i ? ", " : "  ", creal(o->multiplier[i]),
               cimag(o->multiplier[i]));
    putchar('\n');
    for (int i = 0; i < o->passage.impacts && i < CAROM_PASSAGE_IMPACTS; i++)
        printf("  impact       %-12s t = %.12g, normal velocity %.12g\n",
               carom_model_contact_name(m, o->passage.impact[i].contact, name), o->passage.impact[i].t,
               o->passage.impact[i].speed);
    if (o->passage.impacts > CAROM_PASSAGE_IMPACTS)
        printf("  and %ld more impacts\n", o->passage.impacts - CAROM_PASSAGE_IMPACTS);
    for (int k = 0; k < w->np && carom_cli_own(w->cli, "--sensitivity"); k++) {
        printf("  d/d%-9s", carom_model_p_name(m, w->which[k], name));
        for (int i = 0; i < m->nq + m->nv; i++)
            printf(" %.12g", o->x_p[i * w->np + k]);
        putchar('\n');
    }
}

static int print(work *w, const carom_branch *branch, carom_json *json)
{
    carom_error error = {0};
    if (json) {
        if (w->varied)
            put_branch(w, branch, json);
        carom_json_end(json);
        return carom_json_close(json, &error) == CAROM_OK ? CAROM_EXIT_OK
                                                          : carom_cli_fail(CAROM_EXIT_FAILED, "%s", error.text);
    }
    if (!w->varied || w->cli->quiet || prints(w->cli))
        return CAROM_EXIT_OK;
    printf("branch in %s: %ld points; %s\n", w->varied, w->points, branch->reason);
    for (int i = 0; i < w->nspecial; i++)
        printf("  %-16s %s = %.13g\n", carom_branch_event_name((carom_branch_event)w->special[i].kind), w->varied,
               w->special[i].value);
    return CAROM_EXIT_OK;
}

int carom_cli_orbit(const carom_cli *cli)
{
    work w = {.cli = cli};
    carom_error error = {0};
    carom_branch branch = {0};
    carom_json *json = NULL;
    int code = prepare(&w);
    if (code == CAROM_EXIT_OK && carom_orbit_find(&w.orbits, &error) != CAROM_OK)
        code = carom_cli_fail_job(cli, w.model, CAROM_EXIT_UNMET, error.status, error.text);
    if (code == CAROM_EXIT_OK && cli->json) {
        if (carom_json_new(&json, "standard output", stdout, true, &error) != CAROM_OK)
            code = carom_cli_fail(CAROM_EXIT_FAILED, "%s", error.text);
        else {
            carom_json_object(json, NULL);
            carom_json_string(json, "model", w.model->name);
            put_orbit(&w, json);
        }
    } else if (code == CAROM_EXIT_OK && !cli->quiet && !prints(cli))
        say_orbit(&w);
    if (code == CAROM_EXIT_OK && w.varied)
        code = follow(&w, &branch);
    if (code == CAROM_EXIT_OK || json) {
        const int printed = print(&w, &branch, json);
        code = code == CAROM_EXIT_OK ? printed : code;
    }
    if (w.open)
        carom_orbits_free(&w.orbits);
    carom_model_free(w.model);
    return code;
}
