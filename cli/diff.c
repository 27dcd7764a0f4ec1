/* diff: do two files say the same? 0 yes, 1 no, with a list. Things are matched by name, the second of a name with the
 * second. */
#include "diff.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { VECTORS = 20 }; /* joint vectors beside home */

void differ(struct diff *diff, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    printf("\n");
    diff->differences++;
}

bool near(const struct diff *diff, double a, double b)
{
    return a == b || fabs(a - b) <= diff->tolerance;
}

struct point_text point_text(double x, double y, double z)
{
    struct point_text point;
    char digits[3][CP_NUMBER_SIZE];
    cp_print_double(x, digits[0]);
    cp_print_double(y, digits[1]);
    cp_print_double(z, digits[2]);
    (void)snprintf(point.text, sizeof point.text, "(%s %s %s)", digits[0], digits[1], digits[2]);
    return point;
}

/* ---- matching by name ---- */

struct named {
    const char *name;
    uint32_t index;
};

static int compare_named(const void *a, const void *b)
{
    const struct named *one = a, *two = b;
    int order = strcmp(one->name, two->name);
    return order ? order : one->index < two->index ? -1 : one->index > two->index;
}

struct names {
    struct named *items;
    size_t count;
    uint32_t *twin;
};

static void match(struct names *a, struct names *b)
{
    qsort(a->items, a->count, sizeof *a->items, compare_named);
    qsort(b->items, b->count, sizeof *b->items, compare_named);
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        int order = strcmp(a->items[i].name, b->items[j].name);
        if (order == 0) {
            a->twin[a->items[i].index] = b->items[j].index;
            b->twin[b->items[j].index] = a->items[i].index;
        }
        i += order <= 0;
        j += order >= 0;
    }
}

static bool names_open(struct cli *cli, struct names *names, uint32_t count)
{
    names->count = 0;
    names->items = cli_allocate(cli, count * sizeof *names->items);
    names->twin = cli_allocate(cli, count * sizeof *names->twin);
    for (uint32_t i = 0; names->twin && i < count; i++)
        names->twin[i] = CP_NONE;
    return names->items && names->twin;
}

static void list_nodes(const struct side *side, bool placeholders, struct names *names)
{
    names->count = 0;
    for (uint32_t i = 1; i < side->node_count; i++)
        if (is_placeholder(side->scene, i) == placeholders)
            names->items[names->count++] = (struct named){side->nodes[i].name, i};
}

static bool name_nodes(struct cli *cli, struct side *side, struct names *names)
{
    if (!names_open(cli, names, side->node_count))
        return false;
    list_nodes(side, false, names);
    names->twin[0] = 0; /* the worlds, whatever they are called */
    side->node_twin = names->twin;
    return true;
}

static bool name_joints(struct cli *cli, struct side *side, struct names *names)
{
    if (!names_open(cli, names, side->joint_count))
        return false;
    for (uint32_t i = 0; i < side->joint_count; i++)
        names->items[names->count++] = (struct named){side->joints[i].name, i};
    side->joint_twin = names->twin;
    return true;
}

/* Of the frames without a twin those that go by their file's name: the names of two files are no difference. */
static bool keep_file_frames(struct cli *cli, const struct side *side, struct names *names)
{
    const char *stem = path_stem(cli, cp_scene_source(side->scene)->file);
    size_t kept = 0;
    for (size_t i = 0; stem && i < names->count; i++)
        if (names->twin[names->items[i].index] == CP_NONE && strcmp(names->items[i].name, stem) == 0)
            names->items[kept++] = (struct named){"", names->items[i].index};
    names->count = kept;
    return stem != NULL;
}

static cp_status match_sides(struct diff *diff)
{
    struct names a, b;
    if (!name_nodes(diff->cli, &diff->a, &a) || !name_nodes(diff->cli, &diff->b, &b))
        return CP_LIMIT;
    match(&a, &b);
    if (!keep_file_frames(diff->cli, &diff->a, &a) || !keep_file_frames(diff->cli, &diff->b, &b))
        return CP_LIMIT;
    match(&a, &b);
    list_nodes(&diff->a, true, &a);
    list_nodes(&diff->b, true, &b);
    match(&a, &b);
    if (!name_joints(diff->cli, &diff->a, &a) || !name_joints(diff->cli, &diff->b, &b))
        return CP_LIMIT;
    match(&a, &b);
    return CP_OK;
}

