/* test_model_evaluator.c: tapes of a text model: lanes, native code, tapes that are added later, threads. */
#include <pthread.h>

#include "carom_analysis.h"
#include "model_testing.h"

#ifdef CAROM_NO_YAML
SKIP_MAIN("built without libfyaml")
#else

/* An evaluation with its own memory for 1 or 8 lanes. */
typedef struct station {
    const carom_model *m;
    carom_eval e;
    double *in[7], *out[OUTPUT_ARRAYS];
    int n_in[7], n_out[OUTPUT_ARRAYS];
    void *work;
} station;

static station station_new(const carom_model *m, unsigned want, int lanes)
{
    station k = {.m = m, .e = {.want = want, .lanes = lanes}};
    carom_error error = {0};
    output_array list[OUTPUT_ARRAYS];
    const carom_evaluator *evaluator = carom_model_evaluator(m);
    int n_in[7] = {1, m->nq, m->nv, m->np, m->nv, carom_model_rows(m), 1};
    CHECK_OK(evaluator->prepare(m, want, &error), error);
    output_arrays(m, &k.e, list);
    for (int i = 0; i < 7; i++) {
        k.n_in[i] = n_in[i];
        k.in[i] = calloc((size_t)(n_in[i] * lanes + 1), sizeof(double));
    }
    for (int i = 0; i < OUTPUT_ARRAYS; i++) {
        k.n_out[i] = list[i].n;
        k.out[i] = calloc((size_t)(list[i].n * lanes + 1), sizeof(double));
    }
    k.work = aligned_alloc(64, (evaluator->work_bytes(m, lanes) + 63) / 64 * 64);
    return k;
}

static void station_eval(station *k)
{
    const carom_evaluator *evaluator = carom_model_evaluator(k->m);
    double **in = k->in, **out = k->out;
    carom_eval e = {k->e.want, k->e.lanes, in[0],   in[1],   in[2],   in[3],   in[4],   in[5],   in[6],   NULL,
                    out[0],    out[1],     out[2],  out[3],  out[4],  out[5],  out[6],  out[7],  out[8],
                    out[9],    out[10],    out[11], out[12], out[13], out[14], out[15], out[16], out[17], NULL,
                    NULL,      NULL,       NULL,    NULL};
    evaluator->eval(k->m, &e, k->work);
}

static void station_begin(station *k)
{
    carom_model_evaluator(k->m)->begin(k->m, k->e.lanes, k->in[3], k->work);
}

static void station_free(station *k)
{
    for (int i = 0; i < 7; i++)
        free(k->in[i]);
    for (int i = 0; i < OUTPUT_ARRAYS; i++)
        free(k->out[i]);
    free(k->work);
}

static void randomize(station *k, uint64_t seed)
{
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < k->n_in[i]; j++)
            for (int lane = 0; lane < k->e.lanes; lane++)
                k->in[i][j * k->e.lanes + lane] = i == 3 ? k->m->p[j] * (1 + uniform(&seed) / 10) : uniform(&seed);
}

static void copy_lane(station *to, const station *from, int lane)
{
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < to->n_in[i]; j++)
            to->in[i][j] = from->in[i][j * from->e.lanes + lane];
}

static void check_same(const station *many, const station *one, int lane, const char *name)
{
    for (int i = 0; i < OUTPUT_ARRAYS; i++)
        for (int j = 0; j < one->n_out[i]; j++)
            ck_assert_msg(memcmp(&many->out[i][j * many->e.lanes + lane], &one->out[i][j], sizeof(double)) == 0,
                          "%s: output %d[%d], lane %d: %.17g and %.17g", name, i, j, lane,
                          many->out[i][j * many->e.lanes + lane], one->out[i][j]);
}

START_TEST(eight_lanes_give_the_bits_of_one_in_every_built_in_model)
{
    for (int i = 0; carom_builtin_name(i); i++) {
        carom_model *m = NULL;
        carom_error error = {0};
        CHECK_OK(carom_model_load(&m, carom_builtin_name(i), NULL, &error), error);
        station many = station_new(m, ALL, 8), one = station_new(m, ALL, 1);
        randomize(&many, 21);
        station_begin(&many);
        station_eval(&many);
        for (int lane = 0; lane < 8; lane++) {
            copy_lane(&one, &many, lane);
            station_begin(&one);
            station_eval(&one);
            check_same(&many, &one, lane, carom_builtin_name(i));
        }
        station_free(&many);
        station_free(&one);
        carom_model_free(m);
    }
}
END_TEST

