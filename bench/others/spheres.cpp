/* spheres.cpp: the scene `spheres N` of bench/bodies.c with another engine: N spheres of radius 0.1 fall into a box with
 * a floor of 2 by 2 (mu = 0.5, e = 0, h = 5 ms); the processor's time of a step, the mean over the last 200 of 400, and
 * what the spheres do to each other at the end: the deepest overlap, the fastest sphere.
 *   c++ -O2 -DUSE_ODE spheres.cpp -o ode -lode
 *   c++ -O2 -DUSE_BULLET $(pkg-config --cflags bullet) spheres.cpp -o bullet $(pkg-config --libs bullet)
 *   c++ -O2 -DUSE_MUJOCO spheres.cpp -o mujoco -lmujoco */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

static const double radius = 0.1, mu = 0.5, h = 5e-3, density = 1000, half = 1;
static const double mass = density * 4.0 / 3 * M_PI * radius * radius * radius;

static double random_number(unsigned long long *seed) /* as in tests/many_scenes.h */
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 11) / 9007199254740992.0 * 2 - 1;
}

struct point {
    double x[3];
};

static std::vector<point> places(int n)
{
    std::vector<point> at(n);
    unsigned long long seed = 1;
    for (int i = 0; i < n; i++) {
        double r[3];
        for (double &x : r)
            x = random_number(&seed);
        at[i] = {{(i % 8 - 3.5) * 0.23 + 0.01 * r[0], (i / 8 % 8 - 3.5) * 0.23 + 0.01 * r[1],
                  0.12 + i / 64 * 0.23 + 0.01 * r[2]}};
    }
    return at;
}

#ifdef USE_ODE
#include <ode/ode.h>
static const char *const engine = "ODE, quickstep, 20 iterations";
static dWorldID world;
static dSpaceID space;
static dJointGroupID joints;
static std::vector<dBodyID> body;
static int contacts;

static void near(void *, dGeomID a, dGeomID b)
{
    dContact c[4];
    int n = dCollide(a, b, 4, &c[0].geom, sizeof c[0]);
    for (int i = 0; i < n; i++, contacts++) {
        c[i].surface.mode = dContactApprox1;
        c[i].surface.mu = mu;
        dJointAttach(dJointCreateContact(world, joints, &c[i]), dGeomGetBody(a), dGeomGetBody(b));
    }
}

static void start(const std::vector<point> &at)
{
    dInitODE();
    world = dWorldCreate();
    space = dHashSpaceCreate(0);
    joints = dJointGroupCreate(0);
    dWorldSetGravity(world, 0, 0, -9.81);
    dWorldSetQuickStepNumIterations(world, 20);
    dCreatePlane(space, 0, 0, 1, 0);
    dCreatePlane(space, 1, 0, 0, -half), dCreatePlane(space, -1, 0, 0, -half);
    dCreatePlane(space, 0, 1, 0, -half), dCreatePlane(space, 0, -1, 0, -half);
    for (const point &p : at) {
        dMass m;
        dMassSetSphere(&m, density, radius);
        dBodyID b = dBodyCreate(world);
        dBodySetMass(b, &m);
        dBodySetPosition(b, p.x[0], p.x[1], p.x[2]);
        dGeomSetBody(dCreateSphere(space, radius), b);
        body.push_back(b);
    }
}

static void step()
{
    contacts = 0;
    dSpaceCollide(space, nullptr, near);
    dWorldQuickStep(world, h);
    dJointGroupEmpty(joints);
}

static void state(int i, double *x, double *v)
{
    for (int k = 0; k < 3; k++)
        x[k] = dBodyGetPosition(body[i])[k], v[k] = dBodyGetLinearVel(body[i])[k];
}
#endif

#ifdef USE_BULLET
#include <btBulletDynamicsCommon.h>
static const char *const engine = "Bullet, 10 iterations";
static btDiscreteDynamicsWorld *world;
static std::vector<btRigidBody *> body;
static int contacts;

static void add(btCollisionShape *shape, double m, const btVector3 &at)
{
    btVector3 inertia(0, 0, 0);
    if (m > 0)
        shape->calculateLocalInertia(m, inertia);
    auto *place = new btDefaultMotionState(btTransform(btQuaternion::getIdentity(), at));
    btRigidBody::btRigidBodyConstructionInfo info(m, place, shape, inertia);
    info.m_friction = std::sqrt(mu); /* of a pair: the product */
    btRigidBody *b = new btRigidBody(info);
    b->setActivationState(DISABLE_DEACTIVATION);
    world->addRigidBody(b);
    if (m > 0)
        body.push_back(b);
}

