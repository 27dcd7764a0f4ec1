/* diff: tells whether two files say the same. Ends with 0 if so, else with 1 and a list. Things are matched by name,
 * the second of a name with the second. */
#include "diff.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VECTORS = 20 }; /* joint vectors beside home */

/* ---- frames ---- */

static void differ_in_one(struct diff *diff, const char *subject, const char *name, const struct diff_side *side)
{
    differ(diff, &ABOUT(subject, name, "presence", .only_in = side == &diff->a ? IN_A : IN_B), "only in %s",
           side->path);
}

/* Tells a difference in the names of two things. */
static void differ_in_name(struct diff *diff, const struct difference *difference, const char *words)
{
    differ(diff, difference, "%s \"%s\", not \"%s\"", words, difference->a.text, difference->b.text);
}

/* Reports two numbers that differ. index: the number of the input, for a factor; else NULL. */
static void diff_number(struct diff *diff, const struct thing *of, const char *what, const uint32_t *index, double a,
                        double b)
{
    char in_a[CP_NUMBER_SIZE], in_b[CP_NUMBER_SIZE];
    const char *unit = of->unit ? of->unit : "", *blank = of->unit ? " " : "";
    if (near(diff, a, b))
        return;
    cp_print_double(a, in_a);
    cp_print_double(b, in_b);
    differ(diff, &ABOUT(of->subject, of->name, what, .index = index, .a = NUMBER(a), .b = NUMBER(b)),
           "%s %s%s%s, not %s%s%s", what, in_a, blank, unit, in_b, blank, unit);
}

/* Tells whether two references mean the same row. Frames and joints have twins; of other rows the names decide. */
static bool same_row(const struct diff *diff, const cp_member *a, const cp_member *b)
{
    if (a->row == CP_NONE || b->row == CP_NONE)
        return a->row == b->row;
    const bool node = strcmp(a->table, "node") == 0, joint = strcmp(a->table, "joint") == 0;
    if (node || joint)
        return (node ? diff->a.node_twin : diff->a.joint_twin)[a->row] == b->row;
    return !a->text || !b->text || strcmp(a->text, b->text) == 0;
}

static void diff_numbers(struct diff *diff, const struct thing *of, const cp_member *a, const cp_member *b)
{
    bool same = true;
    for (size_t i = 0; i < a->count; i++)
        same = same && near(diff, a->numbers[i], b->numbers[i]);
    if (a->count == 1)
        diff_number(diff, of, a->name, NULL, *a->numbers, *b->numbers);
    else if (!same)
        differ(diff,
               &ABOUT(of->subject, of->name, a->name, .a = NUMBERS(a->numbers, a->count),
                      .b = NUMBERS(b->numbers, b->count)),
               "another %s", a->name);
}

void diff_members(struct diff *diff, struct thing of, const cp_rows *rows_a, uint32_t in_a, const cp_rows *rows_b,
                  uint32_t in_b)
{
    cp_member a = {0}, b = {0};
    while (cp_next_member(diff->a.scene, rows_a, in_a, CP_IN_DIFF, &a) &&
           cp_next_member(diff->b.scene, rows_b, in_b, CP_IN_DIFF, &b)) {
        const char *text_a = a.text ? a.text : "none", *text_b = b.text ? b.text : "none";
        const struct difference texts = ABOUT(of.subject, of.name, a.name, .a = TEXT(a.text), .b = TEXT(b.text));
        of.unit = a.unit;
        switch (a.kind) {
        case CP_MEMBER_WORD:
            if (strcmp(text_a, text_b) != 0)
                differ(diff, &texts, "%s, not %s", text_a, text_b);
            break;
        case CP_MEMBER_TEXT:
            if (strcmp(text_a, text_b) != 0)
                differ(diff, &texts, "%s \"%s\", not \"%s\"", a.name, text_a, text_b);
            break;
        case CP_MEMBER_ROW:
            if (!same_row(diff, &a, &b))
                differ(diff, &texts, "%s \"%s\", not \"%s\"", strcmp(a.name, "frame") == 0 ? "on frame" : a.name,
                       text_a, text_b);
            break;
        case CP_MEMBER_NUMBERS:
            diff_numbers(diff, &of, &a, &b);
            break;
        case CP_MEMBER_WHOLE:
            diff_number(diff, &of, a.name, NULL, (double)a.whole, (double)b.whole);
            break;
        case CP_MEMBER_FLAG:
            if (a.whole != b.whole)
                differ(diff, &ABOUT(of.subject, of.name, a.name, .only_in = a.whole ? IN_A : IN_B), "%s in one only",
                       a.name);
            break;
        case CP_MEMBER_ROWS:
            if (a.rows.count != b.rows.count)
                diff_number(diff, &of, a.name, NULL, a.rows.count, b.rows.count);
            else if (a.rows.single && a.rows.count == 1)
                diff_members(diff, of, &a.rows, 0, &b.rows, 0);
        }
    }
}

