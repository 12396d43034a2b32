/* mujoco.c: the ball and the block of compare.py with MuJoCo 2.2: PROGRAM ball|block END H prints the coordinate at END
 * and the seconds of the processor it took. Contacts are springs and dampers: for the ball their damping ratio is
 * chosen so that one impact has e = 0.9 (e = exp(-pi z/sqrt(1 - z^2))), with a stiffness that its step can resolve. */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char ball[] =
    "<mujoco><option timestep='%.17g' gravity='0 0 -10' integrator='RK4' cone='elliptic'/><worldbody>"
    "<geom type='plane' size='1 1 1' solref='%.17g %.17g' solimp='.99 .99 .001'/>"
    "<body pos='0 0 0.6'><joint type='slide' axis='0 0 1'/>"
    "<geom type='sphere' size='0.1' mass='1' solref='%.17g %.17g' solimp='.99 .99 .001' condim='1'/></body>"
    "</worldbody></mujoco>";
static const char block[] =
    "<mujoco><option timestep='%.17g' gravity='0 0 -10' integrator='RK4'/><worldbody>"
    "<body><joint type='slide' axis='1 0 0' stiffness='100' frictionloss='2'/>"
    "<geom type='sphere' size='0.1' mass='1' contype='0' conaffinity='0'/></body></worldbody></mujoco>";

int main(int argc, char **argv)
{
    char text[2000], error[500];
    if (argc != 4)
        return 2;
    double end = atof(argv[2]), h = atof(argv[3]), z = -log(0.9) / hypot(acos(-1), log(0.9));
    double k = pow(0.2 / h, 2), d = 2 * z * sqrt(k); /* a contact lasts pi/sqrt(k), about 16 steps */
    if (strcmp(argv[1], "ball") == 0)
        snprintf(text, sizeof text, ball, h, -k, -d, -k, -d);
    else
        snprintf(text, sizeof text, block, h);
    mjVFS *files = calloc(1, sizeof *files);
    mj_defaultVFS(files);
    mj_makeEmptyFileVFS(files, "model.xml", (int)strlen(text));
    memcpy(files->filedata[0], text, strlen(text));
    mjModel *model = mj_loadXML("model.xml", files, error, sizeof error);
    if (!model)
        return puts(error), 1;
    mjData *data = mj_makeData(model);
    if (strcmp(argv[1], "ball") == 0)
        data->qpos[0] = 0; /* its lowest point is 0.5 above the plane */
    else
        data->qpos[0] = 0.51;
    struct timespec a, b;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    for (long i = 0, n = lround(end / h); i < n; i++)
        mj_step(model, data);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    double height = strcmp(argv[1], "ball") == 0 ? data->qpos[0] + 0.5 : data->qpos[0];
    printf("%.17g %.9f\n", height, (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec));
    return 0;
}
