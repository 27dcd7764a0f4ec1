/* Boxes of two trees against each other: in floats, four at once, with what rounding can do to them. */
#ifndef CELLPIPE_BOX_PAIR_H
#define CELLPIPE_BOX_PAIR_H

#include <stddef.h>

#include "turned.h"

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

#endif
