/* list.c: `carom list`: schemes, solvers, laws, rules of impacts and built-in models from their registries. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"

static const struct {
    const char *name, *one;
    const carom_method *(*method)(int);
} lists[] = {{"schemes", "scheme", carom_scheme_method},
             {"solvers", "solver", carom_solver_method},
             {"laws", "law", carom_law_method},
             {"rules", "rule of impacts", carom_impact_method}};

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

static void put_standard(carom_json *json, const char *key, const void *record)
{
    const carom_field *field = record;
    if (field->type == CAROM_FIELD_BOOL) {
        carom_json_bool(json, key, field->value != 0);
    } else if (field->type == CAROM_FIELD_ENUM) {
        char word[64], standard[64] = "";
        int index = 0;
        carom_json_array(json, "choices");
        for (const char *c = field->choices; *c; c += strcspn(c, " "), c += strspn(c, " "), index++) {
            snprintf(word, sizeof word, "%.*s", (int)strcspn(c, " "), c);
            carom_json_string(json, NULL, word);
            if (index == (int)field->value)
                strcpy(standard, word);
        }
        carom_json_end(json);
        carom_json_string(json, key, standard);
    } else {
        carom_json_number(json, key, field->value);
        carom_json_number(json, "least", field->min);
        carom_json_number(json, "most", field->max);
    }
}

static void put_type(carom_json *json, const char *key, const void *record)
{
    static const char *const types[] = {"double", "int", "bool", "enum"};
    carom_json_string(json, key, types[((const carom_field *)record)->type]);
}

static const carom_result_field of_field[] = {CAROM_CELL("name", CAROM_TEXT, carom_field, name),
                                              CAROM_PUT("type", put_type),
                                              CAROM_PUT("default", put_standard),
                                              CAROM_CELL("doc", CAROM_TEXT, carom_field, doc),
                                              {.name = NULL}};
static const carom_result_field of_method[] = {CAROM_CELL("name", CAROM_TEXT, carom_method, name),
                                               CAROM_CELL("doc", CAROM_TEXT, carom_method, doc),
                                               CAROM_CELL("ref", CAROM_TEXT, carom_method, ref),
                                               {.name = NULL}};

static void put_methods(carom_json *json, int k)
{
    carom_json_array(json, lists[k].name);
    for (int i = 0; lists[k].method(i); i++) {
        const carom_method *method = lists[k].method(i);
        carom_options options = carom_options_default();
        carom_json_object(json, NULL);
        carom_json_fields(json, of_method, method);
        if (k == 0 && carom_options_set(&options, "scheme", method->name, NULL) == CAROM_OK) {
            static const char *const names[] = {"smooth", "impact"};
            double order[2] = {0, 0};
            carom_scheme_orders(&options, &order[0], &order[1]);
            for (int j = 0; j < 2; j++)
                order[j] = order[j] > 0 ? order[j] : NAN; /* null: none */
            carom_json_values(json, "orders", names, order, 2);
        }
        carom_json_array(json, "fields");
        for (const carom_field *f = method->fields; f && f->name; f++) {
            carom_json_object(json, NULL);
            carom_json_fields(json, of_field, f);
            carom_json_end(json);
        }
        carom_json_end(json);
        carom_json_end(json);
    }
    carom_json_end(json);
}

static void put_models(carom_json *json)
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

/* The lists of one name, or all of them. */
static void put_lists(carom_json *json, const char *key, const void *record)
{
    const char *what = *(const char *const *)record;
    (void)key;
    for (int k = 0; k < CAROM_COUNT(lists); k++)
        if (!what || !strcmp(what, lists[k].name))
            put_methods(json, k);
    if (!what || !strcmp(what, "models"))
        put_models(json);
}
static const carom_result_field of_lists[] = {CAROM_PUT("", put_lists), {.name = NULL}};

static int list(const carom_cli *cli)
{
    static const char *const names[] = {"schemes", "solvers", "laws", "rules", "models", NULL};
    const char *what = cli->noperand ? cli->operand[0] : NULL;
    int k = 0;
    while (what && names[k] && strcmp(what, names[k]))
        k++;
    if (what && !names[k])
        return carom_cli_unknown("list", what, names, "list");
    if (cli->json)
        return carom_cli_json(of_lists, &what);
    if (!what)
        print_names();
    else if (k < CAROM_COUNT(lists))
        print_methods(k);
    else
        print_models();
    return CAROM_EXIT_OK;
}

const carom_cli_command carom_cli_list_command = {
    "list", "[schemes|solvers|laws|rules|models]", 0, 1, CAROM_CLI_LIST, list, "list what there is",
    "Lists schemes, solvers and laws with their fields (defaults and ranges), or the built-in models.",
    "carom list schemes\ncarom list models --json", NULL};
