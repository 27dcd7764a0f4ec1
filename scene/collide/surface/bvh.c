#include "surface.h"

#include <math.h>
#include <string.h>

#include "base/base.h"

enum {
    LEAF = 2,                    /* triangles */
    MOST_MEANS = BVH_LEVELS - 33 /* levels that are split at the mean; below, spans are halved */
};

/* ---- building ---- */

/* The triangles that a box must hold. */
struct span {
    uint32_t box, first, count, level;
};

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
        double half = fmax(high - (double)centre, (double)centre - low);
        box->centre[axis] = centre;
        box->half[axis] = (float)half;
        if ((double)box->half[axis] < half)
            box->half[axis] = nextafterf(box->half[axis], INFINITY);
    }
}

static void swap_triangles(struct bvh *bvh, double (*centres)[3], uint32_t one, uint32_t other)
{
    uint32_t triangle[3];
    double centre[3];
    memcpy(triangle, bvh->triangles[one], sizeof triangle);
    memcpy(bvh->triangles[one], bvh->triangles[other], sizeof triangle);
    memcpy(bvh->triangles[other], triangle, sizeof triangle);
    memcpy(centre, centres[one], sizeof centre);
    memcpy(centres[one], centres[other], sizeof centre);
    memcpy(centres[other], centre, sizeof centre);
}

/* Builds the boxes depth first: one half of a span is split at once, the other waits. */
static void build_boxes(struct bvh *bvh, double (*centres)[3])
{
    struct span waiting[BVH_LEVELS + 2] = {{0, 0, bvh->triangle_count, 0}};
    uint32_t count = 1;
    bvh->box_count = 1;
    while (count > 0) {
        struct span span = waiting[--count];
        set_box(bvh, &span);
        if (span.count <= LEAF)
            continue;
        /* Put the triangles whose centre is below the mean along the box's longest axis first. */
        uint32_t low = 0;
        if (span.level < MOST_MEANS) {
            const float *half = bvh->boxes[span.box].half;
            int axis = half[0] >= half[1] ? 0 : 1;
            axis = half[2] > half[axis] ? 2 : axis;
            double mean = 0;
            for (uint32_t i = 0; i < span.count; i++)
                mean += centres[span.first + i][axis] / span.count;
            for (uint32_t i = 0; i < span.count; i++)
                if (centres[span.first + i][axis] < mean)
                    swap_triangles(bvh, centres, span.first + i, span.first + low++);
        }
        if (low == 0 || low == span.count)
            low = span.count / 2;
        bvh->boxes[span.box].first = bvh->box_count;
        bvh->boxes[span.box].count = 0;
        waiting[count++] = (struct span){bvh->box_count + 1, span.first + low, span.count - low, span.level + 1};
        waiting[count++] = (struct span){bvh->box_count, span.first, low, span.level + 1};
        bvh->box_count += 2;
    }
}

/* Adds boxes of the same triangles in directions of their own. */
static cp_status turn_boxes(cp_context *context, struct bvh *bvh)
{
    bvh->turned = memory_allocate(context, bvh->box_count, sizeof *bvh->turned);
    if (!bvh->turned) {
        bvh_free(context, bvh);
        return CP_LIMIT;
    }
    for (uint32_t i = 0; i < bvh->box_count; i++) { /* its triangles are those from its first leaf to its last */
        const struct bvh_box *first = &bvh->boxes[i], *last = first;
        while (first->count == 0)
            first = &bvh->boxes[first->first];
        while (last->count == 0)
            last = &bvh->boxes[last->first + 1];
        turned_box_find(bvh, first->first, last->first + last->count - first->first, &bvh->turned[i]);
    }
    return CP_OK;
}

cp_status bvh_build(cp_context *context, struct bvh *bvh)
{
    uint32_t count = bvh->triangle_count;
    bvh->box_room = bvh->box_count = 0;
    bvh->boxes = NULL;
    bvh->turned = NULL;
    if (count == 0)
        return CP_OK;
    if (count > (uint32_t)INT32_MAX)
        return CP_LIMIT;
    double(*centres)[3] = memory_allocate(context, count, sizeof *centres);
    bvh->box_room = 2 * count;
    bvh->boxes = memory_allocate(context, bvh->box_room, sizeof *bvh->boxes);
    if (!centres || !bvh->boxes) {
        memory_free(context, centres, count, sizeof *centres);
        bvh_free(context, bvh);
        return CP_LIMIT;
    }
    bvh->reach = 0;
    for (uint32_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) {
            centres[i][axis] = 0;
            for (int corner = 0; corner < 3; corner++) {
                double value = bvh->vertices[bvh->triangles[i][corner]][axis];
                bvh->reach = fmax(bvh->reach, fabs(value));
                centres[i][axis] += value / 3;
            }
        }
    build_boxes(bvh, centres);
    memory_free(context, centres, count, sizeof *centres);
    /* Leaves of several triangles need fewer boxes than there was room for. */
    size_t size = sizeof *bvh->boxes;
    void *smaller = memory_resize(context, bvh->boxes, bvh->box_room * size, bvh->box_count * size);
    if (!smaller)
        return CP_LIMIT;
    bvh->boxes = smaller;
    bvh->box_room = bvh->box_count;
    return turn_boxes(context, bvh);
}

void bvh_free(cp_context *context, struct bvh *bvh)
{
    memory_free(context, bvh->boxes, bvh->box_room, sizeof *bvh->boxes);
    memory_free(context, bvh->turned, bvh->turned ? bvh->box_count : 0, sizeof *bvh->turned);
    bvh->boxes = NULL;
    bvh->turned = NULL;
    bvh->box_count = bvh->box_room = 0;
}

/* ---- two trees ---- */

static bool leaves_meet(const struct bvh *one, const struct bvh_box *first, const struct bvh *other,
                        const struct bvh_box *second, const cp_pose *placed)
{
    double there[LEAF][3][3];
    for (uint32_t k = 0; k < second->count; k++)
        bvh_triangle(other, second->first + k, placed, there[k]);
    for (uint32_t i = 0; i < first->count; i++) {
        double here[3][3];
        bvh_triangle(one, first->first + i, NULL, here);
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
