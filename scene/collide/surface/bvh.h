/* The triangles of a body in a tree of boxes. */
#ifndef CELLPIPE_BVH_H
#define CELLPIPE_BVH_H

#include "../../memory.h"
#include "../../pose.h"

struct bvh_box {
    float centre[3], half[3]; /* holds all triangles below it, however they were rounded */
    uint32_t first, count;    /* of triangles; or count 0, and the halves are the boxes first and first + 1 */
};

/* The same triangles in a box of other directions: its rows are x, y and z of its three axes and of its centre, and
 * half its lengths. */
struct turned_box {
    float rows[4][4];
};

/* To tell which of two boxes is worth parting. */
static inline float bvh_box_size(const struct bvh_box *box)
{
    return box->half[0] + box->half[1] + box->half[2];
}

enum { BVH_LEVELS = 73 }; /* at most, of boxes in boxes: so many may wait, and two more, where one goes depth first */

struct bvh {
    double (*vertices)[3]; /* in the body's frame */
    uint32_t (*triangles)[3];
    uint32_t vertex_count, triangle_count;
    struct bvh_box *boxes;     /* the root first; none without triangles */
    struct turned_box *turned; /* of each box */
    uint32_t box_count, box_room;
    double reach; /* no coordinate is larger */
};

/* The corners of a triangle, taken there by a pose; NULL: as they are. */
static inline void bvh_triangle(const struct bvh *bvh, uint32_t triangle, const cp_pose *pose, double out[3][3])
{
    for (int corner = 0; corner < 3; corner++) {
        const double *vertex = bvh->vertices[bvh->triangles[triangle][corner]];
        if (pose)
            pose_point(pose, vertex, out[corner]);
        else
            memcpy(out[corner], vertex, sizeof out[corner]);
    }
}

/* Makes the tree over vertices and triangles, and puts the triangles into its order. They are the caller's and stay
 * so. */
cp_status bvh_build(cp_context *context, struct bvh *bvh);
void bvh_free(cp_context *context, struct bvh *bvh);

/* Whether a triangle of one meets one of the other, touching included, where `placed` takes the other's frame to the
 * first one's: exact for the vertices as pose_point places them. tests: boxes compared are added. */
bool bvh_meet(const struct bvh *one, const struct bvh *other, const cp_pose *placed, uint64_t *tests);

#endif
