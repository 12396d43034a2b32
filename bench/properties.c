/* properties.c: prints docs/scheme-properties.md: what every registered scheme does on the same small problems.
 * The parts are in properties/; tools/study.sh writes the page. `bench-properties NAME` is one scheme only. */
#include <stdio.h>
#include <string.h>

#include "properties/properties.h"

/* Beside the standard values of every scheme's fields; what is not registered is left out. */
static const char *const variants[] = {
    "moreau-jean:theta=1",   "moreau-jean:theta=0",   "moreau-jean-projected:theta=1", "schatzman-paoli:theta=0",
    "dg-minus:degree=0",     "dg-minus:degree=1",     "dg-minus:degree=3",             "dg-plus:degree=1",
    "mixed:rk=lobatto-a4",   "mixed:rk=gauss4",       "mixed:rk=erk4",                 "crank-nicolson:variant=printed",
};
enum { SUBJECTS = 64, NVARIANTS = sizeof variants / sizeof variants[0] };

typedef struct column {
    const char *head;
    carom_property *measure;
} column;

static const column orders[] = {
    {"declared: smooth, impacts", carom_orders_declared}, {"pendulum", carom_orders_pendulum},
    {"double pendulum", carom_orders_double},             {"ball to rest", carom_orders_ball},
    {"oscillator with a stop", carom_orders_oscillator},  {"double pendulum with a wall", carom_orders_wall}, {0}};
static const column gaps[] = {
    {"penetration, ball", carom_contact_ball},   {"penetration, double pendulum", carom_contact_wall},
    {"energy, elastic ball", carom_contact_elastic}, {"energy gained, box", carom_contact_box}, {0}};
static const column links[] = {
    {"stop, planar", carom_contact_block}, {"stop, spatial", carom_contact_point},
    {"joint: g", carom_contact_joint},     {"joint: order", carom_orders_joint}, {0}};
static const column effort[] = {
    {"h omega below", carom_effort_stability}, {"mean step", carom_effort_length},
    {"evaluations per step", carom_effort_evaluations}, {"time per step", carom_effort_time}, {0}};

static void add(carom_subject *subject, const char *spec, int *n, carom_notes *notes)
{
    carom_error error;
    carom_options o = carom_options_default();
    if (*n == SUBJECTS || carom_options_set(&o, "scheme", spec, &error) != CAROM_OK)
        return;
    subject[*n] = (carom_subject){.spec = spec, .notes = notes};
    carom_scheme_orders(&o, &subject[*n].smooth, &subject[*n].impact);
    ++*n;
}

/* A scheme, then its variants. */
static int list(carom_subject *subject, carom_notes *notes)
{
    int n = 0;
    for (int i = 0; carom_scheme_method(i); i++) {
        const char *name = carom_scheme_method(i)->name;
        size_t length = strlen(name);
        add(subject, name, &n, notes);
        for (int k = 0; k < NVARIANTS; k++)
            if (strncmp(variants[k], name, length) == 0 && variants[k][length] == ':')
                add(subject, variants[k], &n, notes);
    }
    return n;
}

static void table(const column *columns, int n, const carom_subject *subject)
{
    printf("\n| scheme |");
    for (const column *c = columns; c->head; c++)
        printf(" %s |", c->head);
    printf("\n|---|");
    for (const column *c = columns; c->head; c++)
        printf("---|");
    printf("\n");
    for (int i = 0; i < n; i++) {
        printf("| `%s` |", subject[i].spec);
        for (const column *c = columns; c->head; c++) {
            char cell[CAROM_CELL] = "";
            c->measure(&subject[i], cell);
            printf(" %s |", cell);
            fflush(stdout);
        }
        printf("\n");
    }
}

static void reasons(const carom_notes *notes)
{
    if (notes->n)
        printf("\n## Refused and failed\n\n");
    for (int i = 0; i < notes->n; i++)
        printf("- `%s` (%s). %s\n", notes->note[i].spec, notes->note[i].models, notes->note[i].text);
}

static void page(int n, const carom_subject *subject)
{
    printf("# What the schemes do, measured\n\n"
           "Every registered scheme on the same small problems. Nothing here is typed: `make study` measures\n"
           "it all and writes this page (bench/properties.c), to be run whenever a scheme is added or\n"
           "changed. What the schemes are, and the orders they declare: [schemes.md](schemes.md).\n"
           "`tolerance` runs with rtol = atol = 1e-6, the others with the step that is given. Sizes have one\n"
           "digit; *rounding* means below 1e-10. *refused* and *fails* have their reasons at the end.\n\n"
           "## Orders\n\n"
           "Slopes of L1 errors over the nodes, of positions and velocities (one number where they agree).\n"
           "Smooth motion: h = 0.1/2^k, the three finest steps whose error is above 1e-10. Through impacts:\n"
           "six steps h = 0.02/2^k, the mean error over seven steps near each h, because an error depends on\n"
           "where in its step an impact falls. The ball has infinitely many impacts, then rests; the double\n"
           "pendulum has a mass matrix that depends on q. A scheme that chooses its steps has errors\n"
           "proportional to tol^p instead, tol = 1e-6 ... 1e-9. References are closed forms or an\n"
           "event-driven Runge-Kutta method.\n");
    table(orders, n, subject);
    printf("\n## Penetration and energy\n\n"
           "Largest penetration at the nodes for seven steps near h = 0.01: a ball (from 0.5 under gravity\n"
           "10, e = 0.9, until it rests), the tip of the double pendulum at a wall (e = 0.8). Energy: its\n"
           "relative change from the first to the hundredth bounce of an elastic ball (h = 0.01, means over\n"
           "a flight); the most that a box of energy 11 on two rough corners gains in a step (h = 0.001, mu\n"
           "= 0.4, e = 0.3).\n");
    table(gaps, n, subject);
    printf("\n## Friction and joints\n\n"
           "A body slides from speed 2 to a stop (mu = 0.3, gravity 10): distance from the right place, mean\n"
           "over seven steps near h = 0.01; in one direction, and along the diagonal of a plane with two.\n"
           "Joints: the pendulum in x and y, g = (x^2 + y^2 - 1)/2 at the nodes for steps near 0.01, and the\n"
           "orders as above.\n");
    table(links, n, subject);
    printf("\n## Stability and cost\n\n"
           "The undamped oscillator: h omega up to which the energy of 10000 steps is bounded (in the second\n"
           "half no more than 1.5 times the most of the first), by a search upwards from 0.01 and bisection;\n"
           "*none*: no limit below 1000; 0: not even 0.01. *Starts with E*: bounded, but the first steps at\n"
           "h omega near 1000 multiply the energy by that. *Grows slowly below*: also at 0.8 times the limit,\n"
           "by a factor of more than 1.001 in 5000 steps. *Fails near 0*: steps fail once damping has brought\n"
           "the energy below 1e-200.\n\n"
           "Cost on the built-in double-pendulum-wall with h = 0.001: the mean length of a step, evaluations\n"
           "of the equations of motion in it, and its time over that of moreau-jean (one digit, the only\n"
           "numbers that may differ from run to run).\n");
    table(effort, n, subject);
}

int main(int argc, char **argv)
{
    static carom_notes notes;
    static carom_subject subject[SUBJECTS];
    int n = list(subject, &notes);
    if (argc > 1) {
        int kept = 0;
        for (int i = 0; i < n; i++)
            if (strncmp(subject[i].spec, argv[1], strlen(argv[1])) == 0)
                subject[kept++] = subject[i];
        n = kept;
    }
    carom_effort_measure(n, subject);
    page(n, subject);
    reasons(&notes);
    return n == 0;
}
