/* collide: what is in collision, at a configuration or in the course of a clip? 0 nothing, 1 something, with a list. */
#include "cli.h"
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct asked {
    const char *path, *clip, *device;
    const char *values;      /* "q=0.1,0.2" or "deg=10,20" for the device's joints, or NULL */
    struct list joints;      /* "NAME=VALUE" */
    bool home, every_pair;   /* all joints at their homes; excluded pairs too */
    double clearance, touch; /* metres */
    double step;             /* seconds; less than 0: not said */
};

/* What was found: contacts at a configuration, or passages in the course of a clip. */
struct found_pairs {
    struct cli *cli;
    const cp_scene *scene;
    const struct asked *asked;
    const cp_clip *clip; /* NULL at a configuration */
    uint64_t pairs;      /* that were checked */
    cp_passages passages;
    const cp_contact *contacts;
    uint32_t contact_count;
    uint32_t colliding, near; /* of these */
};

/* ---- the request ---- */

/* head and tail as one text in the cli's memory; NULL when out of memory. */
static const char *join(struct cli *cli, const char *head, const char *tail)
{
    size_t size = strlen(head);
    char *text = cli_allocate(cli, size + strlen(tail) + 1);
    if (text)
        strcpy(strcpy(text, head) + size, tail);
    return text;
}

/* What follows "NAME=", or NULL when the setting is another one. */
static const char *value_of(const char *setting, const char *name)
{
    size_t size = strlen(name);
    return strncmp(setting, name, size) == 0 && setting[size] == '=' ? setting + size + 1 : NULL;
}

static cp_status take_length(struct cli *cli, const char *what, const char *text, double *metres)
{
    if (cp_parse_length(text, metres) && *metres >= 0 && isfinite(*metres))
        return CP_OK;
    return complain(cli, CP_USAGE, "%s %s: needs a length of at least 0, such as 5mm", what, text);
}

static cp_status take_switch(struct cli *cli, const char *name, const char *text, bool *on)
{
    *on = strcmp(text, "yes") == 0;
    if (*on || strcmp(text, "no") == 0)
        return CP_OK;
    return complain(cli, CP_USAGE, "%s=%s: needs yes or no", name, text);
}

static cp_status take_step(struct cli *cli, const char *text, double *step)
{
    if (cp_parse_double(text, step) && *step >= 0 && isfinite(*step))
        return CP_OK;
    return complain(cli, CP_USAGE, "step=%s: needs seconds, or 0 for the clip's keys alone", text);
}

static cp_status take_values(struct cli *cli, struct asked *asked, const char *values)
{
    if (asked->values)
        return complain(cli, CP_USAGE, "the joints have values twice: %s and %s", asked->values, values);
    asked->values = values;
    return CP_OK;
}

/* What is no option is a joint. */
static cp_status take_setting(struct cli *cli, struct asked *asked, const char *setting)
{
    const char *value;
    if ((value = value_of(setting, "device")))
        asked->device = value;
    else if ((value = value_of(setting, "clip")))
        asked->clip = value;
    else if ((value = value_of(setting, "touch")))
        return take_length(cli, "touch", value, &asked->touch);
    else if ((value = value_of(setting, "step")))
        return take_step(cli, value, &asked->step);
    else if ((value = value_of(setting, "all")))
        return take_switch(cli, "all", value, &asked->every_pair);
    else if ((value = value_of(setting, "home")))
        return take_switch(cli, "home", value, &asked->home);
    else if (value_of(setting, "q") || value_of(setting, "deg"))
        return take_values(cli, asked, setting);
    else
        return list_add(cli, &asked->joints, setting) ? CP_OK : CP_LIMIT;
    return CP_OK;
}

/* The numbers as "q=0.1,0.2", and what has a value of its own: joints with blanks in their names are no settings for sort_words. */
static cp_status take_words(struct cli *cli, struct asked *asked, const struct list *words)
{
    size_t size = sizeof "q=";
    asked->path = words->items[0];
    for (size_t i = 1; i < words->count; i++)
        size += strlen(words->items[i]) + 1;
    char *values = cli_allocate(cli, size), *end = values;
    if (!values)
        return CP_LIMIT;
    for (size_t i = 1; i < words->count; i++) {
        const char *word = words->items[i];
        if (!strchr(word, '='))
            end = stpcpy(stpcpy(end, end == values ? "q=" : ","), word);
        else if (!list_add(cli, &asked->joints, word))
            return CP_LIMIT;
    }
    return end > values ? take_values(cli, asked, values) : CP_OK;
}

/* What names a joint by its id may name it by its name, too. */
static const char *without_id(const char *setting)
{
    return strncmp(setting, "id:", 3) == 0 ? setting + 3 : setting;
}

