/* build_scene OUT: a two-joint arm that is built row by row, and written in the format of OUT's suffix. */
#include <cellpipe_build.h>
#include <stdio.h>

/* A link with a box as its body, and a joint about Z that moves it. False when out of memory. */
static bool add_link(cp_scene *scene, const char *name, uint32_t *parent, const double size[3], double height)
{
    cp_node node = cp_new_node();
    node.name = name;
    node.parent = *parent;
    node.local.m[11] = height; /* the translation along Z, in metres */
    *parent = cp_add_node(scene, &node);
    if (*parent == CP_NONE)
        return false;

    cp_joint joint = cp_new_joint();
    joint.node = *parent;
    joint.lower = -2;
    joint.upper = 2; /* radians */

    cp_mesh box = cp_new_mesh();
    box.name = name;
    box.kind = CP_MESH_BOX;
    for (int axis = 0; axis < 3; axis++)
        box.size[axis] = size[axis];
    cp_instance instance = cp_new_instance(*parent, cp_add_mesh(scene, &box));
    return cp_add_joint(scene, &joint) != CP_NONE && cp_add_instance(scene, &instance) != CP_NONE;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: build_scene OUT\n");
        return CP_USAGE;
    }
    static const double upper[3] = {0.1, 0.1, 0.4}, lower[3] = {0.3, 0.3, 0.1};
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = context ? cp_scene_new(context) : NULL;
    uint32_t node = 0; /* the world */
    cp_status status = CP_LIMIT;
    if (scene && add_link(scene, "base", &node, lower, 0) && add_link(scene, "arm", &node, upper, 0.3))
        status = cp_scene_finish(scene);
    if (status == CP_OK)
        status = cp_write(context, scene, argv[1], NULL, NULL, 0);
    size_t count = 0;
    const cp_entry *entries = context ? cp_report(context, &count) : NULL;
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "%s\n", entries[i].message);
    cp_scene_free(scene);
    cp_context_free(context);
    return (int)status;
}
