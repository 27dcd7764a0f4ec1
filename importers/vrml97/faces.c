/* Sets of faces and lines: lists of points, colours, normals and texture coordinates, and indices into each. */
#include <float.h>

#include "mesh/join.h"
#include "mesh/mesh.h"
#include "vrml97.h"

cp_status wrl_check_size(struct wrl *wrl, const struct wrl_node *node, uint64_t count)
{
    uint64_t most = limit_vertices(wrl->context);
    if (count <= most && count < UINT32_MAX)
        return CP_OK;
    return report_error(wrl->context, CP_LIMIT, "vrml97-size", wrl_place(node),
                        "%.40s has %llu vertices or corners, more than the limit of %llu (--limit vertices=)",
                        node->type, (unsigned long long)count, (unsigned long long)most);
}

cp_status wrl_count_made(struct wrl *wrl, const struct wrl_node *node, uint64_t count)
{
    uint64_t most = limit_nodes(wrl->context);
    if (wrl->visits < most && count < most - wrl->visits) {
        wrl->visits += count;
        return CP_OK;
    }
    return report_error(wrl->context, CP_LIMIT, "vrml97-size", wrl_place(node),
                        "%.40s has more points than a file of this size may make (%s)", node->type,
                        limit_of_nodes(wrl->context));
}

/* ---- lists ---- */

enum { COLOURS, NORMALS, COORDINATES, LISTS };
static const char *const list_words[LISTS] = {"colours", "normals", "texture coordinates"};
static const uint32_t list_widths[LISTS] = {3, 3, 2};

/* A list of colours or the like, and the indices by which corners or faces show it. */
struct face_list {
    const struct wrl_value *values, *index; /* NULL: none */
    bool by_corner;                         /* else by face */
    bool is_aligned;                        /* each vertex has the value of its number */
};

static struct face_list find_list(struct wrl *wrl, const struct wrl_node *node, const char *field, const char *kind,
                                  const char *values, const char *index, const char *by_vertex)
{
    struct wrl_node *child = wrl_child_of_kind(wrl, node, field, kind);
    struct face_list list = {.values = child ? wrl_value(child, values) : NULL,
                             .index = index ? wrl_value(node, index) : NULL,
                             .by_corner = !by_vertex || wrl_truth(node, by_vertex, true)};
    if (list.values && (list.values->store != WRL_AS_FLOATS || list.values->count == 0))
        list.values = NULL;
    if (list.index && (list.index->store != WRL_AS_INTEGERS || list.index->count == 0))
        list.index = NULL;
    return list;
}

/* The lists of a set, and its faces while they are made. */
struct set {
    const struct wrl_node *node;
    const struct wrl_value *corners; /* coordIndex */
    const float *positions;
    uint32_t position_count, least; /* least: corners of a face */
    struct face_list lists[LISTS];
    bool is_reversed, all_triangles;
    uint32_t face_count, corner_count, file_faces;
    uint64_t missing, small; /* faces that are left out */
};

/* Returns the end of the face that begins at a place of coordIndex: that of its -1, or of the list. */
static uint32_t face_end(const struct set *set, uint32_t begin)
{
    while (begin < set->corners->count && set->corners->integers[begin] >= 0)
        begin++;
    return begin;
}

/* Tells whether all corners are points that there are; counts faces that are no faces. */
static bool is_face(struct set *set, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++)
        if ((uint32_t)set->corners->integers[i] >= set->position_count) {
            set->missing++;
            return false;
        }
    set->small += end > begin && end - begin < set->least;
    return end - begin >= set->least;
}

static void count_faces(struct set *set)
{
    set->all_triangles = set->least == 3;
    for (uint32_t begin = 0; begin < set->corners->count;) {
        uint32_t end = face_end(set, begin);
        if (is_face(set, begin, end)) {
            set->face_count++;
            set->corner_count += end - begin;
            set->all_triangles = set->all_triangles && end - begin == 3;
        }
        set->file_faces += end > begin;
        begin = end + 1;
    }
}

