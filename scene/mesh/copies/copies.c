/* First a hash of all their contents finds equal meshes. Among the others, fingerprints that a motion does not change
 * find lookalikes. A mesh counts as a copy only after every vertex and face has been compared, whatever hashes and
 * fingerprints say. */
#include "copies.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "mesh/mesh.h"
#include "model/model.h"
#include "motion/motion.h"

struct search {
    cp_context *context;
    const cp_scene *scene;
    const struct copies_settings *settings;
    struct mesh_copy *copies;
    uint32_t *materials; /* one for each: the first that is equal */
    double *stretches;   /* indexed by mesh: the scale of its own and its equals' instances; -1: nobody shows it */
    uint64_t *hashes;    /* one for each mesh, of its content */
    uint32_t unfinished;
};

/* ---- materials and places ---- */

/* Returns a text of all that a material says. */
static char *material_key(struct arena *arena, const cp_material *m)
{
    char *key = arena_print(arena, "%a %a %a %a %d %d %d %a %a %a %a %a %d %a", m->rgba[0], m->rgba[1], m->rgba[2],
                            m->rgba[3], m->srgb, m->two_sided, m->one_sided, m->metallic, m->roughness, m->emissive[0],
                            m->emissive[1], m->emissive[2], m->alpha, m->cutoff);
    for (uint32_t i = 0; key && i < m->texture_count; i++) {
        const cp_texture_use *use = &m->textures[i];
        key = arena_print(arena, "%s %s %d %u %u %a %a %a %a %a %a", key, use->place ? use->place : "", use->role,
                          (unsigned)use->texture, (unsigned)use->set, use->strength, use->offset[0], use->offset[1],
                          use->rotation, use->scale[0], use->scale[1]);
    }
    return key ? arena_print(arena, "%s %s %s", key, m->extensions ? m->extensions : "", m->name) : NULL;
}

/* Finds materials that say the same. Those with metadata stay apart, since the metadata would be lost. */
static cp_status find_materials(const struct search *search)
{
    const cp_scene *scene = search->scene;
    struct arena *arena = arena_new(search->context);
    struct name_map seen = {.context = search->context};
    cp_status status = arena ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < scene->material_count && status == CP_OK; i++) {
        const cp_material *m = &scene->materials[i];
        char *key = material_key(arena, m);
        const uint32_t *first = key ? name_map_add(&seen, key, i, NULL) : NULL;
        if (first)
            search->materials[i] = *first;
        else
            status = CP_LIMIT;
    }
    name_map_free(&seen);
    arena_free(arena);
    for (uint32_t i = 0; i < scene->metadata_count && status == CP_OK; i++)
        if (scene->metadata[i].owner == CP_OWNER_MATERIAL)
            search->materials[scene->metadata[i].index] = scene->metadata[i].index;
    return status;
}

static cp_status find_stretches(const struct search *search)
{
    const cp_scene *scene = search->scene;
    cp_pose *worlds = memory_allocate(search->context, scene->node_count, sizeof *worlds);
    cp_status status = worlds ? scene_world_poses(search->context, scene, NULL, worlds) : CP_LIMIT;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        search->stretches[i] = -1;
    for (uint32_t i = 0; i < scene->instance_count && status == CP_OK; i++) {
        const cp_instance *instance = &scene->instances[i];
        cp_pose pose = pose_multiply(&worlds[instance->node], &instance->transform);
        double *stretch = &search->stretches[instance->mesh];
        *stretch = fmax(*stretch, pose_stretch_bound(&pose));
    }
    memory_free(search->context, worlds, scene->node_count, sizeof *worlds);
    return status;
}

/* ---- equal meshes ---- */

static bool same_bytes(const void *a, const void *b, size_t count, size_t size)
{
    return a == b || (a && b && (count == 0 || memcmp(a, b, count * size) == 0));
}

