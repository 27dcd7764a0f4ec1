/* Makes nodes of objects and groups, each with a mesh of its faces and one of its lines.
 *
 * If a mesh uses a whole range of the file's vertices, each with at most one normal and one pair of texture
 * coordinates, it gets that range as it is. Else its vertices come in the order of their use, and a vertex with several
 * normals becomes several. */
#include "obj.h"

#include "mesh/mesh.h"
#include "model/model.h"

/* A vertex of a mesh: one of the file with one of its normals and texture coordinates. */
struct pair {
    uint32_t vertex, normal, coordinates;
    uint32_t next; /* pair of the same vertex, or CP_NONE */
};

/* At most so many normals of a vertex are compared, so that time stays linear: further corners get vertices of their
 * own. */
enum { MOST_COMPARED = 64 };

#define UNUSED UINT32_MAX               /* mark of a vertex that the mesh has not met */
#define NO_NORMAL_MARK (UINT32_MAX - 1) /* mark of one without a normal */

/* The parts of which meshes are made, and the scene that they go to. */
struct obj_model {
    const struct obj_reader *reader;
    struct obj_vertices *vertices;
    struct obj_rows *rows;         /* of the vertices */
    struct obj_elements *elements; /* by list */
    const struct obj_names *names;
    cp_scene *scene;
    uint32_t *marks;            /* indexed by the file's vertex: UNUSED between meshes */
    uint32_t *coordinate_marks; /* the same for texture coordinates, if the file has some: only for vertices in use */
    uint64_t mended;            /* normals */
    struct obj_bare bare;
};

/* A mesh on its way. */
struct build {
    struct obj_model *model;
    enum obj_list list;
    const struct obj_section *section;
    cp_mesh mesh;
    double origin[3]; /* that of the mesh in the file's coordinates: not 0 if it is far */
    bool takes_all;   /* elements of the file */
    bool is_triangles;
    uint32_t *corners, *offsets;
    uint32_t *normals;        /* indexed by corner: the file's, or OBJ_NO_NORMAL; NULL when the mesh has none */
    uint32_t *coordinates;    /* the same */
    uint32_t lowest, highest; /* vertices of the file in use */
    struct pair *pairs;       /* indexed by the mesh's vertex; NULL: the file's from the lowest on */
    uint32_t pair_room;
};

/* ---- corners ---- */

/* Makes room for the section's elements. If it has all of the file's, it takes their arrays over. */
static bool make_room(struct build *build)
{
    struct obj_model *model = build->model;
    struct obj_elements *all = &model->elements[build->list];
    cp_mesh *mesh = &build->mesh;
    bool needs_normals = build->list == OBJ_FACES && all->normals.any && model->rows[OBJ_NORMALS].count > 0;
    bool needs_coordinates = build->list == OBJ_FACES && all->coordinates.any && model->rows[OBJ_COORDINATES].count > 0;
    build->takes_all = mesh->face_count == all->count; /* so its runs are all there are, in order */
    if (build->list == OBJ_LINES || all->has_polygons)
        build->offsets = scene_allocate(model->scene, (size_t)mesh->face_count + 1, sizeof *build->offsets);
    else
        build->is_triangles = true;
    if (build->takes_all)
        build->corners =
            scene_keep_array(model->scene, &all->vertices, &all->corner_room, all->corner_count, sizeof(uint32_t));
    else
        build->corners = scene_allocate(model->scene, mesh->corner_count, sizeof *build->corners);
    if (needs_normals)
        build->normals = memory_allocate(model->reader->context, mesh->corner_count, sizeof *build->normals);
    if (needs_coordinates)
        build->coordinates = memory_allocate(model->reader->context, mesh->corner_count, sizeof *build->coordinates);
    return build->corners && (build->offsets || build->is_triangles) && (build->normals || !needs_normals) &&
           (build->coordinates || !needs_coordinates);
}