/* One joint, one value. */
static cp_status check_joints(struct cli *cli, const struct list *joints)
{
    for (size_t i = 0; i < joints->count; i++)
        for (size_t k = 0; k < i; k++) {
            const char *one = without_id(joints->items[i]), *other = without_id(joints->items[k]);
            size_t size = (size_t)(strrchr(one, '=') - one) + 1;
            if (strncmp(one, other, size) == 0 && !strchr(other + size, '='))
                return complain(cli, CP_USAGE, "the joint has two values: %s and %s", joints->items[k],
                                joints->items[i]);
        }
    return CP_OK;
}

static cp_status read_request(struct cli *cli, const struct request *request, struct asked *asked)
{
    *asked = (struct asked){.touch = CP_TOUCH, .step = -1};
    if (request->words.count == 0)
        return complain(cli, CP_USAGE, "collide needs an input: cellpipe collide CELL [Q...]");
    cp_status status = take_words(cli, asked, &request->words);
    for (size_t i = 0; i < request->settings.count && status == CP_OK; i++)
        status = take_setting(cli, asked, request->settings.items[i]);
    if (status == CP_OK)
        status = check_joints(cli, &asked->joints);
    if (status == CP_OK && request->clearance)
        status = take_length(cli, "--clearance", request->clearance, &asked->clearance);
    if (status == CP_OK && asked->device && !asked->values)
        return complain(cli, CP_USAGE, "device=%s needs values for its joints", asked->device);
    return status;
}

/* ---- joint values ---- */

/* The one device with joints. */
static cp_status choose_device(struct cli *cli, const cp_scene *scene, const char **device)
{
    uint32_t count, found = 0;
    const cp_device *devices = cp_devices(scene, &count);
    char names[1024] = "";
    for (uint32_t i = 0; i < count; i++) {
        if (devices[i].joint_count == 0)
            continue;
        *device = join(cli, "id:", devices[i].id);
        size_t used = strlen(names);
        (void)snprintf(names + used, sizeof names - used, "%s%s", found ? ", " : "", devices[i].name);
        found++;
    }
    if (found == 0)
        return complain(cli, CP_USAGE, "no device has joints: give joints their values by name, as NAME=VALUE");
    if (found > 1)
        return complain(cli, CP_USAGE, "whose values are these? Give device=NAME, of %s", names);
    return *device ? CP_OK : CP_LIMIT;
}

static cp_status pose_device(struct cli *cli, cp_scene *scene, const struct asked *asked)
{
    const char *device = asked->device;
    cp_status status = device ? CP_OK : choose_device(cli, scene, &device);
    const char *options[] = {asked->values, status == CP_OK ? join(cli, "device=", device) : NULL};
    if (status != CP_OK)
        return status;
    return options[1] ? cp_apply(cli->context, scene, "pose", options, 2) : CP_LIMIT;
}

static cp_status pose_joint(struct cli *cli, cp_scene *scene, const char *setting)
{
    char *joint = cli_allocate(cli, strlen("joint=") + strlen(setting) + 1);
    if (!joint)
        return CP_LIMIT;
    strcpy(stpcpy(joint, "joint="), setting);
    char *end = strrchr(joint, '=');
    *end = '\0';
    const char *options[] = {joint, join(cli, "value=", end + 1)};
    return options[1] ? cp_apply(cli->context, scene, "pose", options, 2) : CP_LIMIT;
}

static bool is_posed(const struct asked *asked)
{
    return asked->home || asked->values || asked->joints.count > 0;
}

static cp_status pose_cell(struct cli *cli, cp_scene *scene, const struct asked *asked)
{
    cp_status status = CP_OK;
    if (asked->home)
        status = cp_apply(cli->context, scene, "pose", (const char *const[]){"home=yes"}, 1);
    if (status == CP_OK && asked->values)
        status = pose_device(cli, scene, asked);
    for (size_t i = 0; i < asked->joints.count && status == CP_OK; i++)
        status = pose_joint(cli, scene, asked->joints.items[i]);
    return status;
}

/* ---- clips ---- */

static cp_status complain_of_clip(struct cli *cli, const cp_scene *scene, const char *name)
{
    uint32_t count;
    const cp_clip *clips = cp_clips(scene, &count);
    struct list names = {0};
    for (uint32_t i = 0; i < count; i++)
        if (!list_add(cli, &names, clips[i].name))
            return CP_LIMIT;
    if (!list_add(cli, &names, NULL))
        return CP_LIMIT;
    if (name)
        return complain_unknown(cli, "clip", name, names.items);
    return complain(cli, CP_USAGE,
                    "%" PRIu32 " clips: choose one with clip=NAME, such as clip=\"%s\", or none with home=yes", count,
                    clips[0].name);
}

