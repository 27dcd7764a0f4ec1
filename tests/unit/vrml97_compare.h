/* Compares a VRML97 text with the scene it was made of: frames, shapes, and what every click moves. What the text shows
 * is computed here from the standard's definitions, and what a click plays by find_sweep. */
#ifndef VRML97_COMPARE_H
#define VRML97_COMPARE_H

#include <float.h>

#include "fixture.h"
#include "vrml97_reader.h"

struct totals {
    uint64_t triangles;
    double area, volume, lower[3], upper[3];
};

struct shape_seen {
    uint32_t node;
    struct vnode *sensor;
};

struct comparison {
    cp_context *context;
    const cp_scene *scene;
    const cp_node *nodes; /* the rows of the scene, as are the joints */
    const cp_joint *joints;
    uint32_t node_count, joint_count;
    struct vrml_file *file;
    cp_pose *worlds;                 /* the nodes' poses, as the file has them */
    struct vnode **joint_transforms; /* or NULL */
    struct totals drawn, proxy;
    struct shape_seen *shapes;
    size_t shape_count;
    double diagonal;
    const char *folder; /* the folder of Inline's files; NULL: there are none */
    bool frames_only;   /* shapes have been seen to */
};

/* ---- poses by the standard ---- */

/* T * R * SR * S * SR^-1 (6.52; there is no center in our files). */
static cp_pose transform_pose(struct vnode *node)
{
    double turn[4], askew[4], scale[3], shift[3];
    for (size_t i = 0; i < 4; i++) {
        turn[i] = number_of(node, "rotation", i, i == 2);
        askew[i] = number_of(node, "scaleOrientation", i, i == 2);
    }
    for (size_t i = 0; i < 3; i++) {
        scale[i] = number_of(node, "scale", i, 1);
        shift[i] = number_of(node, "translation", i, 0);
    }
    cp_pose pose = plain_rotation(turn, turn[3]), next = plain_rotation(askew, askew[3]);
    pose = plain_product(&pose, &next);
    next = plain_scaling(scale[0], scale[1], scale[2]);
    pose = plain_product(&pose, &next);
    next = plain_rotation(askew, -askew[3]);
    pose = plain_product(&pose, &next);
    for (int i = 0; i < 3; i++)
        pose.m[4 * i + 3] = shift[i];
    return pose;
}

/* ---- totals of triangles ---- */

static void start_totals(struct totals *totals)
{
    *totals = (struct totals){.lower = {DBL_MAX, DBL_MAX, DBL_MAX}, .upper = {-DBL_MAX, -DBL_MAX, -DBL_MAX}};
}

static void add_point(struct totals *totals, const double p[3])
{
    for (int i = 0; i < 3; i++) {
        totals->lower[i] = fmin(totals->lower[i], p[i]);
        totals->upper[i] = fmax(totals->upper[i], p[i]);
    }
}

