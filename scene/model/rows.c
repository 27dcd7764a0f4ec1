/* Adds, copies, moves and removes rows of a scene's tables, as the description of the tables says. */
#include "tables.h"

#include "base/context.h"

/* ---- members ---- */

const struct member *table_member(enum scene_table table, enum member_kind kind)
{
    const struct member *member = tables[table].layout.members;
    while (member->kind != MEMBER_END && member->kind != kind)
        member++;
    return member->kind == kind ? member : NULL;
}

const char *scene_id(const cp_scene *scene, enum scene_table table, uint32_t index)
{
    const struct member *id = table_member(table, MEMBER_ID);
    return index < table_count(scene, table) ? row_pointer(table_row(scene, table, index), id->at) : NULL;
}

/* ---- tables ---- */

uint32_t scene_add_row(cp_scene *scene, enum scene_table table, const void *row)
{
    const uint64_t most = limit_nodes(scene->context);
    const size_t size = tables[table].layout.size;
    uint32_t count = table_count(scene, table);
    void *rows = row_pointer(scene, tables[table].rows);
    if ((table == TABLE_NODES || table == TABLE_INSTANCES) && count > 0 && count >= most) {
        report_error(scene->context, CP_LIMIT, "scene-nodes", NOWHERE, "more %s than the limit of %llu (%s)",
                     table == TABLE_NODES ? "nodes" : "instances of meshes", (unsigned long long)most,
                     limit_of_nodes(scene->context));
        return CP_NONE;
    }
    if (count == CP_NONE) {
        report_error(scene->context, CP_LIMIT, "scene-count", NOWHERE, "a scene holds at most %u items of a kind",
                     CP_NONE - 1);
        return CP_NONE;
    }
    if (!array_reserve(scene->context, &rows, &scene->rooms[table], (uint64_t)count + 1, size))
        return CP_NONE;
    row_set_pointer(scene, tables[table].rows, rows);
    *row_number(scene, tables[table].count) = count + 1;
    memcpy(table_row(scene, table, count), row, size);
    return count;
}

cp_scene *scene_copy(const cp_scene *scene)
{
    cp_scene *copy = memory_allocate(scene->context, 1, sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *scene;
    copy->arena = arena_new(scene->context);
    bool good = copy->arena;
    for (enum scene_table table = 0; table < TABLE_COUNT; table++) {
        uint32_t count = table_count(scene, table);
        const size_t size = tables[table].layout.size;
        void *rows = NULL;
        copy->rooms[table] = 0;
        good = array_reserve(scene->context, &rows, &copy->rooms[table], count, size) && good;
        if (rows)
            memcpy(rows, table_row(scene, table, 0), count * size);
        row_set_pointer(copy, tables[table].rows, rows);
    }
    if (good)
        return copy;
    cp_scene_free(copy);
    return NULL;
}

cp_scene *cp_scene_at(const cp_scene *scene, const double *q)
{
    cp_scene *copy = scene_copy(scene);
    for (uint32_t i = 0; copy && i < copy->joint_count; i++)
        copy->joints[i].q = q[i];
    return copy;
}

void scene_replace(cp_scene *scene, cp_scene *copy)
{
    cp_scene old = *scene;
    *scene = *copy;
    *copy = old;
    arena_adopt(scene->arena, copy->arena);
    copy->arena = NULL;
    cp_scene_free(copy);
}

void cp_scene_free(cp_scene *scene)
{
    if (!scene)
        return;
    for (enum scene_table table = 0; table < TABLE_COUNT; table++)
        memory_free(scene->context, row_pointer(scene, tables[table].rows), scene->rooms[table],
                    tables[table].layout.size);
    arena_free(scene->arena);
    memory_free(scene->context, scene, 1, sizeof *scene);
}

void scene_find_spans(cp_scene *scene)
{
    uint32_t instances = 0, joints = 0;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        cp_node *node = &scene->nodes[i];
        node->first_instance = instances;
        node->first_joint = joints;
        while (instances < scene->instance_count && scene->instances[instances].node == i)
            instances++;
        while (joints < scene->joint_count && scene->joints[joints].node == i)
            joints++;
        node->instance_count = instances - node->first_instance;
        node->joint_count = joints - node->first_joint;
    }
}

/* ---- moving ---- */

static uint32_t new_index(const struct moves *moves, enum scene_table table, uint32_t index)
{
    if (table == TABLE_NONE || index == CP_NONE)
        return index;
    return moves->maps[table] ? moves->maps[table][index] : index + moves->bases[table];
}

/* Tells whether rows of this layout can refer to rows that get a new index. */
static bool refers_to_moved(const struct moves *moves, const struct layout *layout)
{
    bool moved = false;
    for (const struct member *member = layout->members; member->kind != MEMBER_END && !moved; member++)
        if (member->kind == MEMBER_ROW || member->kind == MEMBER_ROW_OR_NONE)
            moved = member->table_of || moves->maps[member->table] || moves->bases[member->table];
        else
            moved = member->layout && refers_to_moved(moves, member->layout);
    return moved;
}

