/* Pairs of links: which are excluded, which are kept, and why. */
#include <string.h>

#include "base/context.h"
#include "base/text/text.h"
#include "collide/list/list.h"
#include "srdf.h"

/* Finds the node of a link, which becomes a placeholder if there is none: with a warning, once a name, where the links
 * are known. */
static cp_status find_link(struct srdf *srdf, const struct xml_node *element, const char *name, uint32_t *node)
{
    const uint32_t *found = name_map_find(&srdf->nodes, name);
    cp_status status = CP_OK;
    if (!found) {
        *node = scene_add_placeholder(srdf->scene, name);
        if (*node == CP_NONE || !name_map_add(&srdf->nodes, srdf->scene->nodes[*node].name, *node, NULL))
            return CP_LIMIT;
        if (srdf->beside)
            status = report_lenient(srdf->context, srdf->strict, "srdf-link", xml_node_place(element),
                                    "<%s> names the link \"%.100s\", which is not there", element->name, name);
        return status;
    }
    *node = *found;
    return CP_OK;
}

/* Reads the links of a pair. *known: the pair that was stated of them before, or CP_NONE for one that is new; NULL if
 * the element is passed over. */
static cp_status find_links(struct srdf *srdf, const struct xml_node *element, uint32_t nodes[2], uint32_t **known)
{
    static const char *const attributes[2] = {"link1", "link2"};
    cp_status status = CP_OK;
    const char *names[2];
    *known = NULL;
    for (int i = 0; i < 2; i++) {
        names[i] = srdf_attribute(srdf, element, attributes[i], &status);
        if (!names[i] || status != CP_OK)
            return status;
    }
    if (strcmp(names[0], names[1]) == 0)
        return report_lenient(srdf->context, srdf->strict, "srdf-pair", xml_node_place(element),
                              "<%s> pairs the link \"%.100s\" with itself", element->name, names[0]);
    for (int i = 0; i < 2 && status == CP_OK; i++)
        status = find_link(srdf, element, names[i], &nodes[i]);
    if (status != CP_OK)
        return status;
    bool swap = nodes[0] > nodes[1];
    const char *key = arena_print(srdf->arena, "%lu %lu", (unsigned long)nodes[swap], (unsigned long)nodes[!swap]);
    *known = key ? name_map_add(&srdf->pairs, key, CP_NONE, NULL) : NULL;
    return *known ? CP_OK : CP_LIMIT;
}

/* States a pair, with the words of the file as evidence. */
static cp_status state(struct srdf *srdf, const uint32_t nodes[2], const char *reason, const char *words,
                       uint32_t *known)
{
    uint32_t index = scene_add_pair(srdf->scene, nodes[0], nodes[1], reason);
    const char *evidence = *words ? arena_print(srdf->scene->arena, SRDF_REASON "%s", words) : "";
    if (index == CP_NONE || !evidence)
        return CP_LIMIT;
    srdf->scene->pairs[index].evidence = evidence;
    *known = index;
    return CP_OK;
}

/* Returns our reason for one of MoveIt's words. Its assistant finds all but User by 10,000 samples. */
static const char *reason_of(const char *word)
{
    return text_equal_nocase(word, "Adjacent") ? "adjacent" : text_equal_nocase(word, "User") ? "user" : "given";
}

cp_status srdf_disable(struct srdf *srdf, const struct xml_node *element)
{
    uint32_t nodes[2], *known;
    const char *word = xml_node_attribute(element, "reason");
    cp_status status = find_links(srdf, element, nodes, &known);
    if (status != CP_OK || !known)
        return status;
    if (*known != CP_NONE && srdf->scene->pairs[*known].verdict == CP_PAIR_EXCLUDED)
        return report_lenient(srdf->context, srdf->strict, "srdf-twice", xml_node_place(element),
                              "the pair \"%.100s\", \"%.100s\" is excluded twice", xml_node_attribute(element, "link1"),
                              xml_node_attribute(element, "link2"));
    if (*known != CP_NONE)
        status = report_lenient(srdf->context, srdf->strict, "srdf-twice", xml_node_place(element),
                                "the pair \"%.100s\", \"%.100s\" is enabled and disabled: it is excluded",
                                xml_node_attribute(element, "link1"), xml_node_attribute(element, "link2"));
    return status == CP_OK ? state(srdf, nodes, word ? reason_of(word) : "given", word ? word : "", known) : status;
}

