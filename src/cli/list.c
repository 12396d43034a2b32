/* list.c: `carom list`: schemes, solvers, laws and built-in models from their registries, for people and as JSON. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "output/output.h"

static const struct {
    const char *name, *one;
    const carom_method *(*method)(int);
} lists[] = {{"schemes", "scheme", carom_scheme_method},
             {"solvers", "solver", carom_solver_method},
             {"laws", "law", carom_law_method}};

/* The first words of a model: its name, from the line "name:". */
static void title_of(const char *text, char *title, size_t size)
{
    *title = '\0';
    const char *line = text && !strncmp(text, "name:", 5) ? text : text ? strstr(text, "\nname:") : NULL;
    if (!line)
        return;
    line = strchr(line, ':') + 1;
    line += strspn(line, " \"'");
    size_t length = strcspn(line, "#\n");
    while (length > 0 && strchr(" \"'", line[length - 1]))
        length--;
    snprintf(title, size, "%.*s", (int)length, line);
}

/* ---- for people ---- */

static void print_methods(int k)
{
    char label[40];
    for (int i = 0; lists[k].method(i); i++) {
        const carom_method *method = lists[k].method(i);
        if (i > 0)
            putchar('\n');
        carom_cli_describe_method(stdout, lists[k].one, method);
        carom_options options = carom_options_default();
        double smooth = 0, impact = 0;
        snprintf(label, sizeof label, "%s", method->name);
        if (k == 0 && carom_options_set(&options, "scheme", label, NULL) == CAROM_OK) {
            carom_scheme_orders(&options, &smooth, &impact);
            if (smooth > 0)
                printf("    Order        %g in smooth motion", smooth);
            if (smooth > 0 && impact > 0)
                printf(", %g through impacts", impact);
            if (smooth > 0)
                printf("\n");
        }
    }
}

static void print_models(void)
{
    char title[100];
    for (int i = 0; carom_builtin_name(i); i++) {
        title_of(carom_builtin_text(carom_builtin_name(i)), title, sizeof title);
        printf("%-26s %s\n", carom_builtin_name(i), title);
    }
}

static void print_names(void)
{
    for (int k = 0; k < CAROM_COUNT(lists); k++) {
        printf("%-9s", lists[k].name);
        for (int i = 0; lists[k].method(i); i++)
            printf(" %s", lists[k].method(i)->name);
        printf("\n");
    }
    char names[4000] = "";
    for (int i = 0; carom_builtin_name(i); i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? " " : "", carom_builtin_name(i));
    printf("%-9s ", "models");
    carom_cli_wrap(stdout, names, 10, 96);
    printf("\nMore on each: carom list schemes, carom help NAME\n");
}

/* ---- JSON ---- */

static void json_field(carom_json *json, const carom_field *field)
{
    static const char *const types[] = {"double", "int", "bool", "enum"};
    carom_json_object(json, NULL);
    carom_json_string(json, "name", field->name);
    carom_json_string(json, "type", types[field->type]);
    if (field->type == CAROM_FIELD_BOOL)
        carom_json_bool(json, "default", field->value != 0);
    else if (field->type == CAROM_FIELD_ENUM) {
        char word[64];
        carom_json_array(json, "choices");
        const char *standard = "";
        int index = 0;
        for (const char *c = field->choices; *c; c += strcspn(c, " "), c += strspn(c, " "), index++) {
            snprintf(word, sizeof word, "%.*s", (int)strcspn(c, " "), c);
            carom_json_string(json, NULL, word);
            standard = index == (int)field->value ? c : standard;
        }
        carom_json_end(json);
        snprintf(word, sizeof word, "%.*s", (int)strcspn(standard, " "), standard);
        carom_json_string(json, "default", word);
    } else {
        carom_json_number(json, "default", field->value);
        carom_json_number(json, "least", field->min);
        carom_json_number(json, "most", field->max);
    }
    carom_json_string(json, "doc", field->doc);
    carom_json_end(json);
}

static void json_methods(carom_json *json, int k)
{
    carom_json_array(json, lists[k].name);
    for (int i = 0; lists[k].method(i); i++) {
        const carom_method *method = lists[k].method(i);
        carom_json_object(json, NULL);
        carom_json_string(json, "name", method->name);
        carom_json_string(json, "doc", method->doc);
        carom_json_string(json, "ref", method->ref);
        carom_options options = carom_options_default();
        if (k == 0 && carom_options_set(&options, "scheme", method->name, NULL) == CAROM_OK) {
            double smooth = 0, impact = 0;
            carom_scheme_orders(&options, &smooth, &impact);
            carom_json_object(json, "orders"); /* null: none */
            carom_json_number(json, "smooth", smooth > 0 ? smooth : NAN);
            carom_json_number(json, "impact", impact > 0 ? impact : NAN);
            carom_json_end(json);
        }
        carom_json_array(json, "fields");
        for (const carom_field *f = method->fields; f && f->name; f++)
            json_field(json, f);
        carom_json_end(json);
        carom_json_end(json);
    }
    carom_json_end(json);
}

static void json_models(carom_json *json)
{
    char title[100];
    carom_json_array(json, "models");
    for (int i = 0; carom_builtin_name(i); i++) {
        title_of(carom_builtin_text(carom_builtin_name(i)), title, sizeof title);
        carom_json_object(json, NULL);
        carom_json_string(json, "name", carom_builtin_name(i));
        carom_json_string(json, "title", title);
        carom_json_end(json);
    }
    carom_json_end(json);
}

static int print_json(const char *what)
{
    carom_error error = {0};
    carom_json *json;
    if (carom_json_new(&json, "standard output", stdout, true, &error) != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_FAILED, "%s", error.text);
    carom_json_object(json, NULL);
    for (int k = 0; k < CAROM_COUNT(lists); k++)
        if (!what || !strcmp(what, lists[k].name))
            json_methods(json, k);
    if (!what || !strcmp(what, "models"))
        json_models(json);
    carom_json_end(json);
    if (carom_json_close(json, &error) != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_FAILED, "%s", error.text);
    return CAROM_EXIT_OK;
}

int carom_cli_list(const carom_cli *cli)
{
    static const char *const names[] = {"schemes", "solvers", "laws", "models", NULL};
    const char *what = cli->noperand ? cli->operand[0] : NULL;
    int k = 0;
    while (what && names[k] && strcmp(what, names[k]))
        k++;
    if (what && !names[k])
        return carom_cli_unknown("list", what, names, "list");
    if (cli->json)
        return print_json(what);
    if (!what)
        print_names();
    else if (k < CAROM_COUNT(lists))
        print_methods(k);
    else
        print_models();
    return CAROM_EXIT_OK;
}
