/* Pairs of frames in collision: at a configuration. */
#include <inttypes.h>
#include <math.h>

#include "base/context.h"
#include "contacts.h"

/* ---- what there is to check ---- */

static cp_status check_body(cp_context *context, const cp_scene *scene, const struct body *body)
{
    const char *name = scene->nodes[body->node].name;
    struct place place = {.node = name};
    if (!body_is_within_reach(body))
        return report_error(context, CP_INPUT, "collide-not-finite", place,
                            "the collision geometry of \"%s\" is not finite, or larger than 1e45", name);
    if (body_is_empty(body))
        report_warning(context, "collide-empty", place,
                       "the frame \"%s\" has collision geometry without faces: nothing collides with it", name);
    else if (!body_has_area(body))
        report_warning(context, "collide-flat", place, "the frame \"%s\" has collision geometry of faces without area",
                       name);
    else if (body->open_meshes > 0)
        report_warning(context, "collide-open", place,
                       "the frame \"%s\" has collision meshes that are not closed or not wound alike (%" PRIu32
                       "): only their surface is looked at, not what is inside",
                       name, body->open_meshes);
    return CP_OK;
}

static cp_status complain_of_nothing(const cp_collider *collider)
{
    cp_context *context = collider->context;
    uint32_t count = 0;
    const char *name = "";
    for (uint32_t i = 0; i < collider->bodies.count; i++)
        if (!body_is_empty(&collider->bodies.items[i])) {
            count++;
            name = collider->scene->nodes[collider->bodies.items[i].node].name;
        }
    if (count == 0)
        return report_error(context, CP_NO, "collide-nothing", NOWHERE,
                            "nothing to check: no frame has collision geometry");
    if (count == 1)
        return report_error(context, CP_NO, "collide-nothing", NOWHERE,
                            "nothing to check: only the frame \"%s\" has collision geometry", name);
    if (collider->plane_pairs > 0)
        return report_error(context, CP_NO, "collide-nothing", NOWHERE,
                            "nothing to check: all that is not excluded are pairs of planes");
    return report_error(context, CP_NO, "collide-nothing", NOWHERE,
                        "nothing to check: all pairs (%" PRIu64 ") of frames with collision geometry are excluded",
                        collider->rules.all);
}

static uint64_t count_pairs(const cp_collider *collider, const struct pair_rules *rules)
{
    return collider->every_pair ? rules->all : rules->checked;
}

/* Finds the rules for the collider's pairs. With `planes`, the candidates are only the frames that consist of
 * planes. */
static bool find_rules_of(const cp_collider *collider, bool planes, struct pair_rules *rules)
{
    const cp_scene *scene = collider->scene;
    bool *candidates = memory_allocate_zeroed(collider->context, scene->node_count, sizeof *candidates);
    for (uint32_t i = 0; candidates && i < collider->bodies.count; i++) {
        const struct body *body = &collider->bodies.items[i];
        candidates[body->node] = !body_is_empty(body) && !(planes && body->bvh.triangle_count > 0);
    }
    bool good = candidates && pair_rules_find(rules, collider->context, scene, candidates);
    memory_free(collider->context, candidates, scene->node_count, sizeof *candidates);
    return good;
}

static cp_status find_rules(cp_collider *collider)
{
    struct pair_rules planes = {0};
    bool good = find_rules_of(collider, false, &collider->rules) && find_rules_of(collider, true, &planes);
    if (good)
        collider->plane_pairs = count_pairs(collider, &planes);
    pair_rules_free(&planes);
    if (good && collider->rules.outdated > 0 && !collider->every_pair)
        report_warning(collider->context, "collide-outdated", NOWHERE,
                       "%" PRIu32
                       " excluded pairs have changed since they were looked at, their geometry or the joints "
                       "and poses between them: they are checked",
                       collider->rules.outdated);
    if (collider->plane_pairs > 0)
        report_warning(collider->context, "collide-planes", NOWHERE,
                       "planes without borders are not compared with each other: %" PRIu64 " pairs",
                       collider->plane_pairs);
    return good ? CP_OK : CP_LIMIT;
}

