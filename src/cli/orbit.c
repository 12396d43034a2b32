/* orbit.c: `carom orbit`: a periodic orbit with its multipliers, and the branch it belongs to. */
#include <math.h>
#include <string.h>

#include "analysis/orbit/orbit.h"
#include "cli/cli.h"
#include "expr/expr.h"
#include "sim/sim.h"

typedef struct special {
    const char *kind;
    double value;
} special;

typedef struct work {
    carom_cli_work run;
    carom_orbits orbits;
    bool open; /* orbits is to be freed */
    bool sensitivity;
    int *which, np;
    const char *name, *varied; /* the model; NULL: no branch */
    carom_stream csv;
    bool writing;
    carom_branch branch;
    special special[64], *specials;
    int nspecial;
    long points;
} work;

/* ---- set-up ---- */

static int find_parameter(const work *w, const char *name, int *found)
{
    const carom_model *m = w->run.model;
    carom_arena *arena = w->run.cli->arena;
    const char **names = CAROM_NEW(arena, const char *, m->np + 1);
    char buffer[32];
    for (int i = 0; names && i < m->np; i++) {
        names[i] = carom_arena_format(arena, "%s", carom_model_p_name(m, i, buffer));
        *found = i;
        if (names[i] && !strcmp(names[i], name))
            return CAROM_EXIT_OK;
    }
    return names ? carom_cli_unknown("parameter to vary", name, names, "orbit") : carom_cli_no_memory();
}

/* To the beginning of the branch. A parameter that depends on others becomes one of its own. */
static int move_to_branch(work *w)
{
    const carom_cli *cli = w->run.cli;
    const carom_cli_range *r = cli->range;
    carom_error error = {0};
    if (cli->nrange > 1)
        return carom_cli_fail(CAROM_EXIT_USAGE, "orbit follows a branch in one parameter, not in %d", cli->nrange);
    if (cli->nrange == 0)
        return CAROM_EXIT_OK;
    if (r->from == r->to)
        return carom_cli_fail(CAROM_EXIT_USAGE, "a branch from %g to %g has no length; -p %s=%g finds the orbit there",
                              r->from, r->to, r->name, r->from);
    w->varied = r->name;
    if (carom_model_set(w->run.model, &w->varied, &r->from, 1, &error) != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_USAGE, "-p: %s", error.text);
    return CAROM_EXIT_OK;
}

/* Parameters whose derivatives are wanted, the one that is varied first. */
static int choose_parameters(work *w)
{
    const int np = w->run.model->np;
    w->which = CAROM_NEW(w->run.cli->arena, int, np + 1);
    if (!w->which)
        return carom_cli_no_memory();
    if (w->varied)
        CAROM_CLI_TRY(find_parameter(w, w->varied, &w->which[w->np++]));
    for (int i = 0; i < np && w->sensitivity; i++)
        if (!w->np || i != w->which[0])
            w->which[w->np++] = i;
    return CAROM_EXIT_OK;
}

/* --relative x,phi=pi/4 */
static int read_relative(work *w)
{
    const carom_cli *cli = w->run.cli;
    const char *text = carom_cli_own(cli, "--relative"), **item;
    carom_error error = {0};
    int n = 0;
    if (!text)
        return CAROM_EXIT_OK;
    if (!(item = carom_cli_split(cli, text, &n)))
        return carom_cli_no_memory();
    double *step = CAROM_NEW(cli->arena, double, n);
    for (int k = 0; step && k < n; k++) {
        const char *equals = strchr(item[k], '=');
        if (equals && (!carom_expr_constant(equals + 1, &step[k]) || !(step[k] > 0)))
            return carom_cli_fail(CAROM_EXIT_USAGE, "--relative takes NAME or NAME=STEP, as phi=2*pi, not '%s'",
                                  item[k]);
        if (equals)
            item[k] = carom_arena_text(cli->arena, item[k], (size_t)(equals - item[k]));
    }
    if (!step || carom_orbit_relative(&w->orbits, item, step, n, &error) == CAROM_NO_MEMORY)
        return carom_cli_no_memory();
    return error.status == CAROM_OK ? CAROM_EXIT_OK : carom_cli_fail(CAROM_EXIT_USAGE, "--relative: %s", error.text);
}

