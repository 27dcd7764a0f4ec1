/* Divides a recording's tolerance among its tracks.
 *
 * Errors of tracks add up along the tree, and a turn moves far points most. So each track that may move a point gets an
 * equal share, and a turn gets its share divided by the distance of the farthest point behind it. A device may hold
 * another one for a time: that counts as one more device, of as many tracks and as large as the largest. */
#include "cell.h"

#include <math.h>

#include "mesh/mesh.h"
#include "model/model.h"

static double length_of(const double vector[3])
{
    return sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
}

/* Returns the most tracks that move a point of the cell's tree, and of one more device. */
static uint32_t longest_chain(const struct deneb_cell *cell, const cp_scene *scene, uint32_t *tracks)
{
    uint32_t longest = 0, longest_device = 0;
    for (uint32_t i = 0; i < cell->devices.count; i++)
        tracks[cell->devices.items[i].node] = 3;
    for (uint32_t i = 1; i < scene->node_count; i++) {
        const cp_node *node = &scene->nodes[i];
        tracks[i] += node->joint_count + tracks[node->parent];
        longest = tracks[i] > longest ? tracks[i] : longest;
    }
    for (uint32_t i = 0; i < cell->devices.count; i++)
        for (uint32_t k = 0; k < cell->devices.items[i].part_count; k++) {
            uint32_t own = tracks[cell->parts.items[cell->devices.items[i].first_part + k].node] -
                           tracks[scene->nodes[cell->devices.items[i].node].parent];
            longest_device = own > longest_device ? own : longest_device;
        }
    return longest + longest_device;
}

/* Returns how far a joint that slides may move what is behind it. */
static double slide_of(const cp_joint *joint)
{
    double most = fabs(joint->q);
    if (joint->type != CP_JOINT_PRISMATIC)
        return 0;
    if (isfinite(joint->lower))
        most = fmax(most, fabs(joint->lower));
    return isfinite(joint->upper) ? fmax(most, fabs(joint->upper)) : most;
}

/* Finds the distance from a node's origin to all below it, for any values of its joints: lengths are added from the
 * leaves on. */
static void find_reaches(const cp_scene *scene, const cp_measures *boxes, double *reaches)
{
    for (uint32_t i = scene->node_count; i-- > 0;) {
        const cp_node *node = &scene->nodes[i];
        double corner[3], own = 0, slide = 0;
        for (int k = 0; k < 3 && boxes[i].any; k++)
            corner[k] = fmax(fabs(boxes[i].lower[k]), fabs(boxes[i].upper[k]));
        own = boxes[i].any ? length_of(corner) : 0;
        reaches[i] = fmax(reaches[i], own);
        for (uint32_t k = 0; k < node->joint_count; k++)
            slide += slide_of(&scene->joints[node->first_joint + k]);
        if (i > 0) {
            const double at[] = {node->local.m[3], node->local.m[7], node->local.m[11]};
            reaches[node->parent] =
                fmax(reaches[node->parent], length_of(at) + slide + reaches[i] * pose_stretch_bound(&node->local));
        }
    }
}

cp_status deneb_share_tolerance(const struct deneb_cell *cell, const cp_scene *scene, double tolerance,
                                struct deneb_shares *shares)
{
    cp_context *context = cell->context;
    uint32_t nodes = scene->node_count;
    cp_measures *boxes = memory_allocate(context, nodes, sizeof *boxes);
    uint32_t *tracks = memory_allocate_zeroed(context, nodes, sizeof *tracks);
    *shares = (struct deneb_shares){.turns = memory_allocate_zeroed(context, nodes, sizeof *shares->turns)};
    cp_status status = boxes && tracks && shares->turns ? measure_node_boxes(context, scene, false, boxes) : CP_LIMIT;
    if (status == CP_OK) {
        double largest = 0;
        shares->move = tolerance / fmax(1, longest_chain(cell, scene, tracks));
        find_reaches(scene, boxes, shares->turns);
        for (uint32_t i = 0; i < cell->devices.count; i++)
            largest = fmax(largest, shares->turns[cell->devices.items[i].node]);
        for (uint32_t i = 0; i < nodes; i++)
            shares->turns[i] = shares->move / (largest > 0 ? shares->turns[i] + largest : 1);
    }
    memory_free(context, boxes, nodes, sizeof *boxes);
    memory_free(context, tracks, nodes, sizeof *tracks);
    return status;
}

void deneb_free_shares(const struct deneb_cell *cell, const cp_scene *scene, struct deneb_shares *shares)
{
    memory_free(cell->context, shares->turns, scene->node_count, sizeof *shares->turns);
    shares->turns = NULL;
}
