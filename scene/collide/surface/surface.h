/* Triangles that meet, trees of boxes over them, distances. */
#ifndef CELLPIPE_COLLIDE_SURFACE_SURFACE_H
#define CELLPIPE_COLLIDE_SURFACE_SURFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "model/model.h"

/* Do two triangles meet? */

/* True when the triangles have a point in common, borders included: exact (see predicates.h), for triangles in one
 * plane too, and for those without area, which are lines or points. */
bool triangles_meet(const double one[3][3], const double other[3][3]);

/* The triangles of a body in a tree of boxes. */

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

/* Boxes that are turned as what is in them is: how far does that go along a direction? */

/* Three floats that are computed with at once; the fourth has its own meaning. */
typedef float lanes __attribute__((vector_size(16)));
typedef int32_t lane_bits __attribute__((vector_size(16)));

static inline lanes lane_sizes(lanes values)
{
    static const lane_bits all_but_sign = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
    return (lanes)((lane_bits)values & all_but_sign);
}

/* Along a direction, which is nearly a unit vector or shorter, nothing in the box is farther than `*most` from
 * `middle`: up to roundings of its own numbers, which the caller takes off. */
static inline void turned_along(const struct turned_box *box, const float direction[3], float *middle, float *most)
{
    lanes rows[4];
    memcpy(rows, box, sizeof rows);
    lanes along = rows[0] * direction[0] + rows[1] * direction[1] + rows[2] * direction[2];
    lanes reach = lane_sizes(along) * rows[3];
    *middle = along[3];
    *most = reach[0] + reach[1] + reach[2];
}

/* The box of the triangles from `first` on, the smaller one of those along the frame's axes and along their own. */
void turned_box_find(const struct bvh *bvh, uint32_t first, uint32_t count, struct turned_box *box);

/* Boxes of two trees against each other: in floats, four at once, with what rounding can do to them. */

/* How the other's frame lies in the first one's, by columns. */
struct box_frames {
    lanes there[4], size_there[3]; /* linear part and translation; the sizes of the former's entries */
    lanes back[3], size_back[3];   /* of the inverse's linear part */
    lanes slack, slack_back;       /* no less than rounding can do below; infinite where nothing can be told */
    float shrink, shrink_back;     /* for squares of lengths in either frame, to be no longer than in the first one;
                                      rounding is off */
    double reach;                  /* no coordinate in the first one's frame is larger, nor any sum that leads to one */
};

struct box_frames box_frames_of(const struct bvh *one, const struct bvh *other, const cp_pose *placed);

/* How deep two boxes are in each other along the sides of each: apart where one is negative. Never NaN where it is
 * negative. */
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

/* The depth of the boxes in each other; negative where they are apart. */
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

/* At most the square of the distance of what is in the boxes; where that is 0 the depth of them in each other,
 * negative. */
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

/* With the halves of the larger box, one of which is no leaf. */
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

/* Planes without bounds: a normal and a number; the height of a point is normal * point + number. */

/* The plane as it is seen from a frame that `placed` takes to the plane's own. */
void plane_seen_from(const double plane[4], const cp_pose *placed, double seen[4]);
/* The least height of a triangle's point above or below the plane; 0 when a triangle goes through it. What has pieces
 * on both sides does not meet it for that. `most` when it is more than that, or there are no triangles. */
double plane_distance(const double plane[4], const struct bvh *bvh, double most);

/* How far apart are bodies, or a point and a body? */

/* The distance of a point from the surface of a body, up to rounding; `most` or more when it is farther than that. */
double surface_distance(const struct bvh *bvh, const double point[3], double most);
/* The distance of two surfaces, `placed` taking the other's frame to the first one's, or `most` where it is larger.
 * Never more than the distance is, so that it can bound it in a proof; less by what rounding did: some 1e-14 of the
 * largest coordinate r, and 1e-14 r^2 / distance. 0 where they meet. tests: boxes that were compared are added; one is
 * where the bodies are too far apart as a whole. */
double surfaces_distance(const struct bvh *one, const struct bvh *other, const cp_pose *placed, double most,
                         uint64_t *tests);
/* The first distance below `most` that is found, or `most` when they are as far apart as that. */
double surfaces_nearer(const struct bvh *one, const struct bvh *other, const cp_pose *placed, double most,
                       uint64_t *tests);
/* The distance of two triangles, or a little less than that; `most` when they are farther apart, which is then not
 * looked at more closely. slack: what rounding has done to the coordinates. */
double triangles_distance(const double one[3][3], const double other[3][3], double most, double slack);

#endif
