#include "proof.h"

#include <math.h>
#include <stdlib.h>

struct line {
    double origin[3], axis[3];
};

struct search {
    cp_context *context;
    const struct frame_chain *chain;
    const struct body *const *bodies;
    cp_pose inverses[2];      /* lead from the common ancestor's frame to those of the bodies */
    double touches[2];        /* units are those of the bodies' frames */
    const struct line *lines; /* the axes of all motions, in the common ancestor's frame */
};

/* ---- points ---- */

enum reach { NOT_REACHED, PLANE_REACHES, SOLID_REACHES };

static enum reach body_reaches(const struct search *search, int side, const double point[3])
{
    double own[3], touch = search->touches[side] / 2;
    const struct body *body = search->bodies[side];
    pose_point(&search->inverses[side], point, own);
    double most = fmax(2 * touch, 1e-100); /* whose square is a number: farther than touch, also where that is 0 */
    if (surface_distance(&body->bvh, own, most) <= touch || body_holds(body, own, true))
        return SOLID_REACHES;
    for (uint32_t i = 0; i < body->plane_count; i++) {
        const double *plane = body->planes[i];
        if (fabs(dot_product(plane, own) + plane[3]) <= touch * sqrt(dot_product(plane, plane)))
            return PLANE_REACHES;
    }
    return NOT_REACHED;
}

/* Tells whether all axes go through the point. A distance below 1e-9 m counts as rounding. */
static bool axes_hold(const struct search *search, const double point[3])
{
    double off = 1e-9 / search->chain->unit;
    for (uint32_t i = 0; i < search->chain->motion_count; i++) {
        double from[3], across[3];
        subtract(point, search->lines[i].origin, from);
        cross_product(from, search->lines[i].axis, across);
        if (!(sqrt(dot_product(across, across)) <= off))
            return false;
    }
    return true;
}

static bool both_reach(const struct search *search, const double point[3])
{
    if (!axes_hold(search, point))
        return false;
    enum reach one = body_reaches(search, 0, point);
    enum reach other = one == NOT_REACHED ? NOT_REACHED : body_reaches(search, 1, point);
    bool planes = one == PLANE_REACHES && other == PLANE_REACHES; /* which do not collide with each other */
    return other != NOT_REACHED && !planes;
}

/* ---- one joint: its axis ---- */

enum { MOST_PLACES = 1000 };

struct places {
    cp_context *context;
    double *items;
    uint32_t count, room;
    bool failed;
};

static void add_place(struct places *places, double place)
{
    if (!isfinite(place))
        return;
    if (!array_reserve(places->context, &places->items, &places->room, places->count + UINT64_C(1),
                       sizeof *places->items))
        places->failed = true;
    else
        places->items[places->count++] = place;
}

/* Adds the place at which the line crosses the triangle's plane; the caller tests whether the bodies reach it. A line
 * that lies nearly in that plane also gets the places that are nearest to the triangle's corners. */
static void cross_triangle(struct places *places, const struct line *line, const double triangle[3][3], double touch)
{
    double ab[3], ac[3], normal[3], from[3];
    subtract(triangle[1], triangle[0], ab);
    subtract(triangle[2], triangle[0], ac);
    cross_product(ab, ac, normal);
    subtract(triangle[0], line->origin, from);
    double length = sqrt(dot_product(normal, normal)), steep = dot_product(normal, line->axis);
    if (fabs(steep) > 1e-9 * length)
        add_place(places, dot_product(from, normal) / steep);
    if (fabs(steep) > 1e-3 * length || fabs(dot_product(from, normal)) > touch * length)
        return;
    for (int corner = 0; corner < 3; corner++) {
        subtract(triangle[corner], line->origin, from);
        add_place(places, dot_product(from, line->axis));
    }
}

static void cross_body(struct places *places, const struct body *body, const struct line *line, double touch)
{
    uint32_t waiting[BVH_LEVELS + 2] = {0}, count = body->bvh.box_count > 0;
    while (count > 0) {
        const struct bvh_box *box = &body->bvh.boxes[waiting[--count]];
        /* Skip boxes the spheres around which are farther from the line than `touch`. */
        double from[3], radius = touch;
        for (int axis = 0; axis < 3; axis++) {
            from[axis] = (double)box->centre[axis] - line->origin[axis];
            radius += (double)box->half[axis];
        }
        double along = dot_product(from, line->axis), away2 = dot_product(from, from) - along * along;
        if (!(away2 <= radius * radius * (1 + 1e-9)))
            continue;
        if (box->count == 0) {
            waiting[count++] = box->first + 1;
            waiting[count++] = box->first;
        }
        for (uint32_t i = box->first; i < box->first + box->count; i++) {
            double triangle[3][3];
            bvh_triangle(&body->bvh, i, NULL, triangle);
            cross_triangle(places, line, (const double(*)[3])triangle, touch);
        }
    }
    for (uint32_t i = 0; i < body->plane_count; i++) {
        double steep = dot_product(body->planes[i], line->axis);
        add_place(places, steep != 0 ? -(dot_product(body->planes[i], line->origin) + body->planes[i][3]) / steep : 0);
    }
}

