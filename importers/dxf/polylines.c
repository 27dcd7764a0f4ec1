/* Entities of many points: polylines, which may be polygon meshes and polyface meshes, and meshes. */
#include "dxf.h"

#include "base/text/text.h"

/* Flags of a POLYLINE and its VERTEX (DXF reference). */
enum { CLOSED = 1, IS_SPLINE = 4, IS_3D = 8, IS_GRID = 16, CLOSED_IN_N = 32, IS_POLYFACE = 64 };
enum { OF_SPLINE = 8, OF_FRAME = 16, OF_PLACE = 64, OF_FACE = 128 };

/* ---- vertices ---- */

static cp_status read_vertex(struct dxf *dxf)
{
    const struct dxf_entity *entity = &dxf->entity;
    cp_status status = dxf_read_entity(dxf, false);
    struct dxf_vertex vertex = {.line = entity->line, .flags = (uint32_t)dxf_integer(entity, 70, 0)};
    if (status == CP_OK)
        status = dxf_find_look(dxf, entity, &vertex.look);
    if (status != CP_OK)
        return status;
    dxf->bulges += entity->numbers[42] != 0;
    for (int axis = 0; axis < 3; axis++)
        vertex.place[axis] = entity->numbers[10 + 10 * axis];
    for (int i = 0; i < 4; i++)
        vertex.corners[i] = entity->numbers[71 + i];
    return array_add(dxf->context, &dxf->vertices, &dxf->vertex_room, &dxf->vertex_count, &vertex, sizeof vertex)
               ? CP_OK
               : CP_LIMIT;
}

static cp_status read_vertices(struct dxf *dxf)
{
    cp_status status;
    dxf->vertex_count = 0;
    while ((status = dxf_next(dxf)) == CP_OK && dxf_is(&dxf->group, 0, "VERTEX"))
        if ((status = read_vertex(dxf)) != CP_OK)
            return status;
    dxf->again = status == CP_OK;
    return status;
}

/* Adds the places of all vertices that are left, and sets `first` to the row of the first one; the others follow. */
static cp_status add_places(struct dxf *dxf, const cp_pose *axes, uint32_t *first)
{
    cp_status status = CP_OK;
    uint32_t row;
    *first = dxf->blocks[dxf->block].place_count;
    for (uint32_t i = 0; i < dxf->vertex_count && status == CP_OK; i++) {
        double place[3];
        pose_point(axes, dxf->vertices[i].place, place);
        status =
            dxf_add_place(dxf, pose_is_identity(axes) ? dxf->vertices[i].place : place, dxf->vertices[i].line, &row);
    }
    return status;
}

/* Keeps the vertices with a flag, or those without it. */
static void keep_vertices(struct dxf *dxf, uint32_t flag, bool with)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < dxf->vertex_count; i++)
        if (!(dxf->vertices[i].flags & flag) == !with)
            dxf->vertices[kept++] = dxf->vertices[i];
    dxf->vertex_count = kept;
}

/* ---- lines ---- */

/* Adds a line through all vertices. */
static cp_status add_line(struct dxf *dxf, const cp_pose *axes, bool closed, uint32_t look, uint64_t line)
{
    uint32_t first;
    cp_status status = add_places(dxf, axes, &first);
    dxf->list_count = 0;
    for (uint32_t i = 0; i < dxf->vertex_count && status == CP_OK; i++)
        status = dxf_list_corner(dxf, first + i);
    if (status == CP_OK && closed && dxf->vertex_count > 1)
        status = dxf_list_corner(dxf, first);
    return status == CP_OK ? dxf_add_element(dxf, DXF_LINES, look, line) : status;
}

/* ---- polygon meshes ---- */

