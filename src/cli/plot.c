/* plot.c: `carom plot`: a written trajectory as SVG. */
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "output/output.h"

int carom_cli_paper(const carom_cli *cli, bool *paper)
{
    static const char *const styles[] = {"screen", "paper", NULL};
    *paper = cli->style && !strcmp(cli->style, "paper");
    return !cli->style || *paper || !strcmp(cli->style, "screen")
               ? CAROM_EXIT_OK
               : carom_cli_unknown("style", cli->style, styles, cli->command->name);
}

static int plot(const carom_cli *cli)
{
    bool paper;
    CAROM_CLI_TRY(carom_cli_paper(cli, &paper));
    const char *path = cli->output;
    if (!path && isatty(STDOUT_FILENO))
        return carom_cli_fail(CAROM_EXIT_USAGE,
                              "plot writes SVG: give a file with -o FILE.svg, or send it elsewhere with > or |");
    path = path ? path : "-";
    FILE *stream = carom_cli_stream(&path);
    if (!stream && !carom_ends_with(path, ".svg"))
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
    const carom_plot drawn = {.size = sizeof drawn, .title = cli->title,
                             .width = cli->width,
                             .height = cli->height,
                             .x = cli->x,
                             .panels = cli->panel,
                             .npanel = cli->npanel,
                             .phase = cli->phase,
                             .nphase = cli->nphase,
                             .portrait = cli->portrait,
                             .paper = paper};
    carom_status status = carom_svg_plot(path, stream, table, &drawn, &error);
    carom_columns_free(table);
    return status == CAROM_BAD_ARGUMENT ? carom_cli_fail(CAROM_EXIT_USAGE, "%s", error.text)
                                        : carom_cli_done(status, &error);
}

const carom_cli_command carom_cli_plot_command = {
    "plot", "FILE", 1, 1, CAROM_CLI_PLOT, plot, "draw a trajectory as SVG",
    "Draws a trajectory that run wrote (.csv, .json or .h5). Without --panel and --phase: coordinates, "
    "velocities, contact forces and impulses against time.",
    "carom plot ball.csv -o ball.svg\ncarom plot ball.csv --panel y --phase \"y,y'\" -o ball.svg", NULL};
