/* source.h: a model file after reading: its names, its expressions, what was derived from them, and the compiled tapes.
 * Private to this folder. Variables of the expression pool, in this order:
 *     t | q [nq] | v [nv] | a [nv] | s | p [nparameter, as in the file] | x [nrow]
 * A parameter given by a number is a variable (independent); one given by others is replaced by its expression, so
 * derivatives with respect to p and new values reach everything that depends on it. */
#ifndef CAROM_SOURCE_H
#define CAROM_SOURCE_H

#include "core/limits.h"
#include "expr/expr.h"
#include "model/start.h"

typedef enum carom_symbol_kind {
    CAROM_SYMBOL_COORDINATE,
    CAROM_SYMBOL_PARAMETER,
    CAROM_SYMBOL_LET,
    CAROM_SYMBOL_TABLE
} carom_symbol_kind;
typedef struct carom_symbol {
    const char *name;
    carom_symbol_kind kind;
    int index;
    const carom_text_node *node;
} carom_symbol;

typedef struct carom_given { /* an expression and where it stands (node NULL: a default) */
    carom_expr e;
    const carom_text_node *node;
} carom_given;

typedef struct carom_parameter { /* or a let: then index and value mean nothing */
    const char *name;
    const carom_text_node *node;
    carom_expr e;     /* in terms of independent parameters; after it was visited */
    int index;        /* in model->p; -1: depends on others */
    double value;     /* of an independent one */
    enum { CAROM_UNVISITED, CAROM_VISITING, CAROM_VISITED } state;
    bool named;       /* by some expression */
} carom_parameter;

typedef struct carom_override { /* a value that wins over the file's */
    const char *name; /* "m", "q.y", "v.y" */
    double value;
} carom_override;

typedef struct carom_local { /* a name that stands for something while one expression is read */
    const char *name;
    carom_expr e;
    unsigned bit; /* of carom_loader.used, once it was met */
} carom_local;

typedef struct carom_contact_given {
    carom_given gap, slip[2], law[CAROM_COEFFICIENTS_MAX];
    int ncoefficient;
    unsigned speeds; /* CAROM_LAW_BY_APPROACH, CAROM_LAW_BY_SLIP: what coefficients depend on */
    bool has_speed;
    carom_expr speed; /* g', where something shorter is known than the sum of g's derivatives */
} carom_contact_given;

typedef struct carom_setting_given { /* of run: e CAROM_EXPR_NONE where the text stands as it is */
    carom_given value;
    char *text;
} carom_setting_given;

typedef struct carom_direction { /* how positions follow a velocity */
    int q, axis; /* axis -1: q' = v; else a spin about this body axis, of the quaternion that begins at q */
} carom_direction;

typedef struct carom_turning { /* the model's user where positions are no vectors */
    int nv;
    const carom_direction *direction; /* [nv] */
} carom_turning;

typedef struct carom_rigid { /* a body's part of the equations: see rigid.c */
    carom_expr mass, v[3], w[3], inertia[6]; /* v: of its centre in space axes, w: spin in body axes; affine in v */
} carom_rigid;
typedef struct carom_index { /* of a repeated body, joint, contact or shape, while its expressions are read */
    const char *name;
    int value;
} carom_index;

typedef struct carom_added { /* joints and contacts that bodies add to those of formulas */
    const char **joint_name;
    carom_given *joint; /* [njoint] */
    carom_expr *joint_speed; /* CAROM_EXPR_NONE: as for contacts */
    int njoint, ncontact;
    carom_contact_given *contact; /* [ncontact] */
    carom_contact *contact_out;
} carom_added;

struct carom_compiled;
struct carom_plugin_library;
struct carom_section_of_bodies;

