/* Maps strings to numbers: open addressing with a seeded hash. */
#include <string.h>

#include "base.h"

/* Returns the slot of the key, or the free slot where it belongs. slot_count is a power of two, and some slots are
 * always free. */
static struct name_slot *find_slot(const struct name_map *map, const char *key, size_t size, uint32_t hash)
{
    for (uint32_t at = hash & (map->slot_count - 1);; at = (at + 1) & (map->slot_count - 1)) {
        struct name_slot *slot = &map->slots[at];
        if (!slot->key || (slot->hash == hash && strlen(slot->key) == size && memcmp(slot->key, key, size) == 0))
            return slot;
    }
}

static bool grow(struct name_map *map)
{
    if (map->slot_count > UINT32_MAX / 4)
        return false;
    struct name_map larger = *map;
    larger.slot_count = map->slot_count ? 2 * map->slot_count : 16;
    larger.slots = memory_allocate_zeroed(map->context, larger.slot_count, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (uint32_t i = 0; i < map->slot_count; i++) {
        uint32_t at = map->slots[i].hash & (larger.slot_count - 1);
        if (!map->slots[i].key)
            continue;
        while (larger.slots[at].key)
            at = (at + 1) & (larger.slot_count - 1);
        larger.slots[at] = map->slots[i];
    }
    memory_free(map->context, map->slots, map->slot_count, sizeof *map->slots);
    *map = larger;
    return true;
}

uint32_t *name_map_find_sized(const struct name_map *map, const char *key, size_t size)
{
    if (map->slot_count == 0)
        return NULL;
    struct name_slot *slot = find_slot(map, key, size, (uint32_t)hash_bytes(map->context, key, size));
    return slot->key ? &slot->value : NULL;
}

uint32_t *name_map_find(const struct name_map *map, const char *key)
{
    return name_map_find_sized(map, key, strlen(key));
}

uint32_t *name_map_add(struct name_map *map, const char *key, uint32_t value, bool *added)
{
    if (map->used >= map->slot_count / 2 && !grow(map))
        return NULL;
    size_t size = strlen(key);
    uint32_t hash = (uint32_t)hash_bytes(map->context, key, size);
    struct name_slot *slot = find_slot(map, key, size, hash);
    bool fresh = !slot->key;
    if (fresh) {
        *slot = (struct name_slot){.key = key, .hash = hash, .value = value};
        map->used++;
    }
    if (added)
        *added = fresh;
    return &slot->value;
}

void name_map_free(struct name_map *map)
{
    memory_free(map->context, map->slots, map->slot_count, sizeof *map->slots);
    *map = (struct name_map){.context = map->context};
}

/* The numbers tried so far make equal names cost no search. */
const char *unique_name(struct arena *arena, struct name_map *taken, const char *name)
{
    const char *found = name;
    bool added = false;
    while (found && name_map_add(taken, found, 1, &added) && !added)
        found = arena_number(arena, name, '_', ++*name_map_find(taken, name));
    return added ? found : NULL;
}