static void diff_frame(struct diff *diff, uint32_t in_a, uint32_t in_b)
{
    const cp_node *a = &diff->a.nodes[in_a], *b = &diff->b.nodes[in_b];
    const char *kind_a = frame_kind(diff->a.scene, in_a), *kind_b = frame_kind(diff->b.scene, in_b);
    if (strcmp(kind_a, kind_b) != 0 && in_a > 0)
        differ(diff, &ABOUT("frame", a->name, "kind", .a = TEXT(kind_a), .b = TEXT(kind_b)), "%s, not %s", kind_a,
               kind_b);
    if ((a->flags ^ b->flags) & CP_NODE_VOLATILE)
        differ_in_one(diff, "volatile", a->name, a->flags & CP_NODE_VOLATILE ? &diff->a : &diff->b);
    if ((a->flags ^ b->flags) & CP_NODE_ATTACHABLE)
        differ(diff, &ABOUT("frame", a->name, "attachable", .only_in = a->flags & CP_NODE_ATTACHABLE ? IN_A : IN_B),
               "attachable in one only");
    if (in_a > 0 && diff->a.node_twin[a->parent] != b->parent)
        differ_in_name(diff,
                       &ABOUT("frame", a->name, "parent", .a = TEXT(diff->a.nodes[a->parent].name),
                              .b = TEXT(diff->b.nodes[b->parent].name)),
                       "parent");
    const cp_rows rows_a = cp_rows_of(diff->a.scene, "node"), rows_b = cp_rows_of(diff->b.scene, "node");
    diff_members(diff, (struct thing){"frame", a->name, NULL}, &rows_a, in_a, &rows_b, in_b);
    if (!diff->excuses)
        diff_geometry(diff, in_a, in_b);
}

static void list_unmatched(struct diff *diff, const struct diff_side *side)
{
    for (uint32_t i = 0; i < side->node_count; i++) {
        if (side->node_twin[i] != CP_NONE)
            continue;
        if (!is_placeholder(side->scene, i))
            differ_in_one(diff, "frame", side->nodes[i].name, side);
        else if (side->nodes[i].flags & CP_NODE_VOLATILE)
            differ_in_one(diff, "volatile", side->nodes[i].name, side);
    }
    for (uint32_t i = 0; i < side->joint_count; i++)
        if (side->joint_twin[i] == CP_NONE)
            differ_in_one(diff, "joint", side->joints[i].name, side);
}

/* ---- joints ---- */

/* Compares what a joint follows: a master, or an expression over several joints. */
static void diff_dependence(struct diff *diff, const cp_joint *a, const cp_joint *b)
{
    const struct thing of = {"joint", a->name, NULL};
    const cp_expression *in_a = a->expression, *in_b = b->expression;
    const cp_joint *joints_a = diff->a.joints, *joints_b = diff->b.joints;
    uint32_t twin = a->master == CP_NONE ? CP_NONE : diff->a.joint_twin[a->master];
    bool same_master = twin == b->master && (a->master == CP_NONE) == (b->master == CP_NONE);
    bool same_text =
        !in_a == !in_b && (!in_a || (strcmp(in_a->text, in_b->text) == 0 && in_a->input_count == in_b->input_count));
    const char *master_a = a->master == CP_NONE ? NULL : joints_a[a->master].name;
    const char *master_b = b->master == CP_NONE ? NULL : joints_b[b->master].name;
    if (!same_master)
        differ(diff, &ABOUT("joint", a->name, "master", .a = TEXT(master_a), .b = TEXT(master_b)),
               "depends on %s, not on %s", master_a ? master_a : "none", master_b ? master_b : "none");
    if (!same_text)
        differ(diff,
               &ABOUT("joint", a->name, "expression", .a = TEXT(in_a ? in_a->text : NULL),
                      .b = TEXT(in_b ? in_b->text : NULL)),
               "is %s%s, not %s%s", in_a ? "= " : "by no expression", in_a ? in_a->text : "",
               in_b ? "= " : "by no expression", in_b ? in_b->text : "");
    for (uint32_t i = 0; in_a && same_text && i < in_a->input_count; i++) {
        const uint32_t number = i + 1;
        if (diff->a.joint_twin[in_a->inputs[i]] != in_b->inputs[i])
            differ(diff,
                   &ABOUT("joint", a->name, "input", .index = &number, .a = TEXT(joints_a[in_a->inputs[i]].name),
                          .b = TEXT(joints_b[in_b->inputs[i]].name)),
                   "dof(%" PRIu32 ") is %s, not %s", number, joints_a[in_a->inputs[i]].name,
                   joints_b[in_b->inputs[i]].name);
        diff_number(diff, &of, "factor", &number, in_a->factors[i], in_b->factors[i]);
    }
    if (in_a ? same_text : a->master != CP_NONE && same_master) {
        diff_number(diff, &of, "scale", NULL, a->scale, b->scale);
        diff_number(diff, &of, "offset", NULL, a->offset, b->offset);
    }
}