/* Adds the faces between M rows of N vertices each. */
static cp_status add_grid(struct dxf *dxf, const int32_t size[2], uint32_t flags, uint32_t look, uint64_t line)
{
    uint64_t count = size[0] > 0 && size[1] > 0 ? (uint64_t)size[0] * (uint64_t)size[1] : 0;
    if (count == 0 || count != dxf->vertex_count)
        return dxf_error(dxf, line, "dxf-grid", "a polygon mesh of %d x %d vertices has %u", size[0], size[1],
                         dxf->vertex_count);
    uint32_t first, m_count = (uint32_t)size[0], n_count = (uint32_t)size[1];
    uint32_t m_end = flags & CLOSED ? m_count : m_count - 1, n_end = flags & CLOSED_IN_N ? n_count : n_count - 1;
    cp_status status = add_places(dxf, &POSE_IDENTITY, &first);
    for (uint32_t m = 0; m < m_end; m++)
        for (uint32_t n = 0; n < n_end && status == CP_OK; n++) {
            uint32_t row = first + m * n_count, next = first + (m + 1) % m_count * n_count, n_next = (n + 1) % n_count;
            uint32_t corners[4] = {row + n, next + n, next + n_next, row + n_next};
            dxf->list_count = 0;
            for (int i = 0; i < 4 && status == CP_OK; i++)
                status = dxf_list_corner(dxf, corners[i]);
            if (status == CP_OK)
                status = dxf_add_element(dxf, DXF_FACES, look, line);
        }
    return status;
}

/* ---- polyface meshes ---- */

/* Adds a face by numbers from 1; negative ones begin an invisible edge, and 0 is none. */
static cp_status add_polyface_face(struct dxf *dxf, const struct dxf_vertex *face, uint32_t first, uint32_t count)
{
    cp_status status = CP_OK;
    dxf->list_count = 0;
    for (int i = 0; i < 4 && status == CP_OK; i++) {
        double number = fabs(face->corners[i]);
        if (number == 0)
            continue;
        if (!(number >= 1 && number <= count))
            return dxf_error(dxf, face->line, "dxf-index", "a face names vertex %.0f of %u", face->corners[i], count);
        status = dxf_list_corner(dxf, first + (uint32_t)number - 1);
    }
    return status == CP_OK ? dxf_add_element(dxf, DXF_FACES, face->look, face->line) : status;
}

static cp_status add_polyface(struct dxf *dxf)
{
    uint32_t count = dxf->vertex_count, first, faces = 0;
    for (uint32_t i = 0; i < count; i++) /* faces come after all places, but nothing says that they must */
        faces += (dxf->vertices[i].flags & (OF_FACE | OF_PLACE)) == OF_FACE;
    struct dxf_vertex *kept = memory_allocate(dxf->context, faces, sizeof *kept), *face = kept;
    if (!kept)
        return CP_LIMIT;
    uint32_t places = 0;
    for (uint32_t i = 0; i < count; i++)
        if ((dxf->vertices[i].flags & (OF_FACE | OF_PLACE)) == OF_FACE)
            *face++ = dxf->vertices[i];
        else
            dxf->vertices[places++] = dxf->vertices[i];
    dxf->vertex_count = places;
    cp_status status = add_places(dxf, &POSE_IDENTITY, &first);
    for (uint32_t i = 0; i < faces && status == CP_OK; i++)
        status = add_polyface_face(dxf, &kept[i], first, places);
    memory_free(dxf->context, kept, faces, sizeof *kept);
    return status;
}

/* ---- the entities ---- */

cp_status dxf_read_polyline(struct dxf *dxf)
{
    const struct dxf_entity head = dxf->entity;
    uint32_t flags = (uint32_t)dxf_integer(&head, 70, 0), look;
    int32_t size[2] = {dxf_integer(&head, 71, 0), dxf_integer(&head, 72, 0)};
    cp_status status = dxf_find_look(dxf, &head, &look);
    if (status == CP_OK)
        status = read_vertices(dxf);
    if (status != CP_OK)
        return status;
    if (flags & IS_POLYFACE)
        return add_polyface(dxf);
    bool is_smooth = flags & IS_SPLINE && flags & IS_GRID;
    if (is_smooth) { /* a smooth surface has the vertices of its frame, too, and sizes of its own */
        size[0] = dxf_integer(&head, 73, 0);
        size[1] = dxf_integer(&head, 74, 0);
        keep_vertices(dxf, OF_SPLINE, true);
    } else {
        keep_vertices(dxf, OF_FRAME, false);
    }
    if (flags & IS_GRID)
        return add_grid(dxf, size, flags, look, head.line);
    dxf->thick += head.numbers[39] != 0 || head.numbers[40] != 0 || head.numbers[41] != 0;
    cp_pose axes = flags & IS_3D ? POSE_IDENTITY : dxf_extrusion(dxf, &head);
    return add_line(dxf, &axes, flags & CLOSED, look, head.line);
}

