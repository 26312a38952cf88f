// Tests of sweeps against boxes turned by any angles, compared with a search in double; and of the
// hitboxes of a model.
#include "collide/cmodel.h"
#include "lib/golden_fixture.h"
#include "lib/model_fixture.h"
#include "lib/testing.h"
#include "model/hitbox.h"

#include <math.h>
#include <string.h>

typedef struct {
    turned_box_t box;
    vec3_t start, end, mins, maxs;
} case_t;

static vec3_t random_vector(rng_t *rng, float size) {
    float x = Rng_Range(rng, -size, size);
    float y = Rng_Range(rng, -size, size);
    return Vector(x, y, Rng_Range(rng, -size, size));
}

static vec3_t random_size(rng_t *rng, float size) {
    vec3_t v = random_vector(rng, size);
    return Vector(fabsf(v.x), fabsf(v.y), fabsf(v.z));
}

/// Computes the axes of a turn by the textbook formula, rounded once.
static void axes_of(quat_t q, vec3_t axes[3]) {
    double x = (double)q.x;
    double y = (double)q.y;
    double z = (double)q.z;
    double w = (double)q.w;
    axes[0] = Vector((float)(1 - 2 * (y * y + z * z)), (float)(2 * (x * y + w * z)),
                     (float)(2 * (x * z - w * y)));
    axes[1] = Vector((float)(2 * (x * y - w * z)), (float)(1 - 2 * (x * x + z * z)),
                     (float)(2 * (y * z + w * x)));
    axes[2] = Vector((float)(2 * (x * z + w * y)), (float)(2 * (y * z - w * x)),
                     (float)(1 - 2 * (x * x + y * y)));
}

static case_t random_case(rng_t *rng) {
    case_t c = {.box = {.middle = random_vector(rng, 50.0f), .half = random_size(rng, 20.0f)},
                .start = random_vector(rng, 100.0f)};
    quat_t turn = Rng_Below(rng, 5) ? TestModel_Turn(rng) : (quat_t){0.0f, 0.0f, 0.0f, 1.0f};
    axes_of(turn, c.box.axes);
    // Each random number is drawn in a statement of its own, because C leaves the order of
    // arguments to the compiler.
    float past = Rng_Range(rng, 0.2f, 1.0f);
    vec3_t aside = random_vector(rng, 30.0f);
    vec3_t way = VectorSubtract(c.box.middle, c.start);
    c.end = VectorAdd(VectorMA(c.box.middle, past, way), aside);
    if (Rng_Below(rng, 3)) {
        c.mins = VectorNegate(random_size(rng, 16.0f));
        c.maxs = random_size(rng, 16.0f);
    }
    return c;
}

/// Returns the distance of the two boxes along a direction of any length; negative if they overlap.
static double gap_along(const case_t *c, const double at[3], const double n[3]) {
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (length < 1e-7) {
        return -1e30;
    }
    const float half[3] = {c->box.half.x, c->box.half.y, c->box.half.z};
    const float lo[3] = {c->mins.x, c->mins.y, c->mins.z};
    const float hi[3] = {c->maxs.x, c->maxs.y, c->maxs.z};
    const float middle[3] = {c->box.middle.x, c->box.middle.y, c->box.middle.z};
    double reach = 0;
    double apart = 0;
    for (int32_t i = 0; i < 3; i++) {
        const vec3_t *a = &c->box.axes[i];
        reach +=
            (double)half[i] * fabs(n[0] * (double)a->x + n[1] * (double)a->y + n[2] * (double)a->z);
        reach += ((double)hi[i] - (double)lo[i]) / 2 * fabs(n[i]);
        apart += n[i] * (at[i] + ((double)hi[i] + (double)lo[i]) / 2 - (double)middle[i]);
    }
    return (fabs(apart) - reach) / length;
}

