/* Curves: the values of some numbers of a transform at a time. */
#include "animation.h"
#include "base/text/text.h"
#include "kinematics.h"

/* ---- which numbers of which transform ---- */

static const uint32_t transform_widths[] = {[COLLADA_MATRIX] = 16, [COLLADA_TRANSLATE] = 3, [COLLADA_ROTATE] = 4,
                                            [COLLADA_SCALE] = 3,   [COLLADA_LOOKAT] = 9,    [COLLADA_SKEW] = 7};

/* Reads "(index)" at *text, of one or two digits, and goes behind it. */
static bool read_index(const char **text, uint32_t *index)
{
    const char *at = *text;
    if (*at++ != '(' || !is_digit(*at))
        return false;
    *index = (uint32_t)(*at++ - '0');
    if (is_digit(*at))
        *index = 10 * *index + (uint32_t)(*at++ - '0');
    *text = at + 1;
    return *at == ')';
}

/* Finds the numbers that a member means: ".X" to ".W", ".ANGLE", "(index)", "(row)(column)"; all without a member.
 * False for others. */
static bool find_numbers(enum collada_transform_kind kind, const char *member, uint32_t *first, uint32_t *width)
{
    static const char letters[] = "XYZW";
    uint32_t row = 0, column = 0;
    const char *letter = member[0] == '.' && member[1] && !member[2] ? strchr(letters, member[1]) : NULL;
    *width = 1;
    if (!*member)
        *width = transform_widths[kind];
    else if (letter)
        row = (uint32_t)(letter - letters);
    else if (strcmp(member, ".ANGLE") == 0 && kind == COLLADA_ROTATE)
        row = 3;
    else if (!read_index(&member, &row) ||
             (*member && (kind != COLLADA_MATRIX || !read_index(&member, &column) || *member || row > 3 || column > 3)))
        return false;
    else if (kind == COLLADA_MATRIX)
        row = 4 * row + column;
    *first = row;
    return *first + *width <= transform_widths[kind] && kind != COLLADA_SKEW;
}

/* Views an input of the sampler; an empty view where there is none. */
static cp_status view_input(struct collada_document *document, uint32_t row, struct collada_view *view, uint32_t *width)
{
    uint32_t source;
    *view = (struct collada_view){0};
    *width = 0;
    if (row == CP_NONE)
        return CP_OK;
    cp_status status = collada_view_input(document, &document->inputs[row], view, &source);
    if (status == CP_OK)
        *width = document->sources[source].width;
    return status;
}

/* Tells whether times and values are finite, and the times ascend. */
static bool is_sensible(const struct collada_curve *curve)
{
    bool sensible = curve->key_count > 0;
    for (uint32_t i = 0; sensible && i < curve->key_count; i++) {
        double time = collada_curve_time(curve, i);
        sensible = isfinite(time) && (i == 0 || time > collada_curve_time(curve, i - 1));
        for (uint32_t k = 0; sensible && k < curve->width; k++)
            sensible = isfinite(curve->values.numbers[(size_t)i * curve->values.stride + k]);
    }
    return sensible;
}

cp_status collada_make_curve(struct collada_document *document, const struct collada_channel_row *channel,
                             struct collada_curve *curve)
{
    struct collada *collada = document->collada;
    struct collada_animations *animations = collada->animations;
    const uint32_t *row = name_map_find(&animations->sampler_ids, channel->sampler + (*channel->sampler == '#'));
    struct collada_found found;
    cp_status status = collada_find_transform(document, channel->target, &found);
    if (status != CP_OK)
        return status;
    *curve = (struct collada_curve){.transform = found.transform};
    if (!row || found.transform == CP_NONE ||
        !find_numbers(document->transforms[found.transform].kind, found.member, &curve->first, &curve->width)) {
        collada->counts[COLLADA_TOLD_ANIMATIONS]++;
        return CP_NO;
    }
    curve->node = found.way[0];
    const uint32_t *inputs = animations->samplers[*row].inputs;
    uint32_t widths[2];
    status = view_input(document, inputs[COLLADA_TIMES], &curve->times, &widths[0]);
    if (status == CP_OK)
        status = view_input(document, inputs[COLLADA_VALUES], &curve->values, &widths[1]);
    if (status == CP_OK)
        status = view_input(document, inputs[COLLADA_IN], &curve->in, &curve->in_width);
    if (status == CP_OK)
        status = view_input(document, inputs[COLLADA_OUT], &curve->out, &curve->out_width);
    if (status != CP_OK)
        return status;
    uint32_t ways = inputs[COLLADA_WAYS] == CP_NONE
                        ? CP_NONE
                        : collada_find_source(document, document->inputs[inputs[COLLADA_WAYS]].reference);
    curve->ways = ways == CP_NONE ? NULL : &document->sources[ways].words;
    curve->key_count = curve->times.count < curve->values.count ? curve->times.count : curve->values.count;
    if (widths[0] > 0 && widths[1] >= curve->width && is_sensible(curve))
        return CP_OK;
    collada->counts[COLLADA_TOLD_SENSELESS]++;
    return CP_NO;
}

/* ---- keys ---- */

double collada_curve_time(const struct collada_curve *curve, uint32_t key)
{
    return curve->times.numbers[(size_t)key * curve->times.stride];
}

static double value_of(const struct collada_curve *curve, uint32_t key, uint32_t index)
{
    return curve->values.numbers[(size_t)key * curve->values.stride + index];
}

/* Tells whether the curve has both tangents of the way behind the key, of one number for each value, or of a time and
 * one. */
static bool has_tangents(const struct collada_curve *curve, uint32_t key)
{
    uint32_t width = curve->width;
    return curve->in_width == curve->out_width && (curve->in_width == width || curve->in_width == 2 * width) &&
           key < curve->out.count && key + 1 < curve->in.count;
}

