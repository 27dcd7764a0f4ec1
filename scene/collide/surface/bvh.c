#include "bvh.h"

#include <math.h>
#include <string.h>

#include "box_pair.h"
#include "triangles.h"

enum {
    LEAF = 2,                    /* triangles */
    MOST_MEANS = BVH_LEVELS - 33 /* levels that are split where the mean is; below, into halves */
};

/* ---- building ---- */

/* Triangles that a box is to hold. */
struct span {
    uint32_t box, first, count, level;
};

struct builder {
    struct bvh *bvh;
    double (*centres)[3]; /* of the triangles, in their order */
};

/* The least float that is not below. */
static float round_up(double value)
{
    float rounded = (float)value;
    return (double)rounded < value ? nextafterf(rounded, INFINITY) : rounded;
}

static void set_box(struct bvh *bvh, const struct span *span)
{
    struct bvh_box *box = &bvh->boxes[span->box];
    *box = (struct bvh_box){.first = span->first, .count = span->count};
    for (int axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t i = span->first; i < span->first + span->count; i++)
            for (int corner = 0; corner < 3; corner++) {
                double value = bvh->vertices[bvh->triangles[i][corner]][axis];
                low = value < low ? value : low;
                high = value > high ? value : high;
            }
        float centre = (float)(low / 2 + high / 2);
        box->centre[axis] = centre;
        box->half[axis] = round_up(fmax(high - (double)centre, (double)centre - low));
    }
}

static void swap_triangles(struct builder *builder, uint32_t one, uint32_t other)
{
    uint32_t triangle[3];
    double centre[3];
    memcpy(triangle, builder->bvh->triangles[one], sizeof triangle);
    memcpy(builder->bvh->triangles[one], builder->bvh->triangles[other], sizeof triangle);
    memcpy(builder->bvh->triangles[other], triangle, sizeof triangle);
    memcpy(centre, builder->centres[one], sizeof centre);
    memcpy(builder->centres[one], builder->centres[other], sizeof centre);
    memcpy(builder->centres[other], centre, sizeof centre);
}

/* Puts the triangles with a centre below the mean first, along the box's longest axis; how many there are. */
static uint32_t part_at_mean(struct builder *builder, const struct span *span)
{
    const float *half = builder->bvh->boxes[span->box].half;
    int axis = half[0] >= half[1] ? 0 : 1;
    axis = half[2] > half[axis] ? 2 : axis;
    double mean = 0;
    for (uint32_t i = 0; i < span->count; i++)
        mean += builder->centres[span->first + i][axis] / span->count;
    uint32_t low = 0;
    for (uint32_t i = 0; i < span->count; i++)
        if (builder->centres[span->first + i][axis] < mean)
            swap_triangles(builder, span->first + i, span->first + low++);
    return low;
}

/* Depth first: of a span's halves the first is taken up at once, the other waits. */
static void build_boxes(struct builder *builder)
{
    struct bvh *bvh = builder->bvh;
    struct span waiting[BVH_LEVELS + 2] = {{0, 0, bvh->triangle_count, 0}};
    uint32_t count = 1;
    bvh->box_count = 1;
    while (count > 0) {
        struct span span = waiting[--count];
        set_box(bvh, &span);
        if (span.count <= LEAF)
            continue;
        uint32_t low = span.level < MOST_MEANS ? part_at_mean(builder, &span) : 0;
        if (low == 0 || low == span.count)
            low = span.count / 2;
        bvh->boxes[span.box].first = bvh->box_count;
        bvh->boxes[span.box].count = 0;
        waiting[count++] = (struct span){bvh->box_count + 1, span.first + low, span.count - low, span.level + 1};
        waiting[count++] = (struct span){bvh->box_count, span.first, low, span.level + 1};
        bvh->box_count += 2;
    }
}

static void find_centres(struct builder *builder)
{
    struct bvh *bvh = builder->bvh;
    bvh->reach = 0;
    for (uint32_t i = 0; i < bvh->triangle_count; i++)
        for (int axis = 0; axis < 3; axis++) {
            double sum = 0;
            for (int corner = 0; corner < 3; corner++) {
                double value = bvh->vertices[bvh->triangles[i][corner]][axis];
                bvh->reach = fmax(bvh->reach, fabs(value));
                sum += value / 3;
            }
            builder->centres[i][axis] = sum;
        }
}