/* Compares all but positions, normals and tangents. */
static bool same_faces(const struct search *search, const cp_mesh *a, const cp_mesh *b)
{
    if (a->kind != b->kind || a->vertex_count != b->vertex_count || a->face_count != b->face_count ||
        a->corner_count != b->corner_count || a->group_count != b->group_count || !a->normals != !b->normals ||
        !a->tangents != !b->tangents ||
        !same_bytes(a->face_offsets, b->face_offsets, (size_t)a->face_count + 1, sizeof *a->face_offsets) ||
        !same_bytes(a->corners, b->corners, a->corner_count, sizeof *a->corners))
        return false;
    for (size_t i = ARRAY_COLOURS; i < ARRAY_COUNT; i++)
        if (!same_bytes(mesh_array(a, i), mesh_array(b, i), a->vertex_count, vertex_arrays[i].width * sizeof(float)))
            return false;
    for (uint32_t i = 0; i < a->group_count; i++) {
        uint32_t p = a->groups[i].material, q = b->groups[i].material;
        bool same = p == q || (p != CP_NONE && q != CP_NONE && search->materials[p] == search->materials[q]);
        if (!same || a->groups[i].face_count != b->groups[i].face_count)
            return false;
    }
    return true;
}

static bool same_mesh(const struct search *search, const cp_mesh *a, const cp_mesh *b)
{
    return same_faces(search, a, b) && a->sides == b->sides && memcmp(a->size, b->size, sizeof a->size) == 0 &&
           same_bytes(a->positions, b->positions, a->vertex_count, 3 * sizeof *a->positions) &&
           same_bytes(a->normals, b->normals, a->vertex_count, 3 * sizeof *a->normals) &&
           same_bytes(a->tangents, b->tangents, a->vertex_count, 4 * sizeof *a->tangents);
}

static uint64_t hash_array(const struct search *search, uint64_t before, const void *array, size_t count, size_t size)
{
    const uint64_t pair[2] = {before, array ? hash_bytes(search->context, array, count * size) : 1};
    return hash_bytes(search->context, pair, sizeof pair);
}

static uint64_t hash_mesh(const struct search *search, const cp_mesh *mesh)
{
    const uint32_t counts[] = {mesh->kind,       mesh->sides,        mesh->vertex_count,
                               mesh->face_count, mesh->corner_count, mesh->group_count};
    uint64_t hash = hash_array(search, 0, counts, sizeof counts, 1);
    hash = hash_array(search, hash, mesh->size, 3, sizeof *mesh->size);
    for (size_t i = 0; i < ARRAY_COUNT; i++)
        hash =
            hash_array(search, hash, mesh_array(mesh, i), mesh->vertex_count, vertex_arrays[i].width * sizeof(float));
    hash = hash_array(search, hash, mesh->corners, mesh->corner_count, sizeof *mesh->corners);
    hash = hash_array(search, hash, mesh->face_offsets, (size_t)mesh->face_count + 1, sizeof *mesh->face_offsets);
    for (uint32_t i = 0; i < mesh->group_count; i++) {
        uint32_t material = mesh->groups[i].material;
        const uint32_t group[] = {mesh->groups[i].face_count,
                                  material == CP_NONE ? CP_NONE : search->materials[material]};
        hash = hash_array(search, hash, group, sizeof group, 1);
    }
    return hash;
}

static cp_status find_equal(const struct search *search)
{
    const cp_mesh *meshes = search->scene->meshes;
    uint32_t count = search->scene->mesh_count;
    size_t slot_count = 64;
    while (slot_count < 2 * (uint64_t)count)
        slot_count *= 2;
    uint32_t *slots = memory_allocate(search->context, slot_count, sizeof *slots);
    if (!slots)
        return CP_LIMIT;
    memset(slots, 0xff, slot_count * sizeof *slots);
    for (uint32_t i = 0; i < count; i++) {
        search->copies[i] = (struct mesh_copy){.leader = i, .motion = POSE_IDENTITY};
        if (search->stretches[i] < 0)
            continue;
        search->hashes[i] = hash_mesh(search, &meshes[i]);
        /* Find the slot of an equal mesh, or a free one. The hash has a secret seed, so that no file can fill one slot
         * with many meshes. */
        size_t at = (size_t)search->hashes[i] & (slot_count - 1);
        while (slots[at] != CP_NONE &&
               (search->hashes[slots[at]] != search->hashes[i] || !same_mesh(search, &meshes[slots[at]], &meshes[i])))
            at = (at + 1) & (slot_count - 1);
        uint32_t leader = slots[at] == CP_NONE ? i : slots[at];
        slots[at] = leader;
        search->copies[i].leader = leader;
        search->stretches[leader] = fmax(search->stretches[leader], search->stretches[i]);
    }
    memory_free(search->context, slots, slot_count, sizeof *slots);
    return CP_OK;
}

