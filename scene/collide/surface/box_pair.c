#include "surface.h"

#include <float.h>
#include <math.h>

/* Half the distance from 1 to the next float. */
static const double unit = (double)FLT_EPSILON / 2;

/* Returns the largest entry of the linear part, but no less than what floats have all their digits for. */
static double largest_entry(const cp_pose *pose)
{
    return fmax((double)FLT_MIN, pose_largest_entry(pose));
}

static lanes lanes_of(double value)
{
    float rounded = (float)value;
    return (lanes){rounded, rounded, rounded, rounded};
}

struct box_frames box_frames_of(const struct bvh *one, const struct bvh *other, const cp_pose *placed)
{
    enum { MOST_STRETCH = 100 }; /* in more stretched frames the inverse is too inexact to be of use */
    struct box_frames frames = {.slack_back = lanes_of(INFINITY), .shrink = 1 - 16 * FLT_EPSILON};
    cp_pose inverse;
    double translation = 0, stretch = largest_entry(placed);
    for (int i = 0; i < 3; i++)
        translation = fmax(translation, fabs(placed->m[4 * i + 3]));
    double reach = one->reach + translation + 3 * stretch * other->reach;
    bool in_range = reach > 1e-12 && reach < 1e18; /* else squares leave the range of floats */
    frames.reach = reach;
    /* A term has six roundings on each side of the comparison: 12 unit reach. Twice that leaves some to spare. */
    frames.slack = lanes_of(in_range ? 24 * unit * reach : INFINITY);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++)
            frames.there[k][i] = (float)placed->m[4 * i + k];
    for (int k = 0; k < 3; k++)
        frames.size_there[k] = lane_sizes(frames.there[k]);
    if (!pose_inverse(placed, &inverse))
        return frames;
    /* A row of the inverse, rounded, is a direction like any other. Along it the other's boxes are nearly as long as
     * along one of their sides; each half lacks 3 unit stretch_back stretch to that. The distance's three terms have 10
     * roundings, and the first box's three reaches 6. Together that is below 51 unit stretch_back reach, and 6
     * roundings of the other's half. */
    double stretch_back = largest_entry(&inverse), reach_back = stretch_back * reach + other->reach;
    if (!(stretch * stretch_back < MOST_STRETCH && stretch_back > 1e-12 && reach_back > 1e-12 && reach_back < 1e18))
        return frames;
    double longest = pose_stretch_bound(&inverse);
    frames.slack_back = lanes_of(72 * unit * reach_back);
    frames.shrink_back = (1 - 16 * FLT_EPSILON) * (float)(1 / (longest * longest));
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++)
            frames.back[k][i] = (float)inverse.m[4 * i + k];
        frames.size_back[k] = lane_sizes(frames.back[k]);
    }
    return frames;
}
