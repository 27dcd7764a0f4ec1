/* convert --compare-back: reads an output again, and compares it with the scene that was to be written. What the writer
 * has reported as lost is not compared. Geometry is compared as a whole, by box, area and volume, for a format may cut
 * faces and join meshes; frames, joints and the rest are compared as diff does, with poses at random states. */
#include "diff.h"
#include "plan.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The tolerances: of boxes as a part of the size, of area and volume ten times that as a part of the scene's, and of
 * all else. Single precision, in which many formats keep vertices, is 6e-8 of a coordinate; what is packed for the web
 * has fewer digits, and perhaps fewer triangles. */
static const double box_tolerance = 1e-5, web_tolerance = 1e-3, other_tolerance = 1e-6;
/* The same of boxes, areas and volumes if round shapes got another number of sides: from 12 to 32 sides, a sphere grows
 * by 8.4 % in volume, and by 2 % of its diameter. */
static const double round_box_tolerance = 0.02, round_tolerance = 0.1;

/* ---- what the writer has lost ---- */

/* These may differ if the code was reported; property NULL: anything of the subject may. */
static const struct {
    const char *code, *subject, *property;
} excuses[] = {
    {"loss-hierarchy", "frame", NULL},
    {"loss-names", "frame", NULL},
    {"loss-joints", "joint", NULL},
    {"loss-joints", "loop", NULL},
    {"loss-joints", "frame", "kind"},
    {"loss-joints", "cell", "loops"},
    {"loss-joints", "frame", "pose"},
    {"loss-loops", "loop", NULL},
    {"loss-loops", "cell", "loops"},
    {"loss-loops", "frame", "pose"},
    {"loss-pairs", "exclusion", NULL},
    {"loss-pairs", "volatile", NULL},
    {"loss-pairs", "cell", "static_pairs"},
    {"loss-flags", "frame", "kind"},
    {"loss-flags", "frame", "attachable"},
    {"loss-inertia", "frame", "inertia"},
    {"loss-inertia", "frame", "mass"},
    {"loss-inertia", "frame", "centre"},
    {"loss-inertia", "frame", "moments"},
    {"loss-clips", "clip", NULL},
    {"loss-marks", "clip", "marks"},
    {"loss-lines", "geometry", NULL},
    {"planes-limited", "geometry", NULL},
    {"loss-geometry", "geometry", NULL},
    {"loss-collision", "geometry", "collision"},
    {"gltf-collision", "geometry", "collision"},
    {"urdf-pairs", "exclusion", NULL},
    {"urdf-pairs", "volatile", NULL},
    {"urdf-pairs", "cell", "static_pairs"},
    {"urdf-movable", "frame", "kind"},
    {"urdf-flags", "frame", "attachable"},
    {"urdf-homes", "joint", "home"},
    {"urdf-homes", "joint", "q"},
    {"urdf-ranges", "joint", "lower"},
    {"urdf-ranges", "joint", "upper"},
};
enum { EXCUSES = sizeof excuses / sizeof *excuses };

static bool was_reported(const struct cli *cli, const char *code)
{
    size_t count;
    const cp_entry *entries = cp_report(cli->context, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(entries[i].code, code) == 0)
            return true;
    return false;
}

static bool is_excused(const struct diff *diff, const struct difference *difference)
{
    for (size_t i = 0; i < EXCUSES; i++)
        if (diff->lost[i] && strcmp(excuses[i].subject, difference->subject) == 0 &&
            (!excuses[i].property || strcmp(excuses[i].property, difference->property) == 0))
            return true;
    /* A format of meshes has a frame named by the file. */
    return difference->only_in == IN_B && strcmp(difference->subject, "frame") == 0 &&
           strcmp(difference->name, diff->stem) == 0;
}

/* ---- reading again ---- */

const char *importer_of_output(size_t exporter)
{
    const char *importer;
    size_t index;
    char suffix[32] = ""; /* the first one */
    const char *suffixes = plugin_at(CP_EXPORTER, exporter).suffixes;
    (void)snprintf(suffix, sizeof suffix, "%.*s", (int)strcspn(suffixes, " "), suffixes);
    importer = importer_named(suffix);
    index = importer ? plugin_named(CP_IMPORTER, importer) : SIZE_MAX;
    bool is_part = index != SIZE_MAX && (plugin_at(CP_IMPORTER, index).lists_pairs ||
                                         strcmp(importer, "deneb-recording") == 0); /* which needs its workcell */
    return is_part ? NULL : importer;
}

