/* Finds the inputs that no other names, such as the cells among their models. */
#include "manifest.h"

#include <string.h>

/* The entries that others name: those that entry i names are targets[starts[i]] .. targets[starts[i + 1] - 1]. */
struct naming {
    uint32_t *starts, *targets, target_room;
};

/* Removes "x/../" from the path: a further file's path leads from the folder of the file that names it. */
static void drop_parent_steps(char *path)
{
    char *out = path;
    for (const char *at = path; *at;) {
        size_t size = strcspn(at, "/");
        bool is_parent = size == 2 && at[0] == '.' && at[1] == '.';
        char *before = out; /* the step before begins here */
        if (is_parent && out > path + (*path == '/')) {
            before--;
            while (before > path && before[-1] != '/')
                before--;
        }
        size_t before_size = (size_t)(out - before);
        if (is_parent && before < out && !(before_size == 3 && memcmp(before, "../", 3) == 0)) {
            out = before;
            at += size + (at[size] == '/');
            continue;
        }
        size += at[size] == '/';
        memmove(out, at, size);
        out += size;
        at += size;
    }
    *out = '\0';
}

static cp_status find_naming(struct cli *cli, const struct entries *entries, struct naming *naming)
{
    struct name_map known = {.context = cli->context}; /* entries by path without parent steps */
    struct arena *arena = arena_new(cli->context);
    uint32_t count = 0;
    cp_status status = arena ? CP_OK : CP_LIMIT;
    naming->starts = memory_allocate_zeroed(cli->context, (size_t)entries->count + 1, sizeof *naming->starts);
    for (uint32_t i = 0; i < entries->count && status == CP_OK; i++) {
        const char *in = entry_path(arena, &entries->items[i]);
        char *path = in ? arena_copy_text(arena, in, strlen(in)) : NULL;
        if (path)
            drop_parent_steps(path);
        status = path && naming->starts && name_map_add(&known, path, i, NULL) ? CP_OK : CP_LIMIT;
    }
    for (uint32_t i = 0; i < entries->count && status == CP_OK; i++) {
        const struct scan *scan = entries->items[i].scan;
        for (uint32_t k = 0; scan && k < scan->input_count && status == CP_OK; k++) {
            char *path = normal_path(arena, scan->inputs[k].path, strlen(scan->inputs[k].path));
            if (path)
                drop_parent_steps(path);
            const uint32_t *target = path ? name_map_find(&known, path) : NULL;
            if (!path || (target && !array_reserve(cli->context, &naming->targets, &naming->target_room,
                                                   (uint64_t)count + 1, sizeof *naming->targets)))
                status = CP_LIMIT;
            else if (target && *target != i)
                naming->targets[count++] = *target;
        }
        naming->starts[i + 1] = count;
    }
    name_map_free(&known);
    arena_free(arena);
    return status;
}

/* Visits and marks all that `from` names, directly or not. In `order`, an entry comes after all that it names and that
 * were not marked before; *done is their number. stack, next: room for all entries. */
static void visit(const struct naming *naming, uint32_t from, bool *marked, uint32_t *stack, uint32_t *next,
                  uint32_t *order, uint32_t *done)
{
    uint32_t depth = 0;
    stack[depth++] = from;
    next[from] = naming->starts[from];
    marked[from] = true;
    while (depth > 0) {
        uint32_t at = stack[depth - 1];
        if (next[at] == naming->starts[at + 1]) {
            order[(*done)++] = at;
            depth--;
            continue;
        }
        uint32_t target = naming->targets[next[at]++];
        if (!marked[target]) {
            marked[target] = true;
            next[target] = naming->starts[target];
            stack[depth++] = target;
        }
    }
}

/* Keeps each entry that no other names; of entries that name each other and that no other names, the first. In
 * Kosaraju's order, no remaining entry names the last of those that remain, except in a circle. */
cp_status keep_whole_cells(struct cli *cli, struct entries *entries)
{
    uint32_t count = entries->count, done = 0, unused = 0;
    struct naming naming = {0};
    uint32_t *work = memory_allocate(cli->context, count, 4 * sizeof *work);
    bool *marked = memory_allocate_zeroed(cli->context, count, 2 * sizeof *marked);
    cp_status status = work && marked ? find_naming(cli, entries, &naming) : CP_LIMIT;
    if (status == CP_OK && count > 0) {
        uint32_t *stack = work, *next = work + count, *order = next + count, *ignored = order + count;
        bool *kept = marked + count;
        for (uint32_t i = 0; i < count; i++)
            if (!marked[i])
                visit(&naming, i, marked, stack, next, order, &done);
        memset(marked, 0, count * sizeof *marked);
        for (uint32_t i = count; i-- > 0;)
            if (!marked[order[i]]) {
                kept[order[i]] = true;
                visit(&naming, order[i], marked, stack, next, ignored, &unused);
            }
        entries_keep(entries, kept);
    }
    memory_free(cli->context, work, count, 4 * sizeof *work);
    memory_free(cli->context, marked, count, 2 * sizeof *marked);
    if (naming.starts)
        memory_free(cli->context, naming.starts, (size_t)count + 1, sizeof *naming.starts);
    memory_free(cli->context, naming.targets, naming.target_room, sizeof *naming.targets);
    return status;
}
