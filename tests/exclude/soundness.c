/* soundness SCENE STATES DESCENTS [FIRST SECOND]: are the scene's statements about pairs of frames true? Looked at in
 * so many random configurations, and by so many searches a pair from some (see check.h). Of two frames that are named
 * it only measures how near they come. Exit 0; 1 when something is not true, or there is nothing to look at; 2 and 3 as
 * cellpipe's. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_report(const cp_context *context)
{
    size_t count;
    const cp_entry *entries = cp_report(context, &count);
    for (size_t i = 0; i < count; i++)
        if (entries[i].severity >= CP_WARNING)
            fprintf(stderr, "%s\n", entries[i].message);
}

static uint32_t node_named(const struct check *check, const char *name)
{
    for (uint32_t i = 0; i < check->node_count; i++)
        if (!strcmp(cp_nodes(check->scene, &(uint32_t){0})[i].name, name))
            return i;
    fprintf(stderr, "soundness: no frame %s\n", name);
    return CP_NONE;
}

static void print_claim(const struct check *check, const struct claim *claim)
{
    const cp_node *nodes = cp_nodes(check->scene, &(uint32_t){0});
    printf("%s\t%s\t%s", *claim->reason ? claim->reason : "measured", nodes[claim->first].name,
           nodes[claim->second].name);
    printf("\t%llu states\t%llu contacts\tnearest %.6g m", (unsigned long long)claim->states,
           (unsigned long long)claim->contacts, claim->smallest);
    if (claim->largest > 0)
        printf("\tfarthest %.6g m", claim->largest);
    printf(claim->wrong ? "\tWRONG: %s\n" : "\n", claim->wrong);
}

/* Returns how many claims there are. */
static uint32_t find_claims(const struct check *check, const char *const names[2], struct claim *claims)
{
    uint32_t pair_count, count = 0;
    const cp_pair *pairs = cp_pairs(check->scene, &pair_count);
    if (names[0]) {
        uint32_t first = node_named(check, names[0]), second = node_named(check, names[1]);
        if (first != CP_NONE && second != CP_NONE)
            claims[count++] = claim_nothing(check, first, second);
        return count;
    }
    for (uint32_t i = 0; i < pair_count; i++)
        count += claim_of(check, &pairs[i], &claims[count]);
    return count;
}

static int look(struct check *check, const char *const names[2], uint64_t states, uint32_t descents)
{
    uint32_t pair_count;
    cp_pairs(check->scene, &pair_count);
    struct claim *claims = allocate(pair_count + (size_t)1, sizeof *claims);
    uint32_t count = find_claims(check, names, claims), wrong = 0;
    for (uint32_t i = 0; i < count; i++) /* first: what is farther apart than that need not be measured then */
        check_descents(check, &claims[i], descents);
    check_states(check, claims, count, 0, states);
    for (uint32_t i = 0; i < count; i++) {
        print_claim(check, &claims[i]);
        wrong += claims[i].wrong != NULL;
    }
    free(claims);
    printf("%u claims, %u wrong\n", count, wrong);
    return count == 0 || wrong > 0 ? CP_NO : CP_OK;
}

int main(int argc, char **argv)
{
    if (argc != 4 && argc != 6) {
        fprintf(stderr, "usage: soundness SCENE STATES DESCENTS [FIRST SECOND]\n");
        return CP_USAGE;
    }
    const char *const names[2] = {argc == 6 ? argv[4] : NULL, argc == 6 ? argv[5] : NULL};
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = NULL;
    struct check check = {0};
    int status = context ? (int)cp_read(context, argv[1], NULL, NULL, 0, &scene) : CP_LIMIT;
    if (status == CP_OK)
        status = (int)check_begin(&check, context, scene);
    if (status == CP_OK)
        status = look(&check, names, strtoull(argv[2], NULL, 10), (uint32_t)strtoul(argv[3], NULL, 10));
    else if (context)
        print_report(context);
    check_end(&check);
    cp_scene_free(scene);
    cp_context_free(context);
    return status;
}
