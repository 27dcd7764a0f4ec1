/* DCT devices and workcells: where parts are, against plain 4x4 matrices of row vectors as the dialect is defined, over
 * random devices in random units, on random hosts. */
#include <math.h>

#include "deneb_support.h"

/* ---- row-vector matrices ---- */

struct matrix {
    double m[4][4];
};

static struct matrix identity(void)
{
    return (struct matrix){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
}

/* v . a . b */
static struct matrix times(struct matrix a, struct matrix b)
{
    struct matrix c = {{{0}}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4; k++)
                c.m[i][j] += a.m[i][k] * b.m[k][j];
    return c;
}

static uint64_t seed;

static double pick(double low, double high)
{
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    return low + (high - low) * ((double)(seed >> 11) / 9007199254740992.0);
}

static uint32_t choose(uint32_t count)
{
    return (uint32_t)pick(0, count);
}

static struct matrix turn(int axis, double radians)
{
    struct matrix m = identity();
    int y = (axis + 1) % 3, z = (axis + 2) % 3;
    m.m[y][y] = m.m[z][z] = cos(radians);
    m.m[y][z] = sin(radians);
    m.m[z][y] = -sin(radians);
    return m;
}

/* Scale, then three turns, then a way of a metre or so in units of `unit` metres. */
static struct matrix random_matrix(double unit)
{
    struct matrix m = identity();
    for (int i = 0; i < 3; i++)
        m.m[i][i] = pick(0.7, 1.4);
    for (int i = 0; i < 3; i++)
        m = times(m, turn(i, pick(-3, 3)));
    for (int i = 0; i < 3; i++)
        m.m[3][i] = pick(-1, 1) / unit;
    return m;
}

static struct matrix in_metres(struct matrix m, double unit)
{
    for (int i = 0; i < 3; i++)
        m.m[3][i] *= unit;
    return m;
}

/* ---- random cells ---- */

enum { MOST_DEVICES = 5, MOST_PARTS = 9, MOST_JOINTS = 8, TYPES = 10 };

static const struct {
    const char *word, *alias;
} types[TYPES] = {{"TRANS_X", "13"},  {"TRANS_Y", "14"}, {"TRANS_Z", "15"}, {"ROTATE_X", "16"}, {"ROTATE_Y", "17"},
                  {"ROTATE_Z", "18"}, {"SCALE_X", NULL}, {"SCALE_Y", NULL}, {"SCALE_Z", NULL},  {"scale_all", NULL}};

struct joint {
    uint32_t part, type;
    double value;   /* of the file */
    bool driven;    /* else value is factor * value of `input` + value of `offset` */
    uint32_t input; /* joint of the device */
    double factor, offset;
};

struct device {
    double unit, angle; /* metres, radians */
    bool in_file;
    struct matrix pose; /* in the cell's unit */
    uint32_t part_count, joint_count, first_part, host, rank;
    uint32_t parents[MOST_PARTS];
    struct matrix matrices[MOST_PARTS];
    struct joint joints[MOST_JOINTS];
};

struct cell {
    double unit, angle;
    uint32_t device_count, part_count;
    struct device devices[MOST_DEVICES];
    struct matrix worlds[MOST_DEVICES * MOST_PARTS];
};

static const double units[] = {0.001, 1, 0.0254}, angles[] = {0.017453292519943295, 1};
static const char *const unit_words[] = {"mm", "m", "in"}, *const angle_words[] = {"deg", "rad"};

static const char *word_of_unit(double unit)
{
    return unit_words[unit == 1 ? 1 : unit == 0.0254 ? 2 : 0];
}

static const char *word_of_angle(double angle)
{
    return angle_words[angle == 1];
}

static double unit_of(const struct device *device, uint32_t type)
{
    return type < 3 ? device->unit : type < 6 ? device->angle : 1;
}

static double random_value(const struct device *device, uint32_t type)
{
    return type < 3 ? pick(-1, 1) / device->unit : type < 6 ? pick(-3, 3) / device->angle : pick(0.6, 1.6);
}

static void make_joints(struct device *device)
{
    device->joint_count = choose(MOST_JOINTS + 1);
    for (uint32_t i = 0; i < device->joint_count; i++) {
        struct joint *joint = &device->joints[i];
        uint32_t type = choose(TYPES);
        *joint = (struct joint){.part = choose(device->part_count), .type = type, .driven = true};
        joint->value = random_value(device, type);
    }
    /* Some follow another of their kind, wherever that stands. */
    for (uint32_t i = 0; i < device->joint_count; i++) {
        struct joint *joint = &device->joints[i];
        uint32_t input = choose(device->joint_count);
        if (input == i || !device->joints[input].driven || device->joints[input].type / 3 != joint->type / 3)
            continue;
        bool is_input = false;
        for (uint32_t k = 0; k < device->joint_count; k++)
            is_input = is_input || (!device->joints[k].driven && device->joints[k].input == i);
        if (is_input)
            continue;
        joint->driven = false;
        joint->input = input;
        joint->factor = joint->type < 6 ? pick(-1, 1) : pick(0.4, 0.6);
        joint->offset = joint->type < 6 ? 0.125 : 0.25;
    }
}

static void make_device(struct cell *cell, struct device *device)
{
    device->in_file = choose(2);
    device->unit = device->in_file ? units[choose(3)] : cell->unit;
    device->angle = device->in_file ? angles[choose(2)] : cell->angle;
    device->pose = random_matrix(cell->unit);
    device->part_count = 1 + choose(MOST_PARTS);
    device->first_part = cell->part_count;
    cell->part_count += device->part_count;
    for (uint32_t i = 0; i < device->part_count; i++) {
        uint32_t parent = i - 1; /* the last one, or one that it hangs on: a walk, parents first */
        for (uint32_t up = i > 0 ? choose(3) : 0; up > 0 && device->parents[parent] != CP_NONE; up--)
            parent = device->parents[parent];
        device->parents[i] = i > 0 ? parent : CP_NONE;
        device->matrices[i] = random_matrix(device->unit);
    }
    make_joints(device);
}

static void make_cell(struct cell *cell)
{
    *cell =
        (struct cell){.unit = units[choose(3)], .angle = angles[choose(2)], .device_count = 1 + choose(MOST_DEVICES)};
    for (uint32_t i = 0; i < cell->device_count; i++)
        make_device(cell, &cell->devices[i]);
    for (uint32_t i = 0; i < cell->device_count; i++)
        cell->devices[i].rank = i;
    for (uint32_t i = cell->device_count; i > 1; i--) {
        uint32_t other = choose(i), rank = cell->devices[i - 1].rank;
        cell->devices[i - 1].rank = cell->devices[other].rank;
        cell->devices[other].rank = rank;
    }
    /* A device hangs on one of lower rank, whichever stands first. */
    for (uint32_t i = 0; i < cell->device_count; i++) {
        const struct device *host = &cell->devices[choose(cell->device_count)];
        bool hangs = host->rank < cell->devices[i].rank;
        cell->devices[i].host = hangs ? host->first_part + choose(host->part_count) : CP_NONE;
    }
}

/* ---- as text ---- */

static void write_matrix(struct text *text, struct matrix m)
{
    bool lines = choose(2);
    print(text, "MATRIX");
    for (int i = 0; i < 16; i++)
        print(text, "%s%.17g", lines && i % 4 == 0 ? "\n  " : " ", m.m[i / 4][i % 4]);
    print(text, "\n");
}

static uint32_t depth_of(const struct device *device, uint32_t part)
{
    uint32_t depth = 0;
    for (; device->parents[part] != CP_NONE; part = device->parents[part])
        depth++;
    return depth;
}

static void write_joint(struct text *text, const struct device *device, uint32_t number, uint32_t index)
{
    const struct joint *joint = &device->joints[index];
    const char *type = types[joint->type].alias && choose(2) ? types[joint->type].alias : types[joint->type].word;
    print(text, "JOINT \"j%u_%u\" TYPE %s PART %u", number, index, type, joint->part);
    uint32_t dof = 1;
    for (uint32_t i = 0; i < joint->input; i++)
        dof += device->joints[i].driven;
    if (joint->driven)
        print(text, " INIT %.17g\n", joint->value);
    else if (choose(2))
        print(text, " VALUE \"=%.17g*dof(%u)+%.17g\"\n", joint->factor, dof, joint->offset);
    else
        print(text, " VALUE = %.17g + DOF( %u ) * %.17g # follows\n", joint->offset, dof, joint->factor);
}

static void write_body(struct text *text, const struct device *device, uint32_t number)
{
    for (uint32_t i = 0; i < device->part_count; i++) {
        uint32_t next = i + 1 < device->part_count ? depth_of(device, i + 1) : 0;
        print(text, "PART \"p%u\" ATTACH ", device->first_part + i);
        for (uint32_t zeros = depth_of(device, i) + 1 - next; zeros > 0; zeros--)
            print(text, "0");
        print(text, i + 1 < device->part_count ? "1\n" : "\n");
        write_matrix(text, device->matrices[i]);
    }
    for (uint32_t i = 0; i < device->joint_count; i++)
        write_joint(text, device, number, i);
    print(text, "END\n");
}

static void write_device(struct text *text, const struct cell *cell, uint32_t number)
{
    const struct device *device = &cell->devices[number];
    print(text, "DEVICE \"d%u\"", number);
    if (device->in_file) {
        struct text other = {0};
        char name[32];
        (void)snprintf(name, sizeof name, "d%u.dcd", number);
        print(&other, "DCT DEVICE 1.0\nUNIT %s\nANGLE %s\nDEVICE \"other\"\n", word_of_unit(device->unit),
              word_of_angle(device->angle));
        write_body(&other, device, number);
        write_file(name, other.data);
        free_text(&other);
        print(text, " FILE \"%s\"\n", name);
    } else {
        print(text, "\n");
    }
    write_matrix(text, device->pose);
    if (device->in_file)
        print(text, "END\n");
    else
        write_body(text, device, number);
}

static void write_cell(struct text *text, const struct cell *cell)
{
    print(text, "DCT WORKCELL 1.0\nHEAD\nUNIT %s ANGLE %s\nEND\nDEVICES\n", word_of_unit(cell->unit),
          word_of_angle(cell->angle));
    for (uint32_t i = 0; i < cell->device_count; i++)
        write_device(text, cell, i);
    print(text, "ATTACHMENTS %u\n", cell->device_count);
    for (uint32_t i = 0; i < cell->device_count; i++)
        print(text, " %ld", cell->devices[i].host == CP_NONE ? -1L : (long)cell->devices[i].host);
    print(text, "\nEND\n");
}

/* ---- where parts are ---- */

static double value_of(const struct device *device, uint32_t index)
{
    const struct joint *joint = &device->joints[index];
    return joint->driven ? joint->value : joint->factor * device->joints[joint->input].value + joint->offset;
}

static struct matrix motion_of(const struct device *device, uint32_t index)
{
    uint32_t type = device->joints[index].type;
    double value = value_of(device, index) * unit_of(device, type);
    struct matrix m = identity();
    if (type < 3)
        m.m[3][type] = value;
    else if (type < 6)
        m = turn((int)type - 3, value);
    else
        for (uint32_t i = 0; i < 3; i++)
            m.m[i][i] = type == 9 || type - 6 == i ? value : 1;
    return m;
}

/* world(v) = v . J . MATRIX . world(parent), J the joints of the part in the order of the file. */
static void place_device(struct cell *cell, const struct device *device)
{
    struct matrix base = in_metres(device->pose, cell->unit);
    if (device->host != CP_NONE)
        base = times(base, cell->worlds[device->host]);
    for (uint32_t i = 0; i < device->part_count; i++) {
        struct matrix motion = identity();
        for (uint32_t k = 0; k < device->joint_count; k++)
            if (device->joints[k].part == i)
                motion = times(motion, motion_of(device, k));
        struct matrix parent =
            device->parents[i] == CP_NONE ? base : cell->worlds[device->first_part + device->parents[i]];
        cell->worlds[device->first_part + i] =
            times(times(motion, in_metres(device->matrices[i], device->unit)), parent);
    }
}

static void place_cell(struct cell *cell)
{
    for (uint32_t rank = 0; rank < cell->device_count; rank++)
        for (uint32_t i = 0; i < cell->device_count; i++)
            if (cell->devices[i].rank == rank)
                place_device(cell, &cell->devices[i]);
}

static double largest(const struct cell *cell)
{
    double most = 1;
    for (uint32_t i = 0; i < cell->part_count; i++)
        for (int k = 0; k < 16; k++)
            most = fmax(most, fabs(cell->worlds[i].m[k / 4][k % 4]));
    return most;
}

static void compare(struct cell *cell, const cp_scene *scene, const double *q)
{
    cp_pose worlds[1 + MOST_DEVICES * (MOST_PARTS + 1)];
    uint32_t count;
    (void)cp_nodes(scene, &count);
    assert_int_equal(count, 1 + cell->device_count + cell->part_count);
    pose_scene(scene, q, worlds);
    place_cell(cell);
    double tolerance = 1e-12 * largest(cell);
    for (uint32_t part = 0; part < cell->part_count; part++) {
        char name[32];
        (void)snprintf(name, sizeof name, "p%u", part);
        const double *pose = worlds[find_node(scene, name)].m;
        for (int i = 0; i < 12; i++)
            if (!(fabs(pose[i] - cell->worlds[part].m[i % 4][i / 4]) <= tolerance))
                fail_msg("%s, entry %d: %.17g, not %.17g", name, i, pose[i], cell->worlds[part].m[i % 4][i / 4]);
    }
}

/* Other values for all joints; those that only follow get one that must not be looked at. */
static void change_values(struct cell *cell, const cp_scene *scene, double *q)
{
    uint32_t count;
    (void)cp_joints(scene, &count);
    assert_in_range(count, 0, 3 * MOST_DEVICES * MOST_JOINTS);
    for (uint32_t i = 0; i < count; i++)
        q[i] = 1e9;
    for (uint32_t d = 0; d < cell->device_count; d++)
        for (uint32_t i = 0; i < cell->devices[d].joint_count; i++) {
            struct joint *joint = &cell->devices[d].joints[i];
            char name[32];
            (void)snprintf(name, sizeof name, "j%u_%u", d, i);
            uint32_t index = find_joint(scene, name);
            assert_int_equal(cp_joint_is_dependent(&cp_joints(scene, &count)[index]), !joint->driven);
            joint->value = random_value(&cell->devices[d], joint->type);
            if (joint->driven)
                q[index] = joint->value * unit_of(&cell->devices[d], joint->type);
        }
}

static void test_poses(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 300; round++) {
        struct cell cell;
        struct text text = {0};
        double q[3 * MOST_DEVICES * MOST_JOINTS];
        seed = round + 1;
        make_cell(&cell);
        write_cell(&text, &cell);
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene = must_read(context, text.data, "strict=yes");
        compare(&cell, scene, NULL);
        for (int i = 0; i < 3; i++) {
            change_values(&cell, scene, q);
            compare(&cell, scene, q);
        }
        cp_scene_free(scene);
        cp_context_free(context);
        free_text(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_poses)};
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