bool row_stays(const struct moves *moves, const struct layout *layout, const void *row)
{
    bool stays = true;
    for (const struct member *member = layout->members; member->kind != MEMBER_END && stays; member++) {
        if (member->kind == MEMBER_ROW)
            stays = new_index(moves, member_table(member, row), *row_number(row, member->at)) != CP_NONE;
        uint32_t count = member->loss == LOSS_DROPS ? member_count(member, row) : 0;
        for (uint32_t i = 0; i < count && stays; i++)
            stays = row_stays(moves, member->layout, member_row(member, row, i));
    }
    return stays;
}

static bool move_row(const struct moves *moves, const struct layout *layout, void *row);

/* Replaces an array or record by a copy of the rows that stay: scenes share arrays, so that none may be changed in
 * place. */
static bool move_array(const struct moves *moves, const struct member *member, void *row)
{
    uint32_t count = member_count(member, row), kept = 0;
    if (count == 0 || !refers_to_moved(moves, member->layout))
        return true;
    const size_t size = member->layout->size;
    char *to = arena_allocate(moves->scene->arena, count, size);
    if (!to)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const void *from = member_row(member, row, i);
        if (!row_stays(moves, member->layout, from))
            continue;
        memcpy(to + kept * size, from, size);
        if (!move_row(moves, member->layout, to + kept++ * size))
            return false;
    }
    if (member->loss == LOSS_CLEARS && kept < count)
        kept = 0;
    row_set_pointer(row, member->at, kept > 0 || member->kind == MEMBER_ARRAY ? to : NULL);
    if (member->kind == MEMBER_ARRAY)
        *row_number(row, member->count) = kept;
    return true;
}

/* Gives the references of a row their new indices. Returns false if out of memory. */
static bool move_row(const struct moves *moves, const struct layout *layout, void *row)
{
    bool good = true;
    for (const struct member *member = layout->members; member->kind != MEMBER_END && good; member++) {
        uint32_t *index = row_number(row, member->at);
        if (member->layout)
            good = move_array(moves, member, row);
        else if (member->kind == MEMBER_ROW || member->kind == MEMBER_ROW_OR_NONE)
            *index = new_index(moves, member_table(member, row), *index);
    }
    return good;
}

uint32_t scene_add_moved(const struct moves *moves, enum scene_table table, const void *row)
{
    const struct member *id = table_member(table, MEMBER_ID);
    uint32_t at = scene_add_row(moves->scene, table, row);
    if (at == CP_NONE)
        return CP_NONE;
    void *added = table_row(moves->scene, table, at);
    if (id)
        row_set_pointer(added, id->at, NULL);
    return move_row(moves, &tables[table].layout, added) ? at : CP_NONE;
}

uint32_t *moves_add_map(struct moves *moves, enum scene_table table)
{
    moves->counts[table] = table_count(moves->scene, table);
    moves->maps[table] = memory_allocate(moves->scene->context, moves->counts[table], sizeof *moves->maps[table]);
    return moves->maps[table];
}

bool moves_find(struct moves *moves, enum scene_table table)
{
    uint32_t kept = 0, *map = moves_add_map(moves, table);
    for (uint32_t i = 0; map && i < moves->counts[table]; i++)
        map[i] = row_stays(moves, &tables[table].layout, table_row(moves->scene, table, i)) ? kept++ : CP_NONE;
    return map;
}

cp_status moves_end(struct moves *moves, cp_status status)
{
    cp_scene *scene = moves->scene;
    uint64_t before = (uint64_t)scene->node_count + scene->instance_count + scene->joint_count;
    bool good = status == CP_OK;
    for (enum scene_table table = 0; table < TABLE_COUNT && good; table++)
        if (!moves->maps[table] && refers_to_moved(moves, &tables[table].layout))
            good = moves_find(moves, table);
    for (enum scene_table table = 0; table < TABLE_COUNT && good; table++) {
        const struct layout *layout = &tables[table].layout;
        const uint32_t *map = moves->maps[table];
        char *from = row_pointer(scene, tables[table].rows), *to = from;
        uint32_t kept = 0;
        for (uint32_t i = 0; map && i < moves->counts[table] && good; i++, from += layout->size) {
            if (map[i] == CP_NONE)
                continue;
            if (kept++ < i)
                memcpy(to, from, layout->size);
            good = move_row(moves, layout, to);
            to += layout->size;
        }
        if (map)
            *row_number(scene, tables[table].count) = kept;
    }
    if (good && before > (uint64_t)scene->node_count + scene->instance_count + scene->joint_count)
        scene_find_spans(scene);
    for (enum scene_table table = 0; table < TABLE_COUNT; table++)
        memory_free(scene->context, moves->maps[table], moves->counts[table], sizeof *moves->maps[table]);
    return status == CP_OK && !good ? CP_LIMIT : status;
}