static void diff_joint(struct diff *diff, uint32_t in_a, uint32_t in_b)
{
    const cp_joint *a = &diff->a.joints[in_a], *b = &diff->b.joints[in_b];
    cp_rows rows_a = cp_rows_of(diff->a.scene, "joint"), rows_b = cp_rows_of(diff->b.scene, "joint");
    rows_a.rows = diff->a.joints;
    rows_b.rows = diff->b.joints;
    diff_members(diff, (struct thing){"joint", a->name, NULL}, &rows_a, in_a, &rows_b, in_b);
    diff_dependence(diff, a, b);
}

/* ---- lists ---- */

static void diff_loop(struct diff *diff, const cp_loop *a, const cp_loop *b)
{
    bool same = true;
    for (int k = 0; k < 2; k++) {
        if (diff->a.node_twin[a->nodes[k]] != b->nodes[k])
            differ_in_name(diff,
                           &ABOUT("loop", a->name, "frame", .a = TEXT(diff->a.nodes[a->nodes[k]].name),
                                  .b = TEXT(diff->b.nodes[b->nodes[k]].name)),
                           "on frame");
        for (int at = 0; at < 12; at++)
            same = same && near(diff, a->poses[k].m[at], b->poses[k].m[at]);
    }
    if (a->type != b->type)
        differ(diff,
               &ABOUT("loop", a->name, "type", .a = TEXT(cp_loop_type_name(a->type)),
                      .b = TEXT(cp_loop_type_name(b->type))),
               "%s, not %s", cp_loop_type_name(a->type), cp_loop_type_name(b->type));
    if (!same)
        differ(diff, &ABOUT("loop", a->name, "pose", .a = NUMBERS(a->poses[0].m, 24), .b = NUMBERS(b->poses[0].m, 24)),
               "at another place on its frames");
    if (!near(diff, a->length, b->length))
        differ(diff, &ABOUT("loop", a->name, "length", .a = NUMBER(a->length), .b = NUMBER(b->length)),
               "%s m, not %s m", short_number(a->length).text, short_number(b->length).text);
}

/* Compares a table whose rows are matched by their order in both files. */
static void diff_list(struct diff *diff, const cp_rows *a, const cp_rows *b)
{
    for (uint32_t i = 0; i < a->count || i < b->count; i++) {
        const struct diff_side *side = i < a->count ? &diff->a : &diff->b;
        const char *name = cp_row_name(i < a->count ? a : b, i);
        const struct thing of = {a->word, name, NULL};
        if (i >= a->count || i >= b->count) {
            differ_in_one(diff, a->word, name, side);
            continue;
        }
        if (strcmp(a->word, "loop") == 0)
            diff_loop(diff, &cp_loops(diff->a.scene, &(uint32_t){0})[i], &cp_loops(diff->b.scene, &(uint32_t){0})[i]);
        diff_members(diff, of, a, i, b, i);
    }
}

/* Devices are not compared, and pairs have diff_exclusions. */
static void diff_lists_of_rows(struct diff *diff)
{
    cp_rows a = {0}, b = {0};
    while (cp_next_list(diff->a.scene, &a) && cp_next_list(diff->b.scene, &b))
        if (strcmp(a.word, "device") != 0 && strcmp(a.word, "pair") != 0)
            diff_list(diff, &a, &b);
}

/* ---- forward kinematics ---- */

