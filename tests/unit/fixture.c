/* Defines what fixture.h declares. */
#include "fixture.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scene_fixture.h"

uint32_t usual_or_long(uint32_t usual, uint32_t all)
{
    return getenv("CELLPIPE_LONG") ? all : usual;
}

uint64_t random_state = 1;

double random_number(double lower, double upper)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return lower + (upper - lower) * (double)(random_state >> 11) * 0x1p-53;
}

/* ---- contexts ---- */

int make_context(void **state)
{
    *state = cp_context_new(NULL);
    return *state ? 0 : -1;
}

int free_context(void **state)
{
    cp_context_free(*state);
    return 0;
}

/* ---- reports ---- */

void show_report(const cp_context *reporter)
{
    size_t count;
    const cp_entry *entries = cp_report(reporter, &count);
    for (size_t i = 0; i < count; i++)
        print_message("%s\n", entries[i].message);
}

const cp_entry *find_entry(const cp_context *reporter, const char *code)
{
    size_t count;
    const cp_entry *entries = cp_report(reporter, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(entries[i].code, code) == 0)
            return &entries[i];
    return NULL;
}

const cp_entry *find_last_entry(const cp_context *reporter, const char *code)
{
    size_t count;
    const cp_entry *entries = cp_report(reporter, &count);
    while (count-- > 0)
        if (strcmp(entries[count].code, code) == 0)
            return &entries[count];
    return NULL;
}

size_t count_all(const cp_context *reporter)
{
    size_t count;
    (void)cp_report(reporter, &count);
    return count;
}

bool was_reported(const cp_context *reporter, const char *code)
{
    return find_entry(reporter, code) != NULL;
}

bool was_said(const cp_context *reporter, const char *part)
{
    size_t count;
    const cp_entry *entries = cp_report(reporter, &count);
    for (size_t i = 0; i < count; i++)
        if (strstr(entries[i].message, part))
            return true;
    return false;
}

uint64_t count_of(const cp_context *reporter, const char *code)
{
    const cp_entry *entry = find_entry(reporter, code);
    return entry ? entry->count : 0;
}

size_t count_entries(const cp_context *reporter, cp_severity severity, const char *code)
{
    size_t count, found = 0;
    const cp_entry *entries = cp_report(reporter, &count);
    for (size_t i = 0; i < count; i++)
        found += entries[i].severity == severity && strcmp(entries[i].code, code) == 0;
    return found;
}

uint64_t count_lost(const cp_context *reporter, const char *code)
{
    size_t count;
    uint64_t sum = 0;
    const cp_entry *entries = cp_report(reporter, &count);
    for (size_t i = 0; i < count; i++)
        sum += entries[i].severity == CP_LOSS && strcmp(entries[i].code, code) == 0 ? entries[i].count : 0;
    return sum;
}

double number_told(const cp_context *reporter, const char *code, const char *words)
{
    const cp_entry *entry = find_entry(reporter, code);
    const char *at = entry ? strstr(entry->text, words) : NULL;
    double number = 0;
    assert_true(!entry || (at && cp_parse_number(at + strlen(words), strchr(at, 0), &number)));
    return number;
}

void expect_status(const cp_context *reporter, cp_status status, cp_status expected)
{
    if (status != expected)
        show_report(reporter);
    assert_int_equal(status, expected);
}

/* ---- scenes to look into ---- */

#define COUNT_ROWS(function, view)                                                                                     \
    uint32_t function(const cp_scene *shown)                                                                           \
    {                                                                                                                  \
        uint32_t count;                                                                                                \
        (void)view(shown, &count);                                                                                     \
        return count;                                                                                                  \
    }

COUNT_ROWS(count_nodes, cp_nodes)
COUNT_ROWS(count_instances, cp_instances)
COUNT_ROWS(count_meshes, cp_meshes)
COUNT_ROWS(count_images, cp_images)
COUNT_ROWS(count_textures, cp_textures)
COUNT_ROWS(count_materials, cp_materials)
COUNT_ROWS(count_joints, cp_joints)
COUNT_ROWS(count_loops, cp_loops)
COUNT_ROWS(count_devices, cp_devices)
COUNT_ROWS(count_pairs, cp_pairs)
COUNT_ROWS(count_clips, cp_clips)
COUNT_ROWS(count_metadata, cp_metadata)