static int compare_places(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static bool line_reaches(const struct search *search, const struct line *line, double place)
{
    double point[3];
    for (int axis = 0; axis < 3; axis++)
        point[axis] = line->origin[axis] + place * line->axis[axis];
    return both_reach(search, point);
}

/* Tests the places where the line crosses a surface, and the middles between neighbouring places. If the line has a
 * part in both solids, that part begins and ends at a surface, so one of these points lies in it. Each test may take as
 * long as there are triangles, so at most about MOST_PLACES places are tested. */
static cp_status search_line(const struct search *search, const struct line *line, bool *touching)
{
    struct places places = {.context = search->context};
    for (int side = 0; side < 2; side++) {
        struct line own; /* in the body's frame */
        double end[3], tip[3];
        for (int axis = 0; axis < 3; axis++)
            end[axis] = line->origin[axis] + line->axis[axis];
        pose_point(&search->inverses[side], line->origin, own.origin);
        pose_point(&search->inverses[side], end, tip);
        subtract(tip, own.origin, own.axis);
        cross_body(&places, search->bodies[side], &own, search->touches[side]);
    }
    if (places.count > 0)
        qsort(places.items, places.count, sizeof *places.items, compare_places);
    for (uint32_t i = 0; i < places.count && !*touching; i += 1 + places.count / MOST_PLACES) {
        *touching = line_reaches(search, line, places.items[i]);
        if (!*touching && i > 0)
            *touching = line_reaches(search, line, places.items[i - 1] / 2 + places.items[i] / 2);
    }
    memory_free(places.context, places.items, places.room, sizeof *places.items);
    return places.failed ? CP_LIMIT : CP_OK;
}

/* ---- several joints: the point common to their axes ---- */

/* ---- both ---- */

/* Tests the points that no joint moves: those of the common line if all axes are one line, else the point that all axes
 * have in common. */
static cp_status search_axes(const struct search *search, bool *touching)
{
    const struct line *first = &search->lines[0];
    bool parallel = true;
    for (uint32_t i = 1; i < search->chain->motion_count; i++) {
        const struct line *line = &search->lines[i];
        double between[3], normal[3], across[3], point[3];
        cross_product(first->axis, line->axis, normal);
        double length2 = dot_product(normal, normal);
        parallel = parallel && !(length2 > 1e-18);
        if (length2 < 1e-12)
            continue;
        /* These two are not parallel, so all axes can only meet where this one is nearest to the first. */
        subtract(line->origin, first->origin, between);
        cross_product(between, line->axis, across);
        double place = dot_product(across, normal) / length2;
        for (int axis = 0; axis < 3; axis++)
            point[axis] = first->origin[axis] + place * first->axis[axis];
        *touching = both_reach(search, point);
        return CP_OK;
    }
    return parallel && axes_hold(search, first->origin) ? search_line(search, first, touching) : CP_OK;
}

/* Tells whether all joints only turn, so that they leave what lies on their axes in place. */
static bool all_turn(const struct frame_chain *chain)
{
    for (uint32_t i = 0; i < chain->motion_count; i++) {
        const cp_joint *joint = &chain->scene->joints[chain->motions[i].joint];
        if (joint->type != CP_JOINT_REVOLUTE || !has_unit_axis(joint))
            return false;
    }
    return chain->motion_count > 0 && !chain->movable && !(chain->obstacles & (OBSTACLE_SCALE | OBSTACLE_FAR)) &&
           chain->stretch < MOST_STRETCH;
}

/* Finds the axes in the common ancestor's frame at some values. Any values do: axes that meet in a point, or are one
 * line, do so at all values. poses: room for them. False when a body is squeezed flat. */
static bool find_axes(struct search *search, const double *values, double touch, struct line *lines, cp_pose *poses)
{
    const struct frame_chain *chain = search->chain;
    uint32_t filled = 0;
    for (int side = 0; side < 2; side++) {
        cp_pose end;
        branch_poses(chain, side, values, poses, &end);
        if (!pose_inverse(&end, &search->inverses[side]))
            return false;
        struct similarity inverse = similarity_of(&search->inverses[side]);
        search->touches[side] = inverse.stretch < MOST_STRETCH ? touch / chain->unit * inverse.size : 0;
        for (uint32_t i = 0; i < chain->branches[side].count; i++, filled++) {
            struct line *line = &lines[filled];
            motion_axis(chain, &chain->branches[side].motions[i], &poses[i], line->axis, line->origin);
            double length = sqrt(dot_product(line->axis, line->axis));
            for (int axis = 0; axis < 3; axis++)
                line->axis[axis] /= length;
        }
    }
    return true;
}

cp_status prove_touching(cp_context *context, const struct frame_chain *chain, const struct body *const bodies[2],
                         double touch, bool *touching)
{
    *touching = false;
    if (!all_turn(chain))
        return CP_OK;
    uint32_t count = chain->motion_count, values = chain->variable_count;
    struct line *lines = memory_allocate(context, count, sizeof *lines);
    struct search search = {.context = context, .chain = chain, .bodies = bodies, .lines = lines};
    cp_pose *poses = memory_allocate(context, count, sizeof *poses);
    double *middles = memory_allocate(context, values, sizeof *middles);
    cp_status status = lines && poses && middles ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < values && status == CP_OK; i++)
        middles[i] = chain->variables[i].lower / 2 + chain->variables[i].upper / 2;
    if (status == CP_OK && find_axes(&search, middles, touch, lines, poses))
        status = search_axes(&search, touching);
    memory_free(context, lines, count, sizeof *lines);
    memory_free(context, poses, count, sizeof *poses);
    memory_free(context, middles, values, sizeof *middles);
    return status;
}