/// Returns the greatest distance over all fifteen directions, at a fraction of the sweep; negative
/// if the boxes overlap.
static double gap(const case_t *c, double share) {
    const double at[3] = {(double)c->start.x + share * ((double)c->end.x - (double)c->start.x),
                          (double)c->start.y + share * ((double)c->end.y - (double)c->start.y),
                          (double)c->start.z + share * ((double)c->end.z - (double)c->start.z)};
    double most = -1e30;
    for (int32_t i = 0; i < 15; i++) {
        double n[3] = {0, 0, 0};
        if (i < 3) {
            n[0] = (double)c->box.axes[i].x;
            n[1] = (double)c->box.axes[i].y;
            n[2] = (double)c->box.axes[i].z;
        } else if (i < 6) {
            n[i - 3] = 1;
        } else {
            const vec3_t *a = &c->box.axes[(i - 6) % 3];
            const double v[3] = {(double)a->x, (double)a->y, (double)a->z};
            int32_t j = (i - 6) / 3; // the cross product of axis j of the world and v
            n[(j + 1) % 3] = -v[(j + 2) % 3];
            n[(j + 2) % 3] = v[(j + 1) % 3];
        }
        double d = gap_along(c, at, n);
        most = d > most ? d : most;
    }
    return most;
}

/// Returns the fraction of the sweep with the least gap, which one search finds: the gap is convex.
static double least_gap_at(const case_t *c) {
    double lo = 0;
    double hi = 1;
    for (int32_t i = 0; i < 100; i++) {
        double a = lo + (hi - lo) / 3;
        double b = hi - (hi - lo) / 3;
        if (gap(c, a) < gap(c, b)) {
            hi = b;
        } else {
            lo = a;
        }
    }
    return (lo + hi) / 2;
}

static void check_case(const case_t *c, int32_t *hits, int32_t *starts, int32_t *misses) {
    const double slack = 2e-4; // qu; floats near 150 are 1.5e-5 apart
    trace_t trace = CM_TurnedBoxTrace(&c->box, c->start, c->end, c->mins, c->maxs);
    double at_start = gap(c, 0);
    double deepest = least_gap_at(c);
    double least = gap(c, deepest);
    if (fabs(at_start) < slack || fabs(least) < slack) {
        return; // rounding decides
    }
    if (at_start < 0) {
        assert_true(trace.startsolid);
        assert_int_equal(trace.allsolid, gap(c, 1) < 0);
        (*starts)++;
        return;
    }
    assert_false(trace.startsolid);
    if (least > 0) {
        assert_true(trace.fraction == 1.0f);
        (*misses)++;
        return;
    }
    // Search the first fraction at which the boxes touch.
    double lo = 0;
    double hi = deepest;
    for (int32_t i = 0; i < 60; i++) {
        double middle = (lo + hi) / 2;
        *(gap(c, middle) > 0 ? &lo : &hi) = middle;
    }
    vec3_t way = VectorSubtract(c->end, c->start);
    double speed = -(double)DotProduct(way, trace.plane.normal);
    assert_true(fabs((double)VectorLength(trace.plane.normal) - 1) < 1e-5);
    assert_true(speed > 0);
    // The sweep must stop an epsilon earlier along the normal, or at its start.
    double expected = lo - (double)CM_DIST_EPSILON / speed;
    expected = expected < 0 ? 0 : expected;
    assert_true(fabs((double)trace.fraction - expected) * speed < 2e-3);
    assert_true(gap(c, (double)trace.fraction) > -slack);
    // Distance of the stop in front of the plane.
    double front = (double)DotProduct(trace.endpos, trace.plane.normal) - (double)trace.plane.dist;
    assert_true(trace.fraction == 0.0f || fabs(front - (double)CM_DIST_EPSILON) < 1e-3);
    (*hits)++;
}

static void test_exact(void **state) {
    (void)state;
    rng_t rng = {20};
    int32_t hits = 0;
    int32_t starts = 0;
    int32_t misses = 0;
    const int32_t cases = Test_IsSlow() ? 2000 : 30000;
    for (int32_t i = 0; i < cases; i++) {
        case_t c = random_case(&rng);
        check_case(&c, &hits, &starts, &misses);
    }
    print_message("%d hits, %d starts inside, %d misses\n", hits, starts, misses);
    assert_true(hits > cases / 2);
    assert_true(starts > cases / 300);
    assert_true(misses > cases / 6);
}