typedef struct carom_source {
    _Atomic int holders; /* beside the model */
    carom_arena *arena;
    carom_text_file file;
    const carom_text_node *root;
    const char *folder; /* of the file, with the last slash; "" for the working directory */
    uint64_t named; /* checksum of the files that it names; 0: there are none */
    carom_expr_pool *pool;
    int nodes; /* that it may have at most */
    bool assemble, jit, allow_plugins;
    struct carom_plugin_library *plugin;
    carom_override *override; /* [noverride]; room for one of every name */
    int noverride;

    carom_symbol *symbol; /* [nsymbol], sorted by name */
    int nsymbol;
    carom_parameter *parameter, *let; /* [nparameter] [nlet] */
    int nparameter, nlet;

    int nq, nv, njoint, ncontact, nrow, nlaw, noutput; /* nlaw: coefficients of all contacts */
    int nformula; /* coordinates of the section of that name: they come first, in q and in v */
    const char **q_name, **v_name, **rate_name; /* [nq] [nv] [nv]: y, y and y' */
    carom_direction *direction; /* [nv] */
    int var_q, var_v, var_a, var_s, var_p, var_x, nvar; /* first variable of each group; t is 0 */
    const int *var_of_p;                                /* [np] the variable of an independent parameter */
    carom_given *q0, *v0;                               /* [nq] [nv] */
    double *q, *v, *p;                                  /* the model's: [nq] [nv] [np] */
    double *q_plugin, *v_plugin;                        /* [nq] initial values of a plugin and its file */
    carom_given kinetic, potential, stop, period;
    carom_given *mass, *force, *forces; /* [nv*nv] [nv] [nv]: as given */
    bool from_energy;
    carom_given *joint;           /* [njoint] */
    carom_contact_given *contact; /* [ncontact] */
    carom_given *output;          /* [noutput] */
    carom_setting_given *setting; /* [nrun] */
    struct carom_section_of_bodies *bodies; /* NULL: there are none */
    bool *structural;    /* [nparameter] what the model consists of depends on it */
    bool start_is_found; /* numbers of the start were computed: any other parameter means reading it all anew */
    carom_rigid *rigid;  /* [nrigid] */
    carom_added added;
    carom_turning turning;
    carom_expr watch; /* of what is not followed: the run stops where it holds */
    int watched, wound; /* pairs of bodies that come close; springs of hinges in space that come to half a turn */
    int nrigid;

    carom_expr *M, *F, *g, *u, *G, *w, *gamma, *law, *energy; /* derived, shapes as in carom_eval */
    carom_expr *M_formula;                                    /* M without the bodies */
    carom_expr *r, *acceleration;                             /* [nv] [nrow]: M a - s F - G^T x, G a + gamma */
    carom_switch *switches; /* [nswitches] of M ... law; their branches are the variables from nvar on */
    int nswitches, nswitch; /* all of them; different ones */
    const int *switch_of;   /* [nswitch] the first one with this branch */
    struct carom_compiled *compiled;
    double *room;     /* [room_size] of carom_model_value, behind the lock of `compiled` */
    size_t room_size;
    const struct carom_drawing *drawing; /* NULL: none */
} carom_source;

static inline int carom_source_links(const carom_source *s)
{
    return s->njoint + s->ncontact;
}
static inline int carom_source_link(const carom_source *s, int contact) /* the number of its link */
{
    return s->njoint + contact;
}

/* ---- read.c: sections of the file ---- */
typedef struct carom_loader {
    carom_source *s;
    carom_model *m;
    const carom_text_file *file; /* that errors show */
    carom_error *error;
    carom_error pending; /* of a name that was resolved while another expression was being parsed */
    bool failed;
    int depth;
    const char *const *outputs; /* [noutput] that expressions may name, once they are there; NULL: they may not */
    const carom_index *index; /* [nindex] */
    int nindex;
    carom_index bound[CAROM_MAX_BOUND]; /* [nbound] of the sums around what is being read */
    char bound_name[CAROM_MAX_BOUND][24];
    int nbound;
    const carom_local *local; /* [nlocal] after the names of the model: those win */
    int nlocal;
    unsigned used; /* bits of the local names that were met */
} carom_loader;