static void add_triangle(struct totals *totals, double p[3][3], double sign)
{
    double u[3], v[3], n[3];
    for (int i = 0; i < 3; i++) {
        u[i] = p[1][i] - p[0][i];
        v[i] = p[2][i] - p[0][i];
        add_point(totals, p[0]), add_point(totals, p[1]), add_point(totals, p[2]);
    }
    for (int i = 0; i < 3; i++)
        n[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
    totals->triangles++;
    totals->area += sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
    totals->volume += sign * (p[0][0] * n[0] + p[0][1] * n[1] + p[0][2] * n[2]) / 6;
}

/* One face or polyline whose corners come by index from points of either width. */
static void add_face(struct totals *totals, const double (*points)[3], size_t count, bool lines, double sign)
{
    for (size_t i = lines ? 0 : 2; i < count; i++) {
        double p[3][3];
        memcpy(p[0], points[0], sizeof p[0]);
        memcpy(p[1], points[lines ? i : i - 1], sizeof p[1]);
        memcpy(p[2], points[i], sizeof p[2]);
        if (lines)
            add_point(totals, p[1]);
        else
            add_triangle(totals, p, sign);
    }
}

static void add_indexed_set(struct totals *totals, struct vnode *set, const cp_pose *world)
{
    struct vfield *points = vfield_of(child_of(set, "coord"), "point"), *indices = vfield_of(set, "coordIndex");
    double(*corners)[3] = malloc((indices->number_count + 1) * sizeof *corners);
    assert_non_null(corners);
    size_t count = 0;
    for (size_t i = 0; i < indices->number_count; i++) {
        if (indices->numbers[i] >= 0) {
            plain_point(world, points->numbers + 3 * (size_t)indices->numbers[i], corners[count++]);
            continue;
        }
        add_face(totals, (const double(*)[3])corners, count, strcmp(set->type, "IndexedLineSet") == 0, 1);
        count = 0;
    }
    free(corners);
}

static void add_placed_mesh(struct totals *totals, const cp_mesh *mesh, const cp_pose *world)
{
    for (uint32_t f = 0; f < mesh->face_count; f++) {
        uint32_t size = face_size(mesh, f);
        double(*corners)[3] = malloc((size + 1) * sizeof *corners);
        assert_non_null(corners);
        for (uint32_t c = 0; c < size; c++) {
            const float *at = mesh->positions + 3 * (size_t)mesh->corners[face_first(mesh, f) + c];
            plain_point(world, (const double[]){(double)at[0], (double)at[1], (double)at[2]}, corners[c]);
        }
        add_face(totals, (const double(*)[3])corners, size, mesh->kind == CP_MESH_LINES,
                 plain_determinant(world) < 0 ? -1 : 1);
        free(corners);
    }
}

/* Adds what the scene says: every instance of the given uses by brute force. Mirrored ones still look outwards. */
static void add_scene(struct totals *totals, const struct comparison *c, bool drawn)
{
    cp_pose *worlds = malloc(c->node_count * sizeof *worlds);
    assert_non_null(worlds);
    pose_scene(c->scene, NULL, worlds);
    uint32_t count;
    const cp_instance *instances = cp_instances(c->scene, &count);
    for (uint32_t i = 0; i < count; i++) {
        cp_pose world = plain_product(&worlds[instances[i].node], &instances[i].transform);
        if (drawn == ((instances[i].use & CP_USE_DRAWN) != 0))
            add_placed_mesh(totals, &cp_meshes(c->scene, NULL)[instances[i].mesh], &world);
    }
    free(worlds);
}

/* The diagonal of the box around a node's own meshes, in its frame. */
static double own_size(const struct comparison *c, uint32_t node)
{
    struct totals own;
    start_totals(&own);
    for (uint32_t i = 0; i < c->nodes[node].instance_count; i++) {
        const cp_instance *instance = &cp_instances(c->scene, NULL)[c->nodes[node].first_instance + i];
        add_placed_mesh(&own, &cp_meshes(c->scene, NULL)[instance->mesh], &instance->transform);
    }
    double size = 0;
    for (int i = 0; i < 3 && own.lower[i] <= own.upper[i]; i++)
        size = hypot(size, own.upper[i] - own.lower[i]);
    return size;
}

static void assert_near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%.17g, not %.17g", got, want);
}

static void assert_same_totals(const struct totals *got, const struct totals *want)
{
    assert_int_equal(got->triangles, want->triangles);
    double size = 0;
    for (int i = 0; i < 3 && want->lower[i] <= want->upper[i]; i++)
        size = fmax(size, fmax(fabs(want->lower[i]), fabs(want->upper[i])));
    for (int i = 0; i < 3; i++) {
        if (want->lower[i] > want->upper[i])
            assert_true(got->lower[i] > got->upper[i]);
        else {
            assert_near(got->lower[i], want->lower[i], 1e-6 * size);
            assert_near(got->upper[i], want->upper[i], 1e-6 * size);
        }
    }
    assert_near(got->area, want->area, 1e-6 * want->area + 1e-12);
    assert_near(got->volume, want->volume, 1e-6 * want->area * size + 1e-12);
}

/* ---- the file against the scene ---- */

/* Keeps a text until reader_free, with a NUL behind it. */
static char *keep_text(const void *bytes, size_t size)
{
    return memcpy(reader_allocate(size + 1), bytes, size);
}

static char *read_text(const char *path)
{
    size_t size;
    char *text = read_whole(path, &size);
    if (!text)
        fail_msg("%s cannot be opened", path);
    char *kept = keep_text(text, size);
    free(text);
    return kept;
}

static inline char *export_text(cp_context *context, const cp_scene *scene, const char *format,
                                const char *const *options, size_t count, size_t *size)
{
    void *bytes;
    expect_status(context, cp_write_memory(context, scene, format, options, count, &bytes, size), CP_OK);
    char *text = keep_text(bytes, *size);
    cp_free(context, bytes, *size);
    return text;
}

