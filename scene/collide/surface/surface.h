/* Triangles that meet, trees of boxes over them, distances. */
#ifndef CELLPIPE_COLLIDE_SURFACE_SURFACE_H
#define CELLPIPE_COLLIDE_SURFACE_SURFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "model/model.h"

/* Do two triangles meet? */

/* Returns true if the triangles have a point in common, borders included: exact (see mesh/box_tree.h), even for
 * triangles in one plane too, and for those without area, which are lines or points. */
bool triangles_meet(const double one[3][3], const double other[3][3]);

/* The triangles of a body in a tree of boxes. */

struct bvh_box {
    float centre[3], half[3]; /* holds all triangles below it, rounded outward */
    uint32_t first, count;    /* range of triangles; or count 0, and the halves are the boxes first and first + 1 */
};

/* The same triangles in a box of other directions. Its rows are x, y and z of its three axes and of its centre, then
 * half its lengths. */
struct turned_box {
    float rows[4][4];
};

/* Returns a size by which a pair of boxes splits the larger one. */
static inline float bvh_box_size(const struct bvh_box *box)
{
    return box->half[0] + box->half[1] + box->half[2];
}

enum { BVH_LEVELS = 73 }; /* the most levels of boxes; a walk that goes depth first needs room for two more */

struct bvh {
    double (*vertices)[3]; /* in the body's frame */
    uint32_t (*triangles)[3];
    uint32_t vertex_count, triangle_count;
    struct bvh_box *boxes;     /* the root first; none without triangles */
    struct turned_box *turned; /* of each box */
    uint32_t box_count, box_room;
    double reach; /* no coordinate is larger */
};

/* Sets the corners of a triangle, placed by a pose; NULL: as they are. */
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

/* Makes the tree over vertices and triangles, and puts the triangles into its order. The caller keeps both. */
cp_status bvh_build(cp_context *context, struct bvh *bvh);
void bvh_free(cp_context *context, struct bvh *bvh);

/* Tells whether a triangle of one meets one of the other; touching counts. `placed` takes the other's frame to the
 * first one's. The answer is exact for the vertices as pose_point places them. tests: grows by the boxes that were
 * compared. */
bool bvh_meet(const struct bvh *one, const struct bvh *other, const cp_pose *placed, uint64_t *tests);

/* Boxes that are turned like their contents, and how far they extend along a direction. */

/* Three floats that are computed with at once; the fourth has its own meaning in each place. */
typedef float lanes __attribute__((vector_size(16)));
typedef int32_t lane_bits __attribute__((vector_size(16)));

static inline lanes lane_sizes(lanes values)
{
    static const lane_bits all_but_sign = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
    return (lanes)((lane_bits)values & all_but_sign);
}

/* Finds where the box lies along a direction, which is nearly a unit vector or shorter: no point of it is farther than
 * `*most` from `middle`. The rounding of the box's own numbers is not part of this; the caller takes it off. */
static inline void turned_along(const struct turned_box *box, const float direction[3], float *middle, float *most)
{
    lanes rows[4];
    memcpy(rows, box, sizeof rows);
    lanes along = rows[0] * direction[0] + rows[1] * direction[1] + rows[2] * direction[2];
    lanes reach = lane_sizes(along) * rows[3];
    *middle = along[3];
    *most = reach[0] + reach[1] + reach[2];
}

/* Finds the box of the triangles from `first` on: the smaller one of those along the frame's axes and along their
 * own. */
void turned_box_find(const struct bvh *bvh, uint32_t first, uint32_t count, struct turned_box *box);

/* Comparisons of boxes of two trees: in floats, four at once, with a bound of their rounding. */

/* The pose of the other's frame in the first one's, by columns. */
struct box_frames {
    lanes there[4], size_there[3]; /* linear part and translation; the sizes of the former's entries */
    lanes back[3], size_back[3];   /* of the inverse's linear part */
    lanes slack, slack_back;       /* bounds of the rounding below; infinite if nothing is known */
    float shrink, shrink_back;     /* for squares of lengths in either frame, to be no longer than in the first one;
                                      rounding is off */
    double reach;                  /* bounds all coordinates in the first one's frame, and all sums that lead to one */
};

struct box_frames box_frames_of(const struct bvh *one, const struct bvh *other, const cp_pose *placed);

/* The depths to which two boxes overlap along the sides of each. If one is negative, the boxes are apart; a negative
 * one is never NaN. */
struct box_depths {
    lanes first, second;
};

static inline lanes lanes_at(const struct bvh_box *box, size_t offset)
{
    static const lane_bits first_three = {-1, -1, -1, 0};
    lanes four;
    memcpy(&four, (const char *)box + offset, sizeof four);
    return (lanes)((lane_bits)four & first_three);
}

static inline lanes lesser_lanes(lanes a, lanes b)
{
    lane_bits a_first = a < b;
    return (lanes)(((lane_bits)a & a_first) | ((lane_bits)b & ~a_first));
}

