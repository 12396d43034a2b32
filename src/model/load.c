/* load.c: from a path, a built-in name or a text to a model, and back to nothing. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/source.h"

static carom_status header(carom_loader *l)
{
    static const char *const keys[] = {
        "carom", "name", "parameters", "coordinates", "velocities", "kinetic", "potential", "mass", "force", "forces",
        "constraints", "contacts", "impacts", "let", "outputs", "stop", "period", "run", "tables", "draw", "plugin",
        "solver", "bodies", /* and with bodies: */ "space", "gravity", "joints", "laws", "start",
    };
    enum { OF_BODIES = 5 };
    carom_source *s = l->s;
    if (s->root->kind != CAROM_TEXT_MAP)
        return carom_load_fail(l, s->root->place, "a model file is a map that begins with 'carom: 1'");
    bool bodies = carom_text_get(s->root, "bodies") != NULL;
    for (int i = CAROM_COUNT(keys) - OF_BODIES; i < CAROM_COUNT(keys) && !bodies; i++)
        if (carom_text_get(s->root, keys[i]))
            return carom_load_fail(l, carom_text_get(s->root, keys[i])->key_place,
                                   "%s belongs to bodies, and there is no section 'bodies'", keys[i]);
    CAROM_TRY(carom_load_keys(l, s->root, keys, CAROM_COUNT(keys) - (bodies ? 0 : OF_BODIES), "the model"));
    const carom_text_node *version = carom_text_get(s->root, "carom"), *name = carom_text_get(s->root, "name");
    if (!version)
        return carom_load_fail(l, s->root->place,
                               "the model file does not say 'carom: 1' (the version of the language)");
    if (version->kind != CAROM_TEXT_SCALAR || strcmp(version->text, "1") != 0)
        return carom_load_fail(l, version->place, "this library reads version 1 of the language (carom: 1)");
    if (name && (name->kind != CAROM_TEXT_SCALAR || !name->text[0] || strpbrk(name->text, "\n\r\t") ||
                 strlen(name->text) > 200))
        return carom_load_fail(l, name->key_place, "name must be a text of one line (up to 200 characters)");
    l->m->name = name ? name->text : s->file.name;
    return CAROM_OK;
}

static carom_status read_sections(carom_loader *l)
{
    carom_source *s = l->s;
    carom_model *m = l->m;
    bool many = false;
    CAROM_TRY(carom_load_names(l));
    if (s->bodies)
        CAROM_TRY(carom_bodies_choose(l, &many));
    if (many) {
        CAROM_TRY(carom_bodies_found(l));
        return carom_load_draw(l);
    }
    if (s->bodies && carom_bodies_are_mixed(s) && s->nv > CAROM_MAX_COORDINATES)
        return carom_load_fail(l, carom_text_get(s->root, "bodies")->key_place,
                               "the bodies have %d velocities; with joints, forces, a start to be found or formulas "
                               "beside them there may be %d", s->nv, CAROM_MAX_COORDINATES);
    CAROM_TRY(carom_load_dynamics(l));
    CAROM_TRY(carom_load_contacts(l));
    CAROM_TRY(carom_load_run(l));
    m->nq = s->nq;
    m->nv = s->nv;
    m->q_name = s->q_name;
    if (s->nq != s->nv) {
        m->v_name = s->v_name;
        m->manifold = &carom_bodies_manifold;
        s->turning = (carom_turning){s->nv, s->direction};
        m->user = &s->turning;
    }
    m->q = s->q;
    m->v = s->v;
    m->p = s->p;
    CAROM_TRY(carom_source_derive(l));
    CAROM_TRY(carom_source_switches(l));
    CAROM_TRY(carom_compiled_new(s, l->error));
    m->evaluator = &carom_compiled_evaluator;
    CAROM_TRY(carom_source_values(s, m, l->error));
    CAROM_TRY(carom_load_draw(l));
    return s->bodies && carom_bodies_are_mixed(s) ? carom_bodies_mix(l) : CAROM_OK;
}

