/* collide: finds collisions at a configuration or in the course of a clip. Ends with 0 if there are none, else with 1
 * and a list. */
#include "cli.h"
#include "posing.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct asked {
    struct request request;
    struct posing posing;
    const char *clip;
    bool every_pair, json;   /* excluded pairs too */
    struct list ignored;     /* "A,B" */
    double clearance, touch; /* metres */
    double step;             /* seconds */
};

/* The findings in the course of a clip, or at a configuration, which is one moment without times. */
struct found {
    const struct asked *asked;
    const cp_node *nodes;
    const cp_clip *clip; /* NULL at a configuration */
    uint64_t pairs;      /* that were checked */
    uint64_t left_out;   /* not checked only for their lack of geometry: info counts them, too */
    cp_passages passages;
    uint32_t colliding, near, resting; /* numbers of passages; one that collides may rest at other times */
};

/* ---- clips ---- */

/* Chooses the clip; NULL for a configuration alone. */
static cp_status choose_clip(struct cli *cli, const cp_scene *scene, const struct asked *asked, const cp_clip **clip)
{
    uint32_t count, named = 0;
    const cp_clip *clips = cp_clips(scene, &count);
    const char *name = asked->clip;
    struct list names = {0};
    bool good = true;
    *clip = NULL;
    if (is_posed(&asked->posing))
        return name ? complain(cli, CP_USAGE, "clip=%s and values of joints exclude each other", name) : CP_OK;
    if (!name && count > 1)
        return complain(cli, CP_USAGE,
                        "%" PRIu32 " clips: choose one with clip=NAME, such as clip=\"%s\", or none with home=yes",
                        count, clips[0].name);
    if (!name) {
        *clip = count == 1 ? clips : NULL;
        return CP_OK;
    }
    for (uint32_t i = 0; i < count && good; i++) {
        good = list_add(cli, &names, clips[i].name);
        if (strcmp(clips[i].name, name) == 0 && named++ == 0)
            *clip = &clips[i];
    }
    if (named > 1)
        return complain(cli, CP_USAGE, "%" PRIu32 " clips are called \"%s\": choose one by its number, as clip=#%td",
                        named, name, *clip - clips + 1);
    /* "#2" means the second clip, if no clip has that name. */
    char *end = NULL;
    unsigned long long number = name[0] == '#' && isdigit((unsigned char)name[1]) ? strtoull(name + 1, &end, 10) : 0;
    if (named == 0 && number > 0 && number <= count && *end == '\0')
        *clip = &clips[number - 1];
    if (*clip)
        return CP_OK;
    return good && list_add(cli, &names, NULL) ? complain_missing(cli, "clip", name, names.items) : CP_LIMIT;
}

/* ---- pairs that are not checked ---- */

static cp_status ignore_pair(struct cli *cli, const cp_scene *scene, cp_collider *collider, const char *pair)
{
    const char *comma = strchr(pair, ',');
    uint32_t frames[2];
    if (!comma || strchr(comma + 1, ','))
        return complain(cli, CP_USAGE, "ignore=%s: give two frames, as ignore=A,B", pair);
    const char *first = cli_print(cli, "%.*s", (int)(comma - pair), pair);
    cp_status status = first ? find_frame(cli, scene, first, &frames[0]) : CP_LIMIT;
    if (status == CP_OK)
        status = find_frame(cli, scene, comma + 1, &frames[1]);
    if (status == CP_OK)
        status = cp_collider_ignore(collider, frames[0], frames[1]);
    return status == CP_NO ? complain(cli, CP_USAGE, "ignore=%s: the pair is not checked anyway", pair) : status;
}

/* ---- the answer ---- */

/* Tells whether the pair neither collides nor rests. */
static bool is_near(const cp_passage *passage)
{
    return passage->moments == 0 && passage->resting == 0;
}

static cp_status find_pairs(struct cli *cli, const cp_scene *scene, cp_collider *collider, struct found *found)
{
    const struct asked *asked = found->asked;
    cp_passages *passages = &found->passages;
    passages->size = sizeof *passages;
    cp_status status = CP_LIMIT;
    if (found->clip) {
        uint32_t clip = (uint32_t)(found->clip - cp_clips(scene, &(uint32_t){0}));
        status = cp_collide_clip(collider, clip, asked->step, asked->clearance, passages);
    } else {
        const cp_pose *worlds = world_poses(cli, scene);
        const cp_contact *contacts;
        cp_passage *items = NULL;
        if (worlds)
            status = cp_collide(collider, worlds, asked->clearance, &contacts, &passages->count);
        if (status == CP_OK && !(items = cli_allocate(cli, passages->count * sizeof *items)))
            status = CP_LIMIT;
        for (uint32_t i = 0; i < passages->count && status == CP_OK; i++)
            items[i] = (cp_passage){.first = contacts[i].first,
                                    .second = contacts[i].second,
                                    .distance = contacts[i].distance,
                                    .moments = !(contacts[i].distance > 0)};
        passages->items = items;
    }
    cp_pair_counts counts = {.size = sizeof counts};
    if (status == CP_OK)
        status = cp_count_pairs(cli->context, scene, &counts);
    if (status != CP_OK)
        return status;
    found->pairs = cp_collider_pairs(collider);
    uint64_t wanted = (asked->every_pair ? counts.all : counts.checked) - asked->ignored.count;
    found->left_out = wanted > found->pairs ? wanted - found->pairs : 0;
    for (uint32_t i = 0; i < passages->count && status == CP_OK; i++) {
        found->colliding += passages->items[i].moments > 0;
        found->resting += passages->items[i].resting > 0;
        found->near += is_near(&passages->items[i]);
    }
    return status;
}

