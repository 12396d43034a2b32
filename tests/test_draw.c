/* test_draw.c: where the shapes of a drawing are, and that a recorded run is what its file would be. */
#include <string.h>
#include <unistd.h>

#include "model/model.h"
#include "output/draw/scene.h"
#include "output/report/report.h"
#include "testing.h"

#ifdef CAROM_NO_YAML
SKIP_MAIN("built without libfyaml")
#else
static const char pendulum[] =
    "carom: 1\n"
    "name: pendulum\n"
    "parameters: {l: 2, r: 0.5}\n"
    "coordinates: {th: 1}\n"
    "kinetic: th'^2/2\n"
    "contacts: {wall: {gap: th + 1, restitution: 0}}\n"
    "draw:\n"
    "  bob: {circle: [l*sin(th), -l*cos(th), r], angle: th', contact: wall}\n"
    "  pivot: {point: [0, 0]}\n";

START_TEST(shapes_are_where_the_coordinates_say_also_after_a_parameter_changed)
{
    carom_error error = {0};
    carom_model *m;
    CHECK_OK(carom_model_parse(&m, "pendulum", pendulum, strlen(pendulum), NULL, &error), error);
    const char *names[] = {"l"};
    const double three[] = {3};
    CHECK_OK(carom_model_set(m, names, three, 1, &error), error);
    double t[] = {0, 1, 1, 2}, th[] = {1, 0, 0, 0.5}, rate[] = {-1, -1, 2, 2}, side[] = {0, -1, 1, 0},
           mode[] = {0, 0, 1, 1};
    double *columns[] = {t, side, th, rate, mode};
    char *headers[] = {"t", "side", "th", "th'", "wall.mode"};
    const carom_columns table = {.ncolumn = 5, .nrow = 4, .name = headers, .column = columns};
    const carom_animated run = {"run", m, &table, NULL, 0};
    char reason[300];
    ck_assert_ptr_null(carom_draw_obstacle(&run, reason));
    const double at[] = {0, 0.5, 1, 2};
    carom_draw_frames f;
    CHECK_OK(carom_draw_sample(&f, &run, at, 4, &error), error);
    ck_assert_int_eq(f.nshape, 2);
    ck_assert(!f.still[0] && f.still[1]);
    const double angle[] = {1, 0.5, 0, 0.5}, turn[] = {-1, -1, 2, 2};
    for (int k = 0; k < 4; k++) {
        CHECK_NEAR(f.value[0][4 * k], 3 * sin(angle[k]), 1e-14);
        CHECK_NEAR(f.value[0][4 * k + 1], -3 * cos(angle[k]), 1e-14);
        CHECK_NEAR(f.value[0][4 * k + 2], 0.5, 0);
        CHECK_NEAR(f.value[0][4 * k + 3], turn[k], 0);
    }
    ck_assert_int_eq(f.mode[0], CAROM_OPEN);
    ck_assert_int_eq(f.mode[2], CAROM_CLOSED);
    ck_assert_uint_eq(f.nhit, 1);
    CHECK_NEAR(f.hit[0], 1, 0);
    CHECK_AT_MOST(f.box[0], -0.5); /* the bob at th = 0 is wider than the pivot */
    CHECK_AT_LEAST(f.box[2], 3 * sin(1) + 0.5);
    CHECK_AT_MOST(f.box[1], -3.5);
    carom_draw_free(&f);

    const carom_columns poor = {.ncolumn = 3, .nrow = 4, .name = headers, .column = columns};
    const carom_animated without = {"run", m, &poor, NULL, 0};
    ck_assert_str_eq(carom_draw_obstacle(&without, reason),
                     "the trajectory has no column 'th'' of the model 'pendulum'");
    carom_model_free(m);
}
END_TEST

