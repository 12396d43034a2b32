/* joints.c: rows of joints between many bodies. */
#include "bodies/many/parts.h"

int carom_many_joint_rows(const carom_joint *joint, bool planar)
{
    (void)joint, (void)planar;
    return 0;
}

void carom_many_joint_gaps(const carom_many *many, const carom_pose *pose, double *g)
{
    (void)many, (void)pose, (void)g;
}

void carom_many_joint_jacobian(const carom_many *many, const carom_pose *pose, double *G, double *w)
{
    (void)many, (void)pose, (void)G, (void)w;
}