/* "#2", where that is no name: the second clip. CP_NONE when it is no such number. */
static uint32_t clip_by_number(const char *text, uint32_t count)
{
    char *end;
    if (text[0] != '#' || text[1] < '1' || text[1] > '9')
        return CP_NONE;
    unsigned long long number = strtoull(text + 1, &end, 10);
    return *end == '\0' && number <= count ? (uint32_t)number - 1 : CP_NONE;
}

static cp_status find_clip(struct cli *cli, const cp_scene *scene, const char *name, uint32_t *clip)
{
    uint32_t count, named = 0;
    const cp_clip *clips = cp_clips(scene, &count);
    for (uint32_t i = count; i > 0; i--)
        if (strcmp(clips[i - 1].name, name) == 0) {
            *clip = i - 1;
            named++;
        }
    if (named > 1)
        return complain(cli, CP_USAGE,
                        "%" PRIu32 " clips are called \"%s\": choose one by its number, as clip=#%" PRIu32, named, name,
                        *clip + 1);
    if (named == 0)
        *clip = clip_by_number(name, count);
    return *clip == CP_NONE ? complain_of_clip(cli, scene, name) : CP_OK;
}

/* *clip is CP_NONE where the configuration alone is asked for. */
static cp_status choose_clip(struct cli *cli, const cp_scene *scene, const struct asked *asked, uint32_t *clip)
{
    uint32_t count;
    (void)cp_clips(scene, &count);
    *clip = CP_NONE;
    if (is_posed(asked))
        return asked->clip ? complain(cli, CP_USAGE, "clip=%s and values of joints exclude each other", asked->clip)
                           : CP_OK;
    if (asked->clip)
        return find_clip(cli, scene, asked->clip, clip);
    if (count > 1)
        return complain_of_clip(cli, scene, NULL);
    *clip = count == 1 ? 0 : CP_NONE;
    return CP_OK;
}

static cp_status check_step(struct cli *cli, const struct asked *asked, uint32_t clip)
{
    if (clip == CP_NONE && asked->step >= 0)
        return complain(cli, CP_USAGE, "step= is for a clip, and none is checked");
    return CP_OK;
}

/* ---- the answer ---- */

static const char *frame_id(const struct found_pairs *found, uint32_t node)
{
    return cp_nodes(found->scene, &(uint32_t){0})[node].id;
}

static void print_head(const struct found_pairs *found, uint32_t first, uint32_t second)
{
    printf("%s | %s: ", frame_id(found, first), frame_id(found, second));
}

static void print_text(const struct found_pairs *found)
{
    const cp_passages *passages = &found->passages;
    for (uint32_t i = 0; i < found->contact_count; i++) {
        const cp_contact *contact = &found->contacts[i];
        print_head(found, contact->first, contact->second);
        if (contact->distance > 0)
            printf("%s mm apart\n", short_number(1000 * contact->distance).text);
        else
            printf("in collision\n");
    }
    for (uint32_t i = 0; i < passages->count; i++) {
        const cp_passage *passage = &passages->items[i];
        print_head(found, passage->first, passage->second);
        if (passage->moments == 0)
            printf("%s mm apart at %s s\n", short_number(1000 * passage->distance).text,
                   short_number(passage->nearest).text);
        else
            printf("in collision from %s s to %s s, at %" PRIu32 " of %" PRIu32 " moments\n",
                   short_number(passage->begin).text, short_number(passage->end).text, passage->moments,
                   passages->moments);
    }
    printf("%" PRIu64 " pairs checked", found->pairs);
    if (found->clip)
        printf(" at %" PRIu32 " moments of \"%s\" from %s s to %s s", passages->moments, found->clip->name,
               short_number(passages->first).text, short_number(passages->last).text);
    printf(", %" PRIu32 " in collision", found->colliding);
    if (found->asked->clearance > 0)
        printf(", %" PRIu32 " nearer than %s mm", found->near, short_number(1000 * found->asked->clearance).text);
    printf("\n");
}

static void put_pair(const struct found_pairs *found, struct json *json, uint32_t first, uint32_t second)
{
    const cp_node *nodes = cp_nodes(found->scene, &(uint32_t){0});
    print_json_begin(json, NULL, '{');
    print_json_text(json, "first", nodes[first].name);
    print_json_text(json, "second", nodes[second].name);
    print_json_text(json, "first_id", nodes[first].id);
    print_json_text(json, "second_id", nodes[second].id);
}