/* Uses splitmix64 (Steele, Lea, Flood 2014), which gives the same numbers on every machine. */
double random_value(const cp_joint *joint, uint64_t *state)
{
    double reach = joint->type == CP_JOINT_REVOLUTE ? 3.14159265358979323846 : 1;
    double lower = joint->lower, upper = joint->upper;
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    double fraction = (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
    if (!isfinite(lower))
        lower = isfinite(upper) && upper < -reach ? upper - reach : -reach;
    if (!isfinite(upper))
        upper = lower > reach ? lower + reach : reach;
    return lower + fraction * (upper - lower);
}

/* Poses both sides. If loops do not close at these values, tries values nearer to home until they do. CP_NO if they
 * close nowhere, or on one side only, which is then told. */
static cp_status pose_sides(struct diff *diff, double *q_a, double *q_b, cp_pose *worlds_a, cp_pose *worlds_b)
{
    enum { MOST_TRIES = 8 };
    struct diff_side *sides[] = {&diff->a, &diff->b};
    double *q[] = {q_a, q_b};
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        cp_status in_a = cp_world_poses(diff->cli->context, diff->a.scene, q_a, worlds_a);
        cp_status in_b = cp_world_poses(diff->cli->context, diff->b.scene, q_b, worlds_b);
        if (in_a != CP_NO && in_b != CP_NO)
            return in_a != CP_OK ? in_a : in_b;
        if (in_a != in_b) {
            differ(diff, &ABOUT("cell", NULL, "loops", .only_in = in_a == CP_OK ? IN_A : IN_B),
                   "loops close at some values in %s only", sides[in_a == CP_OK ? 0 : 1]->path);
            return CP_NO;
        }
        for (int k = 0; k < 2; k++)
            for (uint32_t i = 0; i < sides[k]->joint_count; i++)
                q[k][i] = (q[k][i] + sides[k]->joints[i].home) / 2;
    }
    return CP_NO;
}

/* Compares poses, and reports each frame once, where it differs first. */
static cp_status diff_kinematics(struct diff *diff)
{
    const struct diff_side *a = &diff->a, *b = &diff->b;
    double *q_a = cli_allocate(diff->cli, a->joint_count * sizeof *q_a);
    double *q_b = cli_allocate(diff->cli, b->joint_count * sizeof *q_b);
    cp_pose *worlds_a = cli_allocate(diff->cli, a->node_count * sizeof *worlds_a);
    cp_pose *worlds_b = cli_allocate(diff->cli, b->node_count * sizeof *worlds_b);
    bool *told = cli_allocate(diff->cli, a->node_count);
    uint64_t state = 20;
    cp_status status = CP_OK;
    if (!q_a || !q_b || !worlds_a || !worlds_b || !told)
        return CP_LIMIT;
    for (uint32_t i = 0; i < a->joint_count; i++)
        q_a[i] = a->joints[i].home;
    for (uint32_t i = 0; i < b->joint_count; i++) {
        uint32_t twin = diff->same_home ? b->joint_twin[i] : CP_NONE;
        q_b[i] = twin == CP_NONE ? b->joints[i].home : a->joints[twin].home;
    }
    for (uint32_t vector = 0; vector <= VECTORS && status == CP_OK; vector++) {
        char where[32] = "at home";
        if (vector > 0)
            (void)snprintf(where, sizeof where, "at joint vector %" PRIu32, vector);
        for (uint32_t i = 0; vector > 0 && i < a->joint_count; i++) {
            q_a[i] = random_value(&a->joints[i], &state);
            if (a->joint_twin[i] != CP_NONE)
                q_b[a->joint_twin[i]] = q_a[i];
        }
        uint64_t before = diff->differences;
        status = pose_sides(diff, q_a, q_b, worlds_a, worlds_b);
        if (status == CP_NO && diff->differences > before)
            return CP_OK;
        if (status == CP_NO) {
            status = CP_OK;
            continue;
        }
        for (uint32_t i = 0; i < a->node_count && status == CP_OK; i++) {
            uint32_t twin = a->node_twin[i];
            if (twin == CP_NONE || told[i])
                continue;
            const double *in_a = worlds_a[i].m, *in_b = worlds_b[twin].m;
            bool there = near(diff, in_a[3], in_b[3]) && near(diff, in_a[7], in_b[7]) && near(diff, in_a[11], in_b[11]);
            bool same = true;
            for (int k = 0; k < 12; k++)
                same = same && near(diff, in_a[k], in_b[k]);
            told[i] = !same;
            if (!same)
                differ(diff,
                       &ABOUT("frame", a->nodes[i].name, "pose", .index = &vector, .a = NUMBERS(in_a, 12),
                              .b = NUMBERS(in_b, 12)),
                       "%s at %s, not %s%s", where, point_text(in_a[3], in_a[7], in_a[11]).text,
                       point_text(in_b[3], in_b[7], in_b[11]).text, there ? ", turned" : "");
        }
    }
    return status;
}