/* ---- frames ---- */

static void tell_volatile(struct diff *diff, const struct side *side, const char *name)
{
    differ(diff, "volatile \"%s\": only in %s", name, side->path);
}

static void diff_frame(struct diff *diff, uint32_t in_a, uint32_t in_b)
{
    const cp_node *a = &diff->a.nodes[in_a], *b = &diff->b.nodes[in_b];
    const char *kind_a = frame_kind(diff->a.scene, in_a), *kind_b = frame_kind(diff->b.scene, in_b);
    if (strcmp(kind_a, kind_b) != 0)
        differ(diff, "frame \"%s\": %s, not %s", a->name, kind_a, kind_b);
    if ((a->flags ^ b->flags) & CP_NODE_VOLATILE)
        tell_volatile(diff, a->flags & CP_NODE_VOLATILE ? &diff->a : &diff->b, a->name);
    if ((a->flags ^ b->flags) & CP_NODE_ATTACHABLE)
        differ(diff, "frame \"%s\": attachable in one only", a->name);
    if (in_a > 0 && diff->a.node_twin[a->parent] != b->parent)
        differ(diff, "frame \"%s\": parent \"%s\", not \"%s\"", a->name, diff->a.nodes[a->parent].name,
               diff->b.nodes[b->parent].name);
    diff_geometry(diff, in_a, in_b);
}

static void list_unmatched(struct diff *diff, const struct side *side)
{
    for (uint32_t i = 0; i < side->node_count; i++) {
        if (side->node_twin[i] != CP_NONE)
            continue;
        if (!is_placeholder(side->scene, i))
            differ(diff, "frame \"%s\": only in %s", side->nodes[i].name, side->path);
        else if (side->nodes[i].flags & CP_NODE_VOLATILE)
            tell_volatile(diff, side, side->nodes[i].name);
    }
    for (uint32_t i = 0; i < side->joint_count; i++)
        if (side->joint_twin[i] == CP_NONE)
            differ(diff, "joint \"%s\": only in %s", side->joints[i].name, side->path);
}

/* ---- joints ---- */

static void diff_number(struct diff *diff, const cp_joint *joint, const char *what, const double values[2])
{
    if (near(diff, values[0], values[1]))
        return;
    char a[CP_NUMBER_SIZE], b[CP_NUMBER_SIZE];
    cp_print_double(values[0], a);
    cp_print_double(values[1], b);
    differ(diff, "joint \"%s\": %s %s, not %s", joint->name, what, a, b);
}

static void diff_master(struct diff *diff, const cp_joint *a, const cp_joint *b)
{
    uint32_t twin = a->master == CP_NONE ? CP_NONE : diff->a.joint_twin[a->master];
    if (twin != b->master || (a->master == CP_NONE) != (b->master == CP_NONE)) {
        differ(diff, "joint \"%s\": depends on %s, not on %s", a->name,
               a->master == CP_NONE ? "none" : diff->a.joints[a->master].name,
               b->master == CP_NONE ? "none" : diff->b.joints[b->master].name);
        return;
    }
    if (a->master == CP_NONE)
        return;
    diff_number(diff, a, "scale", (double[]){a->scale, b->scale});
    diff_number(diff, a, "offset", (double[]){a->offset, b->offset});
}

static void diff_expression(struct diff *diff, const cp_joint *a, const cp_joint *b)
{
    const cp_expression *in_a = a->expression, *in_b = b->expression;
    bool same =
        !in_a == !in_b && (!in_a || (strcmp(in_a->text, in_b->text) == 0 && in_a->input_count == in_b->input_count));
    if (!same) {
        differ(diff, "joint \"%s\": is %s%s, not %s%s", a->name, in_a ? "= " : "by no expression",
               in_a ? in_a->text : "", in_b ? "= " : "by no expression", in_b ? in_b->text : "");
        return;
    }
    for (uint32_t i = 0; in_a && i < in_a->input_count; i++) {
        if (diff->a.joint_twin[in_a->inputs[i]] != in_b->inputs[i])
            differ(diff, "joint \"%s\": dof(%" PRIu32 ") is %s, not %s", a->name, i + 1,
                   diff->a.joints[in_a->inputs[i]].name, diff->b.joints[in_b->inputs[i]].name);
        diff_number(diff, a, "factor", (double[]){in_a->factors[i], in_b->factors[i]});
    }
    if (in_a) {
        diff_number(diff, a, "scale", (double[]){a->scale, b->scale});
        diff_number(diff, a, "offset", (double[]){a->offset, b->offset});
    }
}

