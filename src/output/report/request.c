/* request.c: the page of one trajectory in one call. */
#include "model/model.h"
#include "output/report/report.h"

carom_status carom_page_write(const char *path, const char *title, const carom_columns *table, const carom_model *model,
                              carom_error *error)
{
    CAROM_NEED(path, error);
    CAROM_NEED(table, error);
    if (model)
        CAROM_SIZED(model, carom_model, error);
    const carom_text_file *source = model ? carom_model_file(model) : NULL;
    const char *name = title ? title : table->title ? table->title : "trajectory";
    const carom_report_run run = {.name = name, .table = table, .model = model,
                                  .model_name = model ? model->name : NULL,
                                  .model_text = source ? source->bytes : NULL};
    return carom_report_write(path, name, &run, 1, error);
}
