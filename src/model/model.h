/* model.h: what every other folder asks of a model, however it was made. */
#ifndef CAROM_MODEL_H
#define CAROM_MODEL_H

#include <stdint.h>

#include "laws/law.h"
#include "model/manifold.h"
#include "text/text.h"

/* Links are the joints, then the contacts; each has a gap, of the same number. */
static inline int carom_model_links(const carom_model *model)
{
    return model->njoint + model->ncontact;
}
static inline int carom_model_link(const carom_model *model, int contact) /* the number of its link */
{
    return model->njoint + contact;
}
static inline int carom_model_contact(const carom_model *model, int link) /* its number; < 0: a joint */
{
    return link < model->njoint ? -1 : link - model->njoint;
}
/* Rows of G, u, w and gamma: one per joint, then for every contact its normal and its directions of friction. */
int carom_model_rows(const carom_model *model);
int carom_model_link_row(const carom_model *model, int link); /* of its first */
/* The law of a contact (NULL: there is none of that name and number of directions); where its coefficients begin among
 * those of all contacts, and how many there are before contact ncontact: all. */
const carom_law *carom_model_law(const carom_model *model, int contact);
int carom_model_coefficient(const carom_model *model, int contact);
/* Which speeds its coefficients depend on: CAROM_LAW_BY_APPROACH, CAROM_LAW_BY_SLIP; of any contact. */
unsigned carom_model_speeds(const carom_model *model, int contact);
unsigned carom_model_any_speeds(const carom_model *model);

/* The model's own evaluator, or the adapter that calls plain callbacks. A want that is given to eval must have been
 * given to prepare before; parameters are those of the last begin, and eval must be handed the same ones. */
extern const carom_evaluator carom_callbacks;
const carom_evaluator *carom_model_evaluator(const carom_model *model);
/* The tape of a text model for some quantities in two parts: clock computes rows of functions of time from t and p,
 * rest the quantities, with these rows as one more input; the inputs and outputs of both are the pointers of
 * carom_eval in their order. */
enum { CAROM_SPLIT_GROUP = 8 };
typedef struct carom_split {
    unsigned want;
    struct carom_tape *clock, *rest;
    int rows;
} carom_split;
/* Thread-safe; belongs to the model. *split = NULL: there is nothing to gain: no functions of time, or no native
 * code. */
carom_status carom_model_split(const carom_model *model, unsigned want, const carom_split **split, carom_error *error);
/* Which of the CAROM_* quantities come from finite differences, because the callbacks do not give them. */
unsigned carom_model_differenced(const carom_model *model);

/* The branch of switch i at a value of its f, which holds while low <= f < high: -1 or 1 unless the model has a
 * source. */
bool carom_model_extended(const carom_model *model); /* with frozen branches it has values where it has none */
double carom_model_branch(const carom_model *model, int i, double f, double *low, double *high);

/* Sizes, callbacks, names and the start: finite everywhere, M positive definite, joints kept, gaps not negative. */
carom_status carom_model_validate(const carom_model *model, carom_error *error);

/* Names with their defaults (q0, p0, joint0, contact0, output0) for what the model leaves out; buffer >= 32 bytes. */
const char *carom_model_q_name(const carom_model *model, int i, char *buffer);
const char *carom_model_v_name(const carom_model *model, int i, char *buffer);
const char *carom_model_p_name(const carom_model *model, int i, char *buffer);
bool carom_model_consists_by(const carom_model *m, int i); /* parameter i is a number of repetitions or an index */
const char *carom_model_joint_name(const carom_model *model, int i, char *buffer);
const char *carom_model_contact_name(const carom_model *model, int i, char *buffer);
const char *carom_model_output_name(const carom_model *model, int i, char *buffer);

/* One evaluation at one point, with its own memory: for set-up and checks, not for stepping. */
typedef struct carom_probe {
    carom_arena *arena;
    const carom_model *model;
    carom_eval at;          /* every output array is there; t, q, v, p, a, x, s point at the arrays below */
    double t, s, *q, *v, *p, *a, *x, *d; /* set these, then call carom_probe_eval; they begin at the model's start */
    void *work;
} carom_probe;
carom_status carom_probe_new(carom_probe *probe, const carom_model *model, unsigned want, carom_error *error);
void carom_probe_eval(carom_probe *probe); /* everything that was wanted, parameters included */
void carom_probe_free(carom_probe *probe);

/* The file of a loaded model, for errors; NULL otherwise. */
const carom_text_file *carom_model_file(const carom_model *model);
/* What a loaded model points at now stays until it is released, though the model is freed or changed; NULL for one that
 * was filled by hand. */
const struct carom_source *carom_model_hold(const carom_model *model);
void carom_model_release(const struct carom_source *held); /* NULL is fine */
/* A checksum of the files that it names (tables, a plugin) as they were when they were read; 0: it names none. */
uint64_t carom_model_named_files(const carom_model *model);
/* carom_model_parse of a text that stood in a folder ("" or with its last slash), where the files it names are. */
carom_status carom_model_parse_in(carom_model **model, const char *folder, const char *name, const char *text,
                                  size_t length, carom_load_options *options, carom_error *error);

/* An expression in the names of a model file (t, coordinates, velocities, parameters, let, tables), e.g. of its draw
 * section; a text from elsewhere has a file of its own for its errors (NULL: the model's). Thread-safe; for pictures
 * and measures, not for stepping. Of models of native code _text takes single names, of outputs too, and no more:
 * CAROM_UNSUPPORTED. */
carom_status carom_model_expression(const carom_model *model, const carom_text_file *file, const carom_text_node *node,
                                    int *expression, carom_error *error);
carom_status carom_model_expression_text(const carom_model *model, const char *text, int *expression,
                                         carom_error *error);
/* Memory for the value of an expression that was found elsewhere: it cannot fail for want of it then. */
carom_status carom_model_reserve(const carom_model *model, int expression, carom_error *error);
double carom_model_value(const carom_model *model, int expression, double t, const double *q, const double *v,
                         const double *p);
/* Many of them, with the parameters that the model has now; not thread-safe. */
typedef struct carom_values carom_values;
carom_status carom_values_new(carom_values **values, const carom_model *model, const int *expression, int n,
                              carom_error *error);
void carom_values_at(const carom_values *values, double t, const double *q, const double *v, double *out); /* [n] */
void carom_values_free(carom_values *values); /* NULL is fine */
/* Its derivatives: gradient [1+nq+nv+np], with respect to t, q, v, p. */
carom_status carom_model_gradient(const carom_model *model, int expression, double t, const double *q, const double *v,
                                  const double *p, double *gradient);
/* The period with parameters p, and its derivatives [np]; 0: none. */
double carom_model_period(const carom_model *model, const double *p, double *dp);
/* X [(nq+nv)*np]: how the initial values follow the parameters. Values that were given as numbers do not. */
carom_status carom_model_start_gradient(const carom_model *model, double *X);

#endif