static void diff_joint(struct diff *diff, uint32_t in_a, uint32_t in_b)
{
    const cp_joint *a = &diff->a.joints[in_a], *b = &diff->b.joints[in_b];
    if (a->type != b->type)
        differ(diff, "joint \"%s\": %s, not %s", a->name, cp_joint_type_name(a->type), cp_joint_type_name(b->type));
    if (diff->a.node_twin[a->node] != b->node)
        differ(diff, "joint \"%s\": on frame \"%s\", not \"%s\"", a->name, diff->a.nodes[a->node].name,
               diff->b.nodes[b->node].name);
    diff_number(diff, a, "lower", (double[]){a->lower, b->lower});
    diff_number(diff, a, "upper", (double[]){a->upper, b->upper});
    diff_number(diff, a, "velocity", (double[]){a->velocity, b->velocity});
    diff_number(diff, a, "acceleration", (double[]){a->acceleration, b->acceleration});
    diff_number(diff, a, "home", (double[]){a->home, b->home});
    diff_number(diff, a, "q", (double[]){diff->a.values[in_a], diff->b.values[in_b]});
    if (a->driven != b->driven)
        differ(diff, "joint \"%s\": driven in one only", a->name);
    diff_master(diff, a, b);
    diff_expression(diff, a, b);
}

/* ---- forward kinematics ---- */