static int check_output(const carom_cli *cli)
{
    const char *o = cli->output;
    if (!o)
        return CAROM_EXIT_OK;
    if (!cli->nrange)
        return carom_cli_fail(CAROM_EXIT_USAGE, "-o writes a branch: it needs -p NAME=FROM:TO:N");
    if (strcmp(o, "-") != 0 && !carom_ends_with(o, ".csv") && strncmp(o, "/dev/", 5) != 0)
        return carom_cli_fail(CAROM_EXIT_USAGE, "-o takes a file that ends in .csv, or -, not '%s'", o);
    if (cli->json && !strcmp(o, "-"))
        return carom_cli_fail(CAROM_EXIT_USAGE, "--json and -o - would both write to standard output");
    return CAROM_EXIT_OK;
}

static int prepare(work *w)
{
    const carom_cli *cli = w->run.cli;
    carom_error error = {0};
    long multiple = 1, transient = 200;
    double period = 0;
    const carom_cli_count counts[] = {{"--multiple", 1, 1000, &multiple},
                                      {"--transient", 0, 1e9, &transient},
                                      {"--points", 2, 1e7, &w->branch.most}};
    CAROM_CLI_TRY(check_output(cli));
    CAROM_CLI_TRY(carom_cli_load(cli, &w->run.model, w->run.note));
    w->name = w->run.model->name;
    CAROM_CLI_TRY(move_to_branch(w));
    CAROM_CLI_TRY(choose_parameters(w));
    CAROM_CLI_TRY(carom_cli_settings(cli, w->run.model, &w->run.options));
    CAROM_CLI_TRY(carom_cli_own_counts(cli, counts, CAROM_COUNT(counts)));
    CAROM_CLI_TRY(carom_cli_own_number(cli, "--period", 1e-300, 1e300, &period));
    carom_cli_sharpen(cli, &w->run.options, 1e-12);
    w->run.options.energy = false;
    carom_status status = carom_orbits_new(&w->orbits, w->run.model, &w->run.options, w->which, w->np, &error);
    w->open = status == CAROM_OK;
    w->orbits.multiple = (int)multiple;
    if (status == CAROM_OK)
        CAROM_CLI_TRY(read_relative(w));
    if (status == CAROM_OK) {
        w->orbits.orbit.T = period;
        status = carom_orbit_guess(&w->orbits, &w->run.options, (double)transient, &error);
    }
    if (status == CAROM_STOPPED)
        return carom_cli_fail_job(cli, w->run.model, CAROM_EXIT_FAILED, status,
                                  "the stop condition of the model ends the run before an orbit is found");
    if (status != CAROM_OK)
        return carom_cli_fail_job(cli, w->run.model, carom_cli_exit(status), status, error.text);
    if (carom_orbit_find(&w->orbits, &error) != CAROM_OK)
        return carom_cli_fail_job(cli, w->run.model,
                                  error.status == CAROM_BAD_ARGUMENT ? CAROM_EXIT_USAGE : CAROM_EXIT_UNMET,
                                  error.status, error.text);
    return CAROM_EXIT_OK;
}

/* ---- the branch ---- */

static void write_header(work *w)
{
    char name[32];
    const carom_model *m = w->run.model;
    carom_stream_format(&w->csv, "%s,kind,T", w->varied);
    for (int i = 0; i < m->nq; i++)
        carom_stream_format(&w->csv, ",%s", carom_model_q_name(m, i, name));
    for (int i = 0; i < m->nv; i++)
        carom_stream_format(&w->csv, ",%s'", carom_model_q_name(m, i, name));
    for (int i = 0; i < w->orbits.map.nb; i++)
        carom_stream_format(&w->csv, ",re%d,im%d", i + 1, i + 1);
    carom_stream_string(&w->csv, ",stable,impacts,slowest,nearest\n");
}

