/* info: prints the contents of a file, for people, for scripts (--json) or in full (--dump). */
#include "batch/many.h"
#include "package.h"
#include "parts.h"

#include <inttypes.h>
#include <math.h>

static const double degrees = 180 / 3.14159265358979323846;

static void print_frames(const cp_scene *scene)
{
    uint32_t count, frames = 0, movable = 0, joint = 0, attachable = 0;
    const cp_node *nodes = cp_nodes(scene, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (is_placeholder(scene, i))
            continue;
        const char *kind = frame_kind(scene, i);
        frames++;
        movable += *kind == 'm';
        joint += *kind == 'j';
        attachable += (nodes[i].flags & CP_NODE_ATTACHABLE) != 0;
    }
    printf("frames      %" PRIu32 " (%" PRIu32 " with joints, %" PRIu32 " movable, %" PRIu32 " attachable)\n", frames,
           joint, movable, attachable);
}

/* Prints a value: in degrees if the joint turns, else unchanged. */
static void print_value(const cp_joint *joint, double value)
{
    if (!isfinite(value))
        printf("unlimited");
    else if (joint->type == CP_JOINT_REVOLUTE)
        printf("%s deg", short_number(value * degrees).text);
    else
        printf("%s%s", short_number(value).text, joint->type == CP_JOINT_PRISMATIC ? " m" : "");
}

static void print_joints(struct cli *cli, const cp_scene *scene)
{
    uint32_t count;
    const cp_joint *joints = cp_joints(scene, &count);
    printf("joints      %" PRIu32 "\n", count);
    for (uint32_t i = 0; i < count; i++) {
        const cp_joint *joint = &joints[i];
        const cp_expression *expression = joint->expression;
        say(cli, "  %-20s %-9s ", joint->name, cp_joint_type_name(joint->type));
        if (expression) {
            say(cli, "= %s", expression->text);
            for (uint32_t k = 0; k < expression->input_count; k++)
                say(cli, "%s dof(%" PRIu32 ") is %s", k ? "," : ";", k + 1, joints[expression->inputs[k]].name);
        } else if (joint->master != CP_NONE) {
            say(cli, "= %s * %s + ", short_number(joint->scale).text, joints[joint->master].name);
            print_value(joint, joint->offset);
        } else {
            print_value(joint, joint->lower);
            printf(" .. ");
            print_value(joint, joint->upper);
            printf(", home ");
            print_value(joint, joint->home);
        }
        printf("%s\n", joint->driven ? "" : ", not driven");
    }
}

/* Prints the mobility, of mechanisms only: a cell whose joints are all driven, without loops, has as many degrees of
 * freedom as joints. */
static cp_status print_mobility(struct cli *cli, const cp_scene *scene)
{
    cp_mobility found = {.size = sizeof found};
    cp_singularity singularity = {.size = sizeof singularity};
    cp_status status = cp_measure_mobility(cli->context, scene, &found);
    if (status == CP_OK)
        status = cp_measure_singularity(cli->context, scene, CP_NONE, 0, &singularity);
    if (status != CP_OK || (found.loops == 0 && found.dangling == 0))
        return status;
    const char *why = NULL;
    if (found.lacking != CP_NONE)
        why = cli_print(cli, "no: nothing sets \"%s\"", cp_joints(scene, &(uint32_t){0})[found.lacking].name);
    else if (found.driven > found.commanded)
        why = cli_print(cli, "no: %" PRIu32 " joints are driven, %" PRIu32 " can be", found.driven, found.commanded);
    printf("mobility    %" PRIu32 " degree%s of freedom of %" PRIu32 " joints and %" PRIu32 " loop%s: %" PRIu32
           " with a command, %" PRIu32 " without",
           found.degrees, plural(found.degrees), found.joints, found.loops, plural(found.loops), found.commanded,
           found.dangling);
    if (found.redundant > 0)
        printf(", %" PRIu32 " redundant condition%s", found.redundant, plural(found.redundant));
    say(cli, "; can be moved: %s", why ? why : "yes");
    printf("\n");
    if (singularity.loop != CP_NONE) {
        say(cli, "singularity %s, the smallest singular value of loop \"%s\"", short_number(singularity.distance).text,
            cp_loops(scene, &(uint32_t){0})[singularity.loop].name);
        printf("\n");
    }
    return CP_OK;
}