/* Gathers the elements of the section, with the file's vertices and normals. */
static cp_status gather(struct build *build)
{
    const struct obj_model *model = build->model;
    const struct obj_elements *all = &model->elements[build->list];
    const struct obj_run *runs = model->names->runs[build->list].items;
    cp_mesh *mesh = &build->mesh;
    uint32_t group_count = 0, first_run = build->section->first[build->list];
    for (uint32_t i = first_run; i != CP_NONE; i = runs[i].next) {
        uint32_t first = runs[i].first, end = first + runs[i].count;
        mesh->face_count += runs[i].count;
        mesh->corner_count += all->ends[end - 1] - (first > 0 ? all->ends[first - 1] : 0);
        group_count++;
    }
    cp_group *group = scene_allocate(model->scene, group_count, sizeof *group);
    if (!group || !make_room(build))
        return CP_LIMIT;
    mesh->groups = group;
    mesh->corners = build->corners;

    uint32_t face = 0, corner = 0;
    bool has_material = false, triangles = build->list == OBJ_FACES;
    for (uint32_t i = first_run; i != CP_NONE; i = runs[i].next) {
        uint32_t first = runs[i].first, begin = first > 0 ? all->ends[first - 1] : 0;
        uint32_t size = all->ends[first + runs[i].count - 1] - begin;
        uint32_t material = runs[i].material == CP_NONE ? CP_NONE : model->names->materials[runs[i].material].added;
        has_material |= material != CP_NONE;
        *group++ = (cp_group){face, runs[i].count, material};
        for (uint32_t k = 0; k < runs[i].count && build->offsets; k++) {
            build->offsets[face + k + 1] = all->ends[first + k] - begin + corner;
            triangles &= build->offsets[face + k + 1] == 3 * (face + k + 1);
        }
        if (!build->takes_all)
            memcpy(build->corners + corner, all->vertices + begin, size * sizeof *build->corners);
        if (build->normals)
            memcpy(build->normals + corner, all->normals.items + begin, size * sizeof *build->normals);
        if (build->coordinates)
            memcpy(build->coordinates + corner, all->coordinates.items + begin, size * sizeof *build->coordinates);
        face += runs[i].count;
        corner += size;
    }
    if (build->offsets)
        build->offsets[0] = 0;
    mesh->face_offsets = triangles ? NULL : build->offsets;
    mesh->group_count = has_material ? group_count : 0;
    return CP_OK;
}

/* Drops the references of a mesh that has none at all. */
static void look_for_references(struct build *build, uint32_t **references)
{
    bool any = false;
    for (uint32_t i = 0; *references && i < build->mesh.corner_count && !any; i++)
        any = (*references)[i] != OBJ_NO_NORMAL;
    if (any || !*references)
        return;
    memory_free(build->model->reader->context, *references, build->mesh.corner_count, sizeof **references);
    *references = NULL;
}

/* ---- vertices ---- */

/* Marks each vertex with its normal and coordinates. True when the mesh uses a whole range, and each vertex has one of
 * each. */
static bool mark_range(struct build *build)
{
    uint32_t used = 0, count = build->mesh.corner_count;
    bool single = true;
    build->lowest = UINT32_MAX;
    build->highest = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t vertex = build->corners[i], *mark = &build->model->marks[vertex];
        uint32_t normal = build->normals && build->normals[i] != OBJ_NO_NORMAL ? build->normals[i] : NO_NORMAL_MARK;
        uint32_t coordinates = build->coordinates ? build->coordinates[i] : OBJ_NO_NORMAL;
        if (*mark == UNUSED) {
            *mark = normal;
            used++;
            if (build->coordinates)
                build->model->coordinate_marks[vertex] = coordinates;
        }
        single &= *mark == normal && (!build->coordinates || build->model->coordinate_marks[vertex] == coordinates);
        build->lowest = vertex < build->lowest ? vertex : build->lowest;
        build->highest = vertex > build->highest ? vertex : build->highest;
    }
    return single && used == build->highest - build->lowest + 1;
}

static void clear_marks(struct build *build)
{
    for (uint32_t i = 0; i < build->mesh.corner_count; i++)
        build->model->marks[build->corners[i]] = UNUSED;
}