static void write_point(work *w, const carom_orbit *o, double value, const char *kind)
{
    const double last[] = {o->stable, (double)o->passage.impacts, o->passage.slowest, o->passage.nearest};
    carom_stream_number(&w->csv, value);
    carom_stream_format(&w->csv, ",%s,", kind);
    carom_stream_number(&w->csv, o->T);
    for (int i = 0; i < w->orbits.map.N + 2 * w->orbits.map.nb; i++) {
        const int k = i - w->orbits.map.N; /* the multipliers follow the state */
        carom_stream_string(&w->csv, ",");
        if (k < 0)
            carom_stream_number(&w->csv, o->x[i]);
        else if (k / 2 < o->nmultiplier)
            carom_stream_number(&w->csv, k % 2 ? cimag(o->multiplier[k / 2]) : creal(o->multiplier[k / 2]));
    }
    carom_stream_string(&w->csv, ",");
    carom_stream_csv_numbers(&w->csv, last, CAROM_COUNT(last));
    carom_stream_mark(&w->csv);
}

static bool on_point(void *user, const carom_branch_point *at)
{
    work *w = user;
    const bool ordinary = at->kind < 0;
    const double value = ordinary ? at->orbit->parameter : at->estimate;
    const char *kind = ordinary ? "" : carom_branch_event_name((carom_branch_event)at->kind);
    if (!ordinary && w->nspecial < CAROM_COUNT(w->special))
        w->special[w->nspecial++] = (special){kind, value};
    w->points++;
    carom_progress_step(&w->run.progress, value);
    if (w->writing)
        write_point(w, at->orbit, value, kind);
    return !carom_cli_interrupted();
}

static int follow(work *w)
{
    const carom_cli *cli = w->run.cli;
    const carom_cli_range *range = &cli->range[0];
    const char *path = cli->output;
    carom_error error = {0};
    if (path) {
        FILE *stream = carom_cli_stream(&path);
        CAROM_CLI_TRY(carom_cli_done(carom_stream_open(&w->csv, path, stream, &error), &error));
        w->writing = true;
        write_header(w);
    }
    w->branch = (carom_branch){.from = range->from, .to = range->to, .most = w->branch.most, .point = on_point,
                               .step = (range->to - range->from) / (double)range->n, .user = w};
    carom_cli_start(&w->run, range->from, range->to, range->name);
    carom_sim_set_interrupt(w->orbits.map.sim, carom_cli_stop, NULL);
    carom_status status = carom_orbit_follow(&w->orbits, &w->branch, &error);
    const bool interrupted = carom_cli_interrupted();
    carom_cli_finish(&w->run);
    carom_error late = {0};
    if (w->writing && status == CAROM_NO_MEMORY)
        carom_stream_drop(&w->csv);
    else if (w->writing)
        CAROM_CLI_TRY(carom_cli_done(carom_stream_close(&w->csv, &late), &late));
    if (interrupted)
        return carom_cli_fail(CAROM_EXIT_INTERRUPTED, "interrupted; the branch so far was %s",
                              w->writing ? "written" : "not written");
    return carom_cli_done(status, &error);
}

/* ---- results ---- */

