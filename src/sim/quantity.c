/* quantity.c: expressions and reactions by name. */
#include <stdlib.h>
#include <string.h>

#include "core/dense.h"
#include "model/model.h"
#include "sim/quantity.h"

void carom_quantity_free(carom_quantity *quantity)
{
    carom_reactions_free(quantity->reactions);
    free(quantity->force);
    *quantity = (carom_quantity){0};
}

carom_status carom_quantity_find(carom_quantity *quantity, const carom_model *m, const char *text, carom_error *error)
{
    carom_error why = {0};
    const int row = carom_reaction_row(m, text);
    carom_quantity_free(quantity);
    carom_status status = carom_model_expression_text(m, text, &quantity->expression, &why);
    if (status != CAROM_OK && row < 0 && carom_reaction_meant(text))
        return carom_reaction_unknown(m, text, error);
    if (error && status != CAROM_OK && row < 0)
        *error = why;
    if (status == CAROM_OK || row < 0)
        return status;
    CAROM_TRY(carom_reactions_new(&quantity->reactions, m, NULL, error));
    quantity->row = row;
    quantity->force = calloc((size_t)(carom_model_rows(m) + m->np), sizeof(double));
    if (!quantity->force) {
        carom_quantity_free(quantity);
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the reaction '%s'", text);
    }
    quantity->p = quantity->force + carom_model_rows(m);
    carom_copy(m->np, m->p, quantity->p);
    return CAROM_OK;
}

double carom_quantity_value(carom_quantity *quantity, const carom_model *m, double t, const double *q, const double *v,
                            const unsigned char *mode, const double *p)
{
    if (!quantity->reactions)
        return carom_model_value(m, quantity->expression, t, q, v, p);
    if (m->np && memcmp(p, quantity->p, sizeof *p * (size_t)m->np) != 0) {
        carom_copy(m->np, p, quantity->p);
        carom_reactions_with(quantity->reactions, p);
    }
    carom_reactions_at(quantity->reactions, t, q, v, mode, quantity->force);
    return quantity->force[quantity->row];
}