/* ---- moved meshes ---- */

/* Returns how far the vertices of one mesh may be off, in its own unit. The user's tolerance counts, but a tenth of the
 * diameter is the most: a mesh that is shown tiny now may be shown large at other joint values. */
static double own_tolerance(const struct search *search, const struct fingerprint *print)
{
    if (search->settings->tolerance > 0)
        return fmin(search->settings->tolerance / search->stretches[print->mesh],
                    0.2 * print->values[FINGERPRINT_LARGEST]);
    return fingerprint_tolerance(print);
}

static double pair_tolerance(const struct search *search, const struct fingerprint *leader,
                             const struct fingerprint *copy)
{
    double size = search->settings->scaled && leader->radius > 0 ? copy->radius / leader->radius : 1;
    if (search->settings->tolerance > 0)
        return copy->tolerance;
    return fmin(leader->tolerance * size + copy->tolerance, 2e-3 * copy->values[FINGERPRINT_LARGEST]);
}

/* Compares meshes with the same order of vertices and faces: usually one export, placed many times. */
static bool match_in_order(const struct search *search, const cp_mesh *from, const cp_mesh *to, double tolerance,
                           struct mesh_copy *copy)
{
    if (!same_faces(search, from, to))
        return false;
    const struct point_pairs pairs = {from->positions, to->positions, NULL, from->vertex_count};
    if (!align_points(&pairs, false, search->settings->scaled, tolerance, &copy->motion, &copy->displaced))
        return false;
    double matrix[3][3];
    mesh_normal_matrix(&copy->motion, matrix);
    for (size_t i = 0; from->normals && i < from->vertex_count; i++)
        if (!mesh_directions_agree(&copy->motion, (const double(*)[3])matrix, from, i, to, i))
            return false;
    return true;
}

/* A mesh is compared with at most so many leaders of a cluster. Real parts seldom have two. */
enum { MOST_LEADERS = 64, MOST_REORDERED = 8 };

struct leaders {
    uint32_t list[MOST_LEADERS]; /* indices of fingerprints */
    uint32_t count;
    bool more;
};

/* Decides whether a mesh is a moved copy of one of the leaders. */
static cp_status match_leaders(struct search *search, const struct fingerprint *prints, const struct leaders *leaders,
                               const struct fingerprint *print)
{
    const cp_mesh *meshes = search->scene->meshes;
    struct mesh_copy copy = {.moved = true};
    bool found = false, given_up = leaders->more;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < leaders->count && !found; i++) {
        const struct fingerprint *leader = &prints[leaders->list[i]];
        copy.leader = leader->mesh;
        found = match_in_order(search, &meshes[leader->mesh], &meshes[print->mesh],
                               pair_tolerance(search, leader, print), &copy);
    }
    for (uint32_t i = 0; i < leaders->count && i < MOST_REORDERED && !found && status == CP_OK; i++) {
        const struct fingerprint *leader = &prints[leaders->list[i]];
        struct reorder_search reorder = {.context = search->context,
                                         .from = &meshes[leader->mesh],
                                         .to = &meshes[print->mesh],
                                         .materials = search->materials,
                                         .tolerance = pair_tolerance(search, leader, print),
                                         .scaled = search->settings->scaled};
        copy.leader = leader->mesh;
        if (search->settings->reordered)
            status = reorder_match(&reorder, &copy.motion, &copy.displaced, &found);
        reorder.mirrored = true;
        if (search->settings->mirrored && status == CP_OK && !found)
            status = reorder_match(&reorder, &copy.motion, &copy.displaced, &found);
        given_up = given_up || reorder.given_up;
    }
    copy.displaced *= search->stretches[print->mesh];
    if (found)
        search->copies[print->mesh] = copy;
    else
        search->unfinished += given_up;
    return status;
}