/// Tests an unturned box: it gives the result of a plain box.
static void test_unturned(void **state) {
    (void)state;
    rng_t rng = {21};
    const int32_t cases = Test_IsSlow() ? 4000 : 20000;
    for (int32_t i = 0; i < cases; i++) {
        case_t c = random_case(&rng);
        axes_of((quat_t){0.0f, 0.0f, 0.0f, 1.0f}, c.box.axes);
        bounds_t box = {VectorSubtract(c.box.middle, c.box.half),
                        VectorAdd(c.box.middle, c.box.half)};
        trace_t a = CM_TurnedBoxTrace(&c.box, c.start, c.end, c.mins, c.maxs);
        trace_t b = CM_BoxBoxTrace(box, c.start, c.end, c.mins, c.maxs);
        if (fabs(gap(&c, 0)) > 1e-4 && fabs(gap(&c, least_gap_at(&c))) > 1e-3) {
            assert_int_equal(a.startsolid, b.startsolid);
            // Across the face, both stop within the epsilon; along it, one result backs off from
            // its hit and the other does not.
            vec3_t apart = VectorSubtract(a.endpos, b.endpos);
            assert_true(VectorCompare(a.plane.normal, b.plane.normal));
            assert_true(fabsf(DotProduct(apart, a.plane.normal)) < 0.04f);
        }
    }
}

static bool is_near(vec3_t v, float x, float y, float z) {
    return VectorLength(VectorSubtract(v, Vector(x, y, z))) < 1e-4f;
}

/// Tests a hitbox beside its turned bone, in a model that is turned too.
static void test_place(void **state) {
    (void)state;
    test_model_t *test = TestModel_Make(1, 1, 1);
    test->bones[0] = (model_bone_t){
        "b", -1, {10.0f, 20.0f, 30.0f}, {0.0f, 0.0f, 0.70710678f, 0.70710678f}}; // turns x to y
    test->hitboxes[0] = (model_hitbox_t){0, HIT_HEAD, {{1.0f, 2.0f, 3.0f}, {3.0f, 6.0f, 9.0f}}};
    test->model.num_controllers = 0;
    const pose_request_t request = {.animations = {-1, -1}};
    const cm_object_t place = {.origin = {100.0f, 200.0f, 300.0f}, .angles = {0.0f, 90.0f, 0.0f}};
    const cm_pose_t at = CM_MakePose(&place);
    model_pose_t pose;
    Pose_Evaluate(NULL, &test->model, &request, &pose);
    const turned_box_t box = Hitbox_Place(&test->model, &pose, 0, &at);
    assert_true(is_near(box.middle, 78.0f, 206.0f, 336.0f));
    assert_true(is_near(box.half, 1.0f, 2.0f, 3.0f));
    assert_true(is_near(box.axes[0], -1.0f, 0.0f, 0.0f));
    assert_true(is_near(box.axes[1], 0.0f, -1.0f, 0.0f));
    assert_true(is_near(box.axes[2], 0.0f, 0.0f, 1.0f));
    TestModel_Free(test);
}