/* Tells whether vertices can have the values as they stand. */
static bool is_aligned(const struct set *set, const struct face_list *list, uint32_t count)
{
    bool same = !list->index || (list->index->count == set->corners->count &&
                                 memcmp(list->index->integers, set->corners->integers,
                                        set->corners->count * sizeof *set->corners->integers) == 0);
    return list->by_corner && same && count >= set->position_count;
}

/* Checks the indices of a list, which is left out if one is wrong. */
static cp_status check_list(struct wrl *wrl, struct set *set, int which)
{
    struct face_list *list = &set->lists[which];
    if (!list->values)
        return CP_OK;
    uint32_t count = list->values->count / list_widths[which];
    list->is_aligned = is_aligned(set, list, count);
    uint32_t needed = list->by_corner ? set->corners->count : set->file_faces;
    bool good = !list->index || list->index->count + list->by_corner >= needed; /* the last -1 may be missing */
    const struct wrl_value *read = list->index ? list->index : list->by_corner ? set->corners : NULL;
    for (uint32_t i = 0; good && read && i < needed && i < read->count; i++)
        good = read->integers[i] < (int64_t)count &&
               (read->integers[i] >= 0 || (list->by_corner && set->corners->integers[i] < 0));
    if (good && (read || count >= needed))
        return CP_OK;
    list->values = NULL;
    return report_lenient(wrl->context, wrl->settings->common.strict, "vrml97-index", wrl_place(set->node),
                          "the %s of %.40s are left out: an index is missing, or there are only %u of them",
                          list_words[which], set->node->type, count);
}

/* ---- corners ---- */

static uint32_t list_item(const struct set *set, const struct face_list *list, uint32_t corner, uint32_t face)
{
    uint32_t at = list->by_corner ? corner : face;
    return list->index       ? (uint32_t)list->index->integers[at]
           : list->by_corner ? (uint32_t)set->corners->integers[at]
                             : face;
}

/* Writes the corners of all faces: rows of indices, of the point and, if there are more words, of what the lists have
 * there. */
static void write_corners(const struct set *set, uint32_t words, uint32_t *offsets, uint32_t *rows)
{
    struct set counts = *set; /* is_face counts again */
    uint32_t face = 0, made = 0, at = 0;
    for (uint32_t begin = 0;
         begin<set->corners->count; face += face_end(set, begin)> begin, begin = face_end(set, begin) + 1) {
        uint32_t end = face_end(set, begin);
        if (!is_face(&counts, begin, end))
            continue;
        if (offsets)
            offsets[made] = at;
        made++;
        for (uint32_t i = begin; i < end; i++, at++) {
            uint32_t from = set->is_reversed && i > begin ? end - (i - begin) : i;
            uint32_t *row = rows + (size_t)at * words;
            row[0] = (uint32_t)set->corners->integers[from];
            for (uint32_t k = 0, word = 1; word < words; k++)
                if (set->lists[k].values)
                    row[word++] = list_item(set, &set->lists[k], from, face);
        }
    }
    if (offsets)
        offsets[made] = at;
}

/* ---- arrays of vertices ---- */

/* Writes colours as linear light with alpha, as meshes have them. */
static void write_colour(const float *from, double alpha, float *to)
{
    for (int i = 0; i < 3; i++)
        to[i] = (float)linear_from_srgb(within_unit((double)from[i]));
    to[3] = (float)alpha;
}

struct texture_map {
    double matrix[6]; /* rows of s and t */
};

/* Finds -C S R C T of a TextureTransform (ISO/IEC 14772-1, 6.49). */
static struct texture_map find_map(const struct wrl_node *transform)
{
    struct texture_map map = {{1, 0, 0, 0, 1, 0}};
    double c[2] = {0}, s[2] = {1, 1}, t[2] = {0};
    if (!transform)
        return map;
    wrl_numbers(transform, "center", 2, c);
    wrl_numbers(transform, "scale", 2, s);
    wrl_numbers(transform, "translation", 2, t);
    double angle = wrl_number(transform, "rotation", 0), cosine = cos(angle), sine = sin(angle);
    const double x = c[0] + t[0], y = c[1] + t[1];
    double *m = map.matrix;
    m[0] = s[0] * cosine;
    m[1] = -s[0] * sine;
    m[2] = s[0] * (cosine * x - sine * y) - c[0];
    m[3] = s[1] * sine;
    m[4] = s[1] * cosine;
    m[5] = s[1] * (sine * x + cosine * y) - c[1];
    return map;
}

