/* describe.c: the equations of a model as a person would read them. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "model/check.h"
#include "model/source.h"

typedef struct writer {
    FILE *file;
    const carom_model *m;
    const carom_source *s; /* NULL: numbers only */
    carom_probe probe;
    char text[4000], word[80];
} writer;

static const char *variable_name(void *user, int variable)
{
    writer *w = user;
    const carom_source *s = w->s;
    if (variable == 0)
        return "t";
    if (variable < s->var_v)
        return s->q_name[variable - s->var_q];
    if (variable < s->var_a)
        return s->rate_name[variable - s->var_v];
    if (variable >= s->var_p && variable < s->var_x)
        return s->parameter[variable - s->var_p].name;
    return "?";
}

/* One line "  label = formula (or number)"; nothing for a zero entry of a matrix. */
static void line(writer *w, const char *label, const carom_expr *e, double number, bool zeros)
{
    double value;
    if (!e) {
        snprintf(w->text, sizeof w->text, "%.12g", number);
        if (number == 0 && !zeros)
            return;
    } else {
        if (!zeros && carom_expr_is_const(w->s->pool, *e, &value) && value == 0)
            return;
        carom_expr_print(w->s->pool, *e, variable_name, w, w->text, sizeof w->text);
    }
    fprintf(w->file, "  %s = %s\n", label, w->text);
}

static const carom_expr *formula(const writer *w, const carom_expr *array, int i)
{
    return w->s ? &array[i] : NULL;
}

static const char *row_name(const carom_model *m, int row, char *label, size_t size)
{
    char buffer[32];
    if (row < m->njoint) {
        snprintf(label, size, "%s", carom_model_joint_name(m, row, buffer));
        return label;
    }
    int at = m->njoint, c = 0;
    while (row > at + m->contact[c].directions)
        at += 1 + m->contact[c++].directions;
    const char *name = carom_model_contact_name(m, c, buffer);
    if (row == at)
        snprintf(label, size, "%s", name);
    else
        snprintf(label, size, m->contact[c].directions > 1 ? "%s slip %d" : "%s slip", name, row - at);
    return label;
}

static void motion(writer *w)
{
    const carom_model *m = w->m;
    const carom_source *s = w->s;
    int n = m->nv;
    char a[32], b[32], label[160];
    fprintf(w->file, "mass matrix M%s\n", m->constant & CAROM_MASS ? " (constant)" : "");
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            snprintf(label, sizeof label, "M[%s, %s]", carom_model_v_name(m, i, a), carom_model_v_name(m, j, b));
            line(w, label, s ? &s->M[i * n + j] : NULL, w->probe.at.M[i * n + j], false);
        }
    fprintf(w->file, "forces F, so that M a = F between contacts\n");
    for (int i = 0; i < n; i++) {
        snprintf(label, sizeof label, "F[%s]", carom_model_v_name(m, i, a));
        line(w, label, s ? &s->F[i] : NULL, w->probe.at.F[i], true);
    }
}

static void rows(writer *w)
{
    const carom_model *m = w->m;
    const carom_source *s = w->s;
    const carom_eval *e = &w->probe.at;
    int n = m->nv, nrow = carom_model_rows(m), ngap = carom_model_links(m);
    char a[32], name[100], label[160];
    if (nrow == 0)
        return;
    fprintf(w->file, "constraints and gaps g\n");
    for (int i = 0; i < ngap; i++) {
        row_name(m, carom_model_link_row(m, i), name, sizeof name);
        snprintf(label, sizeof label, "g[%s]", name);
        line(w, label, s ? &s->g[i] : NULL, e->g[i], true);
    }
    fprintf(w->file, "their velocities u = G v + w%s\n", m->constant & CAROM_JACOBIAN ? " (G and w constant)" : "");
    for (int r = 0; r < nrow; r++) {
        row_name(m, r, name, sizeof name);
        for (int j = 0; j < n; j++) {
            snprintf(label, sizeof label, "G[%s, %s]", name, carom_model_v_name(m, j, a));
            line(w, label, s ? &s->G[r * n + j] : NULL, e->G[r * n + j], false);
        }
        snprintf(label, sizeof label, "w[%s]", name);
        line(w, label, s ? &s->w[r] : NULL, e->w[r], false);
    }
    fprintf(w->file, "their accelerations G a + gamma\n");
    for (int r = 0; r < nrow; r++) {
        snprintf(label, sizeof label, "gamma[%s]", row_name(m, r, name, sizeof name));
        line(w, label, s ? &s->gamma[r] : NULL, e->gamma[r], false);
    }
}

