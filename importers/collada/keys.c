/* Keys of what curves move: at all of their own keys, and between these wherever a straight way from key to key is not
 * the curves' way. */
#include <math.h>

#include "animation.h"
#include "kinematics.h"
#include "motion/clips/clips.h"

/* How far a way may be from the curves' at its quarters: metres, radians, and parts of a scale. A step among other
 * curves takes so many seconds. */
static const double way_tolerance = 1e-4, turn_tolerance = 3.5e-4, scale_tolerance = 1e-4, step_time = 1e-5;
enum { MOST_HALVINGS = 8, MOST_WORK = 20000000 };

/* ---- poses ---- */

/* Finds the pose of the node at a time, or the value of the joint. */
static struct trs parts_at(struct collada_moving *moving, double time)
{
    struct collada_document *document = moving->document;
    const struct collada_curve *curve = moving->curves, *end = curve + moving->curve_count;
    struct trs parts = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    uint32_t i = moving->bound != CP_NONE ? curve->transform : document->nodes[moving->node].transforms.first;
    cp_pose pose = POSE_IDENTITY;
    for (; i != CP_NONE; i = document->transforms[i].next) {
        struct collada_transform transform = document->transforms[i];
        for (; curve < end && curve->transform == i; curve++, document->collada->work++)
            collada_curve_values(curve, time, transform.numbers);
        document->collada->work++;
        if (moving->bound != CP_NONE) {
            parts.translation[0] = collada_joint_value(document->collada, moving->bound, &transform);
            return parts;
        }
        cp_pose own = collada_transform_pose(&transform);
        pose = pose_multiply(&pose, &own);
    }
    pose = collada_turn(document->collada, &pose);
    moving->sheared |= !pose_to_trs(&pose, 1e-4, &parts);
    return parts;
}

static bool parts_are_finite(const struct trs *parts)
{
    bool finite = true;
    for (int i = 0; i < 4; i++)
        finite = finite && isfinite(parts->rotation[i]) &&
                 (i == 3 || (isfinite(parts->translation[i]) && isfinite(parts->scale[i])));
    return finite;
}

/* Tells whether the straight way between two keys is the curves' at a time between them. */
static bool is_near(const struct collada_key *a, const struct collada_key *b, double t, const struct trs *parts)
{
    double rotation[4], cosine = 0;
    bool near = true;
    for (int i = 0; near && i < 3; i++) {
        double way = a->parts.translation[i] + t * (b->parts.translation[i] - a->parts.translation[i]);
        double scale = a->parts.scale[i] + t * (b->parts.scale[i] - a->parts.scale[i]);
        near = fabs(way - parts->translation[i]) <= way_tolerance &&
               fabs(scale - parts->scale[i]) <= scale_tolerance * fmax(1, fabs(scale));
    }
    rotation_between(a->parts.rotation, b->parts.rotation, t, rotation);
    for (int i = 0; i < 4; i++)
        cosine += rotation[i] * parts->rotation[i];
    return near && 1 - fabs(cosine) <= turn_tolerance * turn_tolerance / 8;
}

/* ---- keys ---- */

static cp_status add_key(struct collada_moving *moving, double time, struct trs parts)
{
    struct collada *collada = moving->document->collada;
    struct collada_key key = {time, parts};
    double cosine = 0;
    for (int i = 0; i < 4 && moving->count > 0; i++)
        cosine += moving->keys[moving->count - 1].parts.rotation[i] * parts.rotation[i];
    for (int i = 0; i < 4; i++) /* both signs are the same turn: the nearer one */
        key.parts.rotation[i] = cosine < 0 ? -parts.rotation[i] : parts.rotation[i];
    if (!parts_are_finite(&parts))
        return collada_error(moving->document, "collada-number", moving->document->nodes[moving->node].line,
                             "an animation moves node \"%.100s\" beyond all numbers",
                             moving->document->nodes[moving->node].name);
    if (collada->work > MOST_WORK)
        return report_error(collada->context, CP_LIMIT, "collada-keys", IN_FILE(moving->document->source->name),
                            "keys of clips take more than %d transforms", MOST_WORK);
    if (++collada->keys > limit_vertices(collada->context))
        return report_error(collada->context, CP_LIMIT, "collada-keys", IN_FILE(moving->document->source->name),
                            "clips of more keys than the limit of %llu (--limit vertices=)",
                            (unsigned long long)limit_vertices(collada->context));
    return array_add(collada->context, &moving->keys, &moving->room, &moving->count, &key, sizeof key) ? CP_OK
                                                                                                       : CP_LIMIT;
}