enum collada_way collada_curve_way(const struct collada_curve *curve, uint32_t key, uint64_t *unread)
{
    static const char *const words[] = {"STEP", "LINEAR", "BEZIER", "HERMITE"};
    const char *word = curve->ways && key < curve->ways->count ? curve->ways->items[key] : "LINEAR";
    for (enum collada_way way = COLLADA_WAY_STEP; way <= COLLADA_WAY_HERMITE; way++)
        if (strcmp(word, words[way]) == 0 && (way < COLLADA_WAY_BEZIER || has_tangents(curve, key)))
            return way;
    ++*unread;
    return COLLADA_WAY_LINEAR;
}

/* Finds the four control points of the way of a value, as times and values. Tangents without times stand at thirds.
 * Hermite's are directions: three times the first and last side of a Bezier curve's polygon. */
static void find_controls(const struct collada_curve *curve, uint32_t key, uint32_t index, enum collada_way way,
                          double times[4], double values[4])
{
    bool timed = curve->in_width == 2 * curve->width;
    const double *out = curve->out.numbers + (size_t)key * curve->out.stride + (timed ? 2 * index : index);
    const double *in = curve->in.numbers + (size_t)(key + 1) * curve->in.stride + (timed ? 2 * index : index);
    times[0] = collada_curve_time(curve, key);
    times[3] = collada_curve_time(curve, key + 1);
    values[0] = value_of(curve, key, index);
    values[3] = value_of(curve, key + 1, index);
    times[1] = times[0] + (times[3] - times[0]) / 3;
    times[2] = times[3] - (times[3] - times[0]) / 3;
    values[1] = out[timed];
    values[2] = in[timed];
    if (way == COLLADA_WAY_HERMITE) {
        values[1] = values[0] + values[1] / 3;
        values[2] = values[3] - values[2] / 3;
    }
    if (timed) {
        times[1] = way == COLLADA_WAY_HERMITE ? times[0] + *out / 3 : *out;
        times[2] = way == COLLADA_WAY_HERMITE ? times[3] - *in / 3 : *in;
    }
    for (int i = 1; i < 3; i++) { /* a curve that goes back in time has no value */
        times[i] = fmin(fmax(times[i], times[0]), times[3]);
        values[i] = isfinite(values[i]) ? values[i] : values[i == 1 ? 0 : 3];
    }
}

static double bezier(const double points[4], double s)
{
    double r = 1 - s;
    return r * r * r * points[0] + 3 * r * r * s * points[1] + 3 * r * s * s * points[2] + s * s * s * points[3];
}

/* Finds the parameter of a time by bisection: the times of the polygon ascend, so the curve's do. */
static double find_parameter(const double times[4], double time)
{
    double lower = 0, upper = 1;
    for (int i = 0; i < 60 && upper - lower > 1e-16; i++) {
        double middle = (lower + upper) / 2;
        if (bezier(times, middle) < time)
            lower = middle;
        else
            upper = middle;
    }
    return (lower + upper) / 2;
}

/* ---- values ---- */

/* Finds the last key at or before a time, but not the last of all, of at least two keys. */
static uint32_t find_key(const struct collada_curve *curve, double time)
{
    uint32_t lower = 0, upper = curve->key_count - 1;
    while (upper - lower > 1) {
        uint32_t middle = lower + (upper - lower) / 2;
        if (collada_curve_time(curve, middle) <= time)
            lower = middle;
        else
            upper = middle;
    }
    return lower;
}

static double value_between(const struct collada_curve *curve, uint32_t key, uint32_t index, double time)
{
    uint64_t unread = 0;
    enum collada_way way = collada_curve_way(curve, key, &unread);
    double start = collada_curve_time(curve, key), end = collada_curve_time(curve, key + 1);
    double from = value_of(curve, key, index), to = value_of(curve, key + 1, index);
    if (time <= start || way == COLLADA_WAY_STEP)
        return from;
    if (way == COLLADA_WAY_LINEAR)
        return from + (to - from) * ((time - start) / (end - start));
    double times[4], values[4];
    find_controls(curve, key, index, way, times, values);
    return bezier(values, find_parameter(times, time));
}

void collada_curve_values(const struct collada_curve *curve, double time, double *numbers)
{
    uint32_t last = curve->key_count - 1, key = 0;
    bool inside = time > collada_curve_time(curve, 0) && time < collada_curve_time(curve, last);
    if (inside)
        key = find_key(curve, time);
    else if (time >= collada_curve_time(curve, last))
        key = last;
    for (uint32_t i = 0; i < curve->width; i++)
        numbers[curve->first + i] = inside ? value_between(curve, key, i, time) : value_of(curve, key, i);
}

double collada_curve_pieces(const struct collada_curve *curve, uint32_t key, bool turns)
{
    enum { LEAST_OF_BENDS = 4 };
    uint64_t unread = 0;
    enum collada_way way = collada_curve_way(curve, key, &unread);
    double pieces = 1;
    if (way == COLLADA_WAY_STEP)
        return pieces;
    for (uint32_t i = 0; i < curve->width; i++) {
        double times[4], values[4], length = fabs(value_of(curve, key + 1, i) - value_of(curve, key, i));
        if (way >= COLLADA_WAY_BEZIER) {
            find_controls(curve, key, i, way, times, values);
            length = fabs(values[1] - values[0]) + fabs(values[2] - values[1]) + fabs(values[3] - values[2]);
            pieces = fmax(pieces, LEAST_OF_BENDS);
        }
        if (turns && curve->first + i == 3)
            pieces = fmax(pieces, floor(length / (way >= COLLADA_WAY_BEZIER ? 60 : 180)) + 1);
    }
    return pieces;
}