/* Returns the number of the corner's vertex among the pairs, of which there are *count. */
static uint32_t find_pair(const struct build *build, uint32_t corner, uint32_t *count)
{
    struct pair *pairs = build->pairs;
    uint32_t vertex = build->corners[corner], normal = build->normals ? build->normals[corner] : OBJ_NO_NORMAL;
    uint32_t coordinates = build->coordinates ? build->coordinates[corner] : OBJ_NO_NORMAL;
    uint32_t *mark = &build->model->marks[vertex], at = *mark;
    for (int i = 0; i <= MOST_COMPARED && at != UNUSED; i++) {
        if (pairs[at].normal == normal && pairs[at].coordinates == coordinates)
            return at;
        at = pairs[at].next;
    }
    pairs[*count] = (struct pair){vertex, normal, coordinates, *mark};
    *mark = *count;
    return (*count)++;
}

static cp_status number_vertices(struct build *build)
{
    uint32_t count = 0, corner_count = build->mesh.corner_count;
    bool range = mark_range(build);
    if (range) {
        for (uint32_t i = 0; i < corner_count; i++)
            build->corners[i] -= build->lowest;
        build->mesh.vertex_count = build->highest - build->lowest + 1;
        return CP_OK;
    }
    clear_marks(build);
    for (uint32_t i = 0; i < corner_count; i++) {
        if (count == build->pair_room && !array_reserve(build->model->reader->context, &build->pairs, &build->pair_room,
                                                        (uint64_t)count + 1, sizeof *build->pairs))
            return CP_LIMIT;
        build->corners[i] = find_pair(build, i, &count);
    }
    for (uint32_t i = 0; i < count; i++)
        build->model->marks[build->pairs[i].vertex] = UNUSED;
    build->mesh.vertex_count = count;
    return CP_OK;
}

static uint32_t vertex_of(const struct build *build, uint32_t index)
{
    return build->pairs ? build->pairs[index].vertex : build->lowest + index;
}

static uint32_t normal_of(const struct build *build, uint32_t index)
{
    uint32_t normal = build->pairs ? build->pairs[index].normal : build->model->marks[build->lowest + index];
    return normal < build->model->rows[OBJ_NORMALS].count ? normal : OBJ_NO_NORMAL;
}

static cp_status copy_positions(struct build *build)
{
    struct obj_model *model = build->model;
    const float *from = model->rows[OBJ_POSITIONS].items;
    uint32_t count = build->mesh.vertex_count;
    if (build->takes_all && !build->pairs && count == model->rows[OBJ_POSITIONS].count &&
        model->elements[OBJ_LISTS - 1 - build->list].count == 0) { /* nobody else needs them */
        build->mesh.positions = scene_keep_array(model->scene, &model->rows[OBJ_POSITIONS].items,
                                                 &model->rows[OBJ_POSITIONS].room, count, 3 * sizeof *from);
        return build->mesh.positions ? CP_OK : CP_LIMIT;
    }
    float *positions = scene_allocate(model->scene, count, 3 * sizeof *positions);
    if (!positions)
        return CP_LIMIT;
    if (!build->pairs)
        memcpy(positions, from + 3 * (size_t)build->lowest, 3 * sizeof *positions * build->mesh.vertex_count);
    for (uint32_t i = 0; build->pairs && i < build->mesh.vertex_count; i++)
        memcpy(positions + 3 * (size_t)i, from + 3 * (size_t)build->pairs[i].vertex, 3 * sizeof *positions);
    build->mesh.positions = positions;
    return CP_OK;
}

/* Reads the coordinates of a mesh far from the origin again from the text, from an origin of its own. */
static cp_status move_near(struct build *build)
{
    struct obj_model *model = build->model;
    uint32_t count = build->mesh.vertex_count;
    if (!find_far_origin(build->mesh.positions, count, build->origin))
        return CP_OK;
    float *positions = scene_allocate(model->scene, count, 3 * sizeof *positions);
    cp_status status = !positions                ? CP_LIMIT
                       : model->vertices->places ? CP_OK
                                                 : obj_read_places(model->reader, model->vertices);
    for (uint32_t i = 0; status == CP_OK && i < count; i++) {
        const double *place = model->vertices->places + 3 * (size_t)vertex_of(build, i);
        for (size_t axis = 0; axis < 3; axis++)
            positions[3 * (size_t)i + axis] = near_origin(place[axis], build->origin[axis]);
    }
    build->mesh.positions = positions;
    return status;
}

