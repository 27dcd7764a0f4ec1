/* Entities: faces, solids, lines and inserts become elements of the open block; others are counted. */
#include "dxf.h"

#include <float.h>

#include "base/text/text.h"

/* ---- groups of an entity ---- */

static void set_number(struct dxf_entity *entity, int code, double number)
{
    entity->numbers[code] = number;
    entity->has[code / 64] |= UINT64_C(1) << (code % 64);
}

static uint32_t to_bits(double number)
{
    return number >= -2147483648.0 && number <= 4294967295.0 ? (uint32_t)(int64_t)number : CP_NONE;
}

/* Keeps the current group, if it is one of those that some entity has use for. */
static cp_status keep_group(struct dxf *dxf, bool keeps, bool *is_alpha)
{
    const struct dxf_group *group = &dxf->group;
    struct dxf_entity *entity = &dxf->entity;
    int code = group->code;
    double number;
    if (code == 2)
        entity->name = group->text;
    else if (code == 5)
        entity->handle = group->text;
    else if (code == 8)
        entity->layer = group->text;
    else if (code == 1001) /* layers have their transparency in extended data */
        *is_alpha = dxf_text_is(group->text, "AcCmTransparency");
    bool is_colour = code == 420 || code == 440 || (code == 1071 && *is_alpha);
    if (!(code >= 10 && code < 100) && !(code >= 210 && code < 240) && !is_colour)
        return CP_OK;
    cp_status status = dxf_number(dxf, &number);
    if (status != CP_OK)
        return status;
    if (is_colour)
        *(code == 420 ? &entity->true_colour : &entity->alpha) = to_bits(number);
    else
        set_number(entity, code, number);
    struct dxf_pair pair = {code, number, group->line};
    bool kept = !keeps || is_colour ||
                array_add(dxf->context, &dxf->pairs, &dxf->pair_room, &dxf->pair_count, &pair, sizeof pair);
    return kept ? CP_OK : CP_LIMIT;
}

cp_status dxf_read_entity(struct dxf *dxf, bool keeps)
{
    struct dxf_entity *entity = &dxf->entity;
    *entity =
        (struct dxf_entity){.line = dxf->group.line, .type = dxf->group.text, .true_colour = CP_NONE, .alpha = CP_NONE};
    dxf->pair_count = 0;
    bool is_alpha = false;
    cp_status status;
    while ((status = dxf_next(dxf)) == CP_OK && dxf->group.code != 0)
        if ((status = keep_group(dxf, keeps, &is_alpha)) != CP_OK)
            return status;
    dxf->again = status == CP_OK;
    return status;
}

int32_t dxf_to_integer(double number)
{
    return number >= INT32_MAX ? INT32_MAX : number <= INT32_MIN ? INT32_MIN : (int32_t)number;
}

int32_t dxf_integer(const struct dxf_entity *entity, int code, int32_t missing)
{
    return dxf_has(entity, code) ? dxf_to_integer(entity->numbers[code]) : missing;
}

/* ---- what is not read ---- */

cp_status dxf_count(struct dxf *dxf, const char *code, const char *words, size_t size, uint64_t line)
{
    uint32_t *found = name_map_find_sized(&dxf->count_names, words, size);
    struct dxf_count *last = found ? &dxf->counts[*found] : NULL;
    if (last && last->block == dxf->block) {
        last->count++;
        return CP_OK;
    }
    const char *key = found ? NULL : arena_copy_text(dxf->arena, words, size);
    if (!found && (!key || !(found = name_map_add(&dxf->count_names, key, 0, NULL))))
        return CP_LIMIT;
    struct dxf_count row = {.code = code, .block = dxf->block, .count = 1, .line = line};
    row.words = last ? last->words : dxf_decode(dxf, (struct dxf_text){words, size});
    *found = dxf->count_count;
    return row.words && array_add(dxf->context, &dxf->counts, &dxf->count_room, &dxf->count_count, &row, sizeof row)
               ? CP_OK
               : CP_LIMIT;
}

/* ---- places and elements ---- */

cp_status dxf_add_place(struct dxf *dxf, const double place[3], uint64_t line, uint32_t *row)
{
    struct dxf_block *block = &dxf->blocks[dxf->block];
    for (int axis = 0; axis < 3; axis++)
        if (!(fabs(place[axis]) <= FLT_MAX))
            return dxf_error(dxf, line, "dxf-not-finite", "a coordinate of %s is beyond single precision",
                             show_number(place[axis]).text);
    *row = block->place_count;
    return array_add(dxf->context, &block->places, &block->place_room, &block->place_count, place, 3 * sizeof *place)
               ? CP_OK
               : CP_LIMIT;
}

cp_status dxf_list_corner(struct dxf *dxf, uint32_t row)
{
    return array_add(dxf->context, &dxf->list, &dxf->list_room, &dxf->list_count, &row, sizeof row) ? CP_OK : CP_LIMIT;
}