#define FIND_ROW(function, view, type, word)                                                                           \
    uint32_t function(const cp_scene *shown, const char *name)                                                         \
    {                                                                                                                  \
        uint32_t count;                                                                                                \
        const type *rows = view(shown, &count);                                                                        \
        for (uint32_t i = 0; i < count; i++)                                                                           \
            if (strcmp(rows[i].name, name) == 0)                                                                       \
                return i;                                                                                              \
        fail_msg("no " word " %s", name);                                                                              \
        return CP_NONE;                                                                                                \
    }

FIND_ROW(find_node, cp_nodes, cp_node, "node")
FIND_ROW(find_joint, cp_joints, cp_joint, "joint")
FIND_ROW(find_device, cp_devices, cp_device, "device")

#define FIND_ONLY(function, list, type)                                                                                \
    uint32_t function(const cp_scene *shown, const char *name)                                                         \
    {                                                                                                                  \
        uint32_t count, found = CP_NONE, times = 0;                                                                    \
        const type *rows = list(shown, &count);                                                                        \
        for (uint32_t i = 0; i < count; i++)                                                                           \
            if (strcmp(rows[i].name, name) == 0 && ++times > 0)                                                        \
                found = i;                                                                                             \
        return times == 1 ? found : CP_NONE;                                                                           \
    }
FIND_ONLY(only_node, cp_nodes, cp_node)
FIND_ONLY(only_joint, cp_joints, cp_joint)

const cp_mesh *only_mesh(const cp_scene *shown)
{
    uint32_t count;
    const cp_mesh *mesh = cp_meshes(shown, &count);
    assert_int_equal(count, 1);
    return mesh;
}

const cp_node *node_called(const cp_scene *shown, const char *name)
{
    return &cp_nodes(shown, NULL)[find_node(shown, name)];
}

const cp_joint *joint_called(const cp_scene *shown, const char *name)
{
    return &cp_joints(shown, NULL)[find_joint(shown, name)];
}

void pose_scene(const cp_scene *shown, const double *q, cp_pose *worlds)
{
    cp_context *own = cp_context_new(NULL);
    assert_int_equal(cp_world_poses(own, shown, q, worlds), CP_OK);
    cp_context_free(own);
}

double joint_value(const cp_scene *shown, uint32_t joint, const double *q)
{
    double values[256];
    assert_true(count_joints(shown) <= sizeof values / sizeof *values);
    cp_context *own = cp_context_new(NULL);
    assert_int_equal(cp_joint_values(own, shown, q, values), CP_OK);
    cp_context_free(own);
    return values[joint];
}

/* ---- scenes to build ---- */

static uint32_t must_be_added(uint32_t index)
{
    assert_true(index != CP_NONE);
    return index;
}

uint32_t add_node_at(cp_scene *built, uint32_t parent, const char *name, const cp_pose *local)
{
    cp_node node = cp_new_node();
    node.parent = parent;
    node.name = name;
    if (local)
        node.local = *local;
    return must_be_added(cp_add_node(built, &node));
}

uint32_t add_instance_of(cp_scene *built, uint32_t node, uint32_t mesh, uint32_t use, const cp_pose *transform)
{
    cp_instance instance = cp_new_instance(node, mesh);
    instance.use = use;
    if (transform)
        instance.transform = *transform;
    return must_be_added(cp_add_instance(built, &instance));
}

uint32_t add_mesh_of(cp_scene *built, const cp_mesh *mesh)
{
    return must_be_added(cp_add_mesh(built, mesh));
}

uint32_t add_joint_of(cp_scene *built, uint32_t node, cp_joint_type type, const char *name)
{
    cp_joint joint = cp_new_joint();
    joint.node = node;
    joint.type = type;
    joint.name = name;
    return must_be_added(cp_add_joint(built, &joint));
}

uint32_t add_limited_joint(cp_scene *built, uint32_t node, cp_joint_type type, const char *name, double lower,
                           double upper)
{
    cp_joint joint = cp_new_joint();
    joint.node = node;
    joint.type = type;
    joint.name = name;
    joint.lower = lower;
    joint.upper = upper;
    return must_be_added(cp_add_joint(built, &joint));
}

