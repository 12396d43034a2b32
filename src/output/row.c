/* row.c: the names of the columns of a trajectory, in the order that output.h promises. */
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "output/row.h"

typedef struct list {
    carom_arena *arena;
    carom_row_layout *columns;
    int room;
    bool failed;
} list;

static bool taken(const carom_row_layout *columns, const char *name)
{
    for (int i = 0; i < columns->n; i++)
        if (strcmp(columns->name[i], name) == 0)
            return true;
    return false;
}

/* Appends stem + ending; a name that is taken (an output called like a coordinate) gets a number. */
static int add(list *to, const char *stem, const char *ending)
{
    const char *name = carom_arena_format(to->arena, "%s%s", stem, ending);
    for (int i = 2; name && taken(to->columns, name); i++)
        name = carom_arena_format(to->arena, "%s%s_%d", stem, ending, i);
    if (!name || to->columns->n == to->room) {
        to->failed = true;
        return 0;
    }
    to->columns->name[to->columns->n] = name;
    return to->columns->n++;
}

static void add_contact(list *to, const carom_model *model, int i)
{
    static const char *const ends[3][3][2] = {
        {{".force", ".impulse"}},
        {{".force", ".impulse"}, {".force_t", ".impulse_t"}},
        {{".force", ".impulse"}, {".force_t1", ".impulse_t1"}, {".force_t2", ".impulse_t2"}},
    };
    char buffer[32];
    const char *name = carom_model_contact_name(model, i, buffer);
    int directions = model->contact[i].directions;
    if (to->columns->gaps)
        add(to, name, ".gap");
    to->columns->contact[i] = add(to, name, ".mode");
    for (int r = 0; r <= directions; r++) {
        add(to, name, ends[directions][r][0]);
        add(to, name, ends[directions][r][1]);
    }
}

carom_status carom_row_layout_make(carom_row_layout *columns, carom_arena *arena, const carom_model *model, bool gaps,
                                bool energy, carom_error *error)
{
    int room = 3 + model->nq + model->nv + model->noutput + 8 * model->ncontact + 2 * model->njoint;
    char buffer[32];
    *columns = (carom_row_layout){.gaps = gaps, .energy = -1};
    columns->name = CAROM_NEW(arena, const char *, room);
    columns->contact = CAROM_NEW(arena, int, model->ncontact + 1);
    if (!columns->name || !columns->contact)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the names of %d columns", room);
    list to = {arena, columns, room, false};
    columns->t = add(&to, "t", "");
    columns->side = add(&to, "side", "");
    columns->q = columns->n;
    for (int i = 0; i < model->nq; i++)
        add(&to, carom_model_q_name(model, i, buffer), "");
    columns->v = columns->n;
    for (int i = 0; i < model->nv; i++)
        add(&to, carom_model_v_name(model, i, buffer), model->v_name || model->manifold ? "" : "'");
    columns->outputs = columns->n;
    for (int i = 0; i < model->noutput; i++)
        add(&to, carom_model_output_name(model, i, buffer), "");
    for (int i = 0; i < model->ncontact; i++)
        add_contact(&to, model, i);
    columns->joint = columns->n;
    for (int i = 0; i < model->njoint; i++) {
        add(&to, carom_model_joint_name(model, i, buffer), ".force");
        add(&to, carom_model_joint_name(model, i, buffer), ".impulse");
    }
    if (energy && !taken(columns, "energy"))
        columns->energy = add(&to, "energy", "");
    if (to.failed)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the names of %d columns", room);
    return CAROM_OK;
}
