#include "bvh.h"

#include <math.h>
#include <string.h>

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
    if (!built)
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

/* How the other's frame lies in the first one's. */
struct query {
    const struct bvh *one, *other;
    const cp_pose *placed;
    double there[3][3], size_there[3][3]; /* the linear part, and the sizes of its entries */
    double back[3][3], size_back[3][3];   /* its inverse; zero, and so without a say, where it has none */
    double slack, slack_back;             /* more than rounding can do to what is compared */
    uint64_t tests;
};

static void begin_query(struct query *query)
{
    enum { MOST_STRETCH = 100 }; /* of stretched frames the inverse is not exact enough to tell anything */
    cp_pose inverse;
    bool invertible = pose_inverse(query->placed, &inverse);
    double translation = 0, stretch = 0, stretch_back = 0;
    for (int i = 0; i < 3; i++) {
        translation = fmax(translation, fabs(query->placed->m[4 * i + 3]));
        for (int k = 0; k < 3; k++) {
            query->there[i][k] = query->placed->m[4 * i + k];
            query->back[i][k] = invertible ? inverse.m[4 * i + k] : 0;
            query->size_there[i][k] = fabs(query->there[i][k]);
            query->size_back[i][k] = fabs(query->back[i][k]);
            stretch = fmax(stretch, query->size_there[i][k]);
            stretch_back = fmax(stretch_back, query->size_back[i][k]);
        }
    }
    double reach = query->one->reach + translation + 3 * stretch * query->other->reach;
    query->slack = 1e-14 * reach;
    query->slack_back = invertible && stretch * stretch_back < MOST_STRETCH
                            ? 1e-12 * (stretch_back * reach + query->other->reach)
                            : INFINITY;
}

/* True where a plane along a side of either box parts them. */
static bool boxes_apart(struct query *query, const struct bvh_box *one, const struct bvh_box *other)
{
    double away[3];
    query->tests++;
    for (int i = 0; i < 3; i++) {
        const double *row = query->there[i], *size = query->size_there[i];
        away[i] = row[0] * (double)other->centre[0] + row[1] * (double)other->centre[1] +
                  row[2] * (double)other->centre[2] + query->placed->m[4 * i + 3] - (double)one->centre[i];
        double reach = (double)one->half[i] + size[0] * (double)other->half[0] + size[1] * (double)other->half[1] +
                       size[2] * (double)other->half[2];
        if (fabs(away[i]) > reach + query->slack)
            return true;
    }
    for (int i = 0; i < 3; i++) {
        const double *row = query->back[i], *size = query->size_back[i];
        double distance = row[0] * away[0] + row[1] * away[1] + row[2] * away[2];
        double reach = (double)other->half[i] + size[0] * (double)one->half[0] + size[1] * (double)one->half[1] +
                       size[2] * (double)one->half[2];
        if (fabs(distance) > reach + query->slack_back)
            return true;
    }
    return false;
}

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

static bool leaves_meet(const struct query *query, const struct bvh_box *one, const struct bvh_box *other)
{
    double placed[LEAF][3][3];
    for (uint32_t k = 0; k < other->count; k++)
        place_triangle(query->other, other->first + k, query->placed, placed[k]);
    for (uint32_t i = 0; i < one->count; i++) {
        double triangle[3][3];
        place_triangle(query->one, one->first + i, NULL, triangle);
        for (uint32_t k = 0; k < other->count; k++)
            if (triangles_meet((const double(*)[3])triangle, (const double(*)[3])placed[k]))
                return true;
    }
    return false;
}

bool bvh_meet(const struct bvh *one, const struct bvh *other, const cp_pose *placed, uint64_t *tests)
{
    struct pair {
        uint32_t one, other;
    } waiting[2 * BVH_LEVELS + 2] = {{0, 0}};
    struct query query = {.one = one, .other = other, .placed = placed};
    uint32_t count = one->box_count > 0 && other->box_count > 0;
    bool meet = false;
    begin_query(&query);
    while (count > 0 && !meet) {
        struct pair pair = waiting[--count];
        const struct bvh_box *first = &one->boxes[pair.one], *second = &other->boxes[pair.other];
        if (boxes_apart(&query, first, second))
            continue;
        if (first->count > 0 && second->count > 0) {
            meet = leaves_meet(&query, first, second);
        } else if (second->count > 0 || (first->count == 0 && bvh_box_size(first) > bvh_box_size(second))) {
            waiting[count++] = (struct pair){first->first + 1, pair.other};
            waiting[count++] = (struct pair){first->first, pair.other};
        } else {
            waiting[count++] = (struct pair){pair.one, second->first + 1};
            waiting[count++] = (struct pair){pair.one, second->first};
        }
    }
    *tests += query.tests;
    return meet;
}