uint32_t add_loop_of(cp_scene *built, cp_loop_type type, uint32_t first, cp_pose on_first, uint32_t second,
                     cp_pose on_second, double length)
{
    cp_loop loop = cp_new_loop();
    loop.name = "Loop";
    loop.type = type;
    loop.nodes[0] = first;
    loop.nodes[1] = second;
    loop.poses[0] = on_first;
    loop.poses[1] = on_second;
    loop.length = length;
    return must_be_added(cp_add_loop(built, &loop));
}

uint32_t add_colour(cp_scene *built, const char *name, const double rgba[4], bool srgb)
{
    cp_material material = cp_new_material();
    material.name = name;
    memcpy(material.rgba, rgba, sizeof material.rgba);
    material.srgb = srgb;
    return must_be_added(cp_add_material(built, &material));
}

uint32_t add_clip_of(cp_scene *built, const char *name, uint32_t track_count, const cp_track *tracks)
{
    cp_clip clip = cp_new_clip();
    clip.name = name;
    clip.track_count = track_count;
    clip.tracks = tracks;
    return must_be_added(cp_add_clip(built, &clip));
}

uint32_t add_device_of(cp_scene *built, const char *name, uint32_t base, uint32_t end, uint32_t joint_count,
                       const uint32_t *joints)
{
    cp_device device = cp_new_device();
    device.name = name;
    device.base = base;
    device.end_count = 1;
    device.ends = &end;
    device.joint_count = joint_count;
    device.joints = joints;
    return must_be_added(cp_add_device(built, &device));
}

uint32_t add_pair_of(cp_scene *built, uint32_t first, uint32_t second, const char *reason)
{
    cp_pair pair = cp_new_pair();
    pair.first = first;
    pair.second = second;
    pair.reason = reason;
    return must_be_added(cp_add_pair(built, &pair));
}

void add_metadata_of(cp_scene *built, cp_owner owner, uint32_t index, const char *key, cp_value_type type,
                     const char *value)
{
    cp_metadata_entry entry = cp_new_metadata();
    entry.owner = owner;
    entry.index = index;
    entry.key = key;
    entry.type = type;
    entry.value = value;
    (void)must_be_added(cp_add_metadata(built, &entry));
}

/* ---- drafts ---- */

static void *copy_rows(const void *rows, uint32_t count, size_t size)
{
    void *copy = malloc(count * size + 1);
    assert_non_null(copy);
    if (count > 0)
        memcpy(copy, rows, count * size);
    return copy;
}

#define EACH_TABLE(does)                                                                                               \
    does(meshes, mesh) does(images, image) does(textures, texture) does(materials, material) does(instances, instance) \
        does(joints, joint) does(loops, loop) does(devices, device) does(pairs, pair) does(clips, clip)
#define COPY(table, row) draft.table = copy_rows(cp_##table(old, NULL), count_##table(old), sizeof *draft.table);
#define ADD(table, row)                                                                                                \
    for (uint32_t i = 0; i < count_##table(draft->scene); i++)                                                         \
        assert_int_equal(cp_add_##row(built, &draft->table[i]), i);                                                    \
    free(draft->table);

struct draft draft_of(cp_scene *old)
{
    struct draft draft = {.scene = old};
    draft.nodes = copy_rows(cp_nodes(old, NULL), count_nodes(old), sizeof *draft.nodes);
    draft.metadata = copy_rows(cp_metadata(old, NULL), count_metadata(old), sizeof *draft.metadata);
    EACH_TABLE(COPY)
    return draft;
}

cp_scene *built_again(struct draft *draft, cp_context *owner)
{
    cp_scene *built = cp_scene_new(owner);
    assert_non_null(built);
    for (uint32_t i = 1; i < count_nodes(draft->scene); i++)
        assert_int_equal(cp_add_node(built, &draft->nodes[i]), i);
    EACH_TABLE(ADD)
    for (uint32_t i = 0; i < count_metadata(draft->scene); i++)
        (void)must_be_added(cp_add_metadata(built, &draft->metadata[i]));
    cp_exclude_static_pairs(built, cp_excludes_static_pairs(draft->scene));
    free(draft->nodes);
    free(draft->metadata);
    cp_scene_free(draft->scene);
    *draft = (struct draft){0};
    return built;
}

/* The blocks hang on each other, so that no leak is reported. */
void *scratch(size_t count, size_t size)
{
    static struct block {
        struct block *next;
        max_align_t bytes[];
    } * blocks;
    struct block *block = calloc(1, sizeof *block + count * size + 1);
    assert_non_null(block);
    block->next = blocks;
    blocks = block;
    return block->bytes;
}

/* ---- poses ---- */

cp_pose plain_translation(double x, double y, double z)
{
    return (cp_pose){{1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z}};
}

cp_pose plain_scaling(double x, double y, double z)
{
    return (cp_pose){{x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0}};
}

/* c I + s [axis]x + (1 - c) axis axis^T. */
static cp_pose rotation_of(const double axis[3], double cosine, double sine)
{
    cp_pose out = PLAIN_IDENTITY;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            out.m[4 * i + k] = (1 - cosine) * axis[i] * axis[k] + (i == k ? cosine : 0);
        out.m[4 * i + (i + 1) % 3] -= sine * axis[(i + 2) % 3];
        out.m[4 * i + (i + 2) % 3] += sine * axis[(i + 1) % 3];
    }
    return out;
}

cp_pose plain_rotation(const double axis[3], double angle)
{
    return rotation_of(axis, cos(angle), sin(angle));
}

cp_pose plain_turn(int axis, double degrees)
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const double cosines[] = {1, 0, -1, 0};
    double quarters = degrees / 90, angle = degrees * PI / 180;
    int quarter = (int)fmod(fmod(quarters, 4) + 4, 4);
    if (quarters == floor(quarters))
        return rotation_of(axes[axis], cosines[quarter], cosines[(quarter + 3) % 4]);
    return plain_rotation(axes[axis], angle);
}

