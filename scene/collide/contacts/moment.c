#include "contacts.h"

#include <math.h>
#include <stdlib.h>

bool moment_open(struct contact_moment *moment, const cp_collider *collider)
{
    *moment = (struct contact_moment){.collider = collider, .lost = CP_NONE};
    uint32_t count = collider->bodies.count;
    moment->placed = memory_allocate(collider->context, count, sizeof *moment->placed);
    moment->boxes = memory_allocate(collider->context, count, sizeof *moment->boxes);
    return moment->placed && moment->boxes;
}

void moment_close(struct contact_moment *moment)
{
    const cp_collider *collider = moment->collider;
    uint32_t count = collider->bodies.count;
    memory_free(collider->context, moment->placed, count, sizeof *moment->placed);
    memory_free(collider->context, moment->boxes, count, sizeof *moment->boxes);
    memory_free(collider->context, moment->contacts, moment->room, sizeof *moment->contacts);
}

bool moment_make_room(struct contact_moment *moment)
{
    return array_reserve(moment->collider->context, &moment->contacts, &moment->room, moment->count,
                         sizeof *moment->contacts);
}

/* ---- boxes that come near each other ---- */

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

/* Places the bodies' boxes. False if a pose is not finite; then its node is `lost`. */
static bool place_bodies(struct contact_moment *moment, const cp_pose *worlds)
{
    const struct bodies *bodies = &moment->collider->bodies;
    moment->lost = CP_NONE;
    moment->box_count = 0;
    for (uint32_t i = 0; i < bodies->count; i++) {
        const struct body *body = &bodies->items[i];
        if (!pose_is_finite(&worlds[body->node])) {
            moment->lost = body->node;
            return false;
        }
        place_body(&moment->placed[i], body, &worlds[body->node]);
        if (body->bvh.box_count == 0 && body->plane_count == 0)
            continue; /* nothing can meet it */
        struct world_box *box = &moment->boxes[moment->box_count++];
        double centre[3], half[3];
        if (body->bvh.box_count > 0)
            placed_box(&moment->placed[i], &body->bvh.boxes[0], centre, half);
        box->body = i;
        for (int axis = 0; axis < 3; axis++) { /* a plane is everywhere */
            bool known = body->plane_count == 0 && isfinite(half[axis]);
            box->low[axis] = known ? centre[axis] - half[axis] : -INFINITY;
            box->high[axis] = known ? centre[axis] + half[axis] : INFINITY;
        }
    }
    return true;
}

bool collider_checks(const cp_collider *collider, uint32_t one, uint32_t other)
{
    return (collider->every_pair || pair_is_checked(&collider->rules, one, other)) &&
           !set_has(collider->ignored, collider->ignored_count, unordered_pair(one, other));
}

void moment_begin(struct contact_moment *moment, const cp_pose *worlds, double reach)
{
    static int (*const comparisons[])(const void *, const void *) = {compare_by_x, compare_by_y, compare_by_z};
    const cp_collider *collider = moment->collider;
    const struct body *bodies = collider->bodies.items;
    moment->count = 0;
    moment->reach = reach;
    if (!place_bodies(moment, worlds))
        return;
    /* Sweep along the axis along which the boxes lie farthest apart. */
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
    double further = reach * (1 + 1e-12); /* rounding of the sum with reach; the boxes are already rounded outward */
    qsort(moment->boxes, moment->box_count, sizeof *moment->boxes, comparisons[longest]);
    for (uint32_t i = 0; i < moment->box_count; i++) {
        const struct world_box *one = &moment->boxes[i], *end = moment->boxes + moment->box_count;
        for (const struct world_box *other = one + 1;
             other < end && !(other->low[longest] > one->high[longest] + further); other++) {
            bool near = true;
            for (int axis = 0; axis < 3 && near; axis++)
                near = !(other->low[axis] > one->high[axis] + further || one->low[axis] > other->high[axis] + further);
            if (!near)
                continue;
            uint32_t first = one->body < other->body ? one->body : other->body;
            uint32_t second = one->body < other->body ? other->body : one->body;
            if (!collider_checks(collider, bodies[first].node, bodies[second].node))
                continue;
            if (moment->count < moment->room)
                moment->contacts[moment->count] = (cp_contact){first, second, INFINITY};
            moment->count++;
        }
    }
}

/* ---- bodies ---- */

void moment_measure(struct contact_moment *moment, uint32_t contact)
{
    cp_contact *it = &moment->contacts[contact];
    double distance = bodies_distance(&moment->placed[it->first], &moment->placed[it->second], moment->reach);
    it->distance = distance <= moment->collider->touch ? 0 : distance;
}

bool moment_collide(const struct contact_moment *moment, uint32_t one, uint32_t other)
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

void moment_end(struct contact_moment *moment)
{
    const struct body *bodies = moment->collider->bodies.items;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < moment->count; i++) {
        cp_contact contact = moment->contacts[i];
        if (contact.distance <= moment->reach && isfinite(contact.distance))
            moment->contacts[kept++] =
                (cp_contact){bodies[contact.first].node, bodies[contact.second].node, contact.distance};
    }
    moment->count = kept;
    if (kept > 0)
        qsort(moment->contacts, kept, sizeof *moment->contacts, compare_contacts);
}

cp_status moment_complain(const struct contact_moment *moment)
{
    const char *name = moment->collider->scene->nodes[moment->lost].name;
    return report_error(moment->collider->context, CP_USAGE, "collide-pose", (struct place){.node = name},
                        "the frame \"%s\" is nowhere: its pose is not finite", name);
}