static struct vrml_file *read_inline(const struct comparison *c, struct vnode *at)
{
    char path[4096];
    assert_non_null(c->folder);
    (void)snprintf(path, sizeof path, "%s/%s", c->folder, vfield_of(at, "url")->strings[0]);
    struct vrml_file *file = vrml_read(read_text(path));
    assert_int_equal(file->route_count, 0);
    vrml_check(file);
    return file;
}

static void add_shapes(struct comparison *c, uint32_t node, struct vnode *at, struct vnode *sensor, cp_pose world,
                       struct totals *totals)
{
    if (strcmp(at->type, "Shape") == 0) {
        struct vnode *geometry = child_of(at, "geometry");
        if (strncmp(geometry->type, "Indexed", 7) == 0)
            add_indexed_set(totals, geometry, &world);
        if (totals == &c->drawn) {
            c->shapes = reader_grow(c->shapes, c->shape_count, sizeof *c->shapes);
            c->shapes[c->shape_count++] = (struct shape_seen){node, sensor};
        }
        return;
    }
    if (strcmp(at->type, "Inline") == 0) {
        struct vrml_file *part = read_inline(c, at);
        for (size_t i = 0; i < part->root_count; i++)
            add_shapes(c, node, part->roots[i], sensor, world, totals);
        return;
    }
    if (strcmp(at->type, "Transform") == 0) {
        cp_pose local = transform_pose(at);
        world = plain_product(&world, &local);
    }
    struct vfield *children = vfield_of(at, "children");
    for (size_t i = 0; children && i < children->node_count; i++)
        if (strcmp(children->nodes[i]->type, "TouchSensor") == 0)
            sensor = children->nodes[i];
    for (size_t i = 0; children && i < children->node_count; i++)
        add_shapes(c, node, children->nodes[i], sensor, world, totals);
    if (child_of(at, "proxy"))
        add_shapes(c, node, child_of(at, "proxy"), sensor, world, &c->proxy);
}

static bool is_frame(const struct vnode *node)
{
    return strcmp(node->type, "Transform") == 0 && *node->def;
}

/* The original name of a DEF: what the WorldInfo says, else the DEF name itself. */
static const char *original_name(struct vrml_file *file, const char *kind, const char *def)
{
    struct vfield *info = vfield_of(file->roots[0], "info");
    char start[700];
    (void)snprintf(start, sizeof start, "%s %s name=", kind, def);
    for (size_t i = 0; i < info->string_count; i++)
        if (strncmp(info->strings[i], start, strlen(start)) == 0)
            return info->strings[i] + strlen(start);
    return def;
}

static uint32_t next_child(const struct comparison *c, uint32_t parent, uint32_t after)
{
    for (uint32_t i = after + 1; i < c->node_count; i++)
        if (c->nodes[i].parent == parent && !(c->nodes[i].flags & CP_NODE_PLACEHOLDER))
            return i;
    return CP_NONE;
}

static bool has_controls(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            return true;
    return false;
}

static void compare_node(struct comparison *c, uint32_t index, struct vnode *at, cp_pose world)
{
    const cp_node *node = &c->nodes[index];
    if (!has_controls(node->name))
        assert_string_equal(original_name(c->file, "frame", at->def), node->name);
    cp_pose local = transform_pose(at);
    world = plain_product(&world, &local);
    for (uint32_t j = node->first_joint; j < node->first_joint + node->joint_count; j++) {
        if (c->joints[j].type == CP_JOINT_FIXED)
            continue;
        struct vfield *children = vfield_of(at, "children");
        assert_int_equal(children->node_count, 1);
        at = children->nodes[0];
        assert_true(strncmp(at->def, "motion_", 7) == 0);
        c->joint_transforms[j] = at;
        local = transform_pose(at);
        world = plain_product(&world, &local);
    }
    c->worlds[index] = world;
    struct vfield *children = vfield_of(at, "children");
    uint32_t child = index;
    for (size_t i = 0; i < children->node_count; i++)
        if (is_frame(children->nodes[i])) {
            child = next_child(c, index, child);
            assert_true(child != CP_NONE);
            compare_node(c, child, children->nodes[i], world);
        } else if (!c->frames_only) {
            add_shapes(c, index, children->nodes[i], NULL, world, &c->drawn);
        }
    assert_true(next_child(c, index, child) == CP_NONE);
}

static struct vnode *root_named(struct vrml_file *file, const char *def)
{
    for (size_t i = 0; i < file->root_count; i++)
        if (strcmp(file->roots[i]->def, def) == 0)
            return file->roots[i];
    return NULL;
}

