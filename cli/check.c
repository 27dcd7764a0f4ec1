/* check: tells whether a file is whole and sound. Ends with 0 if so, else with 1. */
#include "check.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the last of several words that is neither a file nor looks like a path: a word that was misspelt. */
static const char *misspelt_word(const struct list *words)
{
    struct stat facts;
    for (size_t i = words->count; words->count > 1 && i-- > 0;)
        if (!strpbrk(words->items[i], "./@") && strcmp(words->items[i], "-") != 0 &&
            lstat(words->items[i], &facts) != 0)
            return words->items[i];
    return NULL;
}

/* Complains about an unknown word: names the nearest one of the table, or else all of them. */
static cp_status complain_word(struct cli *cli, const char *word)
{
    struct list names = {0};
    const cp_option *option;
    const char *text = "", *nearest;
    for (size_t i = 0; (option = option_at(&check_command, i)) && text; i++)
        if (!is_flag(option) && option->type == CP_OPTION_BOOLEAN)
            text = list_add(cli, &names, option->name) ? cli_print(cli, "%s%s%s", text, *text ? ", " : "", option->name)
                                                       : NULL;
    if (!text || !list_add(cli, &names, NULL))
        return CP_LIMIT;
    nearest = cp_nearest_word(word, names.items);
    return complain(cli, CP_USAGE, "check takes inputs and the words %s, not also \"%s\"%s%s%s", text, word,
                    nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

void put_fault(cp_json *json, const struct fault *fault)
{
    cp_json_open(json, NULL, '{');
    cp_json_text(json, "file", fault->file);
    cp_json_count_or_null(json, "line", fault->line);
    cp_json_count_or_null(json, "column", fault->column);
    cp_json_text(json, "code", fault->code);
    cp_json_text(json, "mesh", fault->mesh ? mesh_name(fault->mesh) : NULL);
    if (fault->property) {
        cp_json_open(json, "counts", '{');
        for (int i = 0; i < 3 && fault->property->faults[i].key; i++)
            cp_json_count(json, fault->property->faults[i].key, fault->property->faults[i].count);
        cp_json_close(json, '}');
    } else {
        cp_json_text(json, "counts", NULL);
    }
    cp_json_text(json, "change", fault->change);
    cp_json_text(json, "first", fault->first);
    cp_json_text(json, "second", fault->second);
    cp_json_text(json, "attribute", fault->attribute);
    cp_json_count_or_null(json, "pairs", fault->pairs);
    if (fault->size)
        cp_json_numbers(json, "size", fault->size, 3);
    cp_json_text(json, "text", fault->text);
    cp_json_close(json, '}');
}

cp_status tell(struct check *check, const struct fault *fault)
{
    const char *line = fault->text ? cli_show(check->cli, "%s: %s", fault->file, fault->text) : NULL;
    if (!line)
        return CP_LIMIT;
    if (check->json)
        put_fault(check->json, fault);
    else if (check->table)
        print_fault_row(check->table, &(cp_entry){.code = fault->code, .file = fault->file, .text = fault->text});
    else
        printf("%s\n", line);
    log_fault(check->cli, fault->code, fault->file, fault->text, line);
    return CP_NO;
}

static void say_ok(struct check *check, const char *path)
{
    if (check->json)
        return;
    say(check->cli, "%s: ok", path);
    printf("\n");
}

void add_outcome(cp_status *status, cp_status outcome)
{
    if (*status == CP_OK || (*status == CP_NO && outcome != CP_OK))
        *status = outcome;
}

/* ---- what is wrong with a mesh ---- */

/* Tells each property that the user asked for and the mesh lacks: for closed with all numbers, else with those above
 * 0. */
static cp_status check_mesh(struct check *check, const cp_mesh *mesh, const cp_topology *topology)
{
    struct cli *cli = check->cli;
    const struct wanted *wanted = &check->wanted;
    const struct property properties[] = {
        {wanted->closed && !topology->closed,
         "check-closed",
         "is not closed",
         {{topology->border_edges, "border_edges", "border edges"},
          {topology->non_manifold_edges, "non_manifold_edges", "edges of more than two faces"},
          {topology->misoriented_edges, "misoriented_edges", "edges between faces that are wound against each other"}}},
        {wanted->manifold,
         "check-manifold",
         "is not manifold",
         {{topology->non_manifold_edges, "non_manifold_edges", "edges of more than two faces"},
          {topology->touching_vertices, "touching_vertices", "vertices where the surface touches itself"}}},
        {wanted->oriented,
         "check-oriented",
         "is not oriented",
         {{topology->flipped_faces, "flipped_faces", "flipped faces"},
          {topology->inside_out_shells, "inside_out_shells", "shells that are inside out"},
          {topology->one_sided_shells, "one_sided_shells", "shells with only one side"}}},
        {wanted->clean,
         "check-clean",
         "is not clean",
         {{topology->degenerate_faces, "degenerate_faces", "faces without area"},
          {topology->duplicate_faces, "duplicate_faces", "faces that are there twice"},
          {topology->flat_shells, "flat_shells", "closed shells without volume"}}}};
    cp_status status = CP_OK;
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        const struct property *property = &properties[i];
        bool empty = i == 0 && topology->edges == 0;
        const char *text = empty ? "no faces" : "";
        for (int k = 0; k < 3 && property->asked && text && !empty; k++)
            if (property->faults[k].what && (i == 0 || property->faults[k].count > 0))
                text = cli_print(cli, "%s%s%" PRIu64 " %s", text, *text ? ", " : "", property->faults[k].count,
                                 property->faults[k].what);
        if (text && (!property->asked || !*text))
            continue;
        if (text)
            text = cli_print(cli, "mesh \"%s\" %s: %s", mesh_name(mesh), property->what, text);
        add_outcome(
            &status,
            tell(check,
                 &(struct fault){
                     .code = property->code, .file = wanted->path, .text = text, .mesh = mesh, .property = property}));
    }
    return status;
}

/* ---- what is wrong with a clip ---- */

struct motion_check {
    struct check *check;
    const cp_scene *scene;
    const cp_clip *clip;
    bool untold;
};

static void tell_excess(void *user, const cp_excess *excess)
{
    struct motion_check *it = user;
    const cp_joint *joint = &cp_joints(it->scene, &(uint32_t){0})[excess->joint];
    const bool turns = joint->type == CP_JOINT_REVOLUTE;
    const double unit = turns ? acos(-1) / 180 : 0.001;
    const char *text = cli_print(
        it->check->cli, "clip \"%s\": joint \"%s\" %s %s %s at %s s, limit %s; %" PRIu32 " period%s from %s s to %s s",
        it->clip->name, joint->name, excess->acceleration ? "speeds up by" : "moves at",
        short_number(excess->most / unit).text,
        excess->acceleration ? (turns ? "deg/s2" : "mm/s2") : (turns ? "deg/s" : "mm/s"),
        short_number(excess->time).text, short_number(excess->limit / unit).text, excess->periods,
        plural(excess->periods), short_number(excess->begin).text, short_number(excess->end).text);
    const struct fault fault = {.code = excess->acceleration ? "motion-acceleration" : "motion-speed",
                                .file = it->check->wanted.path,
                                .text = text};
    it->untold = tell(it->check, &fault) != CP_NO || it->untold;
}

/* Tells how near the loops of a machine come to a singular pose; the library warns if they come too near. */
static cp_status say_singularity(struct check *check, const cp_scene *scene, uint32_t clip)
{
    cp_singularity found = {.size = sizeof found};
    cp_status status = cp_measure_singularity(check->cli->context, scene, clip, check->wanted.period, &found);
    if (status != CP_OK || found.loop == CP_NONE || check->json || check->table)
        return status;
    say(check->cli, "%s: clip \"%s\": singularity %s at %s s, the least", check->wanted.path,
        cp_clips(scene, &(uint32_t){0})[clip].name, short_number(found.distance).text, short_number(found.time).text);
    printf("\n");
    return CP_OK;
}

static cp_status check_motion(struct check *check, const cp_scene *scene)
{
    uint32_t count;
    const cp_clip *clips = cp_clips(scene, &count);
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < count && (status == CP_OK || status == CP_NO); i++) {
        struct motion_check it = {check, scene, &clips[i], false};
        cp_status own = cp_find_excesses(check->cli->context, scene, i, check->wanted.period, tell_excess, &it);
        add_outcome(&status, it.untold ? CP_LIMIT : own);
        if (own == CP_OK || own == CP_NO)
            add_outcome(&status, say_singularity(check, scene, i));
    }
    return status;
}

