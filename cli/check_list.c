/* check list=: whether a list of exclusions still holds in a cell. */
#include "check.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "statements.h"

struct list_check {
    struct check *check;
    const cp_scene *scene;
    cp_status status; /* of telling */
};

/* ---- a list with keys or evidence ---- */

static const char *list_fault_word(const cp_list_fault *fault)
{
    static const char *const words[] = {[CP_LIST_FRAME_GONE] = "frame-gone",
                                        [CP_LIST_FRAME_NEW] = "frame-new",
                                        [CP_LIST_NOT_VOLATILE] = "not-volatile",
                                        [CP_LIST_STATIC] = "static-pairs",
                                        [CP_LIST_GEOMETRY_CHANGED] = "geometry-changed",
                                        [CP_LIST_POSE_CHANGED] = "pose-changed",
                                        [CP_LIST_PARENT_CHANGED] = "parent-changed",
                                        [CP_LIST_MOVABLE_CHANGED] = "movable-changed",
                                        [CP_LIST_JOINT_CHANGED] = "joint-changed",
                                        [CP_LIST_NOT_LISTED] = "not-listed",
                                        [CP_LIST_NOT_EVIDENT] = "not-evident",
                                        [CP_LIST_DIFFERS] = "attribute",
                                        [CP_LIST_PAIR_CHANGED] = "changed"};
    return words[fault->kind];
}

/* Returns a limit in radians or metres as text. */
static const char *limit_text(struct cli *cli, double limit)
{
    return isfinite(limit) ? cli_print(cli, "%s", short_number(limit).text) : "none";
}

/* Returns "upper limit of "J2": 2 -> 2.1 rad". */
static const char *joint_text(struct cli *cli, const cp_scene *scene, const cp_list_fault *fault)
{
    const cp_joint *joint = &cp_joints(scene, &(uint32_t){0})[fault->joint];
    const double after[2] = {joint->lower, joint->upper};
    const char *unit = joint->type == CP_JOINT_REVOLUTE ? " rad" : joint->type == CP_JOINT_PRISMATIC ? " m" : "";
    const bool lower = fault->before[0] != after[0], upper = fault->before[1] != after[1];
    if (strcmp(fault->attribute, "limits") != 0)
        return cli_print(cli, "the %s of joint \"%s\" has changed", fault->attribute, fault->first);
    if (lower && upper)
        return cli_print(cli, "limits of \"%s\": %s .. %s -> %s .. %s%s", fault->first,
                         limit_text(cli, fault->before[0]), limit_text(cli, fault->before[1]),
                         limit_text(cli, after[0]), limit_text(cli, after[1]), unit);
    return cli_print(cli, "%s limit of \"%s\": %s -> %s%s", upper ? "upper" : "lower", fault->first,
                     limit_text(cli, fault->before[upper]), limit_text(cli, after[upper]), unit);
}

static const char *fault_text(struct cli *cli, const cp_scene *scene, const cp_list_fault *fault)
{
    const char *first = fault->first;
    switch (fault->kind) {
    case CP_LIST_FRAME_GONE:
        return cli_print(cli, "frame \"%s\" is gone", first);
    case CP_LIST_FRAME_NEW:
        return cli_print(cli, "frame \"%s\" is new: no pair of it was looked at", first);
    case CP_LIST_NOT_VOLATILE:
        return cli_print(cli, "frame \"%s\" is volatile, and the list does not say so", first);
    case CP_LIST_STATIC:
        return "all static pairs are excluded by the list, but not by the evidence";
    case CP_LIST_GEOMETRY_CHANGED:
        return cli_print(cli, "the geometry of \"%s\" has changed", first);
    case CP_LIST_POSE_CHANGED:
        return cli_print(cli, "the pose of \"%s\" has changed", first);
    case CP_LIST_PARENT_CHANGED:
        return cli_print(cli, "the parent of \"%s\" has changed", first);
    case CP_LIST_MOVABLE_CHANGED:
        return cli_print(cli, "whether \"%s\" may be moved has changed", first);
    case CP_LIST_JOINT_CHANGED:
        return joint_text(cli, scene, fault);
    case CP_LIST_NOT_LISTED:
        return "is excluded by the evidence, but not by the list";
    case CP_LIST_NOT_EVIDENT:
        return "is excluded by the list, but not by the evidence";
    case CP_LIST_DIFFERS:
        return cli_print(cli, "its %s in the list is not what the evidence says", fault->attribute);
    case CP_LIST_PAIR_CHANGED:
        return !*first ? "frames or pairs that the list does not name have changed"
                       : "their geometry, joints or poses between them, or what may be moved, have changed";
    }
    return NULL;
}

