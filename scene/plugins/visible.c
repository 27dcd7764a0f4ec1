/* Warns of surfaces that nobody would see. A file that makes a surface invisible is believed, with a warning, unless
 * the programs that write its format are known to mean opaque by the same statement. */
#include "importer.h"

/* The alpha below which a surface counts as invisible: it changes a pixel of 8 bits by at most 5 steps of 255. */
static const double least_alpha = 0.02;

/* Who writes the statement for an opaque surface:
 *   MTL `Tr 1`: MeshLab and 3ds Max write the opacity as Tr. Files that mean 1 - opacity have `d` beside it.
 *   3MF: CAD programs write the colours of base materials as RGBA, and leave the alpha 0.
 *   COLLADA: Blender 2.49, PhysX Rocket, VCGLib (MeshLab), FCollada and SketchUp 6 write how transparent the surface
 * is, so 0 for opaque, where COLLADA 1.4.1 multiplies the alpha by it.
 *   AMF: the standard has a transparency in <a>, programs write an opacity. */
static const struct {
    const char *code, *what;
} rules[] = {
    [OPAQUE_MTL_TR] = {"obj-transparent", "materials with \"Tr 1\" and without \"d\""},
    [OPAQUE_3MF_BASE] = {"3mf-transparent", "base materials whose colour has an alpha of 0"},
    [OPAQUE_COLLADA_TRANSPARENCY] = {"collada-transparent", "materials that their transparency makes invisible"},
    [OPAQUE_AMF] = {"amf-transparent", "colours with an <a> of 0"},
};

void report_opaque(cp_context *context, enum opaque_rule rule, struct place place, uint64_t count)
{
    if (count > 0)
        report_warning(context, rules[rule].code, place, "%s would not be seen and are opaque: %llu", rules[rule].what,
                       (unsigned long long)count);
}

/* Returns the largest alpha of the vertices of the faces. */
static double vertex_alpha(const cp_mesh *mesh, uint32_t first, uint32_t count)
{
    float most = 0;
    for (uint32_t i = mesh_face_first(mesh, first); i < mesh_face_first(mesh, first + count); i++) {
        float alpha = mesh->colours[4 * (size_t)mesh->corners[i] + 3];
        most = alpha > most ? alpha : most;
    }
    return (double)most;
}

/* Tells whether the group can be seen. The alpha of images, which are not decoded, is not counted; it could only lower
 * the result. */
static bool is_seen(const cp_scene *scene, const cp_mesh *mesh, const cp_group *group)
{
    const cp_material *material = group->material == CP_NONE ? NULL : &scene->materials[group->material];
    cp_alpha_mode mode = material ? material->alpha : CP_ALPHA_BLEND;
    double alpha = material ? material->rgba[3] : 1, least = least_alpha;
    if (mode == CP_ALPHA_MASK)
        least = material->cutoff;
    if (mode == CP_ALPHA_OPAQUE)
        return true;
    if (alpha >= least && mesh->colours)
        alpha *= vertex_alpha(mesh, group->first_face, group->face_count);
    return alpha >= least;
}

enum { SEEN = 1, UNSEEN = 2 };

/* Marks the material of the group, or `bare` if it has none. */
static void mark_group(const cp_scene *scene, const cp_mesh *mesh, const cp_group *group, unsigned char *materials,
                       unsigned char *bare)
{
    unsigned char *mark = group->material == CP_NONE ? bare : &materials[group->material];
    bool has_faces = group->face_count > 0 || mesh->kind >= CP_MESH_BOX;
    if (has_faces && *mark != (SEEN | UNSEEN))
        *mark |= is_seen(scene, mesh, group) ? SEEN : UNSEEN;
}

bool report_invisible(cp_context *context, const cp_scene *scene)
{
    unsigned char *materials = memory_allocate_zeroed(context, scene->material_count + (size_t)1, 1);
    bool *drawn = memory_allocate_zeroed(context, scene->mesh_count + (size_t)1, sizeof *drawn);
    bool done = materials && drawn;
    for (uint32_t i = 0; done && i < scene->instance_count; i++)
        drawn[scene->instances[i].mesh] |= (scene->instances[i].use & CP_USE_DRAWN) != 0;

    unsigned char all = 0;
    uint64_t meshes = 0; /* without a material, invisible by the colours of their vertices */
    for (uint32_t i = 0; done && i < scene->mesh_count; i++) {
        const cp_mesh *mesh = &scene->meshes[i];
        unsigned char bare = 0;
        const cp_group whole = {0, mesh->face_count, CP_NONE};
        for (uint32_t k = 0; drawn[i] && k < mesh->group_count; k++)
            mark_group(scene, mesh, &mesh->groups[k], materials, &bare);
        if (drawn[i] && mesh->group_count == 0)
            mark_group(scene, mesh, &whole, materials, &bare);
        meshes += bare == UNSEEN;
        all |= bare;
    }
    uint64_t count = 0;
    uint32_t first = 0;
    for (uint32_t i = 0; done && i < scene->material_count; i++) {
        first = materials[i] == UNSEEN && count == 0 ? i : first;
        count += materials[i] == UNSEEN;
        all |= materials[i];
    }
    if (all == UNSEEN)
        report_warning(context, "nothing-visible", NOWHERE,
                       "nobody sees what is drawn: all of it has an alpha below %g, or below the cutoff of a mask",
                       least_alpha);
    else if (count > 0)
        report_warning(context, "invisible-material", NOWHERE,
                       "materials with an alpha below %g, or below the cutoff of a mask, whose faces nobody sees: "
                       "%llu, the first is \"%s\"",
                       least_alpha, (unsigned long long)count, scene->materials[first].name);
    if (all != UNSEEN && meshes > 0)
        report_warning(context, "invisible-material", NOWHERE,
                       "meshes with vertex colours of an alpha below %g, which nobody sees: %llu", least_alpha,
                       (unsigned long long)meshes);
    memory_free(context, materials, scene->material_count + (size_t)1, 1);
    memory_free(context, drawn, scene->mesh_count + (size_t)1, sizeof *drawn);
    return done;
}