cp_status srdf_enable(struct srdf *srdf, const struct xml_node *element)
{
    uint32_t nodes[2], *known;
    cp_status status = find_links(srdf, element, nodes, &known);
    if (status != CP_OK || !known)
        return status;
    if (*known != CP_NONE)
        return report_lenient(srdf->context, srdf->strict, "srdf-twice", xml_node_place(element),
                              "the pair \"%.100s\", \"%.100s\" is named before: it is %s",
                              xml_node_attribute(element, "link1"), xml_node_attribute(element, "link2"),
                              srdf->scene->pairs[*known].verdict == CP_PAIR_EXCLUDED ? "excluded" : "kept");
    status = state(srdf, nodes, "given", element->name, known);
    if (status == CP_OK)
        srdf->scene->pairs[*known].verdict = CP_PAIR_KEPT;
    return status;
}

/* ---- links whose pairs are excluded unless they are enabled ---- */

/* Excludes the pairs of a link with all frames that collide. */
static cp_status disable_link(struct srdf *srdf, uint32_t link, const char *words)
{
    cp_scene *scene = srdf->scene;
    cp_status status = CP_OK;
    for (uint32_t i = 1; i < scene->node_count && status == CP_OK; i++) {
        if (i == link || !node_can_collide(scene, i))
            continue;
        const char *key = arena_print(srdf->arena, "%lu %lu", (unsigned long)(i < link ? i : link),
                                      (unsigned long)(i < link ? link : i));
        uint32_t *known = key ? name_map_add(&srdf->pairs, key, CP_NONE, NULL) : NULL;
        if (!known)
            return CP_LIMIT;
        if (*known == CP_NONE)
            status = state(srdf, (uint32_t[2]){link, i}, "given", words, known);
    }
    return status;
}

/* The links whose pairs are excluded, in the order of the file. */
struct defaults {
    struct name_map seen; /* names of links */
    uint32_t *links;      /* their nodes */
    uint32_t count, room;
    uint64_t others, pairs; /* frames that collide, and the pairs of all links with them */
};

/* Adds the link of an element. All pairs are counted before one is made: n links of n would take n^2 to be refused. */
static cp_status add_default(struct srdf *srdf, struct defaults *defaults, const struct xml_node *element)
{
    bool added = false;
    cp_status status = CP_OK;
    const char *link = srdf_attribute(srdf, element, "link", &status);
    if (!link)
        return status;
    const uint32_t *node = name_map_find(&srdf->nodes, link);
    if (!name_map_add(&defaults->seen, link, 0, &added))
        return CP_LIMIT;
    if (!added)
        return report_lenient(srdf->context, srdf->strict, "srdf-twice", xml_node_place(element),
                              "<%s> names the link \"%.100s\" twice", element->name, link);
    if (!srdf->beside) { /* which pairs it has is not known: kept as it is written */
        report_warning(srdf->context, "srdf-default", xml_node_place(element),
                       "the pairs of \"%.100s\" that <%s> excludes are not known without the robot", link,
                       element->name);
        return srdf_keep(srdf, CP_OWNER_SCENE, 0, element);
    }
    if (!node)
        return report_lenient(srdf->context, srdf->strict, "srdf-link", xml_node_place(element),
                              "<%s> names the link \"%.100s\", which is not there", element->name, link);
    defaults->pairs += defaults->others - node_can_collide(srdf->scene, *node);
    if (defaults->pairs > srdf->context->limits.pairs)
        return report_error(srdf->context, CP_LIMIT, "srdf-pairs", xml_node_place(element),
                            "<%s> excludes more than %llu pairs (--limit pairs=)", element->name,
                            (unsigned long long)srdf->context->limits.pairs);
    bool good = array_add(srdf->context, &defaults->links, &defaults->room, &defaults->count, node, sizeof *node);
    return good ? CP_OK : CP_LIMIT;
}

cp_status srdf_disable_defaults(struct srdf *srdf)
{
    static const char name[] = "disable_default_collisions";
    struct defaults defaults = {.seen = {.context = srdf->context}};
    cp_status status = CP_OK;
    for (uint32_t i = 1; i < srdf->scene->node_count; i++)
        defaults.others += node_can_collide(srdf->scene, i);
    for (const struct xml_node *at = xml_node_child(srdf->robot, name); at && status == CP_OK;
         at = xml_node_next(at, name))
        status = add_default(srdf, &defaults, at);
    for (uint32_t i = 0; i < defaults.count && status == CP_OK; i++)
        status = disable_link(srdf, defaults.links[i], name);
    memory_free(srdf->context, defaults.links, defaults.room, sizeof *defaults.links);
    name_map_free(&defaults.seen);
    return status;
}