/* ---- a scene ---- */

/* Checks the scene. A part must be a solid, as an engineer expects, if the user gives no words; the meshes of a cell
 * need not. */
cp_status check_scene(struct check *check, const cp_scene *scene)
{
    struct cli *cli = check->cli;
    struct wanted *wanted = &check->wanted;
    cp_status status = cp_validate(cli->context, scene);
    bool any = wanted->closed || wanted->manifold || wanted->oriented || wanted->clean || wanted->solid;
    bool sized = wanted->least_size > 0 || wanted->most_size > 0;
    if (!any && !wanted->scene && !wanted->motion && !sized)
        wanted->solid = any = !is_cell(scene);
    if (wanted->solid)
        wanted->closed = wanted->manifold = wanted->oriented = wanted->clean = true;
    struct parts parts = {0};
    if (status == CP_OK && any)
        status = list_parts(cli, scene, false, &parts);
    for (uint32_t i = 0; i < parts.count && (status == CP_OK || status == CP_NO); i++)
        if (parts.items[i].mesh->kind != CP_MESH_LINES)
            add_outcome(&status, check_mesh(check, parts.items[i].mesh, &parts.items[i].topology));
    if (sized && (status == CP_OK || status == CP_NO))
        add_outcome(&status, check_size(check, scene));
    if (wanted->motion && (status == CP_OK || status == CP_NO))
        add_outcome(&status, check_motion(check, scene));
    return status == CP_BUG ? CP_NO : status;
}