/* Returns the line of a program that runs at a time; 0: the clip is of no program. At the moment at which one line ends
 * the next one begins. */
static uint64_t line_at(const cp_clip *clip, double time)
{
    double line = 0;
    for (uint32_t i = 0; i < clip->mark_count && clip->marks[i].time <= time; i++)
        if (strcmp(clip->marks[i].name, "line") == 0)
            line = clip->marks[i].value;
    return line > 0 ? (uint64_t)line : 0;
}

static void print_text(struct cli *cli, const struct found *found)
{
    const cp_passages *passages = &found->passages;
    for (uint32_t i = 0; i < passages->count; i++) {
        const cp_passage *at = &passages->items[i];
        if (at->moments == 0 && !is_near(at))
            continue;
        say(cli, "%s | %s: ", found->nodes[at->first].id, found->nodes[at->second].id);
        if (at->moments > 0)
            printf("in collision");
        else
            printf("%s mm apart", short_number(1000 * at->distance).text);
        uint64_t line = found->clip ? line_at(found->clip, at->moments > 0 ? at->begin : at->nearest) : 0;
        if (found->clip && at->moments > 0)
            printf(" from %s s to %s s, at %" PRIu32 " of %" PRIu32 " moments", short_number(at->begin).text,
                   short_number(at->end).text, at->moments, passages->moments);
        else if (found->clip)
            printf(" at %s s", short_number(at->nearest).text);
        if (line > 0)
            printf(", in line %" PRIu64 " of the program", line);
        printf("\n");
    }
    for (uint32_t i = 0; i < passages->count; i++) {
        const cp_passage *at = &passages->items[i];
        if (at->resting == 0)
            continue;
        say(cli, "%s | %s: resting from %s s to %s s, at %" PRIu32 " of %" PRIu32 " moments",
            found->nodes[at->first].id, found->nodes[at->second].id, short_number(at->rest_begin).text,
            short_number(at->rest_end).text, at->resting, passages->moments);
        printf("\n");
    }
    printf("%" PRIu64 " pair%s checked", found->pairs, plural(found->pairs));
    if (found->clip)
        say(cli, " at %" PRIu32 " moment%s of \"%s\" from %s s to %s s", passages->moments, plural(passages->moments),
            found->clip->name, short_number(passages->first).text, short_number(passages->last).text);
    if (found->left_out > 0)
        printf(", %" PRIu64 " not (frames without faces, two planes)", found->left_out);
    printf(", %" PRIu32 " in collision", found->colliding);
    if (found->resting > 0)
        printf(", %" PRIu32 " resting", found->resting);
    if (found->asked->clearance > 0)
        printf(", %" PRIu32 " nearer than %s mm", found->near, short_number(1000 * found->asked->clearance).text);
    printf("\n");
}

/* Begins an object with the names of the two frames. */
static void print_json_pair(cp_json *json, const struct found *found, const cp_passage *at)
{
    const cp_node *first = &found->nodes[at->first], *second = &found->nodes[at->second];
    cp_json_open(json, NULL, '{');
    cp_json_text(json, "first", first->name);
    cp_json_text(json, "second", second->name);
    cp_json_text(json, "first_id", first->id);
    cp_json_text(json, "second_id", second->id);
}

static void print_json(FILE *file, const struct found *found)
{
    cp_json json = json_in_file(file);
    const cp_passages *passages = &found->passages;
    cp_json_open(&json, NULL, '{');
    cp_json_count(&json, "pairs", found->pairs);
    cp_json_count(&json, "left_out", found->left_out);
    cp_json_count(&json, "colliding", found->colliding);
    cp_json_count(&json, "near", found->near);
    cp_json_count(&json, "resting", found->resting);
    cp_json_number(&json, "clearance", found->asked->clearance);
    cp_json_number(&json, "touch", found->asked->touch);
    cp_json_text(&json, "clip", found->clip ? found->clip->name : NULL);
    cp_json_number(&json, "first", found->clip ? passages->first : INFINITY);
    cp_json_number(&json, "last", found->clip ? passages->last : INFINITY);
    cp_json_count(&json, "moments", found->clip ? passages->moments : 1);
    cp_json_open(&json, "contacts", '[');
    for (uint32_t i = 0; i < passages->count; i++) {
        const cp_passage *at = &passages->items[i];
        const bool collides = at->moments > 0;
        if (!collides && !is_near(at))
            continue;
        print_json_pair(&json, found, at);
        cp_json_boolean(&json, "collides", collides);
        cp_json_number(&json, "distance", at->distance);
        if (found->clip) {
            cp_json_number(&json, "nearest", at->nearest);
            cp_json_number(&json, "begin", collides ? at->begin : INFINITY);
            cp_json_number(&json, "end", collides ? at->end : INFINITY);
            cp_json_count(&json, "moments", at->moments);
            cp_json_count_or_null(&json, "line", line_at(found->clip, collides ? at->begin : at->nearest));
        }
        cp_json_close(&json, '}');
    }
    cp_json_close(&json, ']');
    cp_json_open(&json, "rests", '[');
    for (uint32_t i = 0; i < passages->count; i++) {
        const cp_passage *at = &passages->items[i];
        if (at->resting == 0)
            continue;
        print_json_pair(&json, found, at);
        cp_json_number(&json, "begin", at->rest_begin);
        cp_json_number(&json, "end", at->rest_end);
        cp_json_count(&json, "moments", at->resting);
        cp_json_close(&json, '}');
    }
    cp_json_close(&json, ']');
    cp_json_close(&json, '}');
    fputs("\n", file);
}