/* ---- exclusions ---- */

/* The nodes of a pair by the first side's numbers, smaller first; side b's unmatched nodes get numbers behind those. */
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

static struct key *make_keys(struct diff *diff, const struct diff_side *side, size_t *count)
{
    struct distinct_exclusions exclusions;
    if (list_exclusions(diff->cli, side->scene, true, &exclusions) != CP_OK)
        return NULL;
    struct key *keys = cli_allocate(diff->cli, exclusions.count * sizeof *keys);
    for (size_t i = 0; keys && i < exclusions.count; i++) {
        const cp_pair *pair = &exclusions.pairs[i];
        uint64_t numbers[2] = {pair->first, pair->second};
        for (int k = 0; k < 2 && side == &diff->b; k++) {
            uint32_t twin = side->node_twin[numbers[k]];
            numbers[k] = twin != CP_NONE ? twin : diff->a.node_count + numbers[k];
        }
        bool swap = numbers[0] > numbers[1];
        keys[i] = (struct key){numbers[swap], numbers[!swap], pair};
    }
    if (keys)
        qsort(keys, exclusions.count, sizeof *keys, compare_keys);
    *count = exclusions.count;
    return keys;
}

static cp_status diff_exclusions(struct diff *diff)
{
    size_t count_a, count_b;
    const struct key *a = make_keys(diff, &diff->a, &count_a), *b = make_keys(diff, &diff->b, &count_b);
    if (!a || !b)
        return CP_LIMIT;
    for (size_t i = 0, j = 0; i < count_a || j < count_b;) {
        int order = i == count_a ? 1 : j == count_b ? -1 : compare_keys(&a[i], &b[j]);
        const struct diff_side *side = order < 0 ? &diff->a : &diff->b;
        const cp_pair *pair = order < 0 ? a[i].pair : b[j].pair;
        if (order != 0)
            differ(diff,
                   &ABOUT("exclusion", side->nodes[pair->first].name, "presence",
                          .second = side->nodes[pair->second].name, .only_in = side == &diff->a ? IN_A : IN_B),
                   "only in %s", side->path);
        i += order <= 0;
        j += order >= 0;
    }
    if (cp_excludes_static_pairs(diff->a.scene) != cp_excludes_static_pairs(diff->b.scene))
        differ(diff,
               &ABOUT("cell", NULL, "static_pairs", .only_in = cp_excludes_static_pairs(diff->a.scene) ? IN_A : IN_B),
               "pairs that cannot move against each other are excluded in one only");
    return CP_OK;
}

/* ---- the command ---- */

cp_status open_side(struct cli *cli, struct diff_side *side, const char *path, cp_scene *scene)
{
    *side = (struct diff_side){.path = path, .scene = scene};
    side->nodes = cp_nodes(scene, &side->node_count);
    (void)cp_joints(scene, &side->joint_count);
    return current_joints(cli, scene, &side->joints);
}

cp_status diff_tables(struct diff *diff)
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
    diff_lists_of_rows(diff);
    status = diff_kinematics(diff);
    if (status == CP_OK)
        status = diff_exclusions(diff);
    return status == CP_OK && diff->differences ? CP_NO : status;
}

struct asked {
    struct request request;
    const char *cell;
    struct states_asked states;
    double tolerance;
    bool json;
};

static cp_status compare_files(struct diff *diff, const struct asked *asked)
{
    const struct request *request = &asked->request;
    if (asked->cell)
        return diff_lists(diff, request, asked->cell);
    struct diff_side *sides[] = {&diff->a, &diff->b};
    cp_scene *scenes[2] = {NULL};
    cp_status status = CP_OK;
    for (int i = 0; i < 2 && status == CP_OK; i++) {
        status = read_input(diff->cli, request->words.items[i], request, &scenes[i]);
        if (status == CP_OK)
            status = open_side(diff->cli, sides[i], request->words.items[i], scenes[i]);
    }
    if (status == CP_OK)
        status = asked->states.count > 0 ? diff_states(diff, &asked->states) : diff_tables(diff);
    cp_scene_free(scenes[0]);
    cp_scene_free(scenes[1]);
    return status;
}