cp_status cp_collider_new(cp_context *context, const cp_scene *scene, double touch, bool every_pair,
                          cp_collider **collider)
{
    *collider = NULL;
    if (!(touch >= 0 && isfinite(touch)))
        return report_error(context, CP_USAGE, "collide-touch", NOWHERE, "touch is a length of at least 0");
    cp_collider *made = memory_allocate(context, 1, sizeof *made);
    if (!made)
        return context_finish(context, CP_LIMIT);
    *made = (cp_collider){.context = context, .scene = scene, .touch = touch, .every_pair = every_pair};
    made->bodies.context = context;
    cp_status status = bodies_find(&made->bodies, context, scene);
    if (status == CP_OK)
        status = find_rules(made);
    for (uint32_t i = 0; i < made->bodies.count && status == CP_OK; i++)
        status = check_body(context, scene, &made->bodies.items[i]);
    if (status == CP_OK && cp_collider_pairs(made) == 0)
        status = complain_of_nothing(made);
    if (status == CP_OK) {
        made->moment = memory_allocate(context, 1, sizeof *made->moment);
        status = made->moment && moment_open(made->moment, made) ? CP_OK : CP_LIMIT;
    }
    if (status == CP_OK)
        *collider = made;
    else
        cp_collider_free(made);
    return context_finish(context, status);
}

void cp_collider_free(cp_collider *collider)
{
    if (!collider)
        return;
    cp_context *context = collider->context;
    if (collider->moment)
        moment_close(collider->moment);
    memory_free(context, collider->moment, 1, sizeof *collider->moment);
    memory_free(context, collider->ignored, collider->ignored_room, sizeof *collider->ignored);
    memory_free(context, collider->passages, collider->passage_room, sizeof *collider->passages);
    pair_rules_free(&collider->rules);
    bodies_free(&collider->bodies);
    memory_free(context, collider, 1, sizeof *collider);
}

uint64_t cp_collider_pairs(const cp_collider *collider)
{
    return count_pairs(collider, &collider->rules) - collider->plane_pairs - collider->ignored_count;
}

/* Tells whether the node has a body that something can meet. */
static bool has_body(const cp_collider *collider, uint32_t node, bool *plane)
{
    const struct bodies *bodies = &collider->bodies;
    for (uint32_t i = 0; i < bodies->count; i++)
        if (bodies->items[i].node == node) {
            *plane = bodies->items[i].bvh.triangle_count == 0;
            return !body_is_empty(&bodies->items[i]);
        }
    return false;
}

cp_status cp_collider_ignore(cp_collider *collider, uint32_t first, uint32_t second)
{
    bool planes[2] = {false, false};
    if (first == second || !has_body(collider, first, &planes[0]) || !has_body(collider, second, &planes[1]) ||
        (planes[0] && planes[1]) || !collider_checks(collider, first, second))
        return CP_NO;
    if (!array_reserve(collider->context, &collider->ignored, &collider->ignored_room,
                       collider->ignored_count + UINT64_C(1), sizeof *collider->ignored))
        return context_finish(collider->context, CP_LIMIT);
    collider->ignored[collider->ignored_count] = unordered_pair(first, second);
    collider->ignored_count = make_set(collider->ignored, collider->ignored_count + 1);
    return CP_OK;
}

/* ---- a configuration ---- */

static void measure_one(void *user, uint32_t item, uint32_t worker)
{
    struct contact_moment *moment = user;
    (void)worker;
    moment_measure(moment, item);
}

cp_status cp_collide(cp_collider *collider, const cp_pose *worlds, double clearance, const cp_contact **contacts,
                     uint32_t *count)
{
    cp_context *context = collider->context;
    struct contact_moment *moment = collider->moment;
    *contacts = NULL;
    *count = 0;
    if (!(clearance >= 0))
        return report_error(context, CP_USAGE, "collide-clearance", NOWHERE, "a clearance is a length of at least 0");
    double reach = fmax(clearance, collider->touch);
    moment_begin(moment, worlds, reach);
    if (moment->lost != CP_NONE)
        return context_finish(context, moment_complain(moment));
    if (moment->count > moment->room) {
        if (!moment_make_room(moment))
            return context_finish(context, CP_LIMIT);
        moment_begin(moment, worlds, reach);
    }
    if (moment->count > INT32_MAX || !parallel_for(context, (uint32_t)moment->count, measure_one, moment))
        return context_finish(context, CP_LIMIT);
    moment_end(moment);
    *contacts = moment->contacts;
    *count = (uint32_t)moment->count;
    return context_finish(context, CP_OK);
}