/// Tests that the nearest hitbox is found, with its group and its bone.
static void test_groups(void **state) {
    (void)state;
    test_model_t *test = TestModel_Make(3, 3, 3);
    for (int32_t i = 0; i < 3; i++) {
        test->bones[i] =
            (model_bone_t){"b", i - 1, {0.0f, 0.0f, i ? 20.0f : 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
        test->hitboxes[i] = (model_hitbox_t){
            i, i == 2 ? HIT_HEAD : HIT_CHEST, {{-4.0f, -4.0f, -4.0f}, {4.0f, 4.0f, 4.0f}}};
    }
    const pose_request_t request = {.animations = {-1, -1}};
    model_pose_t pose;
    test->model.num_controllers = 0;
    Pose_Evaluate(NULL, &test->model, &request, &pose);
    const cm_object_t place = {.origin = {100.0f, 0.0f, 0.0f}, .angles = {90.0f, 0.0f, 0.0f}};
    const cm_pose_t at = CM_MakePose(&place); // looks down: the model's up is +x
    const bounds_t point = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    vec3_t from = {140.0f, 0.0f, 50.0f};
    trace_t trace =
        CM_HitboxTrace(&test->model, &pose, &at, from, Vector(140.0f, 0.0f, -50.0f), point);
    assert_int_equal(trace.hitgroup, HIT_HEAD);
    assert_int_equal(trace.bone, 3);
    assert_true(fabsf(trace.endpos.z - (4.0f + CM_DIST_EPSILON)) < 1e-4f);
    trace = CM_HitboxTrace(&test->model, &pose, &at, Vector(200.0f, 0.0f, 0.0f),
                           Vector(0.0f, 0.0f, 0.0f), point);
    assert_int_equal(trace.bone, 3);
    trace = CM_HitboxTrace(&test->model, &pose, &at, Vector(0.0f, 0.0f, 0.0f),
                           Vector(200.0f, 0.0f, 0.0f), point);
    assert_int_equal(trace.bone, 1);
    trace = CM_HitboxTrace(&test->model, &pose, &at, Vector(102.0f, 0.0f, 0.0f),
                           Vector(200.0f, 0.0f, 0.0f), point); // out of one box, into the next
    assert_true(trace.bone == 2);
    assert_true(trace.startsolid);
    assert_false(trace.allsolid);
    assert_true(trace.fraction < 0.2f);
    trace = CM_HitboxTrace(&test->model, &pose, &at, Vector(130.0f, 0.0f, 50.0f),
                           Vector(130.0f, 0.0f, -50.0f), point);
    assert_true(trace.fraction == 1.0f);
    assert_true(trace.bone == 0);
    TestModel_Free(test);
}

/// Tests that leaving out far boxes changes no result: long and short sweeps, far from zero, of
/// points and boxes, and of no length.
static void test_none_is_left_out(void **state) {
    (void)state;
    enum { BOXES = 24 };
    test_model_t *test = TestModel_Make(5, 8, BOXES);
    rng_t rng = {77};
    int32_t hits = 0;
    const int32_t rounds = Test_IsSlow() ? 8000 : 40000;
    for (int32_t i = 0; i < rounds; i++) {
        turned_box_t boxes[BOXES];
        float far = i % 3 == 0 ? 60000.0f : i % 3 == 1 ? 500.0f : 20.0f;
        float half = i % 2 == 0 ? 0.0f : Rng_Range(&rng, 0.1f, 40.0f);
        vec3_t middle = random_vector(&rng, far);
        for (int32_t n = 0; n < BOXES; n++) {
            quat_t q = TestModel_Turn(&rng);
            boxes[n].middle = VectorAdd(middle, random_vector(&rng, 40.0f));
            axes_of(q, boxes[n].axes);
            boxes[n].half = VectorAdd(random_vector(&rng, 4.0f), Vector(4.5f, 4.5f, 4.5f));
        }
        vec3_t start = VectorAdd(middle, random_vector(&rng, i % 5 == 0 ? 50.0f : far));
        vec3_t end = VectorAdd(middle, random_vector(&rng, 40.0f));
        end = i % 7 == 0 ? start : VectorMA(start, i % 2 ? 1.0f : 2.0f, VectorSubtract(end, start));
        const bounds_t swept = {{-half, -0.5f * half, -half}, {half, half, 2.0f * half}};
        trace_t one = CM_PlacedTrace(&test->model, boxes, start, end, swept);
        float nearest = 1.0f;
        bool startsolid = false;
        for (int32_t n = 0; n < BOXES; n++) {
            trace_t each = CM_TurnedBoxTrace(&boxes[n], start, end, swept.mins, swept.maxs);
            nearest = each.fraction < nearest ? each.fraction : nearest;
            startsolid = startsolid || each.startsolid;
        }
        assert_true(one.fraction == nearest);
        assert_true(one.startsolid == startsolid);
        hits += nearest < 1.0f || startsolid ? 1 : 0;
    }
    assert_true(hits > rounds / 4);
    assert_true(hits < rounds - rounds / 40);
    TestModel_Free(test);
}

/// Stores a query, or the same query with one difference.
typedef struct {
    const model_t *model;
    pose_request_t request;
    cm_object_t place;
} question_t;

/// Compares a query with a cache and without, bit by bit. Returns how many boxes differ from those
/// of `other`.
static int32_t ask(pose_cache_t *cache, const question_t *question, const turned_box_t *other,
                   turned_box_t boxes[MAX_HITBOXES]) {
    turned_box_t scratch[MAX_HITBOXES];
    const model_t *model = question->model;
    const turned_box_t *kept =
        Hitbox_PlaceAll(cache, 7, model, &question->request, &question->place, scratch);
    const turned_box_t *made =
        Hitbox_PlaceAll(NULL, 7, model, &question->request, &question->place, boxes);
    size_t bytes = (size_t)model->num_hitboxes * sizeof *boxes;
    assert_ptr_equal(made, boxes);
    assert_memory_equal(kept, boxes, bytes);
    int32_t differ = 0;
    for (int32_t i = 0; i < model->num_hitboxes; i++) {
        differ += memcmp(&boxes[i], &other[i], sizeof *boxes) != 0;
    }
    return differ;
}

/// Tests the cached result: it is used for an equal query, and not if any part of the query
/// differs.
static void test_memory_of_placed_boxes(void **state) {
    (void)state;
    enum { CHANGES = 16 };
    test_model_t *tests[2] = {TestModel_Make(31, 12, 12), TestModel_Make(32, 12, 12)};
    pose_cache_t *cache = calloc(1, sizeof *cache);
    assert_non_null(cache);
    const question_t first = {.model = &tests[0]->read,
                              .request = {.animations = {1, 3},
                                          .times_ms = {40, 200},
                                          .blend = 0.25f,
                                          .controllers = {1.0f, 2.0f, 3.0f, 4.0f}},
                              .place = {.origin = {1.0f, 2.0f, 3.0f}, .angles = {10, 20, 30}}};
    for (int32_t i = 0; i < CHANGES; i++) {
        question_t other = first;
        float *const numbers[] = {&other.request.blend,          &other.request.controllers[0],
                                  &other.request.controllers[1], &other.request.controllers[2],
                                  &other.request.controllers[3], &other.place.origin.x,
                                  &other.place.origin.y,         &other.place.origin.z,
                                  &other.place.angles.x,         &other.place.angles.y,
                                  &other.place.angles.z};
        turned_box_t boxes[MAX_HITBOXES];
        turned_box_t others[MAX_HITBOXES];
        memset(boxes, 0, sizeof boxes);
        if (i < 11) {
            *numbers[i] += 0.5f;
        } else if (i < 13) {
            other.request.animations[i - 11] = 0;
        } else if (i < 15) {
            other.request.times_ms[i - 13] += POSE_STEP_MS;
        } else {
            other.model = &tests[1]->read;
        }
        ask(cache, &first, boxes, boxes);
        uint64_t missed = cache->placed_missed;
        ask(cache, &first, boxes, boxes);
        assert_int_equal(cache->placed_missed, missed);
        if (ask(cache, &other, boxes, others) == 0) {
            fail_msg("change %d changes no box", i); // then the case tests nothing
        }
        assert_int_equal(cache->placed_missed, missed + 1);
    }
    free(cache);
    TestModel_Free(tests[0]);
    TestModel_Free(tests[1]);
}

static void test_golden(void **state) {
    (void)state;
    test_golden_t golden = {0};
    rng_t rng = {22};
    for (int32_t i = 0; i < 60; i++) {
        case_t c = random_case(&rng);
        trace_t t = CM_TurnedBoxTrace(&c.box, c.start, c.end, c.mins, c.maxs);
        TestGolden_Print(&golden, "%d %a %d%d", i, (double)t.fraction, t.startsolid, t.allsolid);
        TestGolden_Vector(&golden, "end", t.endpos);
        TestGolden_Vector(&golden, "normal", t.plane.normal);
        TestGolden_Print(&golden, "\n");
    }
    assert_true(TestGolden_Check(&golden, "hitbox.txt"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_unturned),
        cmocka_unit_test(test_place),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_none_is_left_out),
        cmocka_unit_test(test_memory_of_placed_boxes),
        cmocka_unit_test(test_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