/* Walks both trees side by side. The scene's Z up comes back by the inverse of the root's turn. */
static void walk(struct comparison *c)
{
    cp_pose world = PLAIN_IDENTITY;
    struct vnode *root = root_named(c->file, "WORLD"), *up = root_named(c->file, "y_up");
    if (up) {
        cp_pose turn = transform_pose(up);
        world = (cp_pose){{1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0}};
        world = plain_product(&world, &turn);
        root = vfield_of(up, "children")->nodes[0];
    }
    assert_non_null(root);
    c->shape_count = 0;
    start_totals(&c->drawn);
    start_totals(&c->proxy);
    compare_node(c, 0, root, world);
}

/* Mirrored frames come out unmirrored and flat ones unscaled: their origins remain. */
static void assert_same_worlds(const struct comparison *c, const double *q)
{
    cp_pose *worlds = malloc(c->node_count * sizeof *worlds);
    assert_non_null(worlds);
    pose_scene(c->scene, q, worlds);
    for (uint32_t i = 0; i < c->node_count; i++) {
        if (c->nodes[i].flags & CP_NODE_PLACEHOLDER)
            continue;
        double volume = plain_determinant(&worlds[i]), size = 1;
        for (int k = 0; k < 12; k++)
            size = fmax(size, fabs(worlds[i].m[k]));
        for (int k = 0; k < 12; k++) {
            double want = k % 4 == 3 ? worlds[i].m[k] : volume < 0 ? -worlds[i].m[k] : worlds[i].m[k];
            if (fabs(volume) < 1e-12 * size && (k % 4 != 3 || q))
                continue;
            if (!(fabs(c->worlds[i].m[k] - want) <= 1e-6 * size))
                fail_msg("frame \"%s\": entry %d is %.9g, not %.9g", c->nodes[i].name, k, c->worlds[i].m[k], want);
        }
    }
    free(worlds);
}

/* ---- clicks ---- */

static void as_quaternion(const double turn[4], double q[4])
{
    double length = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
    for (int i = 0; i < 3; i++)
        q[i] = length > 0 ? turn[i] / length * sin(turn[3] / 2) : 0;
    q[3] = length > 0 ? cos(turn[3] / 2) : 1;
}

/* ISO/IEC 14772-1, 6.32: the shorter way round, at constant speed. */
static void turn_between(const double a[4], const double b[4], double part, double out[4])
{
    double p[4], q[4], dot = 0, w[4];
    as_quaternion(a, p);
    as_quaternion(b, q);
    for (int i = 0; i < 4; i++)
        dot += p[i] * q[i];
    double sign = dot < 0 ? -1 : 1, angle = acos(fmin(1, fabs(dot))), sine = sin(angle);
    for (int i = 0; i < 4; i++)
        w[i] = sine < 1e-9 ? p[i] + (sign * q[i] - p[i]) * part
                           : (sin((1 - part) * angle) * p[i] + sign * sin(part * angle) * q[i]) / sine;
    double length = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    for (int i = 0; i < 3; i++)
        out[i] = length > 0 ? w[i] / length : i == 2;
    out[3] = 2 * atan2(length, w[3]);
}

/* The value of an interpolator as its Transform's field has it. Before the first key it is that key's. */
static void interpolate(struct vnode *node, double fraction, double out[4])
{
    bool turns = strcmp(node->type, "OrientationInterpolator") == 0;
    struct vfield *keys = vfield_of(node, "key"), *values = vfield_of(node, "keyValue");
    size_t width = turns ? 4 : 3, i = 1;
    while (i + 1 < keys->number_count && fraction > keys->numbers[i])
        i++;
    if (keys->number_count == 1) {
        memcpy(out, values->numbers, width * sizeof *out);
        return;
    }
    double length = keys->numbers[i] - keys->numbers[i - 1];
    double part = length > 0 ? fmax(0, fmin(1, (fraction - keys->numbers[i - 1]) / length)) : 1;
    const double *a = values->numbers + width * (i - 1), *b = a + width;
    for (size_t k = 0; k < width; k++)
        out[k] = a[k] + (b[k] - a[k]) * part;
    bool one_axis = turns && (a[3] == 0 || b[3] == 0 || memcmp(a, b, 3 * sizeof *a) == 0);
    if (one_axis) /* the angle runs straight; a zero rotation says nothing of the axis */
        memcpy(out, a[3] == 0 ? b : a, 3 * sizeof *out);
    else if (turns)
        turn_between(a, b, part, out);
}