/* Copies the file's colours, which are linear already. */
static cp_status copy_colours(struct build *build)
{
    if (build->model->rows[OBJ_COLOURS].count == 0)
        return CP_OK;
    float *colours = scene_allocate(build->model->scene, build->mesh.vertex_count, 4 * sizeof *colours);
    for (uint32_t i = 0; colours && i < build->mesh.vertex_count; i++)
        memcpy(colours + 4 * (size_t)i, build->model->rows[OBJ_COLOURS].items + 4 * (size_t)vertex_of(build, i),
               4 * sizeof *colours);
    build->mesh.colours = colours;
    return colours ? CP_OK : CP_LIMIT;
}

/* ---- normals ---- */

/* Copies normals; a corner without one gets one without direction, which is mended later. */
static cp_status copy_normals(struct build *build)
{
    static const float none[3] = {0};
    if (!build->normals)
        return CP_OK;
    float *normals = scene_allocate(build->model->scene, build->mesh.vertex_count, 3 * sizeof *normals);
    for (uint32_t i = 0; normals && i < build->mesh.vertex_count; i++) {
        uint32_t normal = normal_of(build, i);
        const float *from = normal == OBJ_NO_NORMAL ? none : build->model->rows[OBJ_NORMALS].items + 3 * (size_t)normal;
        memcpy(normals + 3 * (size_t)i, from, 3 * sizeof *normals);
    }
    build->mesh.normals = normals;
    uint64_t mended;
    cp_status status =
        normals ? mesh_mend_normals(build->model->reader->context, &build->mesh, normals, &mended) : CP_LIMIT;
    if (status == CP_OK)
        build->model->mended += mended;
    return status;
}

/* ---- texture coordinates ---- */

/* Copies coordinates; a corner without some has the image's upper left corner. */
static cp_status copy_coordinates(struct build *build)
{
    static const float none[2] = {0};
    if (!build->coordinates)
        return CP_OK;
    float *coordinates = scene_allocate(build->model->scene, build->mesh.vertex_count, 2 * sizeof *coordinates);
    for (uint32_t i = 0; coordinates && i < build->mesh.vertex_count; i++) {
        uint32_t row = build->pairs ? build->pairs[i].coordinates : build->model->coordinate_marks[build->lowest + i];
        const float *from = row == OBJ_NO_NORMAL ? none : build->model->rows[OBJ_COORDINATES].items + 2 * (size_t)row;
        memcpy(coordinates + 2 * (size_t)i, from, 2 * sizeof *coordinates);
    }
    build->mesh.coordinates[0] = coordinates;
    if (!coordinates)
        return CP_LIMIT;
    return obj_part_bare(&build->model->bare, build->model->scene, build->coordinates, &build->mesh);
}

/* ---- meshes and nodes ---- */

static cp_status fill_mesh(struct build *build)
{
    cp_status status = gather(build);
    if (status != CP_OK)
        return status;
    look_for_references(build, &build->normals);
    look_for_references(build, &build->coordinates);
    static cp_status (*const steps[])(struct build *) = {number_vertices, copy_positions, move_near,
                                                         copy_colours,    copy_normals,   copy_coordinates};
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == CP_OK; i++)
        status = steps[i](build);
    return status;
}