cp_pose plain_product(const cp_pose *a, const cp_pose *b)
{
    cp_pose out;
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++) {
            double sum = column == 3 ? a->m[4 * row + 3] : 0;
            for (int k = 0; k < 3; k++)
                sum += a->m[4 * row + k] * b->m[4 * k + column];
            out.m[4 * row + column] = sum;
        }
    return out;
}

void plain_point(const cp_pose *pose, const double point[3], double out[3])
{
    const double x = point[0], y = point[1], z = point[2];
    for (int row = 0; row < 3; row++)
        out[row] = pose->m[4 * row] * x + pose->m[4 * row + 1] * y + pose->m[4 * row + 2] * z + pose->m[4 * row + 3];
}

/* The cofactor of an entry of the matrix. */
static double cofactor(const cp_pose *pose, int row, int column)
{
    int r1 = (row + 1) % 3, r2 = (row + 2) % 3, c1 = (column + 1) % 3, c2 = (column + 2) % 3;
    return pose->m[4 * r1 + c1] * pose->m[4 * r2 + c2] - pose->m[4 * r1 + c2] * pose->m[4 * r2 + c1];
}

double plain_determinant(const cp_pose *pose)
{
    double sum = 0;
    for (int column = 0; column < 3; column++)
        sum += pose->m[column] * cofactor(pose, 0, column);
    return sum;
}

cp_pose plain_inverse(const cp_pose *pose)
{
    cp_pose out;
    double determinant = plain_determinant(pose), place[3], back[3];
    assert_true(determinant != 0);
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++)
            out.m[4 * row + column] = cofactor(pose, column, row) / determinant;
        out.m[4 * row + 3] = 0;
        place[row] = -pose->m[4 * row + 3];
    }
    plain_point(&out, place, back);
    for (int row = 0; row < 3; row++)
        out.m[4 * row + 3] = back[row];
    return out;
}

void expect_pose(const cp_pose *pose, const double expected[12], double tolerance)
{
    for (int i = 0; i < 12; i++)
        if (!(fabs(pose->m[i] - expected[i]) <= tolerance))
            fail_msg("entry %d is %.17g, not %.17g", i, pose->m[i], expected[i]);
}

/* ---- files ---- */

static char folder[64];

int open_folder(void **state)
{
    (void)state;
    (void)strcpy(folder, "/tmp/cellpipe-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

int close_folder(void **state)
{
    char command[128];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

const char *folder_path(void)
{
    return *folder ? folder : NULL;
}

void empty_folder(void)
{
    assert_int_equal(close_folder(NULL), 0);
    assert_int_equal(mkdir(folder, 0700), 0);
}

const char *path_of(const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = scratch(size, 1);
    (void)snprintf(path, size, "%s/%s", folder, name);
    return path;
}

void write_bytes(const char *name, const void *bytes, size_t size)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s", path_of(name));
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        (void)mkdir(path, 0700);
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

void write_file(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text));
}

char *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    size_t held = 0, got, room = 1 << 16;
    char *text = malloc(room);
    assert_non_null(text);
    while ((got = fread(text + held, 1, room - held - 1, file)) > 0) {
        held += got;
        if (room - held == 1) {
            room *= 2;
            text = realloc(text, room);
            assert_non_null(text);
        }
    }
    assert_int_equal(fclose(file), 0);
    text[held] = '\0';
    if (size)
        *size = held;
    return text;
}