/* splitmix64 (Steele, Lea, Flood 2014): the same numbers everywhere. */
static double next_fraction(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Between the limits; where there is none, half a turn or a metre from the other or from zero. */
static double random_value(const cp_joint *joint, uint64_t *state)
{
    double reach = joint->type == CP_JOINT_REVOLUTE ? 3.14159265358979323846 : 1;
    double lower = joint->lower, upper = joint->upper;
    if (!isfinite(lower))
        lower = isfinite(upper) && upper < -reach ? upper - reach : -reach;
    if (!isfinite(upper))
        upper = lower > reach ? lower + reach : reach;
    return lower + next_fraction(state) * (upper - lower);
}

struct vectors {
    double *a, *b; /* a value for each joint */
    cp_pose *worlds_a, *worlds_b;
    bool *told; /* frames whose difference has been printed */
};

static bool vectors_open(struct diff *diff, struct vectors *vectors)
{
    *vectors = (struct vectors){
        .a = cli_allocate(diff->cli, diff->a.joint_count * sizeof(double)),
        .b = cli_allocate(diff->cli, diff->b.joint_count * sizeof(double)),
        .worlds_a = cli_allocate(diff->cli, diff->a.node_count * sizeof(cp_pose)),
        .worlds_b = cli_allocate(diff->cli, diff->b.node_count * sizeof(cp_pose)),
        .told = cli_allocate(diff->cli, diff->a.node_count),
    };
    return vectors->a && vectors->b && vectors->worlds_a && vectors->worlds_b && vectors->told;
}

static void set_homes(const struct side *side, double *q)
{
    for (uint32_t i = 0; i < side->joint_count; i++)
        q[i] = side->joints[i].home;
}

static void set_random(const struct diff *diff, struct vectors *vectors, uint64_t *state)
{
    for (uint32_t i = 0; i < diff->a.joint_count; i++) {
        vectors->a[i] = random_value(&diff->a.joints[i], state);
        if (diff->a.joint_twin[i] != CP_NONE)
            vectors->b[diff->a.joint_twin[i]] = vectors->a[i];
    }
}

static bool same_pose(const struct diff *diff, const cp_pose *a, const cp_pose *b)
{
    for (int i = 0; i < 12; i++)
        if (!near(diff, a->m[i], b->m[i]))
            return false;
    return true;
}

static cp_status diff_worlds(struct diff *diff, struct vectors *vectors, const char *where)
{
    cp_context *context = diff->cli->context;
    cp_status status = cp_world_poses(context, diff->a.scene, vectors->a, vectors->worlds_a);
    if (status == CP_OK)
        status = cp_world_poses(context, diff->b.scene, vectors->b, vectors->worlds_b);
    for (uint32_t i = 0; i < diff->a.node_count && status == CP_OK; i++) {
        uint32_t twin = diff->a.node_twin[i];
        if (twin == CP_NONE || vectors->told[i])
            continue;
        const double *a = vectors->worlds_a[i].m, *b = vectors->worlds_b[twin].m;
        if (same_pose(diff, &vectors->worlds_a[i], &vectors->worlds_b[twin]))
            continue;
        vectors->told[i] = true;
        bool turned = near(diff, a[3], b[3]) && near(diff, a[7], b[7]) && near(diff, a[11], b[11]);
        differ(diff, "frame \"%s\": %s at %s, not %s%s", diff->a.nodes[i].name, where,
               point_text(a[3], a[7], a[11]).text, point_text(b[3], b[7], b[11]).text, turned ? ", turned" : "");
    }
    return status;
}

static cp_status diff_kinematics(struct diff *diff)
{
    struct vectors vectors;
    uint64_t state = 20;
    if (!vectors_open(diff, &vectors))
        return CP_LIMIT;
    set_homes(&diff->a, vectors.a);
    set_homes(&diff->b, vectors.b);
    cp_status status = diff_worlds(diff, &vectors, "at home");
    for (int i = 1; i <= VECTORS && status == CP_OK; i++) {
        char where[32];
        (void)snprintf(where, sizeof where, "at joint vector %d", i);
        set_random(diff, &vectors, &state);
        status = diff_worlds(diff, &vectors, where);
    }
    return status;
}

/* ---- exclusions ---- */

/* The nodes of a pair by the first side's numbers, smaller first; side b's unmatched nodes count on from there. */
struct key {
    uint64_t first, second;
    const cp_pair *pair;
};

static int compare_keys(const void *a, const void *b)
{
    const struct key *one = a, *two = b;
    if (one->first != two->first)
        return one->first < two->first ? -1 : 1;
    return one->second < two->second ? -1 : one->second > two->second;
}

static uint64_t common_number(const struct diff *diff, const struct side *side, uint32_t node)
{
    if (side == &diff->a)
        return node;
    return side->node_twin[node] != CP_NONE ? side->node_twin[node] : (uint64_t)diff->a.node_count + node;
}

static struct key *make_keys(struct diff *diff, const struct side *side, size_t *count)
{
    struct exclusions exclusions;
    if (list_exclusions(diff->cli, side->scene, true, &exclusions) != CP_OK)
        return NULL;
    struct key *keys = cli_allocate(diff->cli, exclusions.count * sizeof *keys);
    for (size_t i = 0; keys && i < exclusions.count; i++) {
        uint64_t first = common_number(diff, side, exclusions.pairs[i].first);
        uint64_t second = common_number(diff, side, exclusions.pairs[i].second);
        bool swap = first > second;
        keys[i] = (struct key){swap ? second : first, swap ? first : second, &exclusions.pairs[i]};
    }
    if (keys)
        qsort(keys, exclusions.count, sizeof *keys, compare_keys);
    *count = exclusions.count;
    return keys;
}

static void tell_exclusion(struct diff *diff, const struct side *side, const cp_pair *pair)
{
    differ(diff, "exclusion \"%s\" - \"%s\": only in %s", side->nodes[pair->first].name, side->nodes[pair->second].name,
           side->path);
}

static cp_status diff_exclusions(struct diff *diff)
{
    size_t count_a, count_b;
    const struct key *a = make_keys(diff, &diff->a, &count_a), *b = make_keys(diff, &diff->b, &count_b);
    if (!a || !b)
        return CP_LIMIT;
    for (size_t i = 0, j = 0; i < count_a || j < count_b;) {
        int order = i == count_a ? 1 : j == count_b ? -1 : compare_keys(&a[i], &b[j]);
        if (order < 0)
            tell_exclusion(diff, &diff->a, a[i].pair);
        if (order > 0)
            tell_exclusion(diff, &diff->b, b[j].pair);
        i += order <= 0;
        j += order >= 0;
    }
    if (cp_excludes_static_pairs(diff->a.scene) != cp_excludes_static_pairs(diff->b.scene))
        differ(diff, "pairs that cannot move against each other are excluded in one only");
    return CP_OK;
}

/* ---- the command ---- */

static cp_status compare(struct diff *diff)
{
    cp_status status = match_sides(diff);
    if (status != CP_OK)
        return status;
    list_unmatched(diff, &diff->a);
    list_unmatched(diff, &diff->b);
    for (uint32_t i = 0; i < diff->a.node_count; i++)
        if (diff->a.node_twin[i] != CP_NONE)
            diff_frame(diff, i, diff->a.node_twin[i]);
    for (uint32_t i = 0; i < diff->a.joint_count; i++)
        if (diff->a.joint_twin[i] != CP_NONE)
            diff_joint(diff, i, diff->a.joint_twin[i]);
    status = diff_kinematics(diff);
    if (status == CP_OK)
        status = diff_exclusions(diff);
    return status == CP_OK && diff->differences ? CP_NO : status;
}

static cp_status open_side(struct diff *diff, struct side *side, const char *path, const struct request *request)
{
    *side = (struct side){.path = path};
    cp_status status = read_input(diff->cli, path, request, &side->scene);
    if (status != CP_OK)
        return status;
    side->nodes = cp_nodes(side->scene, &side->node_count);
    side->joints = cp_joints(side->scene, &side->joint_count);
    side->values = cli_allocate(diff->cli, side->joint_count * sizeof *side->values);
    return side->values ? cp_joint_values(diff->cli->context, side->scene, NULL, side->values) : CP_LIMIT;
}

/* Takes cell= out of the settings; NULL when it is not there. */
static const char *take_cell(struct list *settings)
{
    const char *cell = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < settings->count; i++)
        if (strncmp(settings->items[i], "cell=", 5) == 0)
            cell = settings->items[i] + 5;
        else
            settings->items[kept++] = settings->items[i];
    settings->count = kept;
    return cell;
}