/* Adds a mesh of the section's faces or lines, at its node. */
static cp_status add_mesh(struct obj_model *model, const struct obj_section *section, enum obj_list list, uint32_t node)
{
    cp_context *context = model->reader->context;
    cp_scene *scene = model->scene;
    struct build build = {.model = model, .list = list, .section = section};
    build.mesh = (cp_mesh){.name = scene->nodes[node].name,
                           .source = scene->source.file,
                           .kind = list == OBJ_FACES ? CP_MESH_FACES : CP_MESH_LINES};
    cp_status status = fill_mesh(&build);
    if (status == CP_OK && !build.pairs)
        memset(model->marks + build.lowest, 0xff, build.mesh.vertex_count * sizeof *model->marks);
    memory_free(context, build.pairs, build.pair_room, sizeof *build.pairs);
    memory_free(context, build.normals, build.mesh.corner_count, sizeof *build.normals);
    memory_free(context, build.coordinates, build.mesh.corner_count, sizeof *build.coordinates);
    if (status != CP_OK)
        return status;
    return mesh_file_place(scene, node, scene_add_mesh(scene, &build.mesh), build.origin) ? CP_OK : CP_LIMIT;
}

static bool has_elements(const struct obj_section *section)
{
    return section->first[OBJ_FACES] != CP_NONE || section->first[OBJ_LINES] != CP_NONE;
}

/* Adds a node with the contents of the section. The section of the file has the file's name. */
static cp_status add_section(struct obj_model *model, uint32_t number, uint32_t parent, uint32_t *node)
{
    const struct obj_section *section = &model->names->sections[number];
    size_t size = section->size;
    const char *name = number > 0 ? section->name : text_stem(model->reader->source->name, &size);
    *node = mesh_file_add_node(model->scene, parent, name, size, "object");
    cp_status status = *node == CP_NONE ? CP_LIMIT : CP_OK;
    for (enum obj_list list = 0; list < OBJ_LISTS && status == CP_OK; list++)
        if (section->first[list] != CP_NONE)
            status = add_mesh(model, section, list, *node);
    return status;
}

/* Adds an object and its groups, unless they are empty. */
static cp_status add_object(struct obj_model *model, uint32_t number)
{
    const struct obj_section *sections = model->names->sections;
    uint32_t node = 0, below;
    bool needed = has_elements(&sections[number]);
    for (uint32_t i = sections[number].group; i != CP_NONE && number > 0 && !needed; i = sections[i].group)
        needed = has_elements(&sections[i]);
    cp_status status = needed ? add_section(model, number, 0, &node) : CP_OK;
    uint32_t parent = number > 0 ? node : 0; /* groups of no object are below the world */
    for (uint32_t i = sections[number].group; i != CP_NONE && status == CP_OK; i = sections[i].group)
        if (has_elements(&sections[i]))
            status = add_section(model, i, parent, &below);
    return status;
}

cp_status obj_add_sections(const struct obj_reader *reader, cp_scene *scene, struct obj_vertices *vertices,
                           struct obj_elements elements[OBJ_LISTS], const struct obj_names *names)
{
    uint32_t count = vertices->rows[OBJ_POSITIONS].count;
    size_t mark_count = (vertices->rows[OBJ_COORDINATES].count > 0 ? (size_t)2 : 1) * count;
    uint32_t *marks = memory_allocate(reader->context, mark_count, sizeof *marks);
    struct obj_model model = {.reader = reader,
                              .vertices = vertices,
                              .rows = vertices->rows,
                              .elements = elements,
                              .names = names,
                              .scene = scene,
                              .marks = marks,
                              .bare = {.context = reader->context}};
    cp_status status = marks ? CP_OK : CP_LIMIT;
    if (marks) {
        memset(marks, 0xff, count * sizeof *marks);
        model.coordinate_marks = marks + count; /* room only if the file has coordinates */
    }
    for (uint32_t i = 0; i != CP_NONE && status == CP_OK; i = names->sections[i].next_object)
        status = add_object(&model, i);
    memory_free(reader->context, marks, mark_count, sizeof *marks);
    obj_report_bare(reader, &model.bare);
    if (status == CP_OK && model.mended > 0)
        status = report_lenient(
            reader->context, reader->settings->import.strict, "obj-normals", IN_FILE(reader->source->name),
            "normals without direction or missing, made from the faces around: %llu", (unsigned long long)model.mended);
    return status;
}
