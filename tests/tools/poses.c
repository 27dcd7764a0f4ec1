/* poses FILE: where all nodes are, by the library's own evaluation. Each line of standard input asks once, and gets a
 * line of 12 numbers a node: "clip INDEX SECONDS", or "joints" and a value for each joint. The line "contact FIRST
 * SECOND METRES" and a value for each joint gets 1 if the two nodes, by their numbers, collide or are at most so far
 * apart, else 0. */
#include <cellpipe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 1 << 16 };

static cp_collider *collider; /* of all pairs, the excluded ones, too; made when one is first asked for */

/* Fills in a value for each joint; those that the text lacks are as in the file. */
static void read_values(const cp_scene *scene, const char *text, double *q)
{
    uint32_t count;
    const cp_joint *joints = cp_joints(scene, &count);
    char *end = (char *)(uintptr_t)text;
    for (uint32_t i = 0; i < count; i++)
        q[i] = *end == ' ' ? strtod(end, &end) : joints[i].q;
}

static cp_status answer_contact(cp_context *context, const cp_scene *scene, const char *text, double *q,
                                cp_pose *worlds)
{
    char *end;
    uint32_t first = (uint32_t)strtoul(text, &end, 10), second = (uint32_t)strtoul(end, &end, 10), count = 0;
    double metres = strtod(end, &end);
    const cp_contact *contacts;
    bool meets = false;
    read_values(scene, end, q);
    cp_status status = collider ? CP_OK : cp_collider_new(context, scene, 1e-6, true, &collider);
    if (status == CP_OK)
        status = cp_world_poses(context, scene, q, worlds);
    if (status == CP_OK)
        status = cp_collide(collider, worlds, metres, &contacts, &count);
    for (uint32_t i = 0; i < count; i++)
        meets = meets || (contacts[i].first == first && contacts[i].second == second) ||
                (contacts[i].first == second && contacts[i].second == first);
    printf("%d\n", meets);
    return status;
}

static cp_status answer(cp_context *context, const cp_scene *scene, const char *line, double *q, cp_pose *worlds)
{
    uint32_t node_count;
    (void)cp_nodes(scene, &node_count);
    char *end;
    cp_status status = CP_USAGE;
    if (strncmp(line, "contact ", 8) == 0)
        return answer_contact(context, scene, line + 8, q, worlds);
    if (strncmp(line, "clip ", 5) == 0) {
        uint32_t clip = (uint32_t)strtoul(line + 5, &end, 10);
        status = cp_clip_poses(context, scene, clip, strtod(end, NULL), worlds);
    } else if (strncmp(line, "joints", 6) == 0) {
        read_values(scene, line + 6, q);
        status = cp_world_poses(context, scene, q, worlds);
    }
    for (uint32_t i = 0; status == CP_OK && i < 12 * node_count; i++)
        printf(i % 12 || i == 0 ? "%.17g " : "\t%.17g ", worlds[i / 12].m[i % 12]);
    printf("\n");
    return status;
}

int main(int argument_count, char **arguments)
{
    static char line[LINE_SIZE];
    cp_context *context = argument_count == 2 ? cp_context_new(NULL) : NULL;
    cp_scene *scene = NULL;
    cp_status status = context ? cp_read(context, arguments[1], NULL, NULL, 0, &scene) : CP_USAGE;
    uint32_t node_count = 0, joint_count = 0;
    if (status == CP_OK) {
        (void)cp_nodes(scene, &node_count);
        (void)cp_joints(scene, &joint_count);
    }
    cp_pose *worlds = malloc((node_count + (size_t)1) * sizeof *worlds);
    double *q = malloc((joint_count + (size_t)1) * sizeof *q);
    if (!worlds || !q)
        status = CP_LIMIT;
    while (status == CP_OK && fgets(line, sizeof line, stdin))
        status = answer(context, scene, line, q, worlds);
    if (status != CP_OK)
        fprintf(stderr, "poses: status %d\n", (int)status);
    free(worlds);
    free(q);
    cp_collider_free(collider);
    cp_scene_free(scene);
    cp_context_free(context);
    return (int)status;
}