/* Writes a coordinate of a texture, which counts from its upper edge here. */
static void write_coordinate(const struct texture_map *map, double s, double t, float *to)
{
    const double *m = map->matrix;
    const double values[2] = {m[0] * s + m[1] * t + m[2], 1 - (m[3] * s + m[4] * t + m[5])};
    for (int i = 0; i < 2; i++) /* a TextureTransform may leave the range: no place of the image is meant then */
        to[i] = fabs(values[i]) <= (double)FLT_MAX ? (float)values[i] : 0;
}

/* Makes texture coordinates for points without: the longest side of the box is S, the second one T. */
static bool make_coordinates(struct wrl *wrl, const struct wrl_look *look, cp_mesh *mesh)
{
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    struct texture_map map = find_map(look->transform);
    for (uint32_t i = 0; i < mesh->corner_count; i++) /* points that no face has do not count */
        for (size_t axis = 0; axis < 3; axis++) {
            float at = mesh->positions[3 * (size_t)mesh->corners[i] + axis];
            low[axis] = fminf(low[axis], at);
            high[axis] = fmaxf(high[axis], at);
        }
    float *made = scene_allocate(wrl->scene, mesh->vertex_count, 2 * sizeof *made);
    int s = 0, t = -1;
    for (int k = 1; k < 3; k++)
        s = high[k] - low[k] > high[s] - low[s] ? k : s;
    for (int k = 0; k < 3; k++)
        if (k != s && (t < 0 || high[k] - low[k] > high[t] - low[t]))
            t = k;
    double size = (double)high[s] - (double)low[s];
    for (size_t i = 0; made && i < mesh->vertex_count; i++) {
        const float *p = mesh->positions + 3 * i;
        write_coordinate(&map, size > 0 ? ((double)p[s] - (double)low[s]) / size : 0,
                         size > 0 ? ((double)p[t] - (double)low[t]) / size : 0, made + 2 * i);
    }
    mesh->coordinates[0] = made;
    return made != NULL;
}

/* Gives the mesh the arrays of the lists, by the rows of its vertices; rows NULL: each vertex has its number. */
static cp_status fill_arrays(struct wrl *wrl, const struct wrl_look *look, const struct set *set, const uint32_t *rows,
                             uint32_t words, cp_mesh *mesh)
{
    static const uint32_t widths[LISTS] = {4, 3, 2}; /* meshes have so many numbers */
    const struct texture_map map = find_map(look->transform);
    double alpha = look->material ? 1 - within_unit(wrl_number(look->material, "transparency", 0)) : 1;
    float *made[LISTS] = {NULL};
    for (int k = 0; k < LISTS; k++)
        if (set->lists[k].values &&
            !(made[k] = scene_allocate(wrl->scene, mesh->vertex_count, widths[k] * sizeof *made[k])))
            return CP_LIMIT;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const uint32_t *word = rows ? rows + i * words + 1 : NULL;
        for (int k = 0; k < LISTS; k++) {
            if (!made[k])
                continue;
            const float *from = set->lists[k].values->floats + list_widths[k] * (word ? (size_t)*word++ : i);
            float *to = made[k] + widths[k] * i;
            if (k == COLOURS)
                write_colour(from, alpha, to);
            else if (k == NORMALS)
                memcpy(to, from, 3 * sizeof *to);
            else
                write_coordinate(&map, (double)from[0], (double)from[1], to);
        }
    }
    mesh->colours = made[COLOURS];
    mesh->coordinates[0] = made[COORDINATES];
    uint64_t mended = 0;
    cp_status status = made[NORMALS] ? mesh_mend_normals(wrl->context, mesh, made[NORMALS], &mended) : CP_OK;
    mesh->normals = made[NORMALS];
    if (mended > 0)
        report_warning(wrl->context, "vrml97-normals", wrl_place(set->node),
                       "%llu normals without a direction are mended", (unsigned long long)mended);
    return status;
}

/* ---- meshes ---- */