/* Leaves of several triangles need fewer boxes than there was room for. */
static void give_back_room(cp_context *context, struct bvh *bvh)
{
    size_t size = sizeof *bvh->boxes;
    void *smaller = memory_resize(context, bvh->boxes, bvh->box_room * size, bvh->box_count * size);
    if (smaller) {
        bvh->boxes = smaller;
        bvh->box_room = bvh->box_count;
    }
}

cp_status bvh_build(cp_context *context, struct bvh *bvh)
{
    uint32_t count = bvh->triangle_count;
    bvh->box_room = bvh->box_count = 0;
    bvh->boxes = NULL;
    if (count == 0)
        return CP_OK;
    if (count > (uint32_t)INT32_MAX)
        return CP_LIMIT;
    struct builder builder = {bvh, memory_allocate(context, count, sizeof *builder.centres)};
    bvh->box_room = 2 * count;
    bvh->boxes = memory_allocate(context, bvh->box_room, sizeof *bvh->boxes);
    if (builder.centres && bvh->boxes) {
        find_centres(&builder);
        build_boxes(&builder);
    }
    bool built = bvh->box_count > 0;
    memory_free(context, builder.centres, count, sizeof *builder.centres);
    if (built)
        give_back_room(context, bvh);
    else
        bvh_free(context, bvh);
    return built ? CP_OK : CP_LIMIT;
}

void bvh_free(cp_context *context, struct bvh *bvh)
{
    memory_free(context, bvh->boxes, bvh->box_room, sizeof *bvh->boxes);
    bvh->boxes = NULL;
    bvh->box_count = bvh->box_room = 0;
}

/* ---- two trees ---- */

static void place_triangle(const struct bvh *bvh, uint32_t triangle, const cp_pose *placed, double out[3][3])
{
    for (int corner = 0; corner < 3; corner++) {
        const double *vertex = bvh->vertices[bvh->triangles[triangle][corner]];
        if (placed)
            pose_point(placed, vertex, out[corner]);
        else
            memcpy(out[corner], vertex, sizeof out[corner]);
    }
}

static bool leaves_meet(const struct bvh *one, const struct bvh_box *first, const struct bvh *other,
                        const struct bvh_box *second, const cp_pose *placed)
{
    double there[LEAF][3][3];
    for (uint32_t k = 0; k < second->count; k++)
        place_triangle(other, second->first + k, placed, there[k]);
    for (uint32_t i = 0; i < first->count; i++) {
        double here[3][3];
        place_triangle(one, first->first + i, NULL, here);
        for (uint32_t k = 0; k < second->count; k++)
            if (triangles_meet((const double(*)[3])here, (const double(*)[3])there[k]))
                return true;
    }
    return false;
}

bool bvh_meet(const struct bvh *one, const struct bvh *other, const cp_pose *placed, uint64_t *tests)
{
    struct box_pair waiting[2 * BVH_LEVELS + 2] = {{0, 0, 0}};
    if (one->box_count == 0 || other->box_count == 0)
        return false;
    struct box_frames frames = box_frames_of(one, other, placed);
    uint32_t count = !(boxes_depth(&frames, one->boxes, other->boxes) < 0);
    uint64_t compared = 1;
    bool meet = false;
    while (count > 0 && !meet) {
        struct box_pair pair = waiting[--count], halves[2];
        const struct bvh_box *first = &one->boxes[pair.one], *second = &other->boxes[pair.other];
        if (first->count > 0 && second->count > 0) {
            meet = leaves_meet(one, first, other, second, placed);
            continue;
        }
        box_pair_part(one, other, &pair, halves);
        for (int i = 0; i < 2; i++)
            halves[i].nearness = -boxes_depth(&frames, &one->boxes[halves[i].one], &other->boxes[halves[i].other]);
        compared += 2;
        /* The deeper one first. */
        int later = halves[1].nearness < halves[0].nearness ? 0 : 1;
        if (!(halves[later].nearness > 0))
            waiting[count++] = halves[later];
        if (!(halves[!later].nearness > 0))
            waiting[count++] = halves[!later];
    }
    *tests += compared;
    return meet;
}
