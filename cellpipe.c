/* The library put together: the importers, exporters and filters that every context begins with. This is the one file
 * that knows them all; scene/ works with whatever tables it is handed. */
#include "exporters/exporters.h"

#include "base/context.h"
#include "filters/filters.h"
#include "importers/importers.h"
#include "plugins/registry.h"

/* The importers; if two probes are equally sure, the earlier importer reads the file. */
static const struct importer *const importers[] = {
    &stl_importer,
    &obj_importer,
    &tag_importer,
    &deneb_part_importer,
    &deneb_device_importer,
    &deneb_workcell_importer,
    &deneb_recording_importer,
    &urdf_importer,
    &rwxml_importer,
    &srdf_importer,
    &collision_setup_importer,
    &gltf_importer,
    &ply_importer,
    &off_importer,
    &tri_importer,
    &msh_importer,
    &dxf_importer,
    &threemf_importer,
    &amf_importer,
    &step_importer,
    &ac3d_importer,
    &collada_importer,
    &vrml97_importer,
    &assimp_importer,
    NULL,
};

/* The first whose suffix fits a path writes it. */
static const struct exporter *const exporters[] = {
    &glb_exporter,
    &gltf_exporter,
    &vrml97_exporter,
    &stl_exporter,
    &png_exporter,
    &mujoco_contacts_exporter, /* these two before the next, whose suffix is the end of theirs */
    &proximity_setup_exporter,
    &rwxml_exporter, /* before the next, whose suffix is the end of its own */
    &collision_setup_exporter,
    &srdf_exporter,
    &drake_filters_exporter,
    &dump_exporter,
    &csv_exporter,
    &jsonl_exporter,
    &deneb_recording_exporter,
    &html_exporter,
    &urdf_exporter,
    NULL,
};

static const struct filter *const filters[] = {
    &weld_filter,      &normals_filter,      &triangulate_filter,  &flatten_filter,   &select_filter, &pose_filter,
    &instances_filter, &split_meshes_filter, &merge_meshes_filter, &repair_filter,    &orient_filter, &simplify_filter,
    &lod_filter,       &exclude_filter,      &program_filter,      &recording_filter, &trace_filter,  NULL,
};

static const struct plugins plugins = {importers, exporters, filters, {"glb", "profile=stage", &gltf_importer}};

cp_context *cp_context_new(const cp_allocator *allocator)
{
    return context_new(allocator, &plugins);
}

static const struct plugins *plugins_of(const cp_context *context)
{
    return context ? context->plugins : &plugins;
}

size_t cp_plugin_count(const cp_context *context, cp_plugin_kind kind)
{
    return plugin_count(plugins_of(context), kind);
}

const char *cp_plugin_version(const cp_context *context, cp_plugin_kind kind, size_t index)
{
    return plugin_version(plugins_of(context), kind, index);
}

bool cp_plugin_at(const cp_context *context, cp_plugin_kind kind, size_t index, cp_plugin_info *info)
{
    return plugin_info(plugins_of(context), kind, index, info);
}

bool cp_plugin_option(const cp_context *context, cp_plugin_kind kind, size_t index, size_t option, cp_option_info *info)
{
    return plugin_option(plugins_of(context), kind, index, option, info);
}

size_t cp_exporter_of(const cp_context *context, const char *path)
{
    return exporter_of(plugins_of(context), path);
}