static void laws(writer *w)
{
    const carom_model *m = w->m;
    char a[32], label[160];
    if (m->ncontact)
        fprintf(w->file, "laws (%s impacts)\n", m->impacts ? m->impacts : "simultaneous");
    for (int i = 0, at = 0; i < m->ncontact; i++) {
        const carom_law *law = carom_model_law(m, i);
        for (int k = 0; k < carom_law_coefficients(law); k++, at++) {
            snprintf(label, sizeof label, "%s of %s", carom_law_words(law, k), carom_model_contact_name(m, i, a));
            line(w, label, w->s ? formula(w, w->s->law, at) : NULL, w->probe.at.law[at],
                 isnan(law->method.fields[k].value));
        }
    }
}

static void energy(writer *w)
{
    static const char *const words[] = {"kinetic", "potential", "external power", "viscous power", "dry power"};
    bool dry = w->s && !carom_expr_is_const(w->s->pool, w->s->energy[4], NULL);
    fprintf(w->file, "energy\n");
    for (int i = 0; i < CAROM_COUNT(words) - !dry; i++)
        line(w, words[i], w->s && !(dry && i > 2) ? formula(w, w->s->energy, i) : NULL, w->probe.at.energy[i], i < 2);
}

/* Often a name that was mistyped elsewhere, or a law that was forgotten. */
static void idle(const writer *w, const char *what, const carom_parameter *x, int n)
{
    bool any = false;
    for (int i = 0; i < n; i++) {
        if (x[i].named)
            continue;
        if (!any)
            fprintf(w->file, "%s that nothing uses: ", what);
        fprintf(w->file, "%s%s", any ? ", " : "", x[i].name);
        any = true;
    }
    if (any)
        fputc('\n', w->file);
}

carom_status carom_model_describe(const carom_model *m, FILE *file, carom_error *error)
{
    const unsigned want =
        CAROM_MASS | CAROM_FORCE | CAROM_GAP | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW | CAROM_ENERGY;
    writer w = {.file = file, .m = m, .s = m->source && !m->source->plugin ? m->source : NULL};
    CAROM_TRY(carom_probe_new(&w.probe, m, want, error));
    carom_probe_eval(&w.probe);
    errno = 0;
    fprintf(file, "%s: %d coordinates, %d parameters, %d constraints, %d contacts\n", m->name ? m->name : "model",
            m->nq, m->np, m->njoint, m->ncontact);
    if (!w.s)
        fprintf(file, "(native callbacks: values at the start)\n");
    if (w.s && !w.s->M) {
        fprintf(file, "(bodies without formulas: M by blocks of bodies, contacts found per step)\n");
    } else {
        motion(&w);
        rows(&w);
        laws(&w);
        energy(&w);
    }
    if (w.s && !w.s->bodies) { /* those of bodies are also read before there are expressions */
        idle(&w, "parameters", w.s->parameter, w.s->nparameter);
        idle(&w, "names of let", w.s->let, w.s->nlet);
    }
    carom_probe_free(&w.probe);
    if (errno == ENOMEM) /* a formula was cut */
        CAROM_FAIL(error, CAROM_NO_MEMORY, "out of memory for the description of the model");
    if (ferror(file))
        CAROM_FAIL(error, CAROM_FILE, "the description of the model cannot be written: %s",
                   strerror(errno ? errno : EIO));
    return CAROM_OK;
}