static void put_orbit(carom_json *json, const char *key, const void *record)
{
    const work *w = record;
    const carom_orbit *o = &w->orbits.orbit;
    const carom_model *m = w->run.model;
    char buffer[32];
    carom_json_named(json, "q", m, carom_model_q_name, o->x, m->nq);
    carom_json_named(json, "v", m, carom_model_q_name, o->x + m->nq, m->nv);
    for (int k = 0; k < w->orbits.nrelative; k++) {
        if (k == 0)
            carom_json_object(json, "shift");
        carom_json_number(json, carom_model_q_name(m, w->orbits.relative[k], buffer), w->orbits.shift[k]);
        if (k + 1 == w->orbits.nrelative)
            carom_json_end(json);
    }
    carom_json_array(json, key);
    for (int i = 0; i < o->nmultiplier; i++) {
        static const char *const parts[] = {"re", "im"};
        const double value[] = {creal(o->multiplier[i]), cimag(o->multiplier[i])};
        carom_json_values(json, NULL, parts, value, 2);
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
}

static void put_sensitivity(carom_json *json, const char *key, const void *record)
{
    const work *w = record;
    const carom_model *m = w->run.model;
    char name[40], outer[32], inner[32];
    if (!w->sensitivity)
        return;
    carom_json_object(json, key);
    for (int k = 0; k < w->np; k++) {
        carom_json_object(json, carom_model_p_name(m, w->which[k], outer));
        for (int i = 0; i < m->nq + m->nv; i++) {
            snprintf(name, sizeof name, "%c.%s", i < m->nq ? 'q' : 'v', carom_model_q_name(m, i % m->nq, inner));
            carom_json_number(json, name, w->orbits.orbit.x_p[i * w->np + k]);
        }
        carom_json_end(json);
    }
    carom_json_end(json);
}

static const carom_result_field of_special[] = {CAROM_CELL("kind", CAROM_TEXT, special, kind),
                                                CAROM_CELL("value", CAROM_NUMBER, special, value),
                                                {.name = NULL}};
static const carom_result_field of_branch[] = {
    CAROM_BEGIN_OBJECT("branch"),
    CAROM_CELL("parameter", CAROM_TEXT, work, varied),
    CAROM_CELL("points", CAROM_LONG, work, points),
    CAROM_CELL("ended", CAROM_CHARS, work, branch.reason),
    CAROM_ROWS("bifurcations", work, specials, nspecial, special, of_special),
    CAROM_END_OBJECT,
    {.name = NULL}};
static const carom_result_field fields[] = {CAROM_CELL("model", CAROM_TEXT, work, name),
                                            CAROM_CELL("period", CAROM_NUMBER, work, orbits.orbit.T),
                                            CAROM_CELL("multiple", CAROM_INT, work, orbits.multiple),
                                            CAROM_PUT("multipliers", put_orbit),
                                            CAROM_CELL("residual", CAROM_NUMBER, work, orbits.orbit.residual),
                                            CAROM_CELL("iterations", CAROM_INT, work, orbits.orbit.iterations),
                                            CAROM_PUT("sensitivity", put_sensitivity),
                                            {.name = NULL}};

static void say_orbit(const work *w)
{
    const carom_orbit *o = &w->orbits.orbit;
    const carom_model *m = w->run.model;
    char name[32];
    printf("%s: periodic orbit, T = %.13g", m->name, o->T);
    if (w->orbits.multiple > 1)
        printf(" (%d periods)", w->orbits.multiple);
    printf(", %s, |P(x) - x| = %.1e after %d steps\n", o->stable ? "stable" : "unstable", o->residual, o->iterations);
    for (int i = 0; i < m->nq; i++)
        printf("  %-12s %20.13g   %s' %20.13g\n", carom_model_q_name(m, i, name), o->x[i],
               carom_model_q_name(m, i, name), o->x[m->nq + i]);
    for (int k = 0; k < w->orbits.nrelative; k++)
        printf("  %-12s moves by %.13g in a period\n", carom_model_q_name(m, w->orbits.relative[k], name),
               w->orbits.shift[k]);
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
    for (int k = 0; k < w->np && w->sensitivity; k++) {
        printf("  d/d%-9s", carom_model_p_name(m, w->which[k], name));
        for (int i = 0; i < m->nq + m->nv; i++)
            printf(" %.12g", o->x_p[i * w->np + k]);
        putchar('\n');
    }
}

static void say_branch(const work *w)
{
    printf("branch in %s: %ld points; %s\n", w->varied, w->points, w->branch.reason);
    for (int i = 0; i < w->nspecial; i++)
        printf("  %-16s %s = %.13g\n", w->special[i].kind, w->varied, w->special[i].value);
}

/* The orbit is told before the branch is followed, which moves it. */
static int tell(work *w)
{
    const carom_cli *cli = w->run.cli;
    const bool speaks = !cli->json && !cli->quiet && !(cli->output && !strcmp(cli->output, "-"));
    carom_error error = {0};
    carom_json *json = NULL;
    w->specials = w->special;
    if (cli->json) {
        CAROM_CLI_TRY(carom_cli_done(carom_json_new(&json, "standard output", stdout, true, &error), &error));
        carom_json_object(json, NULL);
        carom_json_fields(json, fields, w);
    } else if (speaks) {
        say_orbit(w);
    }
    int code = w->varied ? follow(w) : CAROM_EXIT_OK;
    if (json && w->varied)
        carom_json_fields(json, of_branch, w);
    else if (speaks && w->varied && code == CAROM_EXIT_OK)
        say_branch(w);
    int printed = carom_cli_done(carom_json_close(json, &error), &error);
    return code == CAROM_EXIT_OK ? printed : code;
}

static int orbit(const carom_cli *cli)
{
    work w = {.run.cli = cli, .sensitivity = carom_cli_own(cli, "--sensitivity") != NULL, .branch.most = 2000};
    int code = prepare(&w);
    if (code == CAROM_EXIT_OK)
        code = tell(&w);
    if (w.open)
        carom_orbits_free(&w.orbits);
    carom_model_free(w.run.model);
    return code;
}

static const carom_cli_option options[] = {
    CAROM_CLI_OWN_OPTION("--multiple", "K",
     "the orbit closes after K periods of the forcing; 1 if not given"),
    CAROM_CLI_OWN_OPTION("--transient", "N",
     "periods (of a model without forcing: runs of t_end) before the search begins, so that an attracting orbit is at "
     "hand; 200 if not given. 0 begins at the model's own start, which also finds unstable orbits"),
    CAROM_CLI_OWN_OPTION("--period", "T",
     "a guess of the period of a model without forcing; otherwise it is measured"),
    CAROM_CLI_OWN_OPTION("--relative", "NAME[=STEP],...",
     "the motion repeats up to a shift of these coordinates: those that drift and that it does not depend on; with a "
     "step, those that it depends on in steps, as an angle phi=2*pi or the spokes of a wheel phi=pi/4"),
    CAROM_CLI_OWN_OPTION("--sensitivity", NULL, "also print how the orbit moves with every parameter"),
    CAROM_CLI_OWN_OPTION("--points", "N", "the most points of a branch; 2000 if not given"),
    {.name = NULL},
};

const carom_cli_command carom_cli_orbit_command = {
    "orbit", "MODEL", 1, 1, CAROM_CLI_ORBIT, orbit,
    "periodic orbits, their stability, branches and bifurcations",
    "Finds a periodic orbit of MODEL by Newton's method on the return map, whose derivative is the tangent flow, and "
    "prints its Floquet multipliers. With -p NAME=FROM:TO:N the orbit at FROM is followed to TO, around folds, "
    "beginning with steps of (TO - FROM)/N; period doublings, saddle-nodes and grazings are located and reported. -o "
    "FILE.csv writes the branch. Without --rtol and --atol the runs use 1e-12.",
    "carom orbit impact-oscillator -p w=2.5 -p alpha=0.05 -p e=0.5 -p umin=0\n"
    "carom orbit impact-oscillator -p alpha=0 -p umin=0 -p w=2.3:2.8:25 -o branch.csv",
    options};
