/* Further files: those that a document includes, YAML, and the folders of packages. */
#include "expand.h"

#include "yaml.h"

static const struct xml_codes codes = XML_CODES("xacro");

cp_status xacro_find_folder(struct xacro *xacro, const char *path, const char **folder)
{
    cp_status status = path_absolute(xacro->context, xacro->arena, path, folder);
    if (status == CP_NO)
        return report_error(xacro->context, CP_INPUT, "xacro-folder", xml_node_place(xacro->at),
                            "the folder %.200s is not there", path);
    return status;
}

cp_status xacro_find_package(struct xacro *xacro, const char *name, const char **folder)
{
    const char *found;
    cp_status status = source_find_package(xacro->file, name, &found);
    if (status == CP_OK && !found)
        return report_error(xacro->context, CP_INPUT, "xacro-package", xml_node_place(xacro->at),
                            "$(find %.100s): no package.xml of that name is above, beside or below the folder of %s, "
                            "nor in the folders of --include, ROS_PACKAGE_PATH and AMENT_PREFIX_PATH "
                            "(--package %.100s=DIR says where it is)",
                            name, xacro->file->name, name);
    return status == CP_OK ? xacro_find_folder(xacro, found, folder) : status;
}

/* Opens a further file. CP_NO if it is not there. */
static cp_status open_file(struct xacro *xacro, const char *path, struct source **opened)
{
    *opened = NULL;
    return *path ? source_open(xacro->file, path, opened) : CP_NO;
}

/* ---- <xacro:include> ---- */

/* Expands a file that is open, in the scope of now. */
static cp_status expand_file(struct xacro *xacro, struct source *source, struct xml_node *to)
{
    const struct source *outside = xacro->file;
    struct xml_node *root;
    xacro->file = source;
    cp_status status = xml_tree_read(source, xacro->strict, &codes, xacro->arena, &root);
    if (status == CP_OK)
        status = xacro_lift_namespaces(xacro, root, to);
    if (status == CP_OK)
        status = xacro_expand_children(xacro, root, to);
    if (status == CP_OK)
        status = source_check(source);
    xacro->file = outside;
    return status;
}

/* Expands the file of that name. CP_NO if it is not there. */
static cp_status include_file(struct xacro *xacro, const struct xml_node *element, const char *path,
                              struct xml_node *to)
{
    struct source *source;
    cp_status status = open_file(xacro, path, &source);
    if (status == CP_OK)
        status = expand_file(xacro, source, to);
    source_close(source);
    if (status == CP_INPUT)
        report_note(xacro->context, "xacro-included", xml_node_place(element), "in %.200s, which is included here",
                    path);
    return status;
}

/* Expands all files of a pattern, in the order of their names. */
static cp_status include_pattern(struct xacro *xacro, const struct xml_node *element, const char *pattern,
                                 struct xml_node *to)
{
    const char **paths;
    uint32_t count;
    cp_status status = source_match(xacro->file, xacro->arena, pattern, &paths, &count);
    if (status == CP_OK && count == 0)
        report_warning(xacro->context, "xacro-include", xml_node_place(element), "no file is named %.200s", pattern);
    for (uint32_t i = 0; i < count && status == CP_OK; i++)
        status = include_file(xacro, element, paths[i], to);
    return status;
}

/* Lets properties and macros of the file go into a scope of their own, in which its name is "name.". */
static cp_status open_space(struct xacro *xacro, const char *name, struct scope **space)
{
    const char *kept = arena_copy_text(xacro->arena, name, strlen(name));
    *space = arena_allocate_zeroed(xacro->arena, 1, sizeof **space);
    if (!kept || !*space)
        return CP_LIMIT;
    scope_start(xacro, *space, xacro->scope);
    (*space)->is_space = true;
    (*space)->next_space = xacro->spaces;
    xacro->spaces = *space;
    return scope_set_space(xacro, xacro->scope, kept, *space);
}

cp_status xacro_include(struct xacro *xacro, const struct xml_node *element, struct xml_node *to)
{
    static const char *const names[] = {"filename", "ns", "optional", NULL};
    const char *attributes[3], *path, *name = NULL;
    struct scope *const outside = xacro->scope, *space = outside;
    bool optional = false;
    cp_status status = xacro_attributes(xacro, element, names, 1, attributes);
    if (status == CP_OK)
        status = xacro_evaluate_text(xacro, attributes[0], &path);
    if (status == CP_OK && attributes[1])
        status = xacro_evaluate_text(xacro, attributes[1], &name);
    if (status == CP_OK)
        status = xacro_evaluate_truth(xacro, attributes[2], false, &optional);
    if (status == CP_OK && name && *name)
        status = open_space(xacro, name, &space);
    if (status == CP_OK)
        status = xacro_begin_call(xacro, element);
    if (status != CP_OK)
        return status;
    if (xml_node_child(element, NULL))
        report_warning(xacro->context, "xacro-include", xml_node_place(element),
                       "the elements in <xacro:include> are passed over");
    xacro->scope = space;
    status = include_file(xacro, element, path, to);
    if (status == CP_NO && strpbrk(path, "*?["))
        status = include_pattern(xacro, element, path, to);
    xacro->scope = outside;
    xacro_end_call(xacro);
    if (status != CP_NO || optional)
        return status == CP_NO ? CP_OK : status;
    return report_error(xacro->context, CP_INPUT, "xacro-include", xml_node_place(element), "the file %.200s %s", path,
                        resolve_absence(xacro->file, xacro->arena, path));
}

/* ---- load_yaml() ---- */

/* Reads the file of that name, unless it was read under another one. */
static cp_status read_yaml(struct xacro *xacro, const char *path, uint32_t *index)
{
    const struct place place = xacro->world.place;
    struct value value;
    struct source *source;
    cp_status status = open_file(xacro, path, &source);
    if (status == CP_NO)
        return report_error(xacro->context, CP_INPUT, "xacro-yaml", place, "the file %.200s %s", path,
                            resolve_absence(xacro->file, xacro->arena, path));
    const char *key = status == CP_OK ? arena_print(xacro->arena, "= %s", source->path) : NULL;
    const uint32_t *known = key ? name_map_find(&xacro->yaml_names, key) : NULL;
    *index = known ? *known : xacro->yaml_count;
    if (status == CP_OK && !known)
        status = yaml_read(&xacro->world, source, &value);
    if (status == CP_OK)
        status = source_check(source);
    source_close(source);
    xacro->world.place = place;
    if (status != CP_OK || known)
        return status;
    bool good = key && name_map_add(&xacro->yaml_names, key, *index, NULL) &&
                array_add(xacro->context, &xacro->yaml, &xacro->yaml_room, &xacro->yaml_count, &value, sizeof value);
    return good ? CP_OK : CP_LIMIT;
}

/* Each file is read once: values do not change, and a robot shall not be made of two states of one file. */
cp_status xacro_load_yaml(void *user, const char *path, struct value *value)
{
    struct xacro *xacro = user;
    const char *folder = xacro->file->folder;
    const char *key = arena_print(xacro->arena, "%zu %s%s", strlen(folder), folder, path);
    const uint32_t *known = key ? name_map_find(&xacro->yaml_names, key) : NULL;
    uint32_t index = known ? *known : 0;
    cp_status status = !key ? CP_LIMIT : known ? CP_OK : read_yaml(xacro, path, &index);
    if (status == CP_OK && !known && !name_map_add(&xacro->yaml_names, key, index, NULL))
        status = CP_LIMIT;
    if (status == CP_OK)
        *value = xacro->yaml[index];
    return status;
}