static cp_status compare_to_json(struct diff *diff, const struct asked *asked)
{
    struct json_answer answer;
    if (!json_answer_begin(diff->cli, &answer))
        return CP_LIMIT;
    cp_json *json = diff->json = &answer.json;
    cp_json_text(json, "a", asked->request.words.items[0]);
    cp_json_text(json, "b", asked->request.words.items[1]);
    cp_json_text(json, "cell", asked->cell);
    cp_json_number(json, "tolerance", asked->cell ? INFINITY : asked->tolerance);
    if (asked->states.count > 0) {
        cp_json_text(json, "map", asked->states.map);
        return json_answer_end(diff->cli, &answer, compare_files(diff, asked));
    }
    cp_json_open(json, "differences", '[');
    cp_status status = compare_files(diff, asked);
    cp_json_close(json, ']');
    cp_json_count(json, "count", diff->differences);
    cp_json_boolean(json, "equal", diff->differences == 0);
    return json_answer_end(diff->cli, &answer, status);
}

static cp_status command_diff(struct cli *cli)
{
    struct asked asked = {0};
    struct diff diff = {.cli = cli};
    struct request *request = &asked.request;
    cp_status status = sort_words(cli, 1, cli->words.count, &diff_command, &asked);
    if (status != CP_OK)
        return status;
    if (request->settings.count > 0 && !asked.cell)
        return complain_setting(cli, &diff_command, request->settings.items[0]);
    if (request->words.count != 2)
        return complain(cli, CP_USAGE, "diff compares two files: cellpipe diff A B [tol=1e-9]");
    if (strcmp(request->words.items[0], "-") == 0 && strcmp(request->words.items[1], "-") == 0)
        return complain(cli, CP_USAGE, "standard input can be read once only");
    if (asked.cell && list_has(&request->said, "tol"))
        return complain(cli, CP_USAGE, "unknown option of exclude \"tol\": with cell= all options are its");
    if (asked.states.map && asked.states.count == 0)
        return complain(cli, CP_USAGE, "map= names partners for states=N, which is missing");
    if (asked.cell && asked.states.count > 0)
        return complain(cli, CP_USAGE, "states= compares two cells, and cell= two lists: give one of them");
    diff.tolerance = asked.tolerance;
    return asked.json ? compare_to_json(&diff, &asked) : compare_files(&diff, &asked);
}

static const cp_option options[] = {
    {"tol", "the largest difference of equal numbers: metres, radians, entries of rotation matrices", CP_OPTION_NUMBER,
     offsetof(struct asked, tolerance), "1e-9", .maximum = INFINITY},
    {"cell",
     "compare two lists of collision exclusions of this cell; K=V are then options of the filter exclude "
     "(docs/exclusion.md)",
     CP_OPTION_PATH, offsetof(struct asked, cell), .value = "CELL"},
    {"states", "compare how the two move, at home and at so many random joint vectors, and nothing else",
     CP_OPTION_INTEGER, offsetof(struct asked, states.count), .minimum = 1, .maximum = 1000000},
    {"map", "with states=: names of frames or joints of A, and those of B, two a line", CP_OPTION_PATH,
     offsetof(struct asked, states.map), .value = "FILE"},
    JSON_FLAG(struct asked),
    {0}};

const struct command diff_command = {
    .name = "diff",
    .title = "compare two files",
    .usage = "A B [tol=NUMBER] [--json]\nA B states=N [map=FILE] [tol=NUMBER] [--json]\nOLD.xml NEW.xml cell=CELL "
             "[K=V]... [--json]",
    .help =
        "Compares frames, their poses at home and at 20 joint vectors, joints, geometry and exclusions, all by name. "
        "Lists the differences. Ends with 1 if there are any.\n"
        "With states= it compares cells of different formats: the poses of frames while the joints have the same "
        "values. "
        "It prints the largest difference, and the frames and joints without a partner.\n"
        "With cell= it compares two lists of exclusions. If a list excludes a pair that can collide, it prints the "
        "joint values of a collision.",
    .examples = "cellpipe diff part.stl part.stl tol=1e-6\n"
                "cellpipe diff cell.wu cell.glb states=100",
    .options = options,
    .reads = true,
    .any_settings = true,
    .run = command_diff};