START_TEST(a_recorded_run_is_the_table_of_its_file)
{
    carom_error error = {0};
    carom_model *m;
    carom_sim *sim;
    carom_sink *sink;
    carom_recorder *recorder;
    carom_columns *file;
    carom_report_run run = {0};
    CHECK_OK(carom_model_load(&m, "pendulum-wall", NULL, &error), error);
    carom_options o = carom_options_default();
    CHECK_OK(carom_options_from_model(&o, m, &error), error);
    o.energy = true;
    CHECK_OK(carom_sim_new(&sim, m, &o, &error), error);
    char events[260], csv[260];
    const char *tmp = getenv("TMPDIR") ? getenv("TMPDIR") : P_tmpdir;
    snprintf(csv, sizeof csv, "%.200s/carom-draw-%ld.csv", tmp, (long)getpid());
    snprintf(events, sizeof events, "%.200s/carom-draw-%ld.events.csv", tmp, (long)getpid());
    const carom_sink_info info = {.size = sizeof info, .gaps = true, .energy = true, .reactions = true};
    CHECK_OK(carom_sink_new(&sink, csv, NULL, m, NULL, &info, o.every, &error), error);
    CHECK_OK(carom_recorder_new(&recorder, m, o.every, &error), error);
    carom_observer a = carom_sink_observer(sink), b = carom_recorder_observer(recorder);
    ck_assert(carom_sim_observe(sim, &a) == CAROM_OK && carom_sim_observe(sim, &b) == CAROM_OK);
    ck_assert_int_eq(carom_sim_run(sim, o.t_end), CAROM_OK);
    CHECK_OK(carom_sink_close(sink, &error), error);
    CHECK_OK(carom_recorder_end(recorder, &run, &error), error);
    CHECK_OK(carom_columns_read(&file, csv, &error), error);
    ck_assert_int_eq(file->ncolumn, run.table->ncolumn);
    ck_assert_uint_eq(file->nrow, run.table->nrow);
    for (int i = 0; i < file->ncolumn; i++) {
        ck_assert_str_eq(file->name[i], run.table->name[i]);
        ck_assert_int_eq(memcmp(file->column[i], run.table->column[i], file->nrow * sizeof(double)), 0);
    }
    double sum = 0;
    for (size_t i = 0; i < run.nstep; i++)
        sum += run.step_h[i];
    CHECK_NEAR(sum, o.t_end, 1e-12);
    unlink(csv);
    unlink(events);
    carom_columns_free(file);
    carom_recorder_free(recorder);
    carom_sim_free(sim);
    carom_model_free(m);
}
END_TEST

static const char solids[] =
    "carom: 1\n"
    "space: spatial\n"
    "gravity: [0, 0, -10]\n"
    "parameters: {a: 2}\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {plane: [0, 0, 2]}, at: [50, 0, -9]}\n"
    "  box: {density: 1, shape: {box: [a, 1, 0.5]}, turn: {x: 0.3}, at: [0, 0, 0]}\n"
    "  ball: {density: 1, shape: {sphere: 1.5}, at: [9, 0, 0]}\n"
    "  pill: {density: 1, shape: {capsule: [2, 0.5], offset: [0.3, 0, 0], turn: {z: 1}}, at: [18, 0, 0]}\n"
    "  can: {density: 1, shape: {cylinder: [2, 0.5]}, at: [27, 0, 0]}\n"
    "  egg: {density: 1, shape: {ellipsoid: [1, 2, 0.5]}, at: [36, 0, 0]}\n"
    "  wedge: {density: 1, shape: {polyhedron: [[0, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 3]]}, at: [45, 0, 0]}\n"
    "  same: {density: 1, shape: {polyhedron: [[0, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 3]]}, at: [54, 0, 0]}\n"
    "laws: {default: none}\n";

/* The volume that the triangles of a solid enclose; negative: they are inside out. */
static double enclosed(const carom_scene *scene, const carom_solid *s, const carom_draw_frames *f)
{
    const carom_mesh *m = &scene->mesh[s->mesh];
    double A[9], r[3], sum = 0;
    carom_solid_at(s, f, 0, A, r);
    for (int k = 0; k < m->ntriangle; k++) {
        double x[3][3];
        for (int c = 0; c < 3; c++) {
            int at = carom_mesh_corner(m, 3 * k + c);
            ck_assert_int_lt(at, m->nvertex);
            for (int i = 0; i < 3; i++)
                x[c][i] = A[3 * i] * m->vertex[3 * at] + A[3 * i + 1] * m->vertex[3 * at + 1] +
                          A[3 * i + 2] * m->vertex[3 * at + 2];
        }
        sum += x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) + x[0][1] * (x[1][2] * x[2][0] - x[1][0] * x[2][2]) +
               x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0]);
    }
    return sum / 6;
}