static carom_status no_memory(carom_error *error)
{
    return carom_fail(error, CAROM_NO_MEMORY, "out of memory for a model");
}

/* The source's own copies of what it was asked to read. */
static carom_status copy_request(carom_source *s, const carom_load_request *r, carom_error *error)
{
    s->file = r->file;
    s->file.name = carom_arena_text(s->arena, r->file.name, strlen(r->file.name));
    s->file.bytes = carom_arena_text(s->arena, r->file.bytes, r->file.length);
    s->folder = carom_arena_text(s->arena, r->folder, strlen(r->folder));
    s->override = CAROM_NEW(s->arena, carom_override, CAROM_MAX_NAMES + 2 * CAROM_MAX_COORDINATES);
    if (!s->file.name || !s->file.bytes || !s->folder || !s->override)
        return no_memory(error);
    for (int i = 0; i < r->noverride; i++) {
        const char *name = r->override[i].name;
        s->override[i] = (carom_override){carom_arena_text(s->arena, name, strlen(name)), r->override[i].value};
        if (!s->override[i].name)
            return no_memory(error);
    }
    s->noverride = r->noverride;
    if (r->options) {
        s->assemble = r->options->assemble;
        s->allow_plugins = r->options->allow_plugins;
    }
    return CAROM_OK;
}

static carom_status build(carom_source *s, carom_model *m, const carom_load_request *r, char *note, size_t size,
                          carom_error *error)
{
    carom_loader loader = {.s = s, .m = m, .file = &s->file, .error = error};
    carom_text_node *root = NULL;
    s->arena = carom_arena_new((size_t)1 << 30);
    if (!s->arena)
        return no_memory(error);
    m->source = s;
    CAROM_TRY(copy_request(s, r, error));
    CAROM_TRY(carom_text_parse(s->arena, &s->file, &root, error));
    s->root = root;
    CAROM_TRY(carom_load_vectors(&loader, root));
    s->nodes = root->kind == CAROM_TEXT_MAP && carom_text_get(root, "bodies") ? CAROM_BODIES_NODES : CAROM_MAX_NODES;
    s->pool = carom_expr_pool_new(s->nodes);
    if (!s->pool)
        return no_memory(error);
    CAROM_TRY(header(&loader));
    CAROM_TRY(carom_text_get(root, "plugin") ? carom_plugin_build(&loader) : read_sections(&loader));
    CAROM_TRY(carom_source_check(s, m, note, size, error));
    if (m->evaluator != &carom_compiled_evaluator || !r->options || !r->options->jit)
        return CAROM_OK;
    s->jit = true; /* from here on: what the checks asked for is not worth a compiler */
    CAROM_TRY(m->evaluator->prepare(m, CAROM_MASS | CAROM_FORCE, error));
    if (note && size && carom_compiled_note(s->compiled)[0])
        snprintf(note, size, "%s", carom_compiled_note(s->compiled));
    return CAROM_OK;
}

carom_status carom_source_blame(carom_status status, const carom_text_file *file, carom_error *error)
{
    if (errno != ENOMEM || status == CAROM_NO_MEMORY)
        return status;
    return carom_fail(error, CAROM_NO_MEMORY, "out of memory while the model '%.200s' is read", file->name);
}

carom_status carom_source_build(carom_model *m, const carom_load_request *r, char *note, size_t size,
                                carom_error *error)
{
    *m = (carom_model){.size = sizeof(carom_model)};
    carom_source *s = calloc(1, sizeof *s);
    if (!s)
        return no_memory(error);
    errno = 0;
    carom_status status = carom_source_blame(build(s, m, r, note, size, error), &r->file, error);
    if (status != CAROM_OK) {
        carom_source_free(s);
        *m = (carom_model){.size = sizeof(carom_model)};
    }
    return status;
}

