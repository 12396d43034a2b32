/* plot.c: `carom plot`: a written trajectory as SVG. */
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "output/output.h"

int carom_cli_plot(const carom_cli *cli)
{
    const char *path = cli->output;
    const bool to_stdout = !path || !strcmp(path, "-");
    const char *ending = path ? strrchr(path, '.') : NULL;
    if (!path && isatty(STDOUT_FILENO))
        return carom_cli_fail(CAROM_EXIT_USAGE,
                              "plot writes SVG: give a file with -o FILE.svg, or send it elsewhere with > or |");
    if (!to_stdout && (!ending || strcmp(ending, ".svg")))
        return carom_cli_fail(CAROM_EXIT_USAGE, "plot writes SVG: '%s' should end in .svg", path);
    carom_error error = {0};
    carom_columns *table = NULL;
    if (carom_columns_read(&table, cli->operand[0], &error) != CAROM_OK)
        return carom_cli_fail(error.status == CAROM_UNSUPPORTED ? CAROM_EXIT_USAGE : CAROM_EXIT_FAILED, "%s",
                              error.text);
    if (table->nrow == 0) {
        carom_columns_free(table);
        return carom_cli_fail(CAROM_EXIT_FAILED, "%s holds no rows", cli->operand[0]);
    }
    if (table->truncated)
        carom_cli_fail(0, "note: %s is not complete; what is whole is drawn", cli->operand[0]);
    const carom_plot plot = {.title = cli->title,
                             .width = cli->width,
                             .height = cli->height,
                             .x = cli->x,
                             .panels = cli->panel,
                             .npanel = cli->npanel,
                             .phase = cli->phase,
                             .nphase = cli->nphase,
                             .portrait = cli->portrait};
    carom_status status =
        carom_svg_plot(to_stdout ? "standard output" : path, to_stdout ? stdout : NULL, table, &plot, &error);
    carom_columns_free(table);
    if (status != CAROM_OK)
        return carom_cli_fail(status == CAROM_BAD_ARGUMENT || status == CAROM_BAD_OPTION ? CAROM_EXIT_USAGE
                                                                                         : CAROM_EXIT_FAILED,
                              "%s", error.text);
    return CAROM_EXIT_OK;
}