/* ---- the command ---- */

static cp_status command_collide(struct cli *cli)
{
    struct asked asked = {0};
    struct found found = {.asked = &asked};
    cp_scene *scene = NULL;
    cp_collider *collider = NULL;
    cp_status status = sort_words(cli, 1, cli->words.count, &collide_command, &asked);
    if (status == CP_OK)
        status = take_posing(cli, &asked.request, &asked.posing, &collide_command);
    if (status == CP_OK && asked.posing.device && asked.posing.q.count + asked.posing.deg.count == 0)
        status = complain(cli, CP_USAGE, "device=%s needs values for its joints", asked.posing.device);
    if (status == CP_OK)
        status = read_input(cli, asked.request.words.items[0], &asked.request, &scene);
    if (status != CP_OK)
        return status;
    status = choose_clip(cli, scene, &asked, &found.clip);
    if (status == CP_OK && !found.clip && list_has(&asked.request.said, "step"))
        status = complain(cli, CP_USAGE, "step= is for a clip, and none is checked");
    if (status == CP_OK)
        status = pose_cell(cli, scene, &asked.posing, &collide_command);
    if (status == CP_OK)
        status = cp_collider_new(cli->context, scene, asked.touch, asked.every_pair, &collider);
    for (size_t i = 0; i < asked.ignored.count && status == CP_OK; i++)
        status = ignore_pair(cli, scene, collider, asked.ignored.items[i]);
    if (status == CP_OK)
        status = find_pairs(cli, scene, collider, &found);
    clear_progress(cli);
    if (status == CP_OK) {
        found.nodes = cp_nodes(scene, &(uint32_t){0});
        if (asked.json)
            print_json(cli->answers, &found);
        else
            print_text(cli, &found);
        status = found.colliding + found.near > 0 ? CP_NO : CP_OK;
    }
    cp_collider_free(collider);
    cp_scene_free(scene);
    return status;
}

static const cp_option options[] = {
    POSING_OPTIONS(struct asked),
    {"clip", "the clip, if there are several; clip=#2 is the second one", CP_OPTION_CLIP,
     .offset = offsetof(struct asked, clip)},
    {"step", "the longest time between two moments of the clip that are checked; 0: only at its keys", CP_OPTION_TIME,
     offsetof(struct asked, step), "0.05", .maximum = INFINITY},
    {"all", "also check excluded pairs", CP_OPTION_BOOLEAN, offsetof(struct asked, every_pair), .value = "yes"},
    {"ignore", "do not check this pair of frames; may be given several times", CP_OPTION_STRING,
     offsetof(struct asked, ignored), .value = "A,B", .repeats = true},
    {"touch", "frames nearer than this collide", CP_OPTION_LENGTH, offsetof(struct asked, touch), "1e-6m",
     .maximum = INFINITY},
    {"--clearance", "also list pairs nearer than this, with their distance; these end the command with 1, too",
     CP_OPTION_LENGTH, offsetof(struct asked, clearance), "0", .maximum = INFINITY},
    JSON_FLAG(struct asked),
    {0}};

const struct command collide_command = {
    .name = "collide",
    .title = "list the frames in collision",
    .usage = "CELL [Q...] [JOINT=VALUE]... [K=V]... [--clearance LENGTH] [--json]",
    .help =
        "Checks all pairs of frames with collision geometry that the cell does not exclude. If joints get "
        "values, it checks that configuration; else the clip of the cell; without a clip, the cell as it stands. "
        "Lists the pairs in collision. Ends with 1 if there are any, or if there is nothing to check. What is held may "
        "meet what holds it, and contacts that rest are listed apart: they do not count.",
    .examples = "cellpipe collide cell.wu --clearance 5mm || echo \"not free\"\n"
                "cellpipe collide samples/deneb/welding/weld.dcr step=0.02 || echo \"not free\"",
    .options = options,
    .reads = true,
    .any_settings = true,
    .run = command_collide};