carom_status carom_load_fail(carom_loader *l, carom_text_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Is the key of a contact, constraint or output fit for tables and messages? */
carom_status carom_load_label(carom_loader *l, const carom_text_node *node, const char *what);
carom_status carom_load_map(carom_loader *l, const carom_text_node *node, const char *what); /* is it a map? */
carom_status carom_load_keys(carom_loader *l, const carom_text_node *map, const char *const *keys, int n,
                             const char *what);
carom_status carom_load_number(carom_loader *l, const carom_text_node *node, const char *what, double *value);
/* The name that a text stands for, its indices as numbers: link[i+1].tip -> link[4].tip. */
carom_status carom_load_name(carom_loader *l, const carom_text_node *node, char *name, size_t size);
/* An expression of anything; then what it may not depend on is refused with the reason. */
carom_status carom_load_expression(carom_loader *l, const carom_text_node *node, const char *what, carom_given *given);
carom_status carom_load_parametric(carom_loader *l, const carom_text_node *node, const char *what, carom_given *given);
carom_status carom_load_positional(carom_loader *l, const carom_text_node *node, const char *what, carom_given *given);
/* The coefficients of a contact with gap and slip, in the order of the law's fields; they may depend on the speeds of
 * both. What is called X_static is X if it is not given. */
carom_status carom_load_coefficients(carom_loader *l, const carom_text_node *node, const carom_law *law,
                                     carom_contact_given *c);

/* What a parameter or a let stands for, parsed when it is first needed. */
/* repeat.c: how many an entry stands for, and the index they are told apart by (its name is NULL: there is one); the
 * k-th of them, whose expressions may name the index from here on, until l->nindex is 0 again; NULL: no memory. */
carom_status carom_load_repeat(carom_loader *l, const carom_text_node *node, int most, carom_index *index, int *count);
const carom_text_node *carom_load_repeated(carom_loader *l, const carom_text_node *node, carom_index *index, int k);
/* copy.c: parameters and initial values of a copy. */
carom_status carom_copy_set(carom_model *m, const char *const *names, const double *values, int n, carom_error *error);
carom_status carom_load_vectors(carom_loader *l, carom_text_node *root); /* vectors.c: before anything is read */
carom_status carom_load_symbol(carom_loader *l, carom_symbol_kind kind, int index, carom_expr *e);

carom_status carom_load_names(carom_loader *l);      /* symbols.c: coordinates, parameters, let */
carom_status carom_load_coordinate(carom_loader *l, const carom_text_node *node,
                                   int *index);      /* of the section coordinates that node's key names */
carom_status carom_load_tables(carom_loader *l);     /* tables.c */
carom_status carom_load_dynamics(carom_loader *l);   /* dynamics.c: energies or mass and force, forces */
carom_status carom_load_forces(carom_loader *l);     /* the section forces alone, added to what is there */
carom_status carom_load_contacts(carom_loader *l);   /* contacts.c: constraints and contacts */
carom_status carom_load_run(carom_loader *l);        /* sections.c: outputs, stop, period, impacts, run */
carom_status carom_load_settings(carom_loader *l);   /* the section run alone */
carom_status carom_load_draw(carom_loader *l);       /* draw.c: after everything else */
const carom_override *carom_source_override(const carom_source *s, const char *prefix, const char *name);

/* ---- src/bodies: the sections space, gravity, bodies, joints, laws, start ---- */
carom_status carom_bodies_declare(carom_loader *l);  /* names, coordinates: before anything else is read */
carom_status carom_bodies_read(carom_loader *l);     /* where they are, as expressions */
carom_status carom_bodies_dynamics(carom_loader *l); /* rigid, potential, forces */
bool carom_bodies_names(const carom_loader *l, const char *key); /* is it a body, a joint or a part of one? */
carom_status carom_bodies_force(carom_loader *l, const carom_text_node *node); /* an entry of forces */
carom_status carom_bodies_contacts(carom_loader *l); /* added */
bool carom_bodies_lack_laws(const carom_source *s);  /* have bodies shapes that seem meant to touch, but no laws? */
carom_status carom_bodies_values(carom_source *s, carom_error *error); /* checks numbers that may have changed */
carom_status carom_bodies_overlap(carom_source *s, const carom_model *m, carom_error *error); /* is an error */
/* Moves what overlaps apart, in q; *moved: by how much. Constraints may be violated then. */
carom_status carom_bodies_separate(carom_source *s, const carom_model *m, double *q, double *moved, carom_error *error);
carom_status carom_bodies_picture(carom_loader *l);  /* where there is no section draw */
carom_status carom_bodies_choose(carom_loader *l, bool *many); /* many: then instead of all that follows: */
carom_status carom_bodies_found(carom_loader *l);    /* the model, with contacts found per step */
bool carom_bodies_are_mixed(const carom_source *s);  /* then after all that follows: */
carom_status carom_bodies_mix(carom_loader *l);      /* contacts of pairs found per step beside the formulas */
void carom_bodies_end(carom_source *s);
carom_expr carom_bodies_lookup(carom_loader *l, const char *name);
carom_expr carom_bodies_part(carom_loader *l, const char *function, const char *object, const carom_expr *list, int n,
                             const char *part, bool *known);
extern const carom_manifold carom_bodies_manifold;
const char *carom_bodies_hint(const carom_source *s, int i); /* i-th of some names, NULL after the last */
const char *carom_bodies_near(const carom_source *s, const char *name); /* a body or joint called alike, or NULL */

/* ---- rigid.c: what bodies add to kinetic energy, M, F and r ---- */
carom_expr carom_rigid_kinetic(carom_source *s);
void carom_rigid_terms(carom_source *s);
carom_expr carom_rigid_inertial(carom_source *s, int i); /* row i of their M a */

/* ---- derive.c ---- */
carom_status carom_source_derive(carom_loader *l);
carom_expr carom_source_along(const carom_source *s, carom_expr e, int j); /* derivative along the j-th velocity */
carom_expr carom_source_rate(const carom_source *s, carom_expr e);         /* e_t + e_q v */
/* One entry of a derivative: which is CAROM_R_Q ... CAROM_A_P, row and column as in carom_eval. */
carom_expr carom_source_entry(const carom_source *s, unsigned which, int row, int column);
bool carom_source_parametric(const carom_source *s, carom_expr e); /* does it depend on parameters alone? */

/* ---- switches.c ---- */
carom_status carom_source_switches(carom_loader *l);

/* ---- structure.c ---- */
struct carom_structure;
/* Of a larger model, in the source's memory; NULL for one that is small. */
carom_status carom_structure_new(carom_source *s, const struct carom_structure **structure, carom_error *error);

/* ---- compile.c ---- */
carom_status carom_compiled_new(carom_source *s, carom_error *error);
void carom_compiled_free(struct carom_compiled *compiled);
const char *carom_compiled_note(const struct carom_compiled *compiled); /* why there is no native code, or "" */
extern const carom_evaluator carom_compiled_evaluator;
/* The pool grows when tapes are prepared: hold this while reading it after loading. */
void carom_compiled_lock(struct carom_compiled *compiled);
void carom_compiled_unlock(struct carom_compiled *compiled);

/* ---- values.c: numbers from expressions ---- */
carom_status carom_source_values(carom_source *s, carom_model *m,
                                 carom_error *error); /* p, q, v, period, run, contacts */
/* Assembles if it was asked for (note says so), then the checks of the start, placed in the file. */
carom_status carom_source_check(carom_source *s, carom_model *m, char *note, size_t size, carom_error *error);

/* ---- load.c ---- */
typedef struct carom_load_request {
    carom_text_file file; /* bytes belong to the caller */
    const char *folder;
    const carom_load_options *options;
    const carom_override *override;
    int noverride;
} carom_load_request;
/* A lack of memory is seen everywhere, and in many disguises: a value that is none, a text that does not parse. Who
 * allocates tells it by errno, which was 0 before: then the model is not to blame, and one read with gaps is none. */
carom_status carom_source_blame(carom_status status, const carom_text_file *file, carom_error *error);
carom_status carom_source_build(carom_model *m, const carom_load_request *request, char *note, size_t size,
                                carom_error *error);
void carom_source_free(carom_source *s); /* or one of its holders less */

/* ---- plugin.c ---- */
carom_status carom_plugin_build(carom_loader *l);
void carom_plugin_close(struct carom_plugin_library *library);

#endif