/* Adds keys between the last one and `next` until the way is near the curves', and then `next`. */
static cp_status add_way(struct collada_moving *moving, const struct collada_key *next, int halvings)
{
    const struct collada_key last = moving->keys[moving->count - 1];
    double length = next->time - last.time;
    struct collada_key middle = {.time = last.time + length / 2};
    bool near = halvings == 0 || length <= 2 * step_time;
    for (int i = 1; !near && i < 4; i++) {
        struct trs parts = parts_at(moving, last.time + length * i / 4);
        if (i == 2)
            middle.parts = parts;
        if (!is_near(&last, next, i / 4.0, &parts)) {
            middle.parts = i < 2 ? parts_at(moving, middle.time) : middle.parts;
            cp_status status = add_way(moving, &middle, halvings - 1);
            return status == CP_OK ? add_way(moving, next, halvings - 1) : status;
        }
    }
    return add_key(moving, next->time, next->parts);
}

/* ---- times ---- */

struct times {
    double *items;
    uint32_t count, room;
};

static bool add_time(const struct collada *collada, struct times *times, double time)
{
    return array_add(collada->context, &times->items, &times->room, &times->count, &time, sizeof time);
}

/* Adds the times of a curve's keys, of pieces between them, and those before its steps. */
static cp_status add_times(struct collada_moving *moving, const struct collada_curve *curve, struct times *times)
{
    struct collada *collada = moving->document->collada;
    bool turns = moving->bound == CP_NONE && moving->document->transforms[curve->transform].kind == COLLADA_ROTATE;
    for (uint32_t i = 0; i < curve->key_count; i++) {
        double start = collada_curve_time(curve, i);
        if (!add_time(collada, times, start))
            return CP_LIMIT;
        if (i + 1 == curve->key_count)
            break;
        double length = collada_curve_time(curve, i + 1) - start, pieces = collada_curve_pieces(curve, i, turns);
        bool steps = collada_curve_way(curve, i, &collada->counts[COLLADA_TOLD_WAYS]) == COLLADA_WAY_STEP;
        if (!(times->count + pieces <= (double)limit_vertices(collada->context)))
            return report_error(collada->context, CP_LIMIT, "collada-keys", IN_FILE(moving->document->source->name),
                                "clips of more keys than the limit of %llu (--limit vertices=)",
                                (unsigned long long)limit_vertices(collada->context));
        for (double k = 1; k < pieces; k++)
            if (!add_time(collada, times, start + length * k / pieces))
                return CP_LIMIT;
        if (steps && !moving->steps && !add_time(collada, times, start + length - fmin(step_time, length / 2)))
            return CP_LIMIT;
    }
    return CP_OK;
}

/* Tells whether all curves stay from key to key. */
static bool only_steps(const struct collada_moving *moving)
{
    uint64_t unread = 0;
    bool steps = true;
    for (uint32_t i = 0; steps && i < moving->curve_count; i++)
        for (uint32_t k = 0; steps && k + 1 < moving->curves[i].key_count; k++)
            steps = collada_curve_way(&moving->curves[i], k, &unread) == COLLADA_WAY_STEP;
    return steps;
}

/* Tells whether curves move whole matrices, of which only the keys are sensible poses. */
static bool has_matrices(const struct collada_moving *moving)
{
    bool has = false;
    for (uint32_t i = 0; i < moving->curve_count; i++)
        has |= moving->document->transforms[moving->curves[i].transform].kind == COLLADA_MATRIX;
    return has;
}

cp_status collada_find_keys(struct collada_moving *moving)
{
    struct collada *collada = moving->document->collada;
    struct times times = {0};
    cp_status status = CP_OK;
    moving->steps = only_steps(moving);
    for (uint32_t i = 0; status == CP_OK && i < moving->curve_count; i++)
        status = add_times(moving, &moving->curves[i], &times);
    uint32_t count = status == CP_OK ? (uint32_t)sort_times(times.items, times.count) : 0;
    int halvings = moving->steps || has_matrices(moving) ? 0 : MOST_HALVINGS;
    for (uint32_t i = 0; status == CP_OK && i < count; i++) {
        struct collada_key next = {times.items[i], parts_at(moving, times.items[i])};
        status = i == 0 ? add_key(moving, next.time, next.parts) : add_way(moving, &next, halvings);
    }
    memory_free(collada->context, times.items, times.room, sizeof *times.items);
    return status;
}