START_TEST(solids_have_the_volume_of_their_shapes_and_stand_where_their_bodies_are)
{
    carom_error error = {0};
    carom_model *m;
    CHECK_OK(carom_model_parse(&m, "solids", solids, strlen(solids), NULL, &error), error);
    const char *names[] = {"a"};
    const double three[] = {3};
    CHECK_OK(carom_model_set(m, names, three, 1, &error), error);
    const int n = 1 + m->nq + m->nv;
    double value[200], *columns[200], t = 0;
    char *headers[200], text[200][40], buffer[32];
    for (int i = 0; i < n; i++) {
        value[i] = i == 0 ? t : i <= m->nq ? m->q[i - 1] : m->v[i - 1 - m->nq];
        const char *name = i == 0 ? "t" : i <= m->nq ? carom_model_q_name(m, i - 1, buffer)
                                                     : carom_model_v_name(m, i - 1 - m->nq, buffer);
        snprintf(text[i], sizeof text[i], "%s", name);
        headers[i] = text[i];
        columns[i] = &value[i];
    }
    const carom_columns table = {.ncolumn = n, .nrow = 1, .name = headers, .column = columns};
    const carom_animated run = {"run", m, &table, NULL, 0};
    char reason[300];
    ck_assert_ptr_null(carom_draw_obstacle(&run, reason));
    carom_draw_frames f;
    carom_scene *scene;
    CHECK_OK(carom_draw_sample(&f, &run, &t, 1, &error), error);
    CHECK_OK(carom_scene_new(&scene, carom_model_drawing(m), &f, &error), error);
    ck_assert_int_eq(scene->nsolid, 8);
    ck_assert_int_eq(scene->nmesh, CAROM_MESH_OWN + 2); /* a capsule, and one polyhedron for both */
    const double pi = 3.14159265358979323846;
    const double exact[] = {0, 1.5, 4.5 * pi, pi / 2 + pi / 6, pi / 2, 4 * pi / 3, 1, 1};
    const double round[] = {0, 1e-13, 0.04, 0.04, 0.02, 0.04, 1e-13, 1e-13}; /* chords are inside */
    for (int k = 1; k < 8; k++) {
        double volume = enclosed(scene, &scene->solid[k], &f);
        CHECK_AT_MOST(volume, exact[k] * (1 + 1e-13));
        CHECK_AT_LEAST(volume, exact[k] * (1 - round[k]));
        ck_assert_int_eq(scene->solid[k].body, k);
    }
    double A[9], r[3];
    carom_solid_at(&scene->solid[1], &f, 0, A, r); /* the box: a is 3, turned about x */
    const double box[9] = {3, 0, 0, 0, cos(0.3), -0.5 * sin(0.3), 0, sin(0.3), 0.5 * cos(0.3)};
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(A[i], box[i], 1e-14);
    carom_solid_at(&scene->solid[0], &f, 0, A, r); /* the floor: below what moves, although it was given far away */
    CHECK_NEAR(r[2], -9, 1e-13);
    CHECK_NEAR(r[0], 0.5 * (f.box[0] + f.box[3]), 1e-12);
    CHECK_NEAR(A[8], 1, 1e-14);
    ck_assert(scene->solid[0].ground && !scene->solid[1].ground);
    CHECK_AT_MOST(f.box[0], -0.5 * sqrt(9 + 1 + 0.25)); /* the floor does not count, the box does */
    CHECK_AT_LEAST(f.box[2], -9);
    carom_scene_free(scene);
    carom_draw_free(&f);
    carom_model_free(m);
}
END_TEST

START_TEST(many_bodies_are_drawn_in_the_plane_and_in_space)
{
    static const char *const bodies[] = {
        "carom: 1\nspace: planar\nbodies:\n  b: {repeat: {i: 40}, shape: {box: [1, 1]}, density: 1, at: [3*i, 0]}\n"
        "laws: {default: {friction: 0.5, restitution: 0}}\n",
        "carom: 1\nspace: spatial\nbodies:\n  b: {repeat: {i: 40}, shape: {sphere: 1}, density: 1, at: [3*i, 0, 0]}\n"
        "laws: {default: {friction: 0.5, restitution: 0}}\n"};
    for (int i = 0; i < 2; i++) {
        carom_error error = {0};
        carom_model *m;
        CHECK_OK(carom_model_parse(&m, "many", bodies[i], strlen(bodies[i]), NULL, &error), error);
        ck_assert(m->links);
        const carom_drawing *d = carom_model_drawing(m);
        ck_assert_ptr_nonnull(d);
        ck_assert_int_eq(i ? d->nbody : d->nshape, 40);
        const int *x = i ? d->pose + 12 * 7 : d->shape[7].value;
        CHECK_NEAR(carom_model_value(m, x[0], 0, m->q, m->v, m->p), i ? 21 : 20.5, 1e-14);
        carom_model_free(m);
    }
}
END_TEST

START_TEST(forces_of_contacts_act_where_bodies_touch)
{
    static const char text[] = "carom: 1\nspace: planar\nbodies:\n"
                               "  ball: {shape: {circle: 2}, density: 1, at: [0, 5]}\n"
                               "  hill: {fixed: true, shape: {plane: [3, 4]}}\n"
                               "laws: {default: {friction: 0.5, restitution: 0}}\n";
    carom_error error = {0};
    carom_model *m;
    CHECK_OK(carom_model_parse(&m, "hill", text, strlen(text), NULL, &error), error);
    double t = 0, value[] = {0, 0, 5, 0, 0, 0, 0, CAROM_SLIP, 10, -5}, *columns[10];
    char *headers[] = {"t", "ball.x", "ball.y", "ball.angle", "ball.x'", "ball.y'", "ball.angle'", "ball hill.mode",
                       "ball hill.force", "ball hill.force_t"};
    for (int i = 0; i < 10; i++)
        columns[i] = &value[i];
    const carom_columns table = {.ncolumn = 10, .nrow = 1, .name = headers, .column = columns};
    const carom_animated run = {"run", m, &table, NULL, 0};
    carom_draw_frames f;
    CHECK_OK(carom_draw_sample(&f, &run, &t, 1, &error), error);
    ck_assert_uint_eq(f.nforce, 1);
    /* n = (0.6, 0.8), t = (0.8, -0.6): point (0, 5) - 2 n, force 10 n - 5 t on the ball */
    const double exact[] = {-1.2, 3.4, 0, 6 - 4, 8 + 3, 0, CAROM_SLIP, 1, 0};
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(((const double *)f.force)[i], exact[i], 1e-14);
    CHECK_NEAR(f.forces[0], 1, 0);
    CHECK_AT_MOST(f.box[2] - f.box[0], 5); /* the hill is endless and does not count */
    carom_draw_free(&f);
    carom_model_free(m);
}
END_TEST