static bool is_same_place(const struct dxf_block *block, uint32_t a, uint32_t b)
{
    const double *p = block->places + 3 * (size_t)a, *q = block->places + 3 * (size_t)b;
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

/* Drops corners of the list that are where the corner before is; for a face, the first comes after the last. */
static void drop_repeats(struct dxf *dxf, bool is_face)
{
    const struct dxf_block *block = &dxf->blocks[dxf->block];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < dxf->list_count; i++)
        if (kept == 0 || !is_same_place(block, dxf->list[kept - 1], dxf->list[i]))
            dxf->list[kept++] = dxf->list[i];
    while (is_face && kept > 1 && is_same_place(block, dxf->list[kept - 1], dxf->list[0]))
        kept--;
    dxf->list_count = kept;
}

cp_status dxf_add_element(struct dxf *dxf, enum dxf_kind kind, uint32_t look, uint64_t line)
{
    static const char small[] = "faces and lines of a single point";
    cp_context *context = dxf->context;
    struct dxf_block *block = &dxf->blocks[dxf->block];
    drop_repeats(dxf, kind == DXF_FACES);
    if (dxf->list_count < 2)
        return dxf_count(dxf, "dxf-small", small, sizeof small - 1, line);
    struct dxf_part *part = &block->parts[dxf->list_count == 2 ? DXF_LINES : kind];
    uint64_t corner_count = (uint64_t)part->corner_count + dxf->list_count, count = (uint64_t)part->count + 1;
    if (!array_reserve(context, &part->corners, &part->corner_room, corner_count, sizeof *part->corners) ||
        !array_reserve(context, &part->ends, &part->end_room, count, sizeof *part->ends) ||
        !array_reserve(context, &part->looks, &part->look_room, count, sizeof *part->looks))
        return CP_LIMIT;
    memcpy(part->corners + part->corner_count, dxf->list, dxf->list_count * sizeof *dxf->list);
    part->corner_count = (uint32_t)corner_count;
    part->ends[part->count] = part->corner_count;
    part->looks[part->count++] = look;
    const struct dxf_look *own = &dxf->looks[look];
    block->inherits |= own->layer == 0 || own->colour == DXF_BY_BLOCK || own->alpha == DXF_BY_BLOCK;
    return CP_OK;
}

/* ---- extrusion directions ---- */

/* Computes the axes of an entity's own coordinates by the DXF reference's arbitrary axis algorithm. */
cp_pose dxf_extrusion(struct dxf *dxf, const struct dxf_entity *entity)
{
    static const double y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
    const double near = 1.0 / 64;
    double axes[3][3] = {{0}, {0}, {0, 0, 1}}, *normal = axes[2];
    for (int axis = 0; axis < 3; axis++)
        if (dxf_has(entity, 210) || dxf_has(entity, 220) || dxf_has(entity, 230))
            normal[axis] = entity->numbers[210 + 10 * axis];
    double length = hypot(hypot(normal[0], normal[1]), normal[2]);
    if (!(length > 0) || !isfinite(length)) {
        dxf->flat++;
        return POSE_IDENTITY;
    }
    for (int axis = 0; axis < 3; axis++)
        normal[axis] /= length;
    cross_product(fabs(normal[0]) < near && fabs(normal[1]) < near ? y : z, normal, axes[0]);
    length = sqrt(dot_product(axes[0], axes[0]));
    for (int axis = 0; axis < 3; axis++)
        axes[0][axis] /= length;
    cross_product(normal, axes[0], axes[1]);
    cp_pose pose = POSE_IDENTITY;
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            pose.m[4 * row + column] = axes[column][row] + 0; /* no -0 */
    return pose;
}

/* ---- entities of few points ---- */

static void point_of(const struct dxf_entity *entity, int code, double place[3])
{
    for (int axis = 0; axis < 3; axis++)
        place[axis] = entity->numbers[code + 10 * axis];
}

/* Adds corners of the codes in `order`. In a solid's own coordinates if `own`. */
static cp_status add_points(struct dxf *dxf, enum dxf_kind kind, const int *order, int count, bool own)
{
    const struct dxf_entity *entity = &dxf->entity;
    cp_pose axes = own ? dxf_extrusion(dxf, entity) : POSE_IDENTITY;
    uint32_t look, row = 0;
    cp_status status = dxf_find_look(dxf, entity, &look);
    dxf->list_count = 0;
    for (int i = 0; i < count && status == CP_OK; i++) {
        double place[3], turned[3];
        point_of(entity, order[i], place);
        pose_point(&axes, place, turned);
        status = dxf_add_place(dxf, own ? turned : place, entity->line, &row);
        if (status == CP_OK)
            status = dxf_list_corner(dxf, row);
    }
    return status == CP_OK ? dxf_add_element(dxf, kind, look, entity->line) : status;
}

/* A triangle has its third corner twice, or no fourth one. */
static int corner_count(const struct dxf_entity *entity)
{
    return dxf_has(entity, 13) || dxf_has(entity, 23) || dxf_has(entity, 33) ? 4 : 3;
}

