/* Closed poses that were solved for before, in a hash table that is at most half full. If it gets no memory, they are
 * solved for again. */
#include <string.h>

#include "base/context.h"
#include "loops.h"

static struct closed_pose *place_of(const struct closed_poses *poses, const struct closed_pose *wanted)
{
    uint64_t bits;
    memcpy(&bits, &wanted->number, sizeof bits);
    bits = (bits ^ wanted->group ^ ((uint64_t)wanted->driver << 32)) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t at = (uint32_t)(bits >> 32) & (poses->place_count - 1);
    for (struct closed_pose *place; (place = &poses->places[at])->group != CP_NONE;
         at = (at + 1) & (poses->place_count - 1))
        if (place->group == wanted->group && place->driver == wanted->driver &&
            memcmp(&place->number, &wanted->number, sizeof wanted->number) == 0)
            break;
    return &poses->places[at];
}

static bool make_places(cp_context *context, struct closed_poses *poses)
{
    struct closed_poses old = *poses;
    uint32_t count = old.place_count > 0 ? 2 * old.place_count : 1024;
    struct closed_pose *places = count > old.place_count ? memory_allocate(context, count, sizeof *places) : NULL;
    if (!places)
        return false;
    poses->places = places;
    poses->place_count = count;
    for (uint32_t i = 0; i < count; i++)
        places[i].group = CP_NONE;
    for (uint32_t i = 0; i < old.place_count; i++)
        if (old.places[i].group != CP_NONE)
            *place_of(poses, &old.places[i]) = old.places[i];
    memory_free(context, old.places, old.place_count, sizeof *old.places);
    return true;
}

bool closure_recall(struct closure *closure, uint32_t group, uint32_t driver, double number)
{
    const struct closed_poses *poses = &closure->closed_poses;
    const struct closed_pose wanted = {.number = number, .group = group, .driver = driver};
    const struct closed_pose *place = poses->place_count > 0 ? place_of(poses, &wanted) : NULL;
    if (!place || place->group == CP_NONE)
        return false;
    closure_set_group(closure, group, poses->values + place->first);
    return true;
}

void closure_remember(struct closure *closure, uint32_t group, uint32_t driver, double number)
{
    cp_context *context = closure->chains.mechanism->context;
    struct closed_poses *poses = &closure->closed_poses;
    const struct closure_group *it = &closure->chains.groups[group];
    const struct closed_pose pose = {number, group, driver, poses->value_count};
    if ((2 * (uint64_t)poses->count >= poses->place_count && !make_places(context, poses)) ||
        !array_reserve(context, &poses->values, &poses->value_room, (uint64_t)poses->value_count + 2 * it->column_count,
                       sizeof *poses->values))
        return;
    *place_of(poses, &pose) = pose;
    closure_get_group(closure, group, poses->values + pose.first);
    poses->value_count += 2 * it->column_count;
    poses->count++;
}

void closure_forget(struct closure *closure)
{
    struct closed_poses *poses = &closure->closed_poses;
    memory_free(closure->chains.mechanism->context, poses->places, poses->place_count, sizeof *poses->places);
    memory_free(closure->chains.mechanism->context, poses->values, poses->value_room, sizeof *poses->values);
    *poses = (struct closed_poses){0};
}