/* Contacts that are found have arrows too: at rest those on the floor carry the weight, in the plane and in space. */
START_TEST(contacts_that_are_found_are_drawn_with_the_forces_they_carry)
{
    static const char *const texts[] = {
        "carom: 1\nspace: planar\ngravity: [0, -10]\nbodies:\n  floor: {fixed: true, shape: {plane: [0, 1]}}\n"
        "  low: {shape: {box: [1, 1]}, mass: 2, at: [0, 0.5]}\n  top: {shape: {circle: 0.5}, mass: 1, at: [0.1, 1.5]}\n"
        "laws: {default: {friction: 0.5, restitution: 0}}\ncontacts: found\n",
        "carom: 1\nspace: spatial\ngravity: [0, 0, -10]\nbodies:\n  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
        "  low: {shape: {box: [1, 1, 1]}, mass: 2, at: [0, 0, 0.5]}\n"
        "  top: {shape: {box: [0.5, 2, 1]}, mass: 1, at: [0.1, 0, 1.5]}\n"
        "laws: {default: {friction: 0.5, restitution: 0}}\ncontacts: found\n"};
    for (int k = 0; k < 2; k++) {
        carom_model *m;
        carom_sim *sim;
        carom_recorder *recorder;
        carom_report_run run;
        carom_draw_frames f;
        carom_error error = {0};
        carom_options o = carom_options_default();
        o.h = 0.01;
        CHECK_OK(carom_options_set(&o, "scheme", "moreau-jean", &error), error);
        CHECK_OK(carom_model_parse(&m, "text", texts[k], strlen(texts[k]), NULL, &error), error);
        CHECK_OK(carom_sim_new(&sim, m, &o, &error), error);
        CHECK_OK(carom_recorder_new(&recorder, m, 0.1, &error), error);
        CHECK_OK(carom_recorder_watch(recorder, sim, &error), error);
        const carom_observer observer = carom_recorder_observer(recorder);
        CHECK_OK(carom_sim_observe(sim, &observer), error);
        CHECK_OK(carom_sim_run(sim, 0.5), *carom_sim_error(sim));
        CHECK_OK(carom_recorder_end(recorder, &run, &error), error);
        const carom_animated drawn = {"run", m, run.table, run.touched, run.ntouched};
        CHECK_OK(carom_draw_sample(&f, &drawn, (const double[]){0.05, 0.33}, 2, &error), error);
        double on_floor = 0, on_low = 0;
        CHECK_AT_LEAST(f.forces[0], 1); /* those of the start; then those of 0.3 */
        for (size_t i = 0; i < f.nforce; i++) {
            const carom_draw_force *x = &f.force[i];
            ck_assert_int_ne((int)x->mode, CAROM_OPEN);
            double up = x->force[k ? 2 : 1], sign = x->body[0] < x->body[1] ? 1 : -1;
            *(x->body[0] * x->body[1] == 0 ? &on_floor : &on_low) += sign * up;
            CHECK_NEAR(x->point[k ? 2 : 1], x->body[0] * x->body[1] == 0 ? 0 : 1, 1e-9);
        }
        CHECK_NEAR(on_floor, 2 * 30, 1e-6);
        CHECK_NEAR(on_low, 2 * 10, 1e-6);
        carom_draw_free(&f);
        carom_recorder_free(recorder);
        carom_sim_free(sim);
        carom_model_free(m);
    }
}
END_TEST

TEST_MAIN("drawings", contacts_that_are_found_are_drawn_with_the_forces_they_carry,
          forces_of_contacts_act_where_bodies_touch,
          shapes_are_where_the_coordinates_say_also_after_a_parameter_changed,
          a_recorded_run_is_the_table_of_its_file,
          solids_have_the_volume_of_their_shapes_and_stand_where_their_bodies_are,
          many_bodies_are_drawn_in_the_plane_and_in_space)
#endif