static void set_numbers(struct vnode *node, const char *name, const double *values, size_t count)
{
    struct vfield *field = vfield_of(node, name);
    if (!field) {
        assert_true(node->field_count < 8);
        field = &node->fields[node->field_count++];
        *field = (struct vfield){.name = name, .type = SFVEC3F, .numbers = reader_allocate(4 * sizeof(double))};
        field->number_count = count;
    }
    memcpy(field->numbers, values, count * sizeof *values);
}

/* Sends a fraction from the timer along the ROUTEs. Timers that stop each other are no matter of fractions. */
static void play(struct vrml_file *file, const struct vnode *timer, double fraction)
{
    for (size_t i = 0; i < file->route_count; i++) {
        if (file->routes[i].from != timer || strcmp(file->routes[i].from_event, "fraction_changed") != 0)
            continue;
        struct vnode *interpolator = file->routes[i].to;
        double value[4];
        interpolate(interpolator, fraction, value);
        for (size_t k = 0; k < file->route_count; k++)
            if (file->routes[k].from == interpolator)
                set_numbers(file->routes[k].to, file->routes[k].to_event + strlen("set_"), value,
                            strcmp(file->routes[k].to_event, "set_rotation") == 0 ? 4 : 3);
    }
}

static bool timer_moves(const struct vrml_file *file, const struct vnode *timer, const struct vnode *transform)
{
    for (size_t i = 0; i < file->route_count; i++)
        for (size_t k = 0; file->routes[i].from == timer && k < file->route_count; k++)
            if (file->routes[k].from == file->routes[i].to && file->routes[k].to == transform)
                return true;
    return false;
}

static uint32_t driver_of(const struct comparison *c, uint32_t joint)
{
    return c->joints[joint].master == CP_NONE ? joint : c->joints[joint].master;
}

static bool is_flat_at(const struct comparison *c, uint32_t node)
{
    cp_pose *worlds = malloc(c->node_count * sizeof *worlds);
    assert_non_null(worlds);
    pose_scene(c->scene, NULL, worlds);
    double volume = plain_determinant(&worlds[node]);
    free(worlds);
    return fabs(volume) < 1e-12;
}

/* A click plays home, lower limit, upper limit and home again in 4 seconds, but at least half a second for each
 * way. Joints without limits turn 180 degrees each way, slide half the diagonal, or shrink and grow to half and double;
 * where that is beyond the other limit, the whole way is seen from there. */
enum { SWEEP_KEYS = 4 };
struct sweep {
    double times[SWEEP_KEYS], values[SWEEP_KEYS];
};

/* False if the joint is not driven, or has no way to go. */
static bool find_sweep(const struct comparison *c, uint32_t index, struct sweep *sweep)
{
    const cp_joint *joint = &c->joints[index];
    bool has_lower = isfinite(joint->lower), has_upper = isfinite(joint->upper), grows = joint->type == CP_JOINT_SCALE;
    double reach = joint->type == CP_JOINT_REVOLUTE ? PI : c->diagonal > 0 ? c->diagonal / 2 : 0.5, home = joint->home;
    double lower = has_lower ? joint->lower : grows ? home / 2 : home - reach;
    double upper = has_upper ? joint->upper : grows ? home * 2 : home + reach;
    if (lower > upper && has_upper)
        lower = upper - 2 * reach;
    else if (lower > upper)
        upper = lower + 2 * reach;
    double length = fabs(home - lower) + (upper - lower) + fabs(upper - home);
    if (joint->type == CP_JOINT_FIXED || !joint->driven || cp_joint_is_dependent(joint) || !(length > 0))
        return false;
    *sweep = (struct sweep){.values = {home, lower, upper, home}};
    for (int i = 1; i < SWEEP_KEYS; i++) {
        double part = fabs(sweep->values[i] - sweep->values[i - 1]) / length;
        sweep->times[i] = sweep->times[i - 1] + fmax(4 * part, 0.5);
    }
    return true;
}

static bool should_move(const struct comparison *c, uint32_t joint)
{
    struct sweep sweep;
    return c->joints[joint].type != CP_JOINT_FIXED && !is_flat_at(c, c->joints[joint].node) &&
           find_sweep(c, driver_of(c, joint), &sweep);
}