static void start(const std::vector<point> &at)
{
    auto *configuration = new btDefaultCollisionConfiguration;
    world = new btDiscreteDynamicsWorld(new btCollisionDispatcher(configuration), new btDbvtBroadphase,
                                        new btSequentialImpulseConstraintSolver, configuration);
    world->setGravity(btVector3(0, 0, -9.81));
    const btVector3 normals[] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    for (const btVector3 &n : normals)
        add(new btStaticPlaneShape(n, n.z() > 0 ? 0 : -half), 0, btVector3(0, 0, 0));
    auto *ball = new btSphereShape(radius);
    for (const point &p : at)
        add(ball, mass, btVector3(p.x[0], p.x[1], p.x[2]));
}

static void step()
{
    world->stepSimulation(h, 0);
    contacts = 0;
    for (int i = 0; i < world->getDispatcher()->getNumManifolds(); i++)
        contacts += world->getDispatcher()->getManifoldByIndexInternal(i)->getNumContacts();
}

static void state(int i, double *x, double *v)
{
    for (int k = 0; k < 3; k++)
        x[k] = body[i]->getWorldTransform().getOrigin()[k], v[k] = body[i]->getLinearVelocity()[k];
}
#endif

#ifdef USE_MUJOCO
#include <cstring>
#include <mujoco/mujoco.h>
static const char *const engine = "MuJoCo, CG, elliptic cones";
static mjModel *model;
static mjData *data;
static int contacts;

static void start(const std::vector<point> &at)
{
    char line[400], error[500];
    std::string text = "<mujoco><option timestep='0.005' gravity='0 0 -9.81' solver='CG' cone='elliptic' "
                       "jacobian='sparse' "
                       "tolerance='1e-8' iterations='200'/><size nconmax='" + std::to_string(4 * at.size()) +
                       "' njmax='" + std::to_string(8 * at.size()) + "'/><default><geom "
                       "friction='0.5 0 0' condim='3' density='1000'/></default><worldbody>"
                       "<geom type='plane' size='1 1 1'/>"
                       "<geom type='plane' size='1 1 1' pos='-1 0 0' euler='0 90 0'/>"
                       "<geom type='plane' size='1 1 1' pos='1 0 0' euler='0 -90 0'/>"
                       "<geom type='plane' size='1 1 1' pos='0 -1 0' euler='-90 0 0'/>"
                       "<geom type='plane' size='1 1 1' pos='0 1 0' euler='90 0 0'/>";
    for (const point &p : at) {
        snprintf(line, sizeof line, "<body pos='%.17g %.17g %.17g'><freejoint/><geom type='sphere' size='0.1'/></body>",
                 p.x[0], p.x[1], p.x[2]);
        text += line;
    }
    text += "</worldbody></mujoco>";
    mjVFS *files = (mjVFS *)calloc(1, sizeof *files);
    mj_defaultVFS(files);
    mj_makeEmptyFileVFS(files, "model.xml", (int)text.size());
    memcpy(files->filedata[0], text.data(), text.size());
    model = mj_loadXML("model.xml", files, error, sizeof error);
    if (!model)
        puts(error), exit(1);
    data = mj_makeData(model);
}

static void step()
{
    mj_step(model, data);
    contacts = data->ncon;
}

static void state(int i, double *x, double *v)
{
    for (int k = 0; k < 3; k++)
        x[k] = data->qpos[7 * i + k], v[k] = data->qvel[6 * i + k];
}
#endif

static double cpu()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000, steps = argc > 2 ? atoi(argv[2]) : 400, last = steps / 2;
    double begun = 0, touching = 0, deepest = 0, fastest = 0;
    start(places(n));
    for (int k = 0; k < steps; k++) {
        if (k == steps - last)
            begun = cpu();
        step();
        touching += k >= steps - last ? contacts : 0;
    }
    double ms = 1e3 * (cpu() - begun) / last;
    std::vector<point> at(n);
    for (int i = 0; i < n; i++) {
        double v[3];
        state(i, at[i].x, v);
        fastest = std::max(fastest, std::hypot(std::hypot(v[0], v[1]), v[2]));
        for (int k = 0; k < 2; k++)
            deepest = std::max(deepest, std::fabs(at[i].x[k]) + radius - half);
        deepest = std::max(deepest, radius - at[i].x[2]);
        for (int j = 0; j < i; j++) {
            double d = 0;
            for (int k = 0; k < 3; k++)
                d += std::pow(at[i].x[k] - at[j].x[k], 2);
            deepest = std::max(deepest, 2 * radius - std::sqrt(d));
        }
    }
    printf("%-30s %6d spheres %8.0f contacts %9.3f ms a step  overlap %.1e m  fastest %.1e m/s\n", engine, n,
           touching / last, ms, deepest, fastest);
    return 0;
}