static const char *text_or_null(const char *text)
{
    return *text ? text : NULL;
}

static void tell_list_fault(void *user, const cp_list_fault *fault)
{
    struct list_check *it = user;
    struct cli *cli = it->check->cli;
    const char *text = fault_text(cli, it->scene, fault);
    if (text && fault->pairs > 0)
        text = cli_print(cli, "%s; %" PRIu64 " pair%s", text, fault->pairs, plural(fault->pairs));
    else if (text && fault->kind > CP_LIST_STATIC && *fault->first)
        text = cli_print(cli, "pair \"%s\" \"%s\": %s", fault->first, fault->second, text);
    const struct fault told = {.code = "check-list",
                               .file = it->check->wanted.list,
                               .text = text,
                               .change = list_fault_word(fault),
                               .first = text_or_null(fault->first),
                               .second = text_or_null(fault->second),
                               .attribute = text_or_null(fault->attribute),
                               .pairs = fault->pairs};
    if (tell(it->check, &told) != CP_NO)
        it->status = CP_LIMIT;
}

/* Compares what the list says with the cell as it is; the only option of exclude that matters is tools=. */
static cp_status check_by_keys(struct check *check, cp_scene *scene)
{
    static const char tools[] = "tools=";
    const struct list *settings = &check->wanted.request.settings;
    struct list_check it = {check, scene, CP_OK};
    const char *attached = NULL; /* the last one counts, as for all options */
    for (size_t i = 0; i < settings->count; i++) {
        if (strncmp(settings->items[i], tools, strlen(tools)) != 0)
            return complain(check->cli, CP_USAGE,
                            "%s: nothing is judged anew of a list that has its own evidence: only tools= is taken",
                            settings->items[i]);
        attached = settings->items[i] + strlen(tools);
    }
    cp_status status = attached ? cp_attach_tools(check->cli->context, scene, attached) : CP_OK;
    if (status == CP_OK)
        status = cp_check_list(check->cli->context, scene, check->wanted.list, tell_list_fault, &it);
    return it.status == CP_OK ? status : it.status;
}

/* ---- an SRDF, whose pairs are judged ---- */

/* Tells whether a program found the pair, by samples or by where links are; people wrote all others. */
static bool is_computed(const cp_pair *pair)
{
    static const char *const words[] = {"SRDF: Never", "SRDF: Adjacent", "SRDF: Always"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(pair->evidence, words[i]) == 0)
            return true;
    return false;
}

/* Prints how the pair collides, at which joint values or always: *text, which is "" if the list may exclude it. */
static cp_status print_fault(struct cli *cli, const cp_scene *scene, const struct statement *listed,
                             const cp_pair *found, const char **text)
{
    struct printed_text printed;
    bool never = strcasecmp(listed->pair->evidence, "SRDF: Never") == 0;
    bool always = never && strncmp(found->reason, "always", 6) == 0;
    *text = "";
    if (!always && strcmp(found->reason, "sometimes") != 0)
        return CP_OK;
    if (text_open(&printed)) {
        fprintf(printed.file, "pair \"%s\" \"%s\": collide", listed->names[0], listed->names[1]);
        if (always)
            fputs(" at all joint values", printed.file);
        else
            print_collision(printed.file, scene, found->finding);
    }
    *text = text_close(&printed) ? cli_print(cli, "%s", printed.bytes) : NULL;
    text_free(&printed);
    return *text ? CP_OK : CP_LIMIT;
}