/* ---- the command ---- */

bool tell_errors(struct check *check)
{
    size_t count;
    bool any = false;
    const cp_entry *entries = cp_report(check->cli->context, &count);
    for (size_t i = 0; i < count; i++) {
        if (entries[i].severity != CP_ERROR)
            continue;
        cp_entry entry = entries[i];
        entry.file = entry.file ? entry.file : check->wanted.path;
        any = true;
        if (check->json)
            put_fault(check->json, &(struct fault){.code = entry.code,
                                                   .file = entries[i].file,
                                                   .text = entry.text,
                                                   .line = entry.line,
                                                   .column = entry.column});
        else
            print_fault_row(check->table, &entry);
    }
    return any;
}

void put_file(cp_json *json, const char *path, bool ok)
{
    cp_json_open(json, NULL, '{');
    cp_json_text(json, "file", path);
    cp_json_boolean(json, "ok", ok);
    cp_json_close(json, '}');
}

/* Checks the files. files: whether the input is good, and the list; CP_BUG: it was not checked. */
static cp_status check_files(struct check *check, cp_status files[2])
{
    struct cli *cli = check->cli;
    const char *path = check->wanted.path;
    cp_scene *scene;
    struct stat facts;
    cp_status status = read_input(cli, path, &check->wanted.request, &scene);
    /* A fault that the reader finds in a file is an answer; a file that cannot be opened is none. */
    if (status == CP_INPUT &&
        (strcmp(path, "-") == 0 || (access(path, R_OK) == 0 && stat(path, &facts) == 0 && !S_ISDIR(facts.st_mode))))
        status = CP_NO;
    if (status != CP_OK)
        return files[0] = status;
    status = files[0] = check_scene(check, scene);
    if (status == CP_OK)
        say_ok(check, path);
    if (check->wanted.list && (status == CP_OK || status == CP_NO)) {
        files[1] = check_list(check, scene);
        if (files[1] == CP_OK)
            say_ok(check, check->wanted.list);
        add_outcome(&status, files[1]);
    }
    cp_scene_free(scene);
    return status;
}

static cp_status check_to_json(struct check *check)
{
    struct json_answer answer;
    cp_status files[2] = {CP_BUG, CP_BUG};
    if (!json_answer_begin(check->cli, &answer))
        return CP_LIMIT;
    cp_json *json = check->json = &answer.json;
    cp_json_open(json, "faults", '[');
    cp_status status = check_files(check, files);
    (void)tell_errors(check);
    cp_json_close(json, ']');
    cp_json_open(json, "files", '[');
    put_file(json, check->wanted.path, files[0] == CP_OK);
    if (files[1] != CP_BUG)
        put_file(json, check->wanted.list, files[1] == CP_OK);
    cp_json_close(json, ']');
    cp_json_boolean(json, "ok", status == CP_OK);
    return json_answer_end(check->cli, &answer, status);
}

