#include "statements.h"

#include <stdlib.h>
#include <string.h>

int compare_names(const struct statement *one, const struct statement *other)
{
    int order = strcmp(one->names[0], other->names[0]);
    return order ? order : strcmp(one->names[1], other->names[1]);
}

int statement_rank(const cp_pair *pair)
{
    return strcmp(pair->reason, "sometimes") == 0 ? 2 : strcmp(pair->reason, "always-sampled") == 0;
}

/* Orders statements by names; of several pairs with the same names the worst comes first, and counts. */
static int compare_statements(const void *a, const void *b)
{
    const struct statement *one = a, *other = b;
    int order = compare_names(one, other);
    return order ? order : statement_rank(other->pair) - statement_rank(one->pair);
}

cp_status list_statements(struct cli *cli, const cp_scene *scene, bool all, struct statements *statements)
{
    uint32_t pair_count, node_count;
    const cp_pair *pairs = cp_pairs(scene, &pair_count);
    const cp_node *nodes = cp_nodes(scene, &node_count);
    size_t listed = 0, count = 0;
    struct statement *items = cli_allocate(cli, pair_count * sizeof *items);
    if (!items)
        return CP_LIMIT;
    for (uint32_t i = 0; i < pair_count; i++) {
        const char *one = nodes[pairs[i].first].name, *other = nodes[pairs[i].second].name;
        bool swap = strcmp(one, other) > 0;
        if (all ? pairs[i].finding != NULL : pairs[i].verdict == CP_PAIR_EXCLUDED)
            items[listed++] = (struct statement){{swap ? other : one, swap ? one : other}, &pairs[i]};
    }
    if (listed > 0)
        qsort(items, listed, sizeof *items, compare_statements);
    for (size_t i = 0; i < listed; i++)
        if (count == 0 || compare_names(&items[i], &items[count - 1]) != 0)
            items[count++] = items[i];
    statements->scene = scene;
    statements->items = items;
    statements->count = count;
    return CP_OK;
}

static int compare_wanted(const void *a, const void *b)
{
    return compare_names(a, b);
}

const struct statement *find_statement(const struct statements *statements, const struct statement *wanted)
{
    size_t count = statements->count;
    return count > 0 ? bsearch(wanted, statements->items, count, sizeof *wanted, compare_wanted) : NULL;
}

void print_collision(FILE *file, const cp_scene *scene, const cp_finding *collision)
{
    const cp_joint *joints = cp_joints(scene, &(uint32_t){0});
    for (uint32_t i = 0; i < collision->witness_count; i++) {
        char digits[CP_NUMBER_SIZE];
        uint32_t joint = collision->witness[i].joint;
        bool alone = cp_joint_is_named_alone(scene, joint);
        cp_print_double(collision->witness[i].value, digits);
        fprintf(file, "%s%s%s=%s", i > 0 ? ", " : " at ",
                alone ? "" : "id:", alone ? joints[joint].name : joints[joint].id, digits);
    }
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void sort_texts(struct list *texts)
{
    if (texts->count > 0)
        qsort(texts->items, texts->count, sizeof *texts->items, compare_texts);
}

bool has_text(const struct list *texts, const char *text)
{
    return texts->count > 0 && bsearch(&text, texts->items, texts->count, sizeof *texts->items, compare_texts);
}