static cp_status read_face(struct dxf *dxf)
{
    static const int order[] = {10, 11, 12, 13};
    return add_points(dxf, DXF_FACES, order, corner_count(&dxf->entity), false);
}

static cp_status read_solid(struct dxf *dxf)
{
    static const int order[] = {10, 11, 13, 12}, triangle[] = {10, 11, 12};
    int count = corner_count(&dxf->entity);
    dxf->thick += dxf->entity.numbers[39] != 0;
    return add_points(dxf, DXF_FACES, count == 4 ? order : triangle, count, true);
}

static cp_status read_line(struct dxf *dxf)
{
    static const int order[] = {10, 11};
    dxf->thick += dxf->entity.numbers[39] != 0;
    return add_points(dxf, DXF_LINES, order, 2, false);
}

/* ---- inserts ---- */

static cp_status read_insert(struct dxf *dxf)
{
    const struct dxf_entity *entity = &dxf->entity;
    struct dxf_insert insert = {.line = entity->line, .handle = entity->handle};
    cp_status status = dxf_find_look(dxf, entity, &insert.look);
    if (status == CP_OK)
        status = dxf_find_block(dxf, entity->name, &insert.block);
    if (status != CP_OK)
        return status;
    double place[3];
    point_of(entity, 10, place);
    cp_pose axes = dxf_extrusion(dxf, entity), move = pose_translation(place[0], place[1], place[2]);
    cp_pose turn = pose_rotation_degrees(2, entity->numbers[50]);
    insert.frame = pose_multiply(&axes, &move);
    insert.frame = pose_multiply(&insert.frame, &turn);
    for (int axis = 0; axis < 3; axis++) {
        insert.scale[axis] = dxf_has(entity, 41 + axis) ? entity->numbers[41 + axis] : 1;
        dxf->turned += insert.scale[axis] == 0;
        insert.scale[axis] = insert.scale[axis] == 0 ? 1 : insert.scale[axis];
    }
    int32_t columns = dxf_integer(entity, 70, 1), rows = dxf_integer(entity, 71, 1);
    insert.columns = columns > 1 ? (uint32_t)columns : 1;
    insert.rows = rows > 1 ? (uint32_t)rows : 1;
    insert.spacing[0] = entity->numbers[44];
    insert.spacing[1] = entity->numbers[45];
    struct dxf_block *block = &dxf->blocks[dxf->block];
    return array_add(dxf->context, &block->inserts, &block->insert_room, &block->insert_count, &insert, sizeof insert)
               ? CP_OK
               : CP_LIMIT;
}

/* ---- all entities ---- */

/* The table lists the entities that are read; `keeps` says that codes repeat. An entity without a function has no
 * geometry of its own. */
static const struct reading {
    const char *type;
    cp_status (*read)(struct dxf *dxf);
    bool keeps;
} readings[] = {{"3DFACE", read_face, false},
                {"SOLID", read_solid, false},
                {"TRACE", read_solid, false},
                {"LINE", read_line, false},
                {"POLYLINE", dxf_read_polyline, false},
                {"LWPOLYLINE", dxf_read_light_polyline, true},
                {"MESH", dxf_read_mesh, true},
                {"INSERT", read_insert, false},
                {"SEQEND", NULL, false},
                {"VIEWPORT", NULL, false},
                {"ATTDEF", NULL, false}};

static cp_status skip_entity(struct dxf *dxf)
{
    cp_status status;
    do
        status = dxf_next(dxf);
    while (status == CP_OK && dxf->group.code != 0);
    dxf->again = status == CP_OK;
    return status;
}

/* Counts an entity that nobody sees. */
static cp_status count_unseen(struct dxf *dxf, bool is_paper, bool *seen)
{
    static const char paper[] = "entities of layouts (paper space)", invisible[] = "invisible entities";
    *seen = !is_paper && dxf_integer(&dxf->entity, 60, 0) == 0;
    if (*seen)
        return CP_OK;
    return is_paper ? dxf_count(dxf, "dxf-layout", paper, sizeof paper - 1, dxf->entity.line)
                    : dxf_count(dxf, "dxf-hidden", invisible, sizeof invisible - 1, dxf->entity.line);
}

cp_status dxf_take_entity(struct dxf *dxf)
{
    const struct reading *reading = readings, *end = readings + sizeof readings / sizeof *readings;
    struct dxf_text type = dxf->group.text;
    uint64_t line = dxf->group.line;
    while (reading < end && !dxf_text_is(type, reading->type))
        reading++;
    if (reading == end) {
        cp_status status = dxf_count(dxf, "dxf-unread", type.at, type.size, line);
        return status == CP_OK ? skip_entity(dxf) : status;
    }
    if (!reading->read)
        return skip_entity(dxf);
    cp_status status = dxf_read_entity(dxf, reading->keeps);
    bool seen = false;
    if (status == CP_OK)
        status = count_unseen(dxf, dxf_integer(&dxf->entity, 67, 0) == 1, &seen);
    return status == CP_OK && seen ? reading->read(dxf) : status;
}
