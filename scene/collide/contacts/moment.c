#include "moment.h"

#include <math.h>
#include <stdlib.h>

bool moment_open(struct moment *moment, const cp_collider *collider)
{
    *moment = (struct moment){.collider = collider, .lost = CP_NONE};
    uint32_t count = collider->bodies.count;
    moment->placed = memory_allocate(collider->context, count, sizeof *moment->placed);
    moment->boxes = memory_allocate(collider->context, count, sizeof *moment->boxes);
    return moment->placed && moment->boxes;
}

void moment_close(struct moment *moment)
{
    const cp_collider *collider = moment->collider;
    uint32_t count = collider->bodies.count;
    memory_free(collider->context, moment->placed, count, sizeof *moment->placed);
    memory_free(collider->context, moment->boxes, count, sizeof *moment->boxes);
    memory_free(collider->context, moment->contacts, moment->room, sizeof *moment->contacts);
}

bool moment_make_room(struct moment *moment)
{
    return array_reserve(moment->collider->context, &moment->contacts, &moment->room, moment->count,
                         sizeof *moment->contacts);
}

/* ---- boxes that come near each other ---- */

/* A plane is everywhere. False when the body has nothing that anything can meet. */
static bool set_world_box(const struct placed *placed, struct world_box *box)
{
    const struct body *body = placed->body;
    if (body->bvh.box_count == 0 && body->plane_count == 0)
        return false;
    double centre[3], half[3];
    if (body->bvh.box_count > 0)
        placed_box(placed, &body->bvh.boxes[0], centre, half);
    for (int axis = 0; axis < 3; axis++) {
        bool known = body->plane_count == 0 && isfinite(half[axis]);
        box->low[axis] = known ? centre[axis] - half[axis] : -INFINITY;
        box->high[axis] = known ? centre[axis] + half[axis] : INFINITY;
    }
    return true;
}

static void place_bodies(struct moment *moment, const cp_pose *worlds)
{
    const struct bodies *bodies = &moment->collider->bodies;
    moment->lost = CP_NONE;
    moment->box_count = 0;
    for (uint32_t i = 0; i < bodies->count; i++) {
        const cp_pose *world = &worlds[bodies->items[i].node];
        struct world_box *box = &moment->boxes[moment->box_count];
        if (!pose_is_finite(world)) {
            moment->lost = bodies->items[i].node;
            return;
        }
        place_body(&moment->placed[i], &bodies->items[i], world);
        box->body = i;
        moment->box_count += set_world_box(&moment->placed[i], box);
    }
}

/* The axis along which the boxes lie farthest apart. */
static int longest_axis(const struct moment *moment)
{
    int longest = 0;
    double extents[3];
    for (int axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t i = 0; i < moment->box_count; i++) {
            const struct world_box *box = &moment->boxes[i];
            if (isfinite(box->low[axis]) && isfinite(box->high[axis])) {
                low = fmin(low, box->low[axis]);
                high = fmax(high, box->high[axis]);
            }
        }
        extents[axis] = high - low;
        longest = extents[axis] > extents[longest] ? axis : longest;
    }
    return longest;
}

static int compare_boxes(const struct world_box *one, const struct world_box *other, int axis)
{
    if (one->low[axis] != other->low[axis])
        return one->low[axis] < other->low[axis] ? -1 : 1;
    return one->body < other->body ? -1 : one->body > other->body;
}

static int compare_by_x(const void *a, const void *b)
{
    return compare_boxes(a, b, 0);
}

static int compare_by_y(const void *a, const void *b)
{
    return compare_boxes(a, b, 1);
}

static int compare_by_z(const void *a, const void *b)
{
    return compare_boxes(a, b, 2);
}

static bool are_near(const struct world_box *one, const struct world_box *other, double reach)
{
    for (int axis = 0; axis < 3; axis++)
        if (other->low[axis] > one->high[axis] + reach || one->low[axis] > other->high[axis] + reach)
            return false;
    return true;
}

static void add_pair(struct moment *moment, uint32_t one, uint32_t other)
{
    const cp_collider *collider = moment->collider;
    uint32_t first = one < other ? one : other, second = one < other ? other : one;
    if (!collider->every_pair &&
        !pair_is_checked(&collider->rules, collider->bodies.items[first].node, collider->bodies.items[second].node))
        return;
    if (moment->count < moment->room)
        moment->contacts[moment->count] = (cp_contact){first, second, INFINITY};
    moment->count++;
}

void moment_begin(struct moment *moment, const cp_pose *worlds, double reach)
{
    static int (*const comparisons[])(const void *, const void *) = {compare_by_x, compare_by_y, compare_by_z};
    place_bodies(moment, worlds);
    moment->count = 0;
    if (moment->lost != CP_NONE)
        return;
    int axis = longest_axis(moment);
    double further = reach * (1 + 1e-12); /* the boxes are rounded outward, the sum with reach is not */
    qsort(moment->boxes, moment->box_count, sizeof *moment->boxes, comparisons[axis]);
    for (uint32_t i = 0; i < moment->box_count; i++) {
        const struct world_box *box = &moment->boxes[i];
        for (uint32_t k = i + 1; k < moment->box_count && !(moment->boxes[k].low[axis] > box->high[axis] + further);
             k++)
            if (are_near(box, &moment->boxes[k], further))
                add_pair(moment, box->body, moment->boxes[k].body);
    }
}

/* ---- bodies ---- */

void moment_measure(struct moment *moment, uint32_t contact, double reach)
{
    cp_contact *it = &moment->contacts[contact];
    double distance = bodies_distance(&moment->placed[it->first], &moment->placed[it->second], reach);
    it->distance = distance <= moment->collider->touch ? 0 : distance;
}

bool moment_collide(const struct moment *moment, uint32_t one, uint32_t other)
{
    double touch = moment->collider->touch;
    return bodies_distance(&moment->placed[one], &moment->placed[other], touch) <= touch;
}

static int compare_contacts(const void *a, const void *b)
{
    const cp_contact *one = a, *other = b;
    if (one->first != other->first)
        return one->first < other->first ? -1 : 1;
    return one->second < other->second ? -1 : one->second > other->second;
}

void moment_end(struct moment *moment, double reach)
{
    const struct body *bodies = moment->collider->bodies.items;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < moment->count; i++) {
        cp_contact contact = moment->contacts[i];
        if (contact.distance <= reach && isfinite(contact.distance))
            moment->contacts[kept++] =
                (cp_contact){bodies[contact.first].node, bodies[contact.second].node, contact.distance};
    }
    moment->count = kept;
    if (kept > 0)
        qsort(moment->contacts, kept, sizeof *moment->contacts, compare_contacts);
}

cp_status moment_complain(const struct moment *moment)
{
    const char *name = moment->collider->scene->nodes[moment->lost].name;
    return report_error(moment->collider->context, CP_USAGE, "collide-pose", (struct place){.node = name},
                        "the frame \"%s\" is nowhere: its pose is not finite", name);
}
