/* commands.c: what `carom` can do. A command with options of its own stands in its own file, which defines its
 * entry. */
#include "cli/cli.h"

static const carom_cli_command run = {
    "run", "MODEL", 1, 1, CAROM_CLI_RUN, carom_cli_run, "compute one trajectory",
    "Computes one trajectory of MODEL, the path of a model file or the name of a built-in model (carom list models), "
    "and prints a summary. What the options leave open is taken from the model's section 'run', then from the "
    "defaults. Ctrl-C ends the run after the current step; files are closed and can be read.",
    "carom run bouncing-ball\n"
    "carom run ball.yaml --t-end 5 --every 0.01 -o ball.csv\n"
    "carom run impact-oscillator -p w=2.6 --scheme moreau-jean:theta=1 --h 1e-3 --json", NULL};
static const carom_cli_command check = {
    "check", "MODEL", 1, 1, CAROM_CLI_CHECK, carom_cli_check,
    "show what is derived from a model and verify its derivatives",
    "Reads MODEL, prints what follows from it (mass matrix, forces, gaps and their derivatives) and compares every "
    "derivative with finite differences at the start and at points around it.",
    "carom check pendulum.yaml\ncarom check slider-crank --assemble", NULL};
static const carom_cli_command list = {
    "list", "[schemes|solvers|laws|models]", 0, 1, CAROM_CLI_LIST, carom_cli_list, "list what there is",
    "Lists schemes, solvers and laws with their fields (defaults and ranges), or the built-in models.",
    "carom list schemes\ncarom list models --json", NULL};
static const carom_cli_command plot = {
    "plot", "FILE", 1, 1, CAROM_CLI_PLOT, carom_cli_plot, "draw a trajectory as SVG",
    "Draws a trajectory that run wrote (.csv, .json or .h5). Without --panel and --phase: coordinates, "
    "velocities, contact forces and impulses against time.",
    "carom plot ball.csv -o ball.svg\ncarom plot ball.csv --panel y --phase \"y,y'\" -o ball.svg", NULL};
static const carom_cli_command help = {
    "help", "[TOPIC]", 0, 1, CAROM_CLI_HELP, carom_cli_help, "explain a command, a scheme, a solver or a topic",
    "TOPIC is a command, the name of a scheme, solver or law, or one of: model, settings, exit, man (the manual page).",
    "carom help run\ncarom help moreau-jean", NULL};
static const carom_cli_command version = {
    "version", "", 0, 0, CAROM_CLI_VERSION, carom_cli_version, "print the version and what it was built with",
    "Prints the version of the library and the optional libraries it was built with.", NULL, NULL};

const carom_cli_command *const carom_cli_commands[] = {
    &run, &check, &list, &plot,
    &carom_cli_lyapunov_command, &carom_cli_bifurcate_command, &carom_cli_orbit_command, &carom_cli_gradient_command,
    &carom_cli_sweep_command, &carom_cli_merge_command, &carom_cli_basin_command,
    &carom_cli_converge_command, &carom_cli_report_command, &carom_cli_reproduce_command, &help, &version, NULL,
};
