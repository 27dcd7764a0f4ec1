/* Elements that a reader of XML kept as metadata: they are written as they were, if they are XML at all. */
#include "base/text/text.h"
#include "robot.h"

/* ---- is it an element? ---- */

enum { DEEPEST = 200, MOST_ATTRIBUTES = 100 };

/* A piece of a text. */
struct piece {
    const char *text;
    size_t size;
};

static bool pieces_equal(struct piece one, struct piece other)
{
    return one.size == other.size && memcmp(one.text, other.text, one.size) == 0;
}

/* Passes a word of ASCII, as names of elements are. Returns its end, or NULL if none begins there. */
static const char *pass_word(const char *at)
{
    if (!is_letter(*at) && *at != '_')
        return NULL;
    while (is_letter(*at) || is_digit(*at) || *at == '_' || *at == '-' || *at == '.')
        at++;
    return at;
}

/* Reads a name, with its prefix if it has one. Returns its end, or NULL if none begins there. */
static const char *pass_name(const char *at, struct piece *name)
{
    const char *end = pass_word(at);
    if (end && *end == ':')
        end = pass_word(end + 1);
    *name = (struct piece){at, end ? (size_t)(end - at) : 0};
    return end;
}

/* Passes characters up to the one that ends them. NULL if XML does not have one of them as it is. */
static const char *pass_text(const char *at, char end)
{
    static const char *const references[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#9;", "&#10;", "&#13;"};
    while (*at && *at != end) {
        size_t i = 0, count = sizeof references / sizeof *references;
        while (*at == '&' && i < count && strncmp(at, references[i], strlen(references[i])) != 0)
            i++;
        bool is_character = ((unsigned char)*at >= ' ' || is_blank(*at)) && strncmp(at, "\xef\xbf\xbe", 3) != 0 &&
                            strncmp(at, "\xef\xbf\xbf", 3) != 0;
        if (*at == '<' || strncmp(at, "]]>", 3) == 0 || i == count || !is_character)
            return NULL;
        at++;
    }
    return *at ? at : NULL;
}

/* Reads the attributes of a start tag. Returns its '>' or '/'; NULL if that is none. */
static const char *pass_attributes(const char *at, bool *refers)
{
    struct piece names[MOST_ATTRIBUTES];
    size_t count = 0;
    for (; *at == ' '; count++) {
        if (count == MOST_ATTRIBUTES || !(at = pass_name(at + 1, &names[count])) || at[0] != '=' || at[1] != '"' ||
            !(at = pass_text(at + 2, '"')))
            return NULL;
        for (size_t i = 0; i < count; i++)
            if (pieces_equal(names[i], names[count]))
                return NULL;
        *refers = *refers || pieces_equal(names[count], (struct piece){"reference", 9});
        at++;
    }
    return *at == '>' || *at == '/' ? at : NULL;
}

/* Tells whether the text is one element of that name, as xml_node_write writes it: without comments and the like.
 * Metadata may come from elsewhere, and must not make the file unreadable. refers: its own tag has a reference. */
static bool is_element(const char *text, const char *name, bool *refers)
{
    struct piece open[DEEPEST];
    uint32_t depth = 0;
    bool more = true, ignored = false;
    *refers = false;
    const char *at = text;
    while (at && *at == '<' && more) {
        struct piece tag;
        if (at[1] == '/') {
            at = pass_name(at + 2, &tag);
            if (!at || *at++ != '>' || depth == 0 || !pieces_equal(tag, open[--depth]))
                return false;
        } else {
            if (depth == DEEPEST || !(at = pass_name(at + 1, &tag)) ||
                !(at = pass_attributes(at, depth == 0 ? refers : &ignored)))
                return false;
            if (depth == 0 && !pieces_equal(tag, (struct piece){name, strlen(name)}))
                return false;
            if (*at == '/' && *++at != '>')
                return false;
            if (at[-1] != '/')
                open[depth++] = tag;
            at++;
        }
        more = depth > 0;
        at = more ? pass_text(at, '<') : at;
        if (!at && more) /* pass_text stops at '<' alone */
            return false;
    }
    return at && !more && !*at;
}

/* ---- metadata ---- */

static uint32_t *first_of_owner(struct robot *robot, const cp_metadata_entry *row)
{
    switch (row->owner) {
    case CP_OWNER_NODE:
        return &robot->first_of_node[row->index];
    case CP_OWNER_JOINT:
        return &robot->first_of_joint[row->index];
    case CP_OWNER_SCENE:
        return &robot->first_of_scene;
    case CP_OWNER_MESH:
    case CP_OWNER_MATERIAL:
        break;
    }
    return NULL;
}

cp_status robot_plan_metadata(struct robot *robot)
{
    const cp_scene *scene = robot->scene;
    robot->first_of_node = arena_allocate(robot->arena, scene->node_count, sizeof *robot->first_of_node);
    robot->first_of_joint = arena_allocate(robot->arena, scene->joint_count, sizeof *robot->first_of_joint);
    robot->next = arena_allocate(robot->arena, scene->metadata_count, sizeof *robot->next);
    robot->is_kept = arena_allocate_zeroed(robot->arena, scene->metadata_count, sizeof *robot->is_kept);
    if (arena_failed(robot->arena))
        return CP_LIMIT;
    robot->first_of_scene = CP_NONE;
    for (uint32_t i = 0; i < scene->node_count; i++)
        robot->first_of_node[i] = CP_NONE;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        robot->first_of_joint[i] = CP_NONE;
    for (uint32_t i = scene->metadata_count; i-- > 0;) { /* the last comes first, so that each list is in their order */
        uint32_t *first = first_of_owner(robot, &scene->metadata[i]);
        robot->next[i] = first ? *first : CP_NONE;
        if (first)
            *first = i;
    }
    return CP_OK;
}

const char *robot_metadata(const struct robot *robot, uint32_t first, const char *key, uint32_t *entry)
{
    for (*entry = first; *entry != CP_NONE; *entry = robot->next[*entry]) {
        const cp_metadata_entry *row = &robot->scene->metadata[*entry];
        if (row->type == CP_VALUE_STRING && strcmp(row->key, key) == 0 && *row->value != '<')
            return row->value;
    }
    return NULL;
}

/* Returns where the element stood when it was read: elements that name their link or joint stand in the robot. A joint
 * without a degree of freedom has no row in the scene, and its elements are its link's. */
static enum robot_place place_of(const cp_metadata_entry *row, bool refers)
{
    if (row->owner == CP_OWNER_SCENE || refers)
        return IN_ROBOT;
    bool of_joint = row->owner == CP_OWNER_JOINT || strcmp(row->key, "safety_controller") == 0 ||
                    strcmp(row->key, "calibration") == 0;
    return of_joint ? IN_JOINT : IN_LINK;
}

/* Tells whether the element may stand in the file: one that says what the writer itself says would say it twice, and
 * urdfdom refuses a joint whose safety controller lacks a number. */
static bool may_stand(const cp_metadata_entry *row)
{
    static const char *const own[] = {"link",   "joint", "material", "inertial", "visual", "collision", "origin",
                                      "parent", "child", "axis",     "limit",    "mimic",  "dynamics"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(row->key, own[i]) == 0)
            return false;
    return strcmp(row->key, "safety_controller") != 0 || strstr(row->value, " k_velocity=\"");
}

void robot_write_kept(struct robot *robot, uint32_t first, enum robot_place place)
{
    for (uint32_t entry = first; entry != CP_NONE; entry = robot->next[entry]) {
        const cp_metadata_entry *row = &robot->scene->metadata[entry];
        bool refers;
        if (robot->is_kept[entry] || row->type != CP_VALUE_STRING || !may_stand(row) ||
            !is_element(row->value, row->key, &refers) || place_of(row, refers) != place)
            continue;
        sink_text(robot->sink, place == IN_ROBOT ? "  " : "    ");
        sink_text(robot->sink, row->value);
        sink_text(robot->sink, "\n");
        robot->is_kept[entry] = true;
    }
}