static const char *given(const struct list *options, const char *name)
{
    size_t size = strlen(name);
    const char *value = NULL;
    for (size_t i = 0; i < options->count; i++)
        if (strncmp(options->items[i], name, size) == 0 && options->items[i][size] == '=')
            value = options->items[i] + size + 1;
    return value;
}

/* Makes the options with which an output in a unit and with an axis of its own is read again: formats of meshes do not
 * say them. */
static bool make_options(struct cli *cli, const cp_scene *scene, const struct plan_step *step, size_t importer,
                         struct list *options)
{
    const cp_source *source = cp_scene_source(scene);
    const char *unit = given(&step->options, "unit"), *up = given(&step->options, "up");
    cp_option_info option;
    bool automatic = !unit || strcmp(unit, "auto") == 0, good = true;
    char digits[CP_NUMBER_SIZE];
    if ((automatic && strcmp(source->format, "stl") == 0) || (unit && strcmp(unit, "source") == 0)) {
        cp_print_double(source->unit, digits);
        unit = cli_print(cli, "%s", digits);
        good = unit;
    } else if (automatic) {
        unit = NULL;
    }
    if (up && strcmp(up, "source") == 0)
        up = source->up == CP_UP_Y ? "y" : "z";
    if (good && unit && plugin_has(CP_IMPORTER, importer, "unit", &option))
        good = list_add(cli, options, cli_print(cli, "unit=%s", unit));
    if (good && up && plugin_has(CP_IMPORTER, importer, "up", &option))
        good = list_add(cli, options, cli_print(cli, "up=%s", up));
    return good;
}

/* ---- geometry ---- */

static bool is_near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance;
}

/* Compares the box, area and volume of all meshes for a use. */
static cp_status compare_geometry(struct diff *diff, uint32_t use)
{
    const char *use_name = cp_use_name(use);
    cp_measures a = {.size = sizeof a}, b = {.size = sizeof b};
    cp_status status = cp_measure(diff->cli->context, diff->a.scene, use, &a);
    if (status == CP_OK)
        status = cp_measure(diff->cli->context, diff->b.scene, use, &b);
    if (status != CP_OK || (!a.any && !b.any))
        return status;
    const bool is_round = was_reported(diff->cli, "urdf-sides");
    const double of_box = is_round ? round_box_tolerance : diff->box_tolerance,
                 of_area = is_round ? round_tolerance : 10 * diff->box_tolerance;
    double size = 0, most = 0; /* most: the largest coordinate, at which single precision rounds */
    for (int i = 0; i < 3; i++) {
        size = hypot(size, a.upper[i] - a.lower[i]);
        most = fmax(most, fmax(fabs(a.upper[i]), fabs(a.lower[i])));
    }
    const double box_a[] = {a.lower[0], a.lower[1], a.lower[2], a.upper[0], a.upper[1], a.upper[2]};
    const double box_b[] = {b.lower[0], b.lower[1], b.lower[2], b.upper[0], b.upper[1], b.upper[2]};
    bool same = a.any == b.any;
    for (int i = 0; i < 6 && same; i++)
        same = is_near(box_a[i], box_b[i], of_box * (size + 0.1 * most));
    if (!same && !diff->same_home) /* cells with other homes stand elsewhere */
        differ(diff, &ABOUT("geometry", use_name, use_name, .a = NUMBERS(box_a, 6), .b = NUMBERS(box_b, 6)),
               "from %s to %s, not from %s to %s", point_text(box_a[0], box_a[1], box_a[2]).text,
               point_text(box_a[3], box_a[4], box_a[5]).text, point_text(box_b[0], box_b[1], box_b[2]).text,
               point_text(box_b[3], box_b[4], box_b[5]).text);
    if (!is_near(a.area, b.area, of_area * a.area))
        differ(diff, &ABOUT("geometry", use_name, use_name, .a = NUMBER(a.area), .b = NUMBER(b.area)),
               "an area of %s m2, not %s m2", short_number(a.area).text, short_number(b.area).text);
    if (!is_near(a.volume, b.volume, is_round ? of_area * fabs(a.volume) : of_area * a.area * size))
        differ(diff, &ABOUT("geometry", use_name, use_name, .a = NUMBER(a.volume), .b = NUMBER(b.volume)),
               "a volume of %s m3, not %s m3", short_number(a.volume).text, short_number(b.volume).text);
    return CP_OK;
}