static cp_status command_check(struct cli *cli)
{
    struct check check = {.cli = cli};
    struct wanted *wanted = &check.wanted;
    const struct list *words = &wanted->request.words;
    cp_status status = sort_words(cli, 1, cli->words.count, &check_command, wanted);
    if (status != CP_OK)
        return status;
    const struct list *settings = &wanted->request.settings;
    if (settings->count > 0 && !wanted->list)
        return complain_setting(cli, &check_command, settings->items[0]);
    const char *misspelt = misspelt_word(words);
    if (misspelt)
        return complain_word(cli, misspelt);
    if (words->count == 0)
        return complain(
            cli, CP_USAGE,
            "check needs an input: cellpipe check [closed|manifold|oriented|clean|solid|scene|motion]... IN");
    if (wanted->most_size > 0 && wanted->least_size > wanted->most_size)
        return complain(cli, CP_USAGE, "min-size is more than max-size");
    if (asks_for_many(&wanted->request))
        return wanted->list ? complain(cli, CP_USAGE, "list=%s is checked with one cell: cellpipe check IN list=LIST",
                                       wanted->list)
                            : check_many(&check);
    if (wanted->list && strcmp(wanted->list, "-") == 0)
        return complain(cli, CP_USAGE, "a list of exclusions is a file, beside which its evidence lies");
    wanted->path = words->items[0];
    return wanted->json ? check_to_json(&check) : check_files(&check, (cp_status[2]){CP_OK});
}

static const cp_option options[] = {
    {"closed", "no border edges, no edges of more than two faces, no neighbours wound against each other",
     CP_OPTION_BOOLEAN, .offset = offsetof(struct wanted, closed)},
    {"manifold", "no edges of more than two faces, no vertices where the surface touches itself", CP_OPTION_BOOLEAN,
     .offset = offsetof(struct wanted, manifold)},
    {"oriented", "no flipped faces, no shells that are inside out or have one side only", CP_OPTION_BOOLEAN,
     .offset = offsetof(struct wanted, oriented)},
    {"clean", "no faces without area, no faces that are there twice, no closed shells without volume",
     CP_OPTION_BOOLEAN, .offset = offsetof(struct wanted, clean)},
    {"solid", "all of these; the default for a part", CP_OPTION_BOOLEAN, .offset = offsetof(struct wanted, solid)},
    {"scene",
     "none of these; the default for a cell: a tag workcell, or what has joints, devices, exclusions, clips, "
     "or frames that may move",
     CP_OPTION_BOOLEAN, .offset = offsetof(struct wanted, scene)},
    {"motion",
     "in no clip is a joint faster, or speeds up faster, than its limits say; tells how near loops come to a "
     "singular pose",
     CP_OPTION_BOOLEAN, .offset = offsetof(struct wanted, motion)},
    {"period", "of motion: between two looks at a clip", CP_OPTION_TIME, offsetof(struct wanted, period), "0.01",
     .minimum = 1e-4, .maximum = 3600},
    {"min-size", "the longest side of the box around all is at least so long", CP_OPTION_LENGTH,
     .offset = offsetof(struct wanted, least_size), .minimum = 1e-9, .maximum = 1e9},
    {"max-size", "it is at most so long; with both, check-unit tells which unit the file may have been meant in",
     CP_OPTION_LENGTH, .offset = offsetof(struct wanted, most_size), .minimum = 1e-9, .maximum = 1e9},
    {"list",
     "check that LIST, a list of collision exclusions, still fits the cell: a collision-setup by the evidence beside "
     "it, with the tools=FILE of exclude if it was made so; an SRDF by what exclude finds, of which K=V are options "
     "(docs/exclusion.md)",
     CP_OPTION_PATH, offsetof(struct wanted, list), .value = "LIST"},
    JSON_FLAG(struct wanted),
    MANY_OPTIONS(struct wanted, many),
    {0}};

const struct command check_command = {
    .name = "check",
    .title = "check whether files are sound",
    .usage = "[closed|manifold|oriented|clean|solid|scene|motion]... [min-size=L] [max-size=L] IN... [--json]\n"
             "IN list=LIST [K=V]... [--json]",
    .help =
        "Lists faults, and ends with 1 if there are any: errors of the file, "
        "an inconsistent scene, meshes that fail a test. Each word adds a test "
        "of every mesh. IN is a file, a folder, or @LIST, as for batch: of many files the faults are a table, and a "
        "file that crashes its reader costs no other.",
    .examples = "cellpipe check solid part.stl || echo \"not sound\"\n"
                "cellpipe check max-size=2m --in stl.unit=mm parts\n"
                "cellpipe check samples/urdf_picker.urdf list=samples/urdf_picker.srdf",
    .options = options,
    .reads = true,
    .any_settings = true,
    .run = command_check};