static cp_status read_tolerance(struct cli *cli, const struct list *settings, double *tolerance)
{
    *tolerance = 1e-9;
    for (size_t i = 0; i < settings->count; i++) {
        const char *text = settings->items[i];
        if (strncmp(text, "tol=", 4) != 0)
            return complain(cli, CP_USAGE, "diff takes tol=NUMBER and cell=CELL, not \"%s\"", text);
        if (!cp_parse_double(text + 4, tolerance) || !isfinite(*tolerance) || *tolerance < 0)
            return complain(cli, CP_USAGE, "%s: needs a number of at least 0", text);
    }
    return CP_OK;
}

cp_status command_diff(struct cli *cli)
{
    struct request request;
    struct diff diff = {.cli = cli};
    cp_status status = sort_words(cli, 1, cli->words.count, FLAG_READING | FLAG_SETTINGS, &request);
    const char *cell = status == CP_OK ? take_cell(&request.settings) : NULL;
    if (status == CP_OK && !cell)
        status = read_tolerance(cli, &request.settings, &diff.tolerance);
    if (status != CP_OK)
        return status;
    if (request.words.count != 2)
        return complain(cli, CP_USAGE, "diff compares two files: cellpipe diff A B [tol=1e-9]");
    if (strcmp(request.words.items[0], "-") == 0 && strcmp(request.words.items[1], "-") == 0)
        return complain(cli, CP_USAGE, "standard input can be read once only");
    if (cell)
        return diff_lists(cli, &request, cell, &request.settings);
    status = open_side(&diff, &diff.a, request.words.items[0], &request);
    if (status == CP_OK)
        status = open_side(&diff, &diff.b, request.words.items[1], &request);
    if (status == CP_OK)
        status = compare(&diff);
    cp_scene_free(diff.a.scene);
    cp_scene_free(diff.b.scene);
    return status;
}