static void put_contacts(const struct found_pairs *found, struct json *json)
{
    for (uint32_t i = 0; i < found->contact_count; i++) {
        const cp_contact *contact = &found->contacts[i];
        put_pair(found, json, contact->first, contact->second);
        print_json_boolean(json, "collides", !(contact->distance > 0));
        print_json_number(json, "distance", contact->distance);
        print_json_end(json, '}');
    }
    for (uint32_t i = 0; i < found->passages.count; i++) {
        const cp_passage *passage = &found->passages.items[i];
        bool collides = passage->moments > 0;
        put_pair(found, json, passage->first, passage->second);
        print_json_boolean(json, "collides", collides);
        print_json_number(json, "distance", passage->distance);
        print_json_number(json, "nearest", passage->nearest);
        print_json_number(json, "begin", collides ? passage->begin : INFINITY);
        print_json_number(json, "end", collides ? passage->end : INFINITY);
        print_json_count(json, "moments", passage->moments);
        print_json_end(json, '}');
    }
}

static void print_json(const struct found_pairs *found)
{
    struct json json = {.file = stdout};
    print_json_begin(&json, NULL, '{');
    print_json_count(&json, "pairs", found->pairs);
    print_json_count(&json, "colliding", found->colliding);
    print_json_count(&json, "near", found->near);
    print_json_number(&json, "clearance", found->asked->clearance);
    print_json_number(&json, "touch", found->asked->touch);
    print_json_text(&json, "clip", found->clip ? found->clip->name : NULL);
    print_json_number(&json, "first", found->clip ? found->passages.first : INFINITY);
    print_json_number(&json, "last", found->clip ? found->passages.last : INFINITY);
    print_json_count(&json, "moments", found->clip ? found->passages.moments : 1);
    print_json_begin(&json, "contacts", '[');
    put_contacts(found, &json);
    print_json_end(&json, ']');
    print_json_end(&json, '}');
    printf("\n");
}

/* ---- the command ---- */

static void count_found(struct found_pairs *found)
{
    for (uint32_t i = 0; i < found->contact_count; i++)
        found->colliding += !(found->contacts[i].distance > 0);
    for (uint32_t i = 0; i < found->passages.count; i++)
        found->colliding += found->passages.items[i].moments > 0;
    found->near = found->contact_count + found->passages.count - found->colliding;
}

static cp_status find_pairs(struct found_pairs *found, cp_collider *collider, uint32_t clip)
{
    const struct asked *asked = found->asked;
    cp_status status = CP_OK;
    found->pairs = cp_collider_pairs(collider);
    if (clip != CP_NONE) {
        found->clip = &cp_clips(found->scene, &(uint32_t){0})[clip];
        status =
            cp_collide_clip(collider, clip, asked->step >= 0 ? asked->step : 0.05, asked->clearance, &found->passages);
    } else {
        const cp_pose *worlds = world_poses(found->cli, found->scene, NULL);
        status =
            worlds ? cp_collide(collider, worlds, asked->clearance, &found->contacts, &found->contact_count) : CP_LIMIT;
    }
    count_found(found);
    return status;
}

static cp_status check_cell(struct cli *cli, cp_scene *scene, const struct asked *asked, bool json)
{
    uint32_t clip;
    struct found_pairs found = {.cli = cli, .scene = scene, .asked = asked};
    cp_collider *collider = NULL;
    cp_status status = choose_clip(cli, scene, asked, &clip);
    if (status == CP_OK)
        status = check_step(cli, asked, clip);
    if (status == CP_OK)
        status = pose_cell(cli, scene, asked);
    if (status == CP_OK)
        status = cp_collider_new(cli->context, scene, asked->touch, asked->every_pair, &collider);
    if (status == CP_OK)
        status = find_pairs(&found, collider, clip);
    clear_progress(cli);
    if (status == CP_OK) {
        if (json)
            print_json(&found);
        else
            print_text(&found);
        status = found.colliding + found.near > 0 ? CP_NO : CP_OK;
    }
    cp_collider_free(collider);
    return status;
}

cp_status command_collide(struct cli *cli)
{
    struct request request;
    struct asked asked;
    cp_scene *scene;
    cp_status status =
        sort_words(cli, 1, cli->words.count, FLAG_READING | FLAG_JSON | FLAG_CLEARANCE | FLAG_SETTINGS, &request);
    if (status == CP_OK)
        status = read_request(cli, &request, &asked);
    if (status == CP_OK)
        status = read_input(cli, asked.path, &request, &scene);
    if (status != CP_OK)
        return status;
    status = check_cell(cli, scene, &asked, request.json);
    cp_scene_free(scene);
    return status;
}
