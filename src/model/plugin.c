/* plugin.c: a model whose callbacks come from a shared library; the file may change its values and settings. */
#include <stdlib.h>
#include <string.h>

#include "carom_plugin.h"
#include "core/archive.h"
#include "model/source.h"

#ifdef CAROM_NO_PLUGINS

void carom_plugin_close(struct carom_plugin_library *library)
{
    (void)library;
}

static carom_status open_library(carom_loader *l, const carom_text_node *node, const carom_plugin **plugin)
{
    *plugin = NULL;
    return carom_text_fail(&l->s->file, node->place, l->error, CAROM_UNSUPPORTED,
                           "this build of Carom loads no plugins (WITH_PLUGINS is off)");
}

#else

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

struct carom_plugin_library {
    void *handle;
};

void carom_plugin_close(struct carom_plugin_library *library)
{
    if (!library)
        return;
    dlclose(library->handle);
    free(library);
}

/* Its bytes count among what the model was made of. */
static carom_status remember(carom_loader *l, const char *path)
{
    unsigned char block[8192];
    FILE *file = fopen(path, "rb");
    if (!file)
        CAROM_FAIL(l->error, CAROM_FILE, "cannot read '%.700s': %s", path, strerror(errno));
    for (size_t n; (n = fread(block, 1, sizeof block, file)) > 0;)
        l->s->named = carom_checksum(l->s->named, block, n);
    const bool failed = ferror(file) != 0;
    fclose(file);
    if (failed)
        CAROM_FAIL(l->error, CAROM_FILE, "cannot read '%.700s'", path);
    return CAROM_OK;
}

static carom_status open_library(carom_loader *l, const carom_text_node *node, const carom_plugin **plugin)
{
    carom_source *s = l->s;
    if (node->kind != CAROM_TEXT_SCALAR || !node->text[0])
        return carom_load_fail(l, node->key_place, "plugin must be the path of a shared library");
    if (!s->allow_plugins)
        return carom_load_fail(l, node->place, "plugin '%s' would run foreign code; --allow-plugins permits it",
                               node->text);
    /* a path with a slash, so that the dynamic linker does not search for it */
    const char *folder = node->text[0] == '/' ? "" : s->folder[0] ? s->folder : "./";
    char *path = carom_arena_format(s->arena, "%s%s", folder, node->text);
    struct carom_plugin_library *library = path ? calloc(1, sizeof *library) : NULL;
    if (!library)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for a plugin");
    library->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library->handle) {
        free(library);
        const char *why = dlerror();
        return carom_load_fail(l, node->place, "plugin '%s' cannot be loaded: %.300s", node->text,
                               why ? why : "no reason given");
    }
    s->plugin = library;
    carom_status seen = remember(l, path);
    if (seen != CAROM_OK)
        return seen;
    *plugin = dlsym(library->handle, "carom_plugin_model");
    if (!*plugin)
        return carom_load_fail(l, node->place, "plugin '%s' has no symbol carom_plugin_model", node->text);
    if ((*plugin)->abi != CAROM_PLUGIN_ABI || (*plugin)->model_bytes != sizeof(carom_model))
        return carom_load_fail(l, node->place,
                               "plugin '%s' was compiled for another carom.h (ABI %d, here %d): compile it again",
                               node->text, (*plugin)->abi, CAROM_PLUGIN_ABI);
    return CAROM_OK;
}

#endif

static double *copy(carom_loader *l, const double *from, int n)
{
    double *to = CAROM_NEW(l->s->arena, double, n);
    if (to && from)
        memcpy(to, from, sizeof *to * (size_t)n);
    return to;
}