/* q of all joints when a part's joints play one after the other and `time` seconds have gone. */
static double expected_values(const struct comparison *c, uint32_t node, double time, double *q)
{
    double start = 0;
    for (uint32_t j = 0; j < c->joint_count; j++) {
        struct sweep sweep;
        q[j] = c->joints[j].q;
        if (c->joints[j].node != node || !find_sweep(c, j, &sweep))
            continue;
        double at = fmin(fmax(time - start, 0), sweep.times[SWEEP_KEYS - 1]);
        int k = 1;
        while (k < SWEEP_KEYS - 1 && at > sweep.times[k])
            k++;
        double part = (at - sweep.times[k - 1]) / (sweep.times[k] - sweep.times[k - 1]);
        q[j] = sweep.values[k - 1] + (sweep.values[k] - sweep.values[k - 1]) * part;
        start += sweep.times[SWEEP_KEYS - 1];
    }
    return start;
}

/* The node whose driving joints the timer plays; moves exactly the joints that follow them. */
static uint32_t part_of_timer(const struct comparison *c, const struct vnode *timer)
{
    uint32_t part = CP_NONE;
    for (uint32_t j = 0; j < c->joint_count; j++)
        if (c->joint_transforms[j] && timer_moves(c->file, timer, c->joint_transforms[j]))
            part = c->joints[driver_of(c, j)].node;
    for (uint32_t j = 0; part != CP_NONE && j < c->joint_count; j++) {
        bool moved = c->joint_transforms[j] && timer_moves(c->file, timer, c->joint_transforms[j]);
        bool should = should_move(c, j) && c->joints[driver_of(c, j)].node == part;
        if (moved != should)
            fail_msg("%s: joint %s is %smoved", timer->def, c->joints[j].name, moved ? "" : "not ");
    }
    return part;
}

static void compare_play(struct comparison *c, struct vnode *timer)
{
    uint32_t part = part_of_timer(c, timer);
    if (part == CP_NONE)
        fail_msg("%s moves nothing", timer->def);
    double *q = malloc((c->joint_count + 1) * sizeof *q), cycle = number_of(timer, "cycleInterval", 0, 1);
    assert_non_null(q);
    for (int step = 0; step <= 20; step++) {
        double length = expected_values(c, part, cycle * step / 20, q);
        assert_near(length, cycle, 1e-9);
        play(c->file, timer, step / 20.0);
        walk(c);
        assert_same_worlds(c, q);
    }
    free(q);
}

/* Tells whether the scene has formulas: what their joints do is judged in recordings alone. */
static bool has_formulas(const struct comparison *c)
{
    for (uint32_t i = 0; i < c->joint_count; i++)
        if (c->joints[i].expression)
            return true;
    return false;
}

static bool plays_recording(const struct vnode *timer)
{
    return strncmp(timer->def, "play_", 5) == 0;
}

/* The nearest joint at or above the frame that moves; CP_NONE: none does. */
static uint32_t mover_of(const struct comparison *c, uint32_t node)
{
    uint32_t mover = CP_NONE;
    for (uint32_t n = node; n != CP_NONE && mover == CP_NONE; n = c->nodes[n].parent)
        for (uint32_t j = 0; j < c->nodes[n].joint_count; j++)
            if (should_move(c, c->nodes[n].first_joint + j))
                mover = c->nodes[n].first_joint + j;
    return mover;
}

/* A joint may be played by a click on its device where all of its own shapes are small. */
static void expect_small(const struct comparison *c, const struct vnode *timer, uint32_t device)
{
    uint32_t part = part_of_timer(c, timer);
    assert_int_equal(c->nodes[part].scope, device);
    for (uint32_t i = 0; i < c->node_count; i++) {
        uint32_t mover = mover_of(c, i);
        if (mover != CP_NONE && c->joints[driver_of(c, mover)].node == part)
            assert_true(own_size(c, i) <= 0.02 * c->diagonal);
    }
}

/* Every shape feels for the nearest joint above it that moves, or that one's master; the others for none. Where there
 * is a recording, it starts on some of them. */
static void compare_sensors(struct comparison *c, bool recorded)
{
    size_t starts = 0;
    for (size_t s = 0; s < c->shape_count; s++) {
        uint32_t mover = mover_of(c, c->shapes[s].node), device = c->nodes[c->shapes[s].node].scope;
        bool started = false, moved = false;
        for (size_t i = 0; c->shapes[s].sensor && i < c->file->route_count; i++) {
            struct vnode *timer = c->file->routes[i].to;
            if (c->file->routes[i].from != c->shapes[s].sensor)
                continue;
            if (plays_recording(timer)) {
                started = true;
            } else if (mover != CP_NONE && timer_moves(c->file, timer, c->joint_transforms[mover])) {
                if (!has_formulas(c))
                    assert_int_equal(part_of_timer(c, timer), c->joints[driver_of(c, mover)].node);
                assert_false(moved);
                moved = true;
            } else if (!has_formulas(c)) {
                expect_small(c, timer, device);
            }
        }
        assert_true(!started || (recorded && !moved));
        assert_true(started || recorded || moved == (mover != CP_NONE));
        starts += started;
    }
    assert_true(starts > 0 || c->shape_count == 0 || !recorded);
}