static cp_status warn_of_list(struct check *check, const char *code, const char *text)
{
    struct cli *cli = check->cli;
    const char *line = text ? cli_show(cli, "%s: warning: %s", check->wanted.list, text) : NULL;
    if (line && !cli->quiet)
        fprintf(cli->messages, "%s\n", line);
    if (line)
        log_fault(cli, code, check->wanted.list, text, line);
    return line ? CP_OK : CP_LIMIT;
}

/* Tells whether a pair that the list excludes is wrong. People answer for what they wrote: that is a warning. */
static cp_status check_pair(struct check *check, const cp_scene *scene, const struct statement *listed,
                            const struct statement *found)
{
    const char *text;
    cp_status status = print_fault(check->cli, scene, listed, found->pair, &text);
    if (status != CP_OK || !*text)
        return status;
    if (!is_computed(listed->pair))
        return warn_of_list(check, "check-list-user", cli_print(check->cli, "%s; people excluded it", text));
    return tell(check, &(struct fault){.code = "check-list",
                                       .file = check->wanted.list,
                                       .text = text,
                                       .change = "collides",
                                       .first = listed->names[0],
                                       .second = listed->names[1]});
}

/* Tells the names of the list that no frame of the scene has. */
static cp_status check_frames(struct check *check, const cp_scene *scene, const cp_scene *list)
{
    uint32_t count, listed_count;
    const cp_node *nodes = cp_nodes(scene, &count), *listed = cp_nodes(list, &listed_count);
    struct list names = {0};
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < count; i++)
        if (!(nodes[i].flags & CP_NODE_PLACEHOLDER) && !list_add(check->cli, &names, nodes[i].name))
            return CP_LIMIT;
    sort_texts(&names);
    for (uint32_t i = 1; i < listed_count; i++)
        if (!has_text(&names, listed[i].name))
            add_outcome(&status, tell(check, &(struct fault){
                                                 .code = "check-list",
                                                 .file = check->wanted.list,
                                                 .text = cli_print(check->cli, "frame \"%s\" is gone", listed[i].name),
                                                 .change = "frame-gone",
                                                 .first = listed[i].name}));
    return status;
}

/* Judges the scene, and compares. */
static cp_status check_by_judging(struct check *check, cp_scene *scene, const cp_scene *list)
{
    struct cli *cli = check->cli;
    const struct list *settings = &check->wanted.request.settings;
    struct statements listed = {0}, found = {0};
    size_t unjudged = 0;
    cp_status status = check_frames(check, scene, list);
    if (status == CP_OK || status == CP_NO)
        add_outcome(&status, cp_apply(cli->context, scene, "exclude", settings->items, settings->count));
    if (status == CP_OK || status == CP_NO)
        add_outcome(&status, list_statements(cli, list, false, &listed));
    if (status == CP_OK || status == CP_NO)
        add_outcome(&status, list_statements(cli, scene, true, &found));
    for (size_t i = 0; (status == CP_OK || status == CP_NO) && i < listed.count; i++) {
        const struct statement *judged = find_statement(&found, &listed.items[i]);
        unjudged += judged == NULL;
        if (judged)
            add_outcome(&status, check_pair(check, scene, &listed.items[i], judged));
    }
    if (unjudged > 0 && (status == CP_OK || status == CP_NO))
        add_outcome(&status,
                    warn_of_list(check, "check-list-unjudged",
                                 cli_print(cli,
                                           "%zu of its pairs were not judged: a frame has no collision geometry, is "
                                           "gone, or is left out by an option",
                                           unjudged)));
    return status;
}

cp_status check_list(struct check *check, cp_scene *scene)
{
    struct cli *cli = check->cli;
    const char *format;
    cp_scene *list;
    cp_status status = cp_find_format(cli->context, check->wanted.list, &format);
    if (status != CP_OK || strcmp(format, "srdf") != 0)
        return status == CP_OK ? check_by_keys(check, scene) : status;
    status = cp_read_list(cli->context, check->wanted.list, &list);
    if (status == CP_OK)
        status = check_by_judging(check, scene, list);
    cp_scene_free(list);
    return status;
}