/* Makes a mesh whose vertices are the points of the file. */
static cp_status make_plain(struct wrl *wrl, const struct wrl_look *look, const struct set *set, cp_mesh *mesh)
{
    uint32_t *corners = scene_allocate(wrl->scene, set->corner_count, sizeof *corners);
    if (!corners)
        return CP_LIMIT;
    write_corners(set, 1, (uint32_t *)mesh->face_offsets, corners);
    mesh->corners = corners;
    mesh->positions = set->positions;
    mesh->vertex_count = set->position_count;
    return fill_arrays(wrl, look, set, NULL, 0, mesh);
}

/* Makes a mesh with a vertex for each combination of a point and what corners show there. */
static cp_status make_split(struct wrl *wrl, const struct wrl_look *look, const struct set *set, cp_mesh *mesh)
{
    uint32_t words = 1, count = set->corner_count;
    for (int k = 0; k < LISTS; k++)
        words += set->lists[k].values != NULL;
    uint32_t *rows = memory_allocate(wrl->context, count, words * sizeof *rows);
    uint32_t *corners = scene_allocate(wrl->scene, count, sizeof *corners);
    cp_status status = rows && corners ? CP_OK : CP_LIMIT;
    if (status == CP_OK)
        write_corners(set, words, (uint32_t *)mesh->face_offsets, rows);
    if (status == CP_OK && !join_rows(wrl->context, rows, words, words, count, corners))
        status = CP_LIMIT;
    float *positions = NULL;
    if (status == CP_OK) {
        mesh->vertex_count = join_number(corners, count);
        for (uint32_t i = 0, next = 0; i < count; i++) /* the rows of vertices, in the order of their numbers */
            if (corners[i] == next)
                memmove(rows + (size_t)next++ * words, rows + (size_t)i * words, words * sizeof *rows);
        positions = scene_allocate(wrl->scene, mesh->vertex_count, 3 * sizeof *positions);
        status = positions ? CP_OK : CP_LIMIT;
    }
    for (size_t i = 0; status == CP_OK && i < mesh->vertex_count; i++)
        memcpy(positions + 3 * i, set->positions + 3 * (size_t)rows[i * words], 3 * sizeof *positions);
    mesh->corners = corners;
    mesh->positions = positions;
    if (status == CP_OK)
        status = fill_arrays(wrl, look, set, rows, words, mesh);
    memory_free(wrl->context, rows, count, words * sizeof *rows);
    return status;
}

static bool needs_split(const struct set *set)
{
    bool needs = false;
    for (int k = 0; k < LISTS; k++)
        needs |= set->lists[k].values && !set->lists[k].is_aligned;
    return needs;
}

/* Makes normals by the crease angle, if the node says one and has no normals. The exporters of CAD programs leave the
 * field out for round parts, too: then writers take their own angle, as for all meshes without normals. Worlds of our
 * own have normals wherever something is curved. */
static cp_status make_normals(struct wrl *wrl, const struct set *set, cp_mesh *mesh)
{
    if (set->least < 3 || mesh->normals || wrl->is_own || !wrl_value(set->node, "creaseAngle"))
        return CP_OK;
    return mesh_smooth_as_said(wrl->scene, mesh, wrl_number(set->node, "creaseAngle", 0));
}

/* Makes the mesh of a set whose points and lists are known. */
static cp_status make_mesh(struct wrl *wrl, struct wrl_look *look, struct set *set, cp_mesh *mesh)
{
    count_faces(set);
    wrl_tell(wrl, WRL_TOLD_FACES, set->missing, wrl_place(set->node));
    wrl_tell(wrl, WRL_TOLD_SMALL, set->small, wrl_place(set->node));
    cp_status status = wrl_check_size(wrl, set->node, set->corner_count);
    if (status == CP_OK && set->face_count == 0)
        return CP_NO;
    for (int k = 0; k < LISTS && status == CP_OK; k++)
        status = check_list(wrl, set, k);
    if (status != CP_OK)
        return status;
    look->coloured = set->lists[COLOURS].values != NULL;
    mesh->kind = set->least == 3 ? CP_MESH_FACES : CP_MESH_LINES;
    mesh->face_count = set->face_count;
    mesh->corner_count = set->corner_count;
    mesh->face_offsets =
        set->all_triangles ? NULL : scene_allocate(wrl->scene, set->face_count + (size_t)1, sizeof(uint32_t));
    if (!mesh->face_offsets && !set->all_triangles)
        return CP_LIMIT;
    status = needs_split(set) ? make_split(wrl, look, set, mesh) : make_plain(wrl, look, set, mesh);
    if (status == CP_OK && look->texture && !mesh->coordinates[0] && set->least == 3 &&
        !make_coordinates(wrl, look, mesh))
        status = CP_LIMIT;
    return status == CP_OK ? make_normals(wrl, set, mesh) : status;
}