static bool stops(const struct vrml_file *file, const struct vnode *one, const struct vnode *other)
{
    for (size_t i = 0; i < file->route_count; i++)
        if (file->routes[i].from == one && file->routes[i].to == other &&
            strcmp(file->routes[i].from_event, "cycleTime") == 0 &&
            strcmp(file->routes[i].to_event, "set_stopTime") == 0)
            return true;
    return false;
}

/* ---- recordings ---- */

/* The first and the last time of a clip's keys and attachments; both 0 if it has none. */
static void find_range(const cp_clip *clip, double *first, double *last)
{
    *first = INFINITY, *last = -INFINITY;
    for (uint32_t i = 0; i < clip->track_count; i++)
        for (uint32_t k = 0; k < clip->tracks[i].key_count; k++) {
            *first = fmin(*first, clip->tracks[i].times[k]);
            *last = fmax(*last, clip->tracks[i].times[k]);
        }
    for (uint32_t i = 0; i < clip->attachment_count; i++) {
        *first = fmin(*first, clip->attachments[i].time);
        *last = fmax(*last, clip->attachments[i].time);
    }
    if (*first > *last)
        *first = *last = 0;
}

/* The first clip, by the one timer that clicks start: as far off as keys may be left out, at most. */
static void compare_recording(struct comparison *c, struct vnode *timer)
{
    double first, last, within = 1e-4 + 1e-6 * c->diagonal;
    cp_pose *worlds = malloc(c->node_count * sizeof *worlds);
    assert_non_null(worlds);
    find_range(cp_clips(c->scene, NULL), &first, &last);
    assert_near(number_of(timer, "cycleInterval", 0, 1), last > first ? last - first : 1, 1e-9);
    for (int step = 0; step < 100; step++) {
        double fraction = (step + 0.37) / 100, time = first + (last - first) * fraction; /* between jumps */
        assert_int_equal(cp_clip_poses(c->context, c->scene, 0, time, worlds), CP_OK);
        play(c->file, timer, fraction);
        walk(c);
        for (uint32_t i = 0; i < c->node_count; i++)
            for (int k = 3; k < 12; k += 4)
                if (!(fabs(c->worlds[i].m[k] - worlds[i].m[k]) <= within))
                    fail_msg("%g s: frame \"%s\": %.9g, not %.9g", time, c->nodes[i].name, c->worlds[i].m[k],
                             worlds[i].m[k]);
    }
    free(worlds);
}

/* ---- what can be seen ---- */

/* A node's own mesh as it is shown: boxes of 8 corners, in the world of the scene. */
struct sight {
    uint32_t times;
    double corners[8][3];
};

struct looking {
    const cp_scene *scene;
    struct vrml_file *file;
    const char *folder;
    struct sight *sights; /* of each node */
};

static uint32_t node_named(const cp_scene *scene, const char *name)
{
    uint32_t count;
    const cp_node *nodes = cp_nodes(scene, &count);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(nodes[i].name, name) == 0)
            return i;
    return CP_NONE;
}

/* Into all that is there, through every USE. node: the nearest frame of the scene above. */
static void look(const struct looking *looking, struct vnode *at, uint32_t node, cp_pose world)
{
    if (strcmp(at->type, "Shape") == 0) {
        struct vfield *points = vfield_of(child_of(child_of(at, "geometry"), "coord"), "point");
        struct sight *sight = &looking->sights[node];
        assert_int_equal(points->number_count, 24);
        sight->times++;
        for (size_t i = 0; i < 8; i++)
            plain_point(&world, points->numbers + 3 * i, sight->corners[i]);
        return;
    }
    if (strcmp(at->type, "Inline") == 0) {
        const struct comparison files = {.folder = looking->folder};
        struct vrml_file *part = read_inline(&files, at);
        for (size_t i = 0; i < part->root_count; i++)
            look(looking, part->roots[i], node, world);
        return;
    }
    if (strcmp(at->type, "Transform") == 0) {
        cp_pose local = transform_pose(at);
        world = plain_product(&world, &local);
    }
    if (*at->def && node_named(looking->scene, original_name(looking->file, "frame", at->def)) != CP_NONE)
        node = node_named(looking->scene, original_name(looking->file, "frame", at->def));
    struct vfield *children = vfield_of(at, "children");
    for (size_t i = 0; children && i < children->node_count; i++)
        look(looking, children->nodes[i], node, world);
}