static void print_devices(struct cli *cli, const cp_scene *scene)
{
    uint32_t count;
    const cp_node *nodes = cp_nodes(scene, &(uint32_t){0});
    const cp_device *devices = cp_devices(scene, &count);
    printf("devices     %" PRIu32 "\n", count);
    for (uint32_t i = 0; i < count; i++) {
        say(cli, "  %-20s %s from %s", devices[i].name, cp_device_kind_name(devices[i].kind),
            nodes[devices[i].base].name);
        for (uint32_t end = 0; end < devices[i].end_count; end++)
            say(cli, "%s %s", end ? "," : " to", nodes[devices[i].ends[end]].name);
        const char *class = device_class(scene, &devices[i]);
        printf(", %" PRIu32 " joint%s%s%s\n", devices[i].joint_count, plural(devices[i].joint_count), class ? ", " : "",
               class ? class : "");
    }
}

static cp_status print_geometry(struct cli *cli, const cp_scene *scene)
{
    uint32_t meshes, instances;
    cp_measures measures = {.size = sizeof measures};
    (void)cp_meshes(scene, &meshes);
    (void)cp_instances(scene, &instances);
    cp_status status = cp_measure(cli->context, scene, CP_USE_DRAWN, &measures);
    if (status != CP_OK)
        return status;
    printf("meshes      %" PRIu32 ", placed %" PRIu32 " time%s\n", meshes, instances, plural(instances));
    printf("drawn       %" PRIu64 " triangle%s", measures.triangles, plural(measures.triangles));
    if (measures.any)
        printf(", %s m2, %s m3, from (%s %s %s) to (%s %s %s)", short_number(measures.area).text,
               short_number(measures.volume).text, short_number(measures.lower[0]).text,
               short_number(measures.lower[1]).text, short_number(measures.lower[2]).text,
               short_number(measures.upper[0]).text, short_number(measures.upper[1]).text,
               short_number(measures.upper[2]).text);
    printf("\n");
    return CP_OK;
}

static void print_clips(struct cli *cli, const cp_scene *scene)
{
    uint32_t count;
    const cp_clip *clips = cp_clips(scene, &count);
    printf("clips       %" PRIu32 "\n", count);
    for (uint32_t i = 0; i < count; i++) {
        struct clip_facts facts = clip_facts(&clips[i]);
        say(cli, "  %-20s %s s, %" PRIu32 " track%s of %" PRIu64 " key%s", clips[i].name,
            short_number(facts.last - facts.first).text, clips[i].track_count, plural(clips[i].track_count), facts.keys,
            plural(facts.keys));
        if (clips[i].attachment_count > 0)
            printf(", %" PRIu32 " time%s something hangs elsewhere", clips[i].attachment_count,
                   plural(clips[i].attachment_count));
        if (clips[i].mark_count > 0)
            printf(", %" PRIu32 " mark%s", clips[i].mark_count, plural(clips[i].mark_count));
        printf("\n");
    }
}

/* Prints the facts for people; of a part only those that a part can have. */
static cp_status print_text(struct cli *cli, const char *path, const cp_scene *scene)
{
    const cp_source *source = cp_scene_source(scene);
    bool cell = is_cell(scene);
    struct parts parts;
    cp_measures measures = {.size = sizeof measures};
    struct distinct_exclusions exclusions;
    cp_pair_counts counts = {.size = sizeof counts};
    say(cli, "%s: %s%sunit %s m, %s up", path, source->format, *source->format ? ", " : "",
        short_number(source->unit).text, source->up == CP_UP_Y ? "Y" : "Z");
    printf("\n");
    print_frames(scene);
    if (cell) {
        print_joints(cli, scene);
        print_devices(cli, scene);
    }
    cp_status status = cell ? print_mobility(cli, scene) : CP_OK;
    if (status == CP_OK)
        status = print_geometry(cli, scene);
    if (!cell) {
        if (status == CP_OK)
            status = cp_measure(cli->context, scene, CP_USE_BOTH, &measures);
        if (status == CP_OK)
            status = list_parts(cli, scene, true, &parts);
        if (status == CP_OK)
            print_parts(cli, &parts, &measures);
        return status;
    }
    if (status == CP_OK)
        status = list_exclusions(cli, scene, false, &exclusions);
    if (status == CP_OK)
        status = cp_count_pairs(cli->context, scene, &counts);
    if (status != CP_OK)
        return status;
    printf("exclusions  %zu (and %zu of frames that are not there)\n"
           "collision   %" PRIu64 " of %" PRIu64 " pair%s of %" PRIu64 " frame%s to be checked",
           exclusions.count, exclusions.dangling, counts.checked, counts.all, plural(counts.all), counts.candidates,
           plural(counts.candidates));
    if (counts.without_geometry > 0)
        printf("; volatile frames without geometry: %" PRIu64, counts.without_geometry);
    if (counts.missing > 0)
        printf("; with the %" PRIu64 " frame%s whose models are missing: %" PRIu64 " of %" PRIu64, counts.missing,
               plural(counts.missing), counts.declared_checked, counts.declared);
    if (counts.static_alone > 0)
        printf("; not checked for being static alone: %" PRIu64, counts.static_alone);
    printf("\n");
    print_clips(cli, scene);
    return CP_OK;
}