void carom_source_free(carom_source *s)
{
    if (!s || s->holders-- > 0)
        return;
    carom_compiled_free(s->compiled);
    carom_bodies_end(s);
    carom_plugin_close(s->plugin);
    carom_expr_pool_free(s->pool);
    carom_arena_free(s->arena);
    free(s->room);
    free(s);
}

static carom_status make(carom_model **model, const carom_load_request *r, carom_load_options *options,
                         carom_error *error)
{
    carom_load_options standard = {.size = sizeof standard}, *o = options ? options : &standard;
    carom_load_request request = *r;
    CAROM_NEED(model, error);
    *model = NULL;
    CAROM_SIZED(o, carom_load_options, error);
    carom_model *m = calloc(1, sizeof *m);
    o->note[0] = 0;
    if (!m)
        return no_memory(error);
    request.options = o;
    carom_status status = carom_source_build(m, &request, o->note, sizeof o->note, error);
    if (status != CAROM_OK) {
        free(m);
        return status;
    }
    *model = m;
    return CAROM_OK;
}

carom_status carom_model_parse(carom_model **model, const char *name, const char *text, size_t length,
                               carom_load_options *options, carom_error *error)
{
    return carom_model_parse_in(model, "", name, text, length, options, error);
}

carom_status carom_model_parse_in(carom_model **model, const char *folder, const char *name, const char *text,
                                  size_t length, carom_load_options *options, carom_error *error)
{
    CAROM_NEED(text, error);
    carom_load_request request = {.file = {name ? name : "model", text, length}, .folder = folder};
    return make(model, &request, options, error);
}

static carom_status load_file(carom_model **model, const char *path, carom_load_options *options, carom_error *error)
{
    carom_arena *arena = carom_arena_new(0);
    carom_load_request request = {0};
    if (!arena)
        return no_memory(error);
    const char *slash = strrchr(path, '/');
    request.folder = carom_arena_text(arena, path, slash ? (size_t)(slash - path) + 1 : 0);
    carom_status status = request.folder ? carom_text_read(arena, path, &request.file, error) : no_memory(error);
    if (status == CAROM_OK)
        status = make(model, &request, options, error);
    carom_arena_free(arena);
    return status;
}

carom_status carom_model_load(carom_model **model, const char *path, carom_load_options *options, carom_error *error)
{
    CAROM_NEED(model, error);
    *model = NULL;
    if (!path || !path[0])
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "a model needs a path or the name of a built-in one");
    if (strpbrk(path, "/."))
        return load_file(model, path, options, error);
    const char *text = carom_builtin_text(path);
    if (text)
        return carom_model_parse(model, path, text, strlen(text), options, error);
    if (access(path, F_OK) == 0)
        return load_file(model, path, options, error);
    const char *names[200];
    int n = 0;
    while (n < 200 && carom_builtin_name(n)) {
        names[n] = carom_builtin_name(n);
        n++;
    }
    const char *near = carom_nearest(path, names, n);
    if (near)
        CAROM_FAIL(error, CAROM_FILE, "there is no file and no built-in model '%s'; did you mean '%s'?", path, near);
    CAROM_FAIL(error, CAROM_FILE, "there is no file and no built-in model '%s' (carom list models)", path);
}

void carom_model_free(carom_model *model)
{
    if (!model || (!model->source && !model->own)) /* a struct filled by hand belongs to its owner */
        return;
    carom_source_free((carom_source *)(size_t)model->source);
    free(model->own);
    free(model);
}

const struct carom_source *carom_model_hold(const carom_model *model)
{
    carom_source *s = (carom_source *)(size_t)model->source;
    if (s)
        s->holders++;
    return s;
}

void carom_model_release(const struct carom_source *held)
{
    carom_source_free((carom_source *)(size_t)held);
}

const carom_text_file *carom_model_file(const carom_model *model)
{
    return model->source ? &model->source->file : NULL;
}

uint64_t carom_model_named_files(const carom_model *model)
{
    return model->source ? model->source->named : 0;
}