/* ---- all ---- */

/* Finds the frame that stands for the world in a format whose root has no place of its own, as a link of URDF: the one
 * that alone hangs on the world, at its origin, with nothing of its own. 0 if there is none. */
static uint32_t find_world(const struct diff_side *side)
{
    uint32_t world = 0, instances;
    const cp_instance *instance = cp_instances(side->scene, &instances);
    for (uint32_t i = 1; i < side->node_count; i++) {
        const cp_node *node = &side->nodes[i];
        if (node->parent != 0 || is_placeholder(side->scene, i))
            continue;
        if (world > 0 || strncmp(node->name, "world", strlen("world")) != 0 || node->joint_count > 0)
            return 0;
        for (int k = 0; k < 12; k++)
            if (node->local.m[k] != (k % 5 == 0))
                return 0;
        world = i;
    }
    for (uint32_t i = 0; i < instances; i++)
        if (instance[i].node == world)
            return 0;
    return world;
}

static cp_status compare_scenes(struct diff *diff)
{
    cp_status status = CP_OK;
    bool lost[EXCUSES];
    for (size_t i = 0; i < EXCUSES; i++)
        lost[i] = was_reported(diff->cli, excuses[i].code);
    diff->lost = lost;
    diff->same_home = was_reported(diff->cli, "urdf-homes");
    diff->world_in_b = strcmp(cp_scene_source(diff->b.scene)->format, "urdf") == 0 ? find_world(&diff->b) : 0;
    diff->excuses = is_excused;
    if (status == CP_OK)
        status = compare_geometry(diff, CP_USE_DRAWN);
    if (status == CP_OK)
        status = compare_geometry(diff, CP_USE_COLLISION);
    if (status == CP_OK)
        status = diff_tables(diff);
    return status;
}

cp_status compare_back(struct cli *cli, cp_scene *written, const struct plan_step *step, const char *importer)
{
    const char *web = given(&step->options, "web");
    bool is_web = web && strcmp(web, "no") != 0;
    struct diff diff = {
        .cli = cli, .tolerance = other_tolerance, .box_tolerance = is_web ? web_tolerance : box_tolerance};
    struct list options = {0};
    cp_scene *again = NULL;
    cp_status status =
        make_options(cli, written, step, plugin_named(CP_IMPORTER, importer), &options) ? CP_OK : CP_LIMIT;
    if (status == CP_OK)
        status = cp_read(cli->context, step->name, importer, options.items, options.count, &again);
    if (status == CP_INPUT)
        return complain(cli, CP_NO, "%s was written, and cannot be read again", step->name);
    if (status == CP_OK &&
        was_reported(cli, "loss-ngons")) /* triangles decide the area of a polygon that is not flat */
        status = cp_apply(cli->context, written, "triangulate", NULL, 0);
    if (status == CP_OK)
        status = open_side(cli, &diff.a, cp_scene_source(written)->file, written);
    if (status == CP_OK)
        status = open_side(cli, &diff.b, step->name, again);
    if (status == CP_OK && !(diff.stem = path_stem(cli, step->name)))
        status = CP_LIMIT;
    if (status == CP_OK)
        status = compare_scenes(&diff);
    if (status == CP_OK || status == CP_NO) {
        say(cli, "%s was read again: ", step->name);
        printf("%" PRIu64 " difference%s in %" PRIu32 " frames, %" PRIu32 " joints and their geometry\n",
               diff.differences, plural(diff.differences), diff.b.node_count - 1, diff.b.joint_count);
    }
    cp_scene_free(again);
    return status;
}