static cp_status find_moved(struct search *search)
{
    const cp_scene *scene = search->scene;
    uint32_t count = 0;
    struct fingerprint *prints = memory_allocate(search->context, scene->mesh_count, sizeof *prints);
    if (!prints)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        const cp_mesh *mesh = &scene->meshes[i];
        if (search->stretches[i] < 0 || search->copies[i].leader != i || mesh->kind >= CP_MESH_BOX ||
            mesh->vertex_count == 0)
            continue;
        struct fingerprint *print = &prints[count++];
        *print = fingerprint_find(&(struct placed_mesh){mesh, POSE_IDENTITY}, 1, search->materials, NULL);
        print->mesh = i;
        print->tolerance = own_tolerance(search, print);
    }
    bool good = fingerprint_cluster(search->context, prints, count, FINGERPRINT_LENGTHS, search->settings->scaled);
    cp_status status = good ? CP_OK : CP_LIMIT;
    /* Each mesh, in order, joins the first leader of its cluster that it is a copy of; else it becomes a leader
     * itself. */
    struct leaders leaders = {.count = 0};
    for (uint32_t i = 0; i < count && status == CP_OK; i++) {
        if (i > 0 && prints[i].cluster != prints[i - 1].cluster)
            leaders = (struct leaders){.count = 0};
        status = match_leaders(search, prints, &leaders, &prints[i]);
        if (search->copies[prints[i].mesh].moved)
            continue;
        if (leaders.count < MOST_LEADERS)
            leaders.list[leaders.count++] = i;
        else
            leaders.more = true;
    }
    memory_free(search->context, prints, scene->mesh_count, sizeof *prints);
    return status;
}

/* ---- all of it ---- */

cp_status find_copies(const cp_scene *scene, const struct copies_settings *settings, struct mesh_copy *copies,
                      uint32_t *unfinished)
{
    cp_context *context = scene->context;
    struct search search = {.context = context, .scene = scene, .settings = settings, .copies = copies};
    struct arena *scratch = arena_new(context);
    search.materials = arena_allocate(scratch, scene->material_count, sizeof *search.materials);
    search.stretches = arena_allocate(scratch, scene->mesh_count, sizeof *search.stretches);
    search.hashes = arena_allocate(scratch, scene->mesh_count, sizeof *search.hashes);
    cp_status status = search.materials && search.stretches && search.hashes ? find_materials(&search) : CP_LIMIT;
    if (status == CP_OK)
        status = find_stretches(&search);
    if (status == CP_OK)
        status = find_equal(&search);
    if (status == CP_OK && settings->moved)
        status = find_moved(&search);
    /* A mesh that is equal to a moved copy is a moved copy, too. */
    for (uint32_t i = 0; i < scene->mesh_count && status == CP_OK; i++)
        if (copies[copies[i].leader].leader != copies[i].leader)
            copies[i] = copies[copies[i].leader];
    arena_free(scratch);
    *unfinished = search.unfinished;
    return status;
}

uint64_t cp_mesh_bytes(const cp_mesh *mesh)
{
    uint64_t vertex = 0;
    for (size_t i = 0; i < ARRAY_COUNT; i++)
        vertex += mesh_array(mesh, i) ? sizeof(float) * vertex_arrays[i].width : 0;
    uint64_t offsets = mesh->face_offsets ? sizeof(uint32_t) * ((uint64_t)mesh->face_count + 1) : 0;
    return vertex * mesh->vertex_count + offsets + sizeof(uint32_t) * (uint64_t)mesh->corner_count +
           sizeof(cp_group) * (uint64_t)mesh->group_count;
}

cp_status cp_equal_meshes(cp_context *context, const cp_scene *scene, uint32_t *first)
{
    const struct copies_settings settings = {.moved = false};
    struct mesh_copy *copies = memory_allocate(context, scene->mesh_count, sizeof *copies);
    uint32_t unfinished;
    cp_status status = copies ? find_copies(scene, &settings, copies, &unfinished) : CP_LIMIT;
    for (uint32_t i = 0; status == CP_OK && i < scene->mesh_count; i++)
        first[i] = copies[i].leader;
    memory_free(context, copies, scene->mesh_count, sizeof *copies);
    return context_finish(context, status);
}
