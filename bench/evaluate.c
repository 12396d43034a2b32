/* evaluate.c: what M, F and g of the slider-crank cost on the tape and as native code (--jit), against C written by
 * hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "carom.h"

enum { POINTS = 64 }; /* angles differ from call to call */

typedef struct task {
    const carom_model *model;
    const carom_evaluator *evaluator;
    void *work;
    carom_eval at;
    double t, q[POINTS][3], v[POINTS][3], M[9], F[3], g[4], sum;
} task;

/* The hand-written one: what a person would write for M, F and g with the parameters at run time. */
static void by_hand(const double *p, const double *q, const double *v, double *M, double *F, double *g)
{
    double l1 = p[0], l2 = p[1], a = p[2], b = p[3], c = p[4], m1 = p[5], m2 = p[6], m3 = p[7], J1 = p[8], J2 = p[9],
           J3 = p[10], gravity = p[11];
    double s1 = sin(q[0]), c1 = cos(q[0]), s2 = sin(q[1]), c2 = cos(q[1]), s3 = sin(q[2]), c3 = cos(q[2]);
    double couple = (m2 / 2 + m3) * l1 * l2, c12 = couple * cos(q[0] - q[1]), s12 = couple * sin(q[0] - q[1]);
    memset(M, 0, 9 * sizeof *M);
    M[0] = J1 + (m1 / 4 + m2 + m3) * l1 * l1;
    M[4] = J2 + (m2 / 4 + m3) * l2 * l2;
    M[8] = J3;
    M[1] = M[3] = c12;
    F[0] = -s12 * v[1] * v[1] - (m1 / 2 + m2 + m3) * gravity * l1 * c1;
    F[1] = s12 * v[0] * v[0] - (m2 / 2 + m3) * gravity * l2 * c2;
    F[2] = 0;
    double y = l1 * s1 + l2 * s2, y1 = b * c3 - a * s3, y2 = b * c3 + a * s3;
    g[0] = b + c - y - y1;
    g[1] = b + c - y - y2;
    g[2] = b + c + y - y2;
    g[3] = b + c + y - y1;
}

static void hand_loop(void *user, int n)
{
    task *k = user;
    for (int i = 0; i < n; i++) {
        by_hand(k->model->p, k->q[i % POINTS], k->v[i % POINTS], k->M, k->F, k->g);
        k->sum += k->F[0] + k->g[0] + k->M[1];
    }
}

static void model_loop(void *user, int n)
{
    task *k = user;
    for (int i = 0; i < n; i++) {
        k->at.q = k->q[i % POINTS], k->at.v = k->v[i % POINTS];
        k->evaluator->eval(k->model, &k->at, k->work);
        k->sum += k->F[0] + k->g[0] + k->M[1];
    }
}

static carom_model *load(bool jit)
{
    carom_model *model;
    carom_error error;
    carom_load_options options = {.size = sizeof options, .jit = jit};
    if (carom_model_load(&model, "slider-crank", &options, &error) != CAROM_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    if (*options.note)
        printf("%s\n", options.note);
    return model;
}

static void prepare(task *k, const carom_model *model)
{
    carom_error error;
    unsigned want = CAROM_MASS | CAROM_FORCE | CAROM_GAP;
    *k = (task){.model = model, .evaluator = model->evaluator};
    if (model->evaluator->prepare(model, want, &error) != CAROM_OK ||
        !(k->work = calloc(1, model->evaluator->work_bytes(model, 1)))) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    model->evaluator->begin(model, 1, model->p, k->work);
    k->at = (carom_eval){.want = want, .lanes = 1, .t = &k->t, .p = model->p, .M = k->M, .F = k->F, .g = k->g};
    for (int i = 0; i < POINTS; i++)
        for (int j = 0; j < 3; j++)
            k->q[i][j] = sin(i + 10 * j), k->v[i][j] = cos(3 * i + j);
}

int main(void)
{
    carom_model *tape = load(false), *native = load(true);
    task *tasks = calloc(3, sizeof *tasks);
    if (!tasks)
        return 1;
    prepare(&tasks[0], tape), prepare(&tasks[1], tape), prepare(&tasks[2], native);
    bench_loop *const loops[] = {hand_loop, model_loop, model_loop};
    void *const users[] = {&tasks[0], &tasks[1], &tasks[2]};
    double ns[3];
    bench_compare(3, loops, users, 20000, 60, ns);
    printf("M, F and g of the slider-crank\n");
    bench_report("C by hand", ns[0], ns[0], 0);
    bench_report("text model on the tape", ns[1], ns[0], 3);
    bench_report("text model, --jit", ns[2], ns[0], 1.3);
    if (fabs(tasks[1].sum - tasks[0].sum) > 1e-9 * fabs(tasks[0].sum))
        printf("they differ: %.17g and %.17g\n", tasks[0].sum, tasks[1].sum);
    for (int k = 0; k < 3; k++)
        free(tasks[k].work);
    free(tasks);
    carom_model_free(tape);
    carom_model_free(native);
    return 0;
}