/* ---- what is read and written ---- */

cp_scene *read_scene(cp_context *reader, const char *text, const char *name, const char *option)
{
    cp_scene *read;
    cp_status status = cp_read_memory(reader, text, strlen(text), name, NULL, &option, option ? 1 : 0, &read);
    expect_status(reader, status, CP_OK);
    assert_int_equal(cp_validate(reader, read), CP_OK);
    return read;
}

cp_scene *read_path(cp_context *reader, const char *path)
{
    cp_scene *read;
    expect_status(reader, cp_read(reader, path, NULL, NULL, 0, &read), CP_OK);
    assert_int_equal(cp_validate(reader, read), CP_OK);
    return read;
}

cp_scene *read_sample_of(cp_context *reader, const char *samples, const char *name)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", samples, name);
    return read_path(reader, path);
}

char *written_text(cp_context *writer, const cp_scene *written, const char *format, const char *option, size_t *size)
{
    void *bytes;
    size_t count;
    expect_status(writer, cp_write_memory(writer, written, format, &option, option ? 1 : 0, &bytes, &count), CP_OK);
    char *text = malloc(count + 1);
    assert_non_null(text);
    memcpy(text, bytes, count);
    text[count] = '\0';
    cp_free(writer, bytes, count);
    if (size)
        *size = count;
    return text;
}

char *dump_of(cp_context *writer, const cp_scene *dumped)
{
    char *text = written_text(writer, dumped, "dump", NULL, NULL), *line = strstr(text, "\nsource ");
    assert_non_null(line);
    char *next = strchr(line + 1, '\n');
    assert_non_null(next);
    memmove(line, next, strlen(next) + 1);
    return text;
}

cp_status apply_filter(cp_context *owner, cp_scene *changed, const char *filter, const char *first, const char *second,
                       const char *third)
{
    const char *options[] = {first, second, third};
    size_t count = (size_t)(first != NULL) + (second != NULL) + (third != NULL);
    cp_report_clear(owner);
    cp_status status = cp_apply(owner, changed, filter, options, count);
    assert_int_equal(cp_validate(owner, changed), CP_OK);
    return status;
}

/* ---- memory ---- */

void *failing_resize(void *user, void *block, size_t old_size, size_t size)
{
    long *left = user;
    (void)old_size;
    if (size == 0) {
        free(block);
        return NULL;
    }
    if (*left == 0)
        return NULL;
    --*left;
    return realloc(block, size);
}

void *counted_resize(void *user, void *block, size_t old_size, size_t size)
{
    struct counter *counter = user;
    if (size == 0) {
        if (block) {
            counter->blocks--;
            counter->bytes -= old_size;
            free(block);
        }
        return NULL;
    }
    counter->calls++;
    if (counter->limit && (counter->calls == counter->limit || (counter->goes_on && counter->calls > counter->limit)))
        return NULL;
    void *moved = realloc(block, size);
    if (!moved)
        return NULL;
    counter->blocks += block == NULL;
    counter->bytes += size - (block ? old_size : 0);
    if (counter->bytes > counter->largest)
        counter->largest = counter->bytes;
    return moved;
}

/* ---- one context and one scene ---- */

cp_context *context;
cp_scene *scene;

int set_up(void **unused)
{
    (void)unused;
    context = cp_context_new(NULL);
    scene = context ? cp_scene_new(context) : NULL;
    return scene ? 0 : 1;
}

int tear_down(void **unused)
{
    (void)unused;
    cp_scene_free(scene);
    cp_context_free(context);
    return 0;
}

void fresh_scene(void)
{
    cp_scene_free(scene);
    scene = cp_scene_new(context);
}

void finish_scene(void)
{
    if (cp_scene_finish(scene) != CP_OK) {
        show_report(context);
        fail_msg("the scene is not sound");
    }
}

void change_scene(struct draft *draft)
{
    scene = built_again(draft, context);
    finish_scene();
}