/* Reads an LWPOLYLINE: two coordinates a vertex, and one height for all. */
cp_status dxf_read_light_polyline(struct dxf *dxf)
{
    const struct dxf_entity *entity = &dxf->entity;
    uint32_t look;
    cp_status status = dxf_find_look(dxf, entity, &look);
    dxf->vertex_count = 0;
    for (uint32_t i = 0; i < dxf->pair_count && status == CP_OK; i++) {
        const struct dxf_pair *pair = &dxf->pairs[i];
        struct dxf_vertex vertex = {.place = {pair->number, 0, entity->numbers[38]}, .line = pair->line};
        if (pair->code == 10 &&
            !array_add(dxf->context, &dxf->vertices, &dxf->vertex_room, &dxf->vertex_count, &vertex, sizeof vertex))
            status = CP_LIMIT;
        else if (pair->code == 20 && dxf->vertex_count > 0)
            dxf->vertices[dxf->vertex_count - 1].place[1] = pair->number;
        dxf->bulges += pair->code == 42 && pair->number != 0;
    }
    if (status != CP_OK)
        return status;
    dxf->thick += entity->numbers[39] != 0 || entity->numbers[43] != 0 || entity->numbers[40] != 0;
    cp_pose axes = dxf_extrusion(dxf, entity);
    return add_line(dxf, &axes, dxf_integer(entity, 70, 0) & CLOSED, look, entity->line);
}

/* ---- meshes ---- */

/* Reads the vertices of a MESH; *at is behind them. */
static cp_status read_mesh_places(struct dxf *dxf, uint32_t *at)
{
    for (; *at < dxf->pair_count && dxf->pairs[*at].code != 93; ++*at) {
        const struct dxf_pair *pair = &dxf->pairs[*at];
        struct dxf_vertex vertex = {.place = {pair->number}, .line = pair->line};
        if (pair->code == 10 &&
            !array_add(dxf->context, &dxf->vertices, &dxf->vertex_room, &dxf->vertex_count, &vertex, sizeof vertex))
            return CP_LIMIT;
        if ((pair->code == 20 || pair->code == 30) && dxf->vertex_count > 0)
            dxf->vertices[dxf->vertex_count - 1].place[pair->code / 10 - 1] = pair->number;
    }
    return CP_OK;
}

/* Reads the faces of a MESH: for each the number of its corners, and their vertices, from 0. */
static cp_status read_mesh_faces(struct dxf *dxf, uint32_t at, uint32_t first, uint32_t look)
{
    cp_status status = CP_OK;
    while (++at < dxf->pair_count && dxf->pairs[at].code == 90 && status == CP_OK) {
        const struct dxf_pair *pair = &dxf->pairs[at];
        double left = pair->number;
        uint64_t line = pair->line;
        dxf->list_count = 0;
        for (; left >= 1 && status == CP_OK; left--) {
            pair = ++at < dxf->pair_count && dxf->pairs[at].code == 90 ? &dxf->pairs[at] : NULL;
            if (!pair)
                return dxf_error(dxf, line, "dxf-mesh", "the list of faces of a MESH ends within a face");
            if (!(pair->number >= 0 && pair->number < dxf->vertex_count))
                return dxf_error(dxf, pair->line, "dxf-index", "a face names vertex %.0f of 0 .. %d", pair->number,
                                 (int)dxf->vertex_count - 1);
            status = dxf_list_corner(dxf, first + (uint32_t)pair->number);
        }
        if (status == CP_OK)
            status = dxf_add_element(dxf, DXF_FACES, look, line);
    }
    return status;
}

cp_status dxf_read_mesh(struct dxf *dxf)
{
    static const char subdivision[] = "subdivision of MESH entities";
    const struct dxf_entity *entity = &dxf->entity;
    uint32_t look, first, at = 0;
    double level = 0;
    while (at < dxf->pair_count && dxf->pairs[at].code != 92) {
        level = dxf->pairs[at].code == 91 ? dxf->pairs[at].number : level;
        at++;
    }
    dxf->vertex_count = 0;
    cp_status status = dxf_find_look(dxf, entity, &look);
    if (status == CP_OK && level > 0)
        status = dxf_count(dxf, "dxf-subdivision", subdivision, sizeof subdivision - 1, entity->line);
    if (status == CP_OK)
        status = read_mesh_places(dxf, &at);
    if (status == CP_OK)
        status = add_places(dxf, &POSE_IDENTITY, &first);
    return status == CP_OK ? read_mesh_faces(dxf, at, first, look) : status;
}