/* Every node's boxes are seen once, each corner within the tolerance of where the poses have it. */
static inline void compare_sights(const struct looking *looking, const cp_pose *worlds, double within, const char *when)
{
    uint32_t count;
    const cp_node *nodes = cp_nodes(looking->scene, &count);
    static const cp_pose up = {{1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0}};
    struct vnode *turned = root_named(looking->file, "y_up"), *root = root_named(looking->file, "WORLD");
    memset(looking->sights, 0, count * sizeof *looking->sights);
    look(looking, turned ? turned : root, 0, turned ? up : PLAIN_IDENTITY);
    for (uint32_t i = 0; i < count; i++) {
        const struct sight *sight = &looking->sights[i];
        if (sight->times != nodes[i].instance_count)
            fail_msg("%s: \"%s\" is seen %u times", when, nodes[i].name, sight->times);
        for (size_t corner = 0; corner < 8 && sight->times > 0; corner++) {
            const cp_instance *shown = &cp_instances(looking->scene, NULL)[nodes[i].first_instance];
            const float *at = cp_meshes(looking->scene, NULL)[shown->mesh].positions + 3 * corner;
            double want[3], off = 0;
            plain_point(&worlds[i], (const double[]){(double)at[0], (double)at[1], (double)at[2]}, want);
            for (int k = 0; k < 3; k++)
                off = hypot(off, sight->corners[corner][k] - want[k]);
            if (!(off <= within))
                fail_msg("%s: corner %zu of \"%s\" is %.3g off, at %g %g %g, not %g %g %g", when, corner, nodes[i].name,
                         off, sight->corners[corner][0], sight->corners[corner][1], sight->corners[corner][2], want[0],
                         want[1], want[2]);
        }
    }
}

/* Everything at once; scene: as the exporter got it, without primitives. folder: of further files, or NULL. */
static void compare_files(cp_context *context, const char *text, const cp_scene *scene, const char *folder)
{
    cp_measures measures = {.size = sizeof measures};
    struct comparison c = {.context = context, .scene = scene, .file = vrml_read(text), .folder = folder};
    c.nodes = cp_nodes(scene, &c.node_count);
    c.joints = cp_joints(scene, &c.joint_count);
    vrml_check(c.file);
    assert_int_equal(cp_measure(context, scene, CP_USE_DRAWN, &measures), CP_OK);
    if (!measures.any)
        assert_int_equal(cp_measure(context, scene, CP_USE_COLLISION, &measures), CP_OK);
    for (int i = 0; i < 3 && measures.any; i++)
        c.diagonal = hypot(c.diagonal, measures.upper[i] - measures.lower[i]);
    c.worlds = reader_allocate(c.node_count * sizeof *c.worlds);
    c.joint_transforms = reader_allocate((c.joint_count + 1) * sizeof *c.joint_transforms);
    walk(&c);
    struct totals drawn, proxy;
    start_totals(&drawn);
    start_totals(&proxy);
    add_scene(&drawn, &c, true);
    add_scene(&proxy, &c, false);
    assert_same_totals(&c.drawn, &drawn);
    assert_same_totals(&c.proxy, &proxy);
    assert_same_worlds(&c, NULL);
    bool recorded = count_clips(scene) > 0;
    compare_sensors(&c, recorded);
    c.frames_only = true;
    for (size_t i = 0; i < c.file->root_count; i++)
        if (strcmp(c.file->roots[i]->type, "TimeSensor") == 0) {
            const char *name = c.file->roots[i]->def;
            c.file = vrml_read(text); /* each play starts from the file as written */
            walk(&c);
            struct vnode *timer = root_named(c.file, name);
            if (plays_recording(timer)) {
                compare_recording(&c, timer);
                continue;
            }
            if (!has_formulas(&c))
                compare_play(&c, timer);
            for (size_t k = 0; k < c.file->root_count && recorded; k++)
                if (plays_recording(c.file->roots[k]))
                    assert_true(stops(c.file, timer, c.file->roots[k]) && stops(c.file, c.file->roots[k], timer));
        }
}

static inline void compare_with_scene(cp_context *context, const char *text, const cp_scene *scene)
{
    compare_files(context, text, scene, NULL);
}

#endif