static inline float least_lane(lanes values)
{
    float least = values[0] < values[1] ? values[0] : values[1];
    return values[2] < least ? values[2] : least;
}

static inline struct box_depths box_depths(const struct box_frames *frames, const struct bvh_box *one,
                                           const struct bvh_box *other)
{
    const lanes *there = frames->there, *size = frames->size_there, *back = frames->back;
    const lanes *size_back = frames->size_back;
    const float *centre = other->centre, *half = other->half, *own = one->half;
    lanes away = there[0] * centre[0] + there[1] * centre[1] + there[2] * centre[2] + there[3] -
                 lanes_at(one, offsetof(struct bvh_box, centre));
    lanes reach = size[0] * half[0] + size[1] * half[1] + size[2] * half[2] + frames->slack +
                  lanes_at(one, offsetof(struct bvh_box, half));
    lanes away_back = back[0] * away[0] + back[1] * away[1] + back[2] * away[2];
    lanes reach_back = size_back[0] * own[0] + size_back[1] * own[1] + size_back[2] * own[2] + frames->slack_back +
                       lanes_at(other, offsetof(struct bvh_box, half));
    return (struct box_depths){reach - lane_sizes(away), reach_back - lane_sizes(away_back)};
}

/* Returns the depth to which the boxes overlap; negative if they are apart. */
static inline float boxes_depth(const struct box_frames *frames, const struct bvh_box *one, const struct bvh_box *other)
{
    struct box_depths depths = box_depths(frames, one, other);
    return least_lane(lesser_lanes(depths.first, depths.second));
}

static inline float square_apart(lanes depth)
{
    lanes apart = lesser_lanes(depth, (lanes){0, 0, 0, 0});
    apart *= apart;
    return apart[0] + apart[1] + apart[2];
}

/* Returns a lower bound of the square of the distance between the contents of the boxes; if that is 0, minus the depth
 * to which the boxes overlap. */
static inline float boxes_nearness(const struct box_frames *frames, const struct bvh_box *one,
                                   const struct bvh_box *other)
{
    struct box_depths depths = box_depths(frames, one, other);
    float first = frames->shrink * square_apart(depths.first);
    float second = frames->shrink_back * square_apart(depths.second);
    float apart = first > second ? first : second;
    return apart > 0 ? apart : -least_lane(lesser_lanes(depths.first, depths.second));
}

/* A box of each tree. */
struct box_pair {
    uint32_t one, other;
    float nearness;
};

/* Splits the larger box of the pair, one of which is no leaf, and pairs its halves with the other. */
static inline void box_pair_part(const struct bvh *one, const struct bvh *other, const struct box_pair *pair,
                                 struct box_pair halves[2])
{
    const struct bvh_box *first = &one->boxes[pair->one], *second = &other->boxes[pair->other];
    halves[0] = halves[1] = *pair;
    if (second->count > 0 || (first->count == 0 && bvh_box_size(first) > bvh_box_size(second))) {
        halves[0].one = first->first;
        halves[1].one = first->first + 1;
    } else {
        halves[0].other = second->first;
        halves[1].other = second->first + 1;
    }
}

/* Planes without bounds: a normal and a number. The height of a point is normal * point + number. */

/* Finds the plane as it is seen from a frame that `placed` takes to the plane's own. */
void plane_seen_from(const double plane[4], const cp_pose *placed, double seen[4]);
/* Returns the least height of a triangle's point above or below the plane; 0 if a triangle crosses it. A body with
 * pieces on both sides does not meet the plane just for that. `most` if the height is more than that, or there are no
 * triangles. */
double plane_distance(const double plane[4], const struct bvh *bvh, double most);

/* The distance of bodies, or of a point and a body. */

/* Returns the distance of a point from the surface of a body, up to rounding; `most` or more if it is farther away. */
double surface_distance(const struct bvh *bvh, const double point[3], double most);
/* Returns the distance of two surfaces, or `most` if it is larger; 0 if they meet. `placed` takes the other's frame to
 * the first one's. The result is never more than the distance, so that proofs can use it as a bound. Rounding makes it
 * less by some 1e-14 of the largest coordinate r, and by 1e-14 r^2 / distance. tests: grows by the boxes that were
 * compared; by one if the bodies as a whole are too far apart. */
double surfaces_distance(const struct bvh *one, const struct bvh *other, const cp_pose *placed, double most,
                         uint64_t *tests);
/* Returns the first distance below `most` that it finds, or `most` if there is none. */
double surfaces_nearer(const struct bvh *one, const struct bvh *other, const cp_pose *placed, double most,
                       uint64_t *tests);
/* Returns the distance of two triangles, or a little less; `most` if they are at least so far apart, which is then not
 * measured. slack: the rounding of the coordinates. */
double triangles_distance(const double one[3][3], const double other[3][3], double most, double slack);

#endif