START_TEST(native_code_gives_the_bits_of_the_tape)
{
    static const char *const names[] = {"bouncing-ball", "slider-crank", "double-pendulum-wall"};
    char folder[SCRATCH];
    ck_assert_ptr_nonnull(mkdtemp(scratch_name(folder, "test")));
    setenv("XDG_CACHE_HOME", folder, 1);
    for (int i = 0; i < 3; i++) {
        carom_model *tape = NULL, *native = NULL;
        carom_error error = {0};
        carom_load_options jit = {.size = sizeof jit, .jit = true};
        CHECK_OK(carom_model_load(&tape, names[i], NULL, &error), error);
        CHECK_OK(carom_model_load(&native, names[i], &jit, &error), error);
        if (jit.note[0])
            printf("no native code: %s\n", jit.note);
        station a = station_new(tape, ALL, 1), b = station_new(native, ALL, 1), c = station_new(native, ALL, 8);
        randomize(&c, 22);
        station_begin(&c);
        station_eval(&c);
        for (int lane = 0; lane < 8; lane++) {
            copy_lane(&a, &c, lane);
            copy_lane(&b, &c, lane);
            station_begin(&a), station_begin(&b);
            station_eval(&a), station_eval(&b);
            check_same(&b, &a, 0, names[i]);
            check_same(&c, &a, lane, names[i]);
        }
        station_free(&a), station_free(&b), station_free(&c);
        carom_model_free(tape), carom_model_free(native);
    }
    char command[SCRATCH + 20];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

START_TEST(a_simulation_keeps_its_tapes_when_another_one_prepares_more)
{
    carom_model *m = NULL;
    carom_error error = {0};
    CHECK_OK(carom_model_load(&m, "slider-crank", NULL, &error), error);
    station early = station_new(m, CAROM_MASS | CAROM_FORCE, 1), same = station_new(m, CAROM_MASS | CAROM_FORCE, 1);
    randomize(&early, 23);
    copy_lane(&same, &early, 0);
    station_begin(&early);
    station_eval(&early);
    station late = station_new(m, ALL, 8), later = station_new(m, CAROM_GAP, 1);
    randomize(&late, 24);
    copy_lane(&later, &late, 0);
    station_begin(&late), station_begin(&later);
    station_eval(&late), station_eval(&later);
    ck_assert_int_eq(memcmp(&late.out[2][0], &later.out[2][0], sizeof(double)), 0);
    station_eval(&early); /* without begin: its scratch must be untouched */
    station_begin(&same);
    station_eval(&same);
    check_same(&early, &same, 0, "slider-crank");
    station_free(&early), station_free(&same), station_free(&late), station_free(&later);
    carom_model_free(m);
}
END_TEST

START_TEST(new_parameters_take_effect_at_begin)
{
    carom_model *m = NULL;
    carom_error error = {0};
    CHECK_OK(carom_model_load(&m, "bouncing-ball", NULL, &error), error);
    station k = station_new(m, CAROM_MASS | CAROM_FORCE | CAROM_LAW, 1);
    memcpy(k.in[3], m->p, sizeof(double) * 3);
    station_begin(&k);
    station_eval(&k);
    CHECK_NEAR(k.out[0][0], 1, 0);
    CHECK_NEAR(k.out[1][0], -10, 0);
    k.in[3][0] = 3; /* m */
    k.in[3][2] = 0.25; /* e */
    station_begin(&k);
    station_eval(&k);
    CHECK_NEAR(k.out[0][0], 3, 0);
    CHECK_NEAR(k.out[1][0], -30, 0);
    CHECK_NEAR(k.out[6][0], 0.25, 0);
    station_free(&k);
    carom_model_free(m);
}
END_TEST

START_TEST(what_nobody_prepared_is_not_a_number)
{
    carom_model *m = NULL;
    carom_error error = {0};
    CHECK_OK(carom_model_load(&m, "bouncing-ball", NULL, &error), error);
    station k = station_new(m, CAROM_MASS, 1);
    station_begin(&k);
    k.e.want = CAROM_FORCE;
    station_eval(&k);
    ck_assert(isnan(k.out[1][0]));
    station_free(&k);
    carom_model_free(m);
}
END_TEST

typedef struct job {
    const carom_model *m;
    int number;
    bool good;
} job;

static void *work_alone(void *user)
{
    job *j = user;
    j->good = true;
    for (int round = 0; round < 20; round++) {
        unsigned want = CAROM_MASS | CAROM_FORCE | ((unsigned)(round * 7 + j->number) % 16) << 2;
        station k = station_new(j->m, want, 1);
        randomize(&k, 25);
        station_begin(&k);
        for (int i = 0; i < 50; i++)
            station_eval(&k);
        station all = station_new(j->m, BASE, 1);
        copy_lane(&all, &k, 0);
        station_begin(&all);
        station_eval(&all);
        j->good = j->good && memcmp(k.out[0], all.out[0], sizeof(double) * 9) == 0 &&
                  memcmp(k.out[1], all.out[1], sizeof(double) * 3) == 0;
        station_free(&k);
        station_free(&all);
    }
    return NULL;
}

START_TEST(threads_share_a_model)
{
    carom_model *m = NULL;
    carom_error error = {0};
    CHECK_OK(carom_model_load(&m, "slider-crank", NULL, &error), error);
    pthread_t thread[4];
    job jobs[4];
    for (int i = 0; i < 4; i++) {
        jobs[i] = (job){m, i, false};
        ck_assert_int_eq(pthread_create(&thread[i], NULL, work_alone, &jobs[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(thread[i], NULL);
        ck_assert(jobs[i].good);
    }
    carom_model_free(m);
}
END_TEST

/* An evaluator for which other threads prepare more and more: each time it is asked it needs a million bytes more. */
static const carom_evaluator *steady;
static size_t asked;

static carom_status growing_prepare(const carom_model *m, unsigned want, carom_error *error)
{
    return steady->prepare(m, want, error);
}

static size_t growing_work_bytes(const carom_model *m, int lanes)
{
    return steady->work_bytes(m, lanes) + 1000000 * ++asked;
}

static void growing_begin(const carom_model *m, int lanes, const double *p, void *work)
{
    steady->begin(m, lanes, p, work);
}

static void growing_eval(const carom_model *m, const carom_eval *e, void *work)
{
    steady->eval(m, e, work);
}

static const carom_evaluator growing = {growing_prepare, growing_work_bytes, growing_begin, growing_eval};

static double exponents_of_a_run(carom_model *m)
{
    carom_options options = carom_options_default();
    carom_error error = {0};
    carom_sim *sim;
    carom_tangent *tangent;
    CHECK_OK(carom_options_from_model(&options, m, &error), error);
    CHECK_OK(carom_sim_new(&sim, m, &options, &error), error);
    CHECK_OK(carom_tangent_new(&tangent, sim, 2, &error), error);
    CHECK_OK(carom_tangent_start(tangent, (double[]){1, 0, 0, 1}, NULL), error);
    CHECK_OK(carom_sim_run(sim, 20), *carom_sim_error(sim));
    double x = carom_tangent_columns(tangent)[0];
    carom_tangent_free(tangent);
    carom_sim_free(sim);
    return x;
}

START_TEST(what_others_prepare_while_memory_is_laid_out_moves_nothing)
{
    carom_model *m = NULL;
    carom_error error = {0};
    CHECK_OK(carom_model_load(&m, "impact-oscillator", NULL, &error), error);
    double alone = exponents_of_a_run(m);
    steady = m->evaluator;
    m->evaluator = &growing;
    double beside = exponents_of_a_run(m);
    m->evaluator = steady;
    ck_assert_uint_ge(asked, 6);
    CHECK_NEAR(beside, alone, 0);
    carom_model_free(m);
}
END_TEST

TEST_MAIN("model: evaluator", eight_lanes_give_the_bits_of_one_in_every_built_in_model,
          native_code_gives_the_bits_of_the_tape, a_simulation_keeps_its_tapes_when_another_one_prepares_more,
          new_parameters_take_effect_at_begin, what_nobody_prepared_is_not_a_number, threads_share_a_model,
          what_others_prepare_while_memory_is_laid_out_moves_nothing)
#endif
