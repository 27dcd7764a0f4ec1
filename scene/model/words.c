/* Lists the words of the model's enumerations. */
#include "model.h"

const char *const mesh_kind_words[] = {"faces", "lines", "box",     "cylinder", "sphere", "cone",
                                       "tube",  "plane", "pyramid", "capsule",  NULL};
const char *const joint_type_words[] = {"fixed", "revolute", "prismatic", "scale", NULL};
const char *const loop_type_words[] = {"spherical", "revolute", "universal", "cylindrical",
                                       "prismatic", "fixed",    "distance",  NULL};
const char *const device_kind_words[] = {"serial", "tree", "composite", NULL};
const char *const verdict_words[] = {"excluded", "kept", NULL};
const char *const reason_words[] = {"given",         "user",           "static",       "adjacent",
                                    "always-proved", "always-sampled", "never-proved", "never-sampled",
                                    "sometimes",     "movable",        "undecided",    NULL};
const char *const track_path_words[] = {"joint", "translation", "rotation", "scale", NULL};
const char *const track_interpolation_words[] = {"step", "linear", "cubic", NULL};
const char *const owner_words[] = {"scene", "node", "mesh", "material", "joint", NULL};
const char *const value_type_words[] = {"string", "number", "boolean", "json", NULL};
const char *const wrap_words[] = {"repeat", "mirror", "clamp", NULL};
const char *const sampling_words[] = {
    "any", "nearest", "linear", "nearest-nearest", "linear-nearest", "nearest-linear", "linear-linear", NULL};
const char *const alpha_words[] = {"blend", "mask", "opaque", NULL};
const char *const texture_role_words[] = {"base-colour", "metallic-roughness", "normal", "occlusion",
                                          "emissive",    "extension",          NULL};
const char *const use_words[] = {"none", "drawn", "collision", "both", NULL};
const char *const node_flag_words[] = {"movable",   "attachable", "link",        "volatile",
                                       "highlight", "wire",       "placeholder", "missing",  NULL};

const char *cp_mesh_kind_name(cp_mesh_kind kind)
{
    return mesh_kind_words[kind];
}

const char *cp_joint_type_name(cp_joint_type type)
{
    return joint_type_words[type];
}

const char *cp_loop_type_name(cp_loop_type type)
{
    return loop_type_words[type];
}

const char *cp_device_kind_name(cp_device_kind kind)
{
    return device_kind_words[kind];
}

const char *cp_use_name(uint32_t use)
{
    return use_words[use & CP_USE_BOTH];
}