struct info {
    struct request request;
    bool json, dump, explain;
    struct many_request many;
};

/* Answers for a folder or several files. A folder alone may be one of ROS packages. */
static cp_status info_of_many(struct cli *cli, const struct info *info)
{
    const struct list *words = &info->request.words;
    const char *path = words->items[0];
    bool is_alone = words->count == 1 && info->request.said.count == info->json;
    if (info->dump)
        return complain(cli, CP_USAGE, "%s%s: --dump is of one file", path,
                        words->count == 1 && is_folder(path) ? " is a folder" : " is not all");
    /* A list of pairs is read beside its robot by other commands. */
    if (words->count == 2 && has_list_suffix(words->items[1]))
        return complain(cli, CP_USAGE,
                        "info does not read %s; a list beside a robot is read by: cellpipe convert %s %s OUT",
                        words->items[1], path, words->items[1]);
    cp_status status = is_alone && is_folder(path) ? info_folder(cli, path, info->json) : CP_NO;
    return status == CP_NO ? info_many(cli, &info->request, &info->many, info->json) : status;
}

static cp_status command_info(struct cli *cli)
{
    struct info info = {0};
    cp_scene *scene;
    cp_status status = sort_words(cli, 1, cli->words.count, &info_command, &info);
    if (status != CP_OK)
        return status;
    if (info.request.words.count == 0)
        return complain(cli, CP_USAGE, "info needs an input: cellpipe info IN");
    if (info.json && info.dump)
        return complain(cli, CP_USAGE, "info prints --json or --dump, not both");
    const char *path = info.request.words.items[0];
    if (info.explain) { /* what readers tried are notes; the reader that has more to report must be asked to */
        cli->verbose = true;
        status = add_input_option(cli, &info.request.in, "deneb-part.explain=yes");
    }
    if (status == CP_OK && asks_for_many(&info.request))
        return info_of_many(cli, &info);
    if (status == CP_OK)
        status = read_input(cli, path, &info.request, &scene);
    if (status != CP_OK)
        return status;
    if (info.dump)
        status = cp_write(cli->context, scene, "-", "dump", NULL, 0);
    else if (info.json)
        status = print_info_json(cli, scene);
    else
        status = print_text(cli, path, scene);
    cp_scene_free(scene);
    return status;
}

static const cp_option options[] = {
    JSON_FLAG(struct info),
    {"--dump", "print everything, as canonical text", CP_OPTION_BOOLEAN, .offset = offsetof(struct info, dump)},
    {"--explain",
     "for an undocumented format (legacy Deneb parts): a note for each reading that was tried, and why it failed",
     CP_OPTION_BOOLEAN, .offset = offsetof(struct info, explain)},
    MANY_OPTIONS(struct info, many),
    {0}};

const struct command info_command = {
    .name = "info",
    .title = "print what files hold",
    .usage = "IN... [--json]\n"
             "IN [--dump] [--explain]",
    .help =
        "Prints a summary of a cell or a part. IN is a file, a folder, or @LIST, as for batch: many files are a "
        "table, a line each, and the exit code is 1 if one cannot be read. Of a folder alone with ROS packages in it "
        "(those with a package.xml, perhaps itself) it lists these and their robots.",
    .examples = "cellpipe info cell.wu\n"
                "cellpipe info parts --in stl.unit=mm --json",
    .options = options,
    .reads = true,
    .run = command_info};
