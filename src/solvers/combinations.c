/* combinations.c: modes that are tried: all combinations one after the other, those that a force tells, and those that
 * the law has at (u, y). Their equations are those of problem/modes.c. */
#include "solvers/parts.h"

/* The mode of a contact with the force z: open, inside of the cone, or on its side. */
static unsigned char mode_at(const carom_block *block, const double *z, double margin)
{
    const carom_law *law = block->law;
    if (law->tangents < law->rows && !(z[0] > 0))
        return CAROM_OPEN;
    double most;
    if (law->tangents == 0 || law->friction(block->c, z, &most) < most * margin)
        return carom_law_held(law);
    return z[law->rows - 1] < 0 || law->tangents > 1 ? CAROM_SLIP : CAROM_SLIP_BACK;
}

/* ---- all combinations ---- */

void carom_modes_first(carom_modes *modes, const carom_problem *problem)
{
    for (int k = 0; k < problem->nblock; k++)
        modes->mode[k] = carom_law_held(problem->block[k].law);
}

/* The mode after this one; -1 after the last. */
static int next_mode(const carom_law *law, int mode)
{
    if (mode == CAROM_STICK)
        return CAROM_SLIP;
    if (mode == CAROM_SLIP && law->tangents == 1)
        return CAROM_SLIP_BACK;
    return mode != CAROM_OPEN && law->tangents < law->rows ? CAROM_OPEN : -1;
}

bool carom_modes_next(carom_modes *modes, const carom_problem *problem)
{
    for (int k = problem->nblock - 1; k >= 0; k--) {
        const carom_law *law = problem->block[k].law;
        int next = next_mode(law, modes->mode[k]);
        modes->mode[k] = (unsigned char)(next < 0 ? (int)carom_law_held(law) : next);
        if (next >= 0)
            return true;
    }
    return false;
}

/* ---- those that a force tells ---- */

void carom_modes_guess(carom_modes *modes, const carom_problem *problem, const double *y)
{
    for (int k = 0; k < problem->nblock; k++)
        modes->mode[k] = mode_at(&problem->block[k], y + problem->block[k].row, 1 - 1e-10);
}

bool carom_modes_exchange(carom_modes *modes, const carom_problem *problem, const double *u, double *y)
{
    bool changed = false;
    for (int k = 0; k < problem->nblock; k++) {
        const carom_block *block = &problem->block[k];
        double w = carom_modes_unit(problem, k), z[3] = {0, 0, 0};
        for (int i = 0; i < block->law->rows; i++)
            z[i] = y[block->row + i] - u[block->row + i] / w;
        unsigned char mode = mode_at(block, z, 1 + 1e-10);
        changed = changed || mode != modes->mode[k];
        modes->mode[k] = mode;
        for (int i = 1; block->law->tangents > 1 && mode == CAROM_SLIP && i < 3; i++)
            y[block->row + i] = z[i];
    }
    return changed;
}
