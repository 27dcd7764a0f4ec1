/* Paths of sids: "node/sid/sid.MEMBER". Each sid is searched below the element that the path has reached, breadth
 * first: among its transforms and children, then among those of its children, and of the nodes that instance_node
 * shows. */
#include "kinematics.h"

/* A node that is reached, and the one above it in the list. */
struct reached {
    uint32_t node, above;
};
struct search {
    struct collada_document *document;
    struct collada_kinematics *kinematics;
    struct reached *reached;
    uint32_t count, room;
    cp_status status;
};

/* All paths of a file together take no more steps than that. */
enum { MOST_STEPS = 4000000 };

static void reach(struct search *search, uint32_t node, uint32_t above)
{
    struct collada_kinematics *kinematics = search->kinematics;
    struct reached reached = {node, above};
    if (kinematics->searches[node] == kinematics->search)
        return;
    kinematics->searches[node] = kinematics->search;
    if (!array_add(search->document->collada->context, &search->reached, &search->room, &search->count, &reached,
                   sizeof reached))
        search->status = CP_LIMIT;
}

/* Reaches the children of a node, and the nodes of this document that it shows. */
static void reach_below(struct search *search, uint32_t at)
{
    struct collada_document *document = search->document;
    const struct collada_node *node = &document->nodes[search->reached[at].node];
    for (uint32_t i = node->children.first; i != CP_NONE; i = document->nodes[i].next)
        reach(search, i, at);
    for (uint32_t i = node->instances.first; i != CP_NONE; i = document->instances[i].next) {
        const struct collada_instance *instance = &document->instances[i];
        const uint32_t *shown = instance->kind == COLLADA_SHOW_NODE && *instance->url == '#'
                                    ? name_map_find(&document->ids[COLLADA_NODES], instance->url + 1)
                                    : NULL;
        search->kinematics->steps++;
        if (shown)
            reach(search, *shown, at);
    }
}

static bool is_named(const char *name, const char *sid, size_t size)
{
    return strlen(name) == size && memcmp(name, sid, size) == 0;
}

/* Finds the transform of the node with that sid; CP_NONE without. */
static uint32_t find_own(const struct search *search, uint32_t node, const char *sid, size_t size)
{
    const struct collada_document *document = search->document;
    uint32_t i = document->nodes[node].transforms.first;
    while (i != CP_NONE && !is_named(document->transforms[i].sid, sid, size)) {
        i = document->transforms[i].next;
        search->kinematics->steps++;
    }
    return i;
}

/* Goes on with a sid, from the entry *at of those that are reached: to a transform, or to another entry. False, with
 * *at as it was, if nothing has the sid. */
static bool find_sid(struct search *search, const char *sid, size_t size, uint32_t *at, uint32_t *transform)
{
    uint32_t here = *at, next = search->count;
    search->kinematics->searches[search->reached[here].node] = ++search->kinematics->search;
    for (;;) {
        uint32_t node = search->reached[here].node;
        bool is_node = here != *at && is_named(search->document->nodes[node].sid, sid, size);
        *transform = is_node ? CP_NONE : find_own(search, node, sid, size);
        if (is_node || *transform != CP_NONE) {
            *at = here;
            return true;
        }
        reach_below(search, here);
        if (search->status != CP_OK || next == search->count || ++search->kinematics->steps > MOST_STEPS)
            return false;
        here = next++;
    }
}

/* Notes the way from the entry up to the first one, in the arena. */
static cp_status keep_way(const struct search *search, uint32_t at, struct collada_found *found)
{
    uint32_t count = 1;
    for (uint32_t i = at; i != 0; i = search->reached[i].above)
        count++;
    uint32_t *way = arena_allocate(search->document->collada->arena, count, sizeof *way);
    for (uint32_t i = 0; way && i < count; i++) {
        way[i] = search->reached[at].node;
        at = search->reached[at].above;
    }
    found->way = way;
    found->way_count = count;
    return way ? CP_OK : CP_LIMIT;
}

/* Follows all sids of a path behind its id. */
static void follow(struct search *search, const char *sids, uint32_t *at, struct collada_found *found)
{
    while (*sids == '/') {
        const char *sid = sids + 1;
        size_t size = strcspn(sid, "/");
        sids = sid + size;
        found->member = sids;
        bool is_there = find_sid(search, sid, size, at, &found->transform);
        size_t whole = size;
        while (!is_there && search->status == CP_OK && size > 0) { /* try the sid without a member behind it */
            while (size > 0 && sid[size - 1] != '.' && sid[size - 1] != '(')
                size--;
            size -= size > 0;
            found->member = sid + size;
            is_there = size > 0 && sid[whole] == '\0' && find_sid(search, sid, size, at, &found->transform);
        }
        if (!is_there || (found->transform != CP_NONE && *sids)) {
            found->transform = CP_NONE;
            return;
        }
    }
}

cp_status collada_check_steps(const struct collada *collada)
{
    if (collada->kinematics->steps <= MOST_STEPS)
        return CP_OK;
    return report_error(collada->context, CP_LIMIT, "collada-path", IN_FILE(collada->documents[0]->source->name),
                        "paths to transforms take more than %d steps", MOST_STEPS);
}

cp_status collada_find_transform(struct collada_document *document, const char *path, struct collada_found *found)
{
    struct collada *collada = document->collada;
    struct search search = {.document = document, .kinematics = collada->kinematics};
    size_t size = strcspn(path, "/");
    const uint32_t *node = name_map_find_sized(&document->ids[COLLADA_NODES], path, size);
    *found = (struct collada_found){.transform = CP_NONE, .member = ""};
    if (!node || !path[size])
        return CP_OK;
    if (!search.kinematics->searches)
        search.kinematics->searches =
            arena_allocate_zeroed(collada->arena, document->node_count, sizeof *search.kinematics->searches);
    if (!search.kinematics->searches)
        return CP_LIMIT;
    uint32_t at = 0;
    search.kinematics->search++;
    reach(&search, *node, 0);
    if (search.status == CP_OK)
        follow(&search, path + size, &at, found);
    cp_status status = search.status == CP_OK ? collada_check_steps(collada) : search.status;
    if (status == CP_OK && found->transform != CP_NONE)
        status = keep_way(&search, at, found);
    memory_free(collada->context, search.reached, search.room, sizeof *search.reached);
    return status;
}