static bool find_points(struct wrl *wrl, struct set *set)
{
    static const struct wrl_value none = {.store = WRL_AS_INTEGERS};
    struct wrl_node *coord = wrl_child_of_kind(wrl, set->node, "coord", "Coordinate");
    const struct wrl_value *points = coord ? wrl_value(coord, "point") : NULL;
    set->corners = wrl_value(set->node, "coordIndex");
    if (!set->corners || set->corners->store != WRL_AS_INTEGERS)
        set->corners = &none;
    set->positions = points && points->store == WRL_AS_FLOATS ? points->floats : NULL;
    set->position_count = set->positions ? points->count / 3 : 0;
    return set->corners->count > 0;
}

cp_status wrl_make_faces(struct wrl *wrl, struct wrl_look *look, cp_mesh *mesh)
{
    struct set set = {.node = look->geometry, .least = 3, .is_reversed = !wrl_truth(look->geometry, "ccw", true)};
    if (!find_points(wrl, &set))
        return CP_NO;
    set.lists[COLOURS] = find_list(wrl, set.node, "color", "Color", "color", "colorIndex", "colorPerVertex");
    set.lists[NORMALS] = find_list(wrl, set.node, "normal", "Normal", "vector", "normalIndex", "normalPerVertex");
    if (look->texture)
        set.lists[COORDINATES] =
            find_list(wrl, set.node, "texCoord", "TextureCoordinate", "point", "texCoordIndex", NULL);
    return make_mesh(wrl, look, &set, mesh);
}

cp_status wrl_make_lines(struct wrl *wrl, struct wrl_look *look, cp_mesh *mesh)
{
    struct set set = {.node = look->geometry, .least = 2};
    if (!find_points(wrl, &set))
        return CP_NO;
    set.lists[COLOURS] = find_list(wrl, set.node, "color", "Color", "color", "colorIndex", "colorPerVertex");
    return make_mesh(wrl, look, &set, mesh);
}

cp_status wrl_make_indexed(struct wrl *wrl, struct wrl_look *look, const struct wrl_value *points,
                           const struct wrl_value *corners, const struct wrl_value *normals,
                           const struct wrl_value *coordinates, cp_mesh *mesh)
{
    struct set set = {.node = look->geometry,
                      .least = 3,
                      .is_reversed = !wrl_truth(look->geometry, "ccw", true),
                      .corners = corners,
                      .positions = points->floats,
                      .position_count = points->count / 3};
    for (uint32_t i = 0; i < points->count; i++)
        if (!isfinite(points->floats[i]))
            return report_error(wrl->context, CP_INPUT, "vrml97-pose", wrl_place(set.node),
                                "a point of the %.40s is out of range", set.node->type);
    if (wrl_is(set.node, "ElevationGrid")) {
        set.lists[COLOURS] = find_list(wrl, set.node, "color", "Color", "color", NULL, "colorPerVertex");
        set.lists[NORMALS] = find_list(wrl, set.node, "normal", "Normal", "vector", NULL, "normalPerVertex");
        if (look->texture)
            set.lists[COORDINATES] = find_list(wrl, set.node, "texCoord", "TextureCoordinate", "point", NULL, NULL);
    }
    if (normals)
        set.lists[NORMALS] = (struct face_list){.values = normals, .by_corner = true};
    if (look->texture && !set.lists[COORDINATES].values) {
        set.lists[COORDINATES].values = coordinates;
        set.lists[COORDINATES].by_corner = true;
    }
    return make_mesh(wrl, look, &set, mesh);
}
