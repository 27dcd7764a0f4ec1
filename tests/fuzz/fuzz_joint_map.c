/* A fuzzer for joint maps. A map that reads has its rows in order, each joint once, and finite numbers; what goes
 * through it comes back. A refusal has a line. A bug shows as a crash, a leak, a sanitizer's finding or a difference.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../live/controller.h"
#include "cellpipe_build.h"

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { JOINTS = 6 };
static const char *const names[JOINTS] = {"a", "b", "c", "d", "d", "two words"};
static cp_scene *cell;

static void check(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "fuzz_joint_map: %s\n", what);
    abort();
}

int LLVMFuzzerInitialize(int *count, char ***words)
{
    (void)count;
    (void)words;
    cp_context *context = cp_context_new(NULL);
    cell = cp_scene_new(context);
    cp_node arm = cp_new_node();
    arm.name = "arm";
    arm.parent = 0;
    const uint32_t node = cp_add_node(cell, &arm);
    for (uint32_t i = 0; i < JOINTS; i++) {
        cp_joint joint = cp_new_joint();
        joint.name = names[i];
        joint.node = node;
        joint.type = i == 1 ? CP_JOINT_PRISMATIC : i == 5 ? CP_JOINT_SCALE : CP_JOINT_REVOLUTE;
        joint.driven = i != 2;
        joint.master = i == 2 ? 0 : CP_NONE;
        joint.lower = -3;
        joint.upper = 3;
        check(cp_add_joint(cell, &joint) == i, "a joint");
    }
    check(cp_scene_finish(cell) == CP_OK, "the cell");
    return 0;
}

static void check_map(const struct joint_map *map)
{
    double values[JOINTS] = {0}, out[JOINTS], again[JOINTS] = {0};
    const char *known[JOINTS];
    bool seen[JOINTS] = {false};
    char why[WHY_SIZE];
    check(map->count > 0 && map->count <= JOINTS, "how many rows");
    for (uint32_t i = 0; i < map->count; i++) {
        const struct joint_map_row *row = &map->rows[i];
        check(i == 0 || strcmp(row[-1].name, row->name) <= 0, "the order of rows");
        check(row->joint < JOINTS && row->joint != 2 && !seen[row->joint], "a joint that comes twice, or follows");
        seen[row->joint] = true;
        check(isfinite(row->scale) && row->scale != 0 && isfinite(row->offset), "numbers of a row");
        check(joint_map_row_of(map, row->joint) == row, "the row of a joint");
        values[row->joint] = 0.25;
    }
    const uint32_t count = joint_map_invert(map, values, known, out);
    check(count > 0 && count <= map->count, "how many go back");
    const struct controller_sample sample = {.names = known, .values = out, .count = count};
    if (!joint_map_apply(map, cell, &sample, again, why)) /* two joints of one name may have other values */
        return;
    for (uint32_t i = 0; i < map->count && count == map->count; i++)
        check(fabs(again[map->rows[i].joint] - 0.25) <= 1e-9 * (1 + fabs(map->rows[i].offset)), "there and back");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    cp_context *context = cp_context_new(NULL);
    struct arena *arena = arena_new(context);
    struct joint_map map;
    char *text = malloc(size > 0 ? size : 1); /* reading beyond its end is seen */
    check(context && arena && text, "no memory");
    memcpy(text, bytes, size);
    const cp_status status = joint_map_read_text(context, cell, "fuzz.map", text, size, arena, &map);
    size_t count;
    const cp_entry *entries = cp_report(context, &count);
    free(text);
    check(status == CP_OK || status == CP_INPUT, "the status");
    if (status == CP_OK)
        check_map(&map);
    else
        check(count == 1 && (entries->line > 0 || strcmp(entries->code, "map-empty") == 0), "a refusal and its line");
    arena_free(arena);
    cp_context_free(context);
    return 0;
}