/* The plugin's names become the source's, so that carom_model_set and the file find them. */
static carom_status adopt(carom_loader *l)
{
    carom_source *s = l->s;
    carom_model *m = l->m;
    char buffer[32];
    CAROM_TRY(carom_manifold_refuse(m, "a model file with a plugin", l->error));
    s->nq = s->nv = m->nq;
    s->nparameter = m->np;
    s->var_p = 1;
    s->nvar = s->var_x = 1 + m->np;
    s->q_name = s->v_name = CAROM_NEW(s->arena, const char *, m->nq);
    s->parameter = CAROM_NEW(s->arena, carom_parameter, m->np);
    s->q = copy(l, m->q, m->nq);
    s->v = copy(l, m->v, m->nv);
    s->p = copy(l, m->p, m->np);
    if (!s->q_name || !s->parameter || !s->q || !s->v || !s->p)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for a plugin");
    for (int i = 0; i < m->nq; i++) {
        const char *name = carom_model_q_name(m, i, buffer);
        if (!(s->q_name[i] = carom_arena_text(s->arena, name, strlen(name))))
            return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for a plugin");
    }
    for (int i = 0; i < m->np; i++) {
        const char *name = carom_model_p_name(m, i, buffer);
        s->parameter[i] =
            (carom_parameter){.name = carom_arena_text(s->arena, name, strlen(name)), .index = i, .value = s->p[i]};
        if (!s->parameter[i].name)
            return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for a plugin");
    }
    m->q = s->q;
    m->v = s->v;
    m->p = s->p;
    return CAROM_OK;
}

/* Numbers of the file that win over the plugin's. */
static carom_status values(carom_loader *l, const char *section, const char *const *names, int n, double *to)
{
    const carom_text_node *map = carom_text_get(l->s->root, section);
    if (!map)
        return CAROM_OK;
    CAROM_TRY(carom_load_map(l, map, section));
    CAROM_TRY(carom_load_keys(l, map, names, n, section));
    for (const carom_text_node *c = map->child; c; c = c->next)
        for (int i = 0; i < n; i++)
            if (strcmp(c->key, names[i]) == 0)
                CAROM_TRY(carom_load_number(l, c, c->key, &to[i]));
    return CAROM_OK;
}

static carom_status file_values(carom_loader *l)
{
    carom_source *s = l->s;
    const char **names = CAROM_NEW(s->arena, const char *, s->nparameter);
    if (!names)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for a plugin");
    for (int i = 0; i < s->nparameter; i++)
        names[i] = s->parameter[i].name;
    CAROM_TRY(values(l, "parameters", names, s->nparameter, s->p));
    CAROM_TRY(values(l, "coordinates", s->q_name, s->nq, s->q));
    CAROM_TRY(values(l, "velocities", s->q_name, s->nq, s->v));
    for (int i = 0; i < s->nparameter; i++)
        s->parameter[i].value = s->p[i];
    s->q_plugin = copy(l, s->q, s->nq);
    s->v_plugin = copy(l, s->v, s->nq);
    if (!s->q_plugin || !s->v_plugin)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for a plugin");
    return CAROM_OK;
}

carom_status carom_plugin_build(carom_loader *l)
{
    static const char *const keys[] = {"carom",       "name",       "plugin", "parameters",
                                       "coordinates", "velocities", "run",    "draw"};
    carom_source *s = l->s;
    carom_model *m = l->m;
    const carom_plugin *plugin = NULL;
    const carom_text_node *node = carom_text_get(s->root, "plugin");
    CAROM_TRY(carom_load_keys(l, s->root, keys, CAROM_COUNT(keys), "a model with a plugin"));
    CAROM_TRY(open_library(l, node, &plugin));
    const char *name = carom_text_get(s->root, "name") ? m->name : NULL;
    *m = (carom_model){.size = sizeof(carom_model), .source = s};
    carom_error why = {0};
    carom_status status = plugin->fill(m, &why);
    m->source = s;
    m->run = NULL;
    m->nrun = 0;
    m->name = name ? name : m->name ? m->name : s->file.name;
    if (status == CAROM_OK)
        status = carom_model_validate(m, &why);
    if (status != CAROM_OK)
        return carom_load_fail(l, node->place, "plugin '%s': %s", node->text,
                               why.text[0] ? why.text : carom_status_text(status));
    CAROM_TRY(adopt(l));
    CAROM_TRY(file_values(l));
    CAROM_TRY(carom_load_settings(l));
    return carom_source_values(s, m, l->error);
}
