/* AGI_articulations of other tools as joints: both are applied after the node's own transform, one after the other.
 * xRotate .. zTranslate .. xScale of a stage are revolute, prismatic and scale joints about X, Y and Z; uniformScale, which
 * no single joint of the scene is, is a loss. Nodes that name the same articulation move together: the joints of the
 * first drive the others. */
#include "gltf.h"

/* Nodes that share an articulation have its stages each: there must not be any number of them. */
enum { STAGE_TYPES = 9, UNIFORM_SCALE = 9, MOST_STAGES = 64, ITEMS_A_JOINT = 32 };

static const char *const stage_words[] = {"xTranslate", "yTranslate",   "zTranslate", "xRotate",
                                          "yRotate",    "zRotate",      "xScale",     "yScale",
                                          "zScale",     "uniformScale", NULL};

struct stage {
    uint32_t value;
    uint32_t type;
    const char *name;
    double lower, upper, initial;
};

struct gltf_articulation {
    const char *name;
    uint32_t value;
    struct stage *stages;
    uint32_t count;
};

static struct stage read_stage(struct gltf *gltf, uint32_t value)
{
    struct stage stage = {.value = value};
    stage.type = gltf_word(gltf, value, "type", stage_words, UNIFORM_SCALE);
    stage.name = gltf_text(gltf, value, "name");
    double neutral = stage.type >= 6 ? 1 : 0;
    stage.initial = gltf_number(gltf, value, "initialValue", neutral);
    stage.lower = gltf_number(gltf, value, "minimumValue", stage.initial);
    stage.upper = gltf_number(gltf, value, "maximumValue", stage.initial);
    return stage;
}

static cp_joint_type joint_type(const struct stage *stage)
{
    static const cp_joint_type types[] = {CP_JOINT_PRISMATIC, CP_JOINT_REVOLUTE, CP_JOINT_SCALE};
    return types[stage->type / 3];
}

/* The joint's values; degrees become radians. */
static void set_joint(const struct stage *stage, cp_joint *joint)
{
    bool turns = joint->type == CP_JOINT_REVOLUTE;
    for (uint32_t i = 0; i < 3; i++)
        joint->axis[i] = i == stage->type % 3 ? 1 : 0;
    joint->lower = turns ? degrees_to_radians(stage->lower) : stage->lower;
    joint->upper = turns ? degrees_to_radians(stage->upper) : stage->upper;
    joint->home = joint->q = turns ? degrees_to_radians(stage->initial) : stage->initial;
}

/* What tells a writer of AGI_articulations how these joints were one. Those that follow them are told by that. */
static void keep_origin(struct gltf *gltf, const struct gltf_articulation *articulation, const struct stage *stage,
                        uint32_t joint)
{
    cp_scene *scene = gltf->scene;
    const struct json_document *json = &gltf->json;
    if (!scene_add_metadata(scene, CP_OWNER_JOINT, joint, "articulation", CP_VALUE_STRING, articulation->name) ||
        (stage->name && !scene_add_metadata(scene, CP_OWNER_JOINT, joint, "stage", CP_VALUE_STRING, stage->name)))
        gltf_no_memory(gltf);
    gltf_keep_json(gltf, json_member(json, stage->value, "extras"), CP_OWNER_JOINT, joint, "stage.extras");
    if (stage != articulation->stages)
        return;
    gltf_keep_json(gltf, json_member(json, articulation->value, "pointingVector"), CP_OWNER_JOINT, joint,
                   "articulation.pointingVector");
    gltf_keep_json(gltf, json_member(json, articulation->value, "extras"), CP_OWNER_JOINT, joint,
                   "articulation.extras");
}

static void add_stage(struct gltf *gltf, const struct gltf_node *node, const struct gltf_articulation *origin,
                      const struct stage *stage)
{
    const char *articulation = origin->name, *name = articulation;
    if (!gltf_take_room(gltf, node->value, ITEMS_A_JOINT))
        return;
    if (origin->count > 1)
        name = arena_print(gltf->arena, "%s.%s", articulation, stage->name ? stage->name : stage_words[stage->type]);
    uint32_t index = name ? scene_add_joint(gltf->scene, node->target, joint_type(stage), name) : CP_NONE;
    if (index == CP_NONE) {
        gltf_no_memory(gltf);
        return;
    }
    cp_joint *joint = &gltf->scene->joints[index];
    set_joint(stage, joint);
    const char *key = arena_print(gltf->arena, "%s\n%lu", articulation, (unsigned long)stage->value);
    bool added = true;
    uint32_t *first = key ? name_map_add(&gltf->maps[MAP_STAGES], key, index, &added) : NULL;
    if (!first) {
        gltf_no_memory(gltf);
    } else if (added) {
        keep_origin(gltf, origin, stage, index);
    } else {
        joint->master = *first;
        joint->driven = false;
    }
}

/* Stages that read well become joints; a range that runs backwards says nothing. */
static void add_stages(struct gltf *gltf, const struct gltf_node *node, const struct gltf_articulation *articulation)
{
    for (uint32_t i = 0; i < articulation->count && gltf->status == CP_OK; i++) {
        const struct stage *stage = &articulation->stages[i];
        if (stage->type < STAGE_TYPES && stage->lower <= stage->upper)
            add_stage(gltf, node, articulation, stage);
        else
            gltf_loss(gltf, LOSS_STAGES, 1);
    }
}

static void read_articulation(struct gltf *gltf, uint32_t value, struct gltf_articulation *articulation)
{
    struct gltf_list list = gltf_items(gltf, value, "stages", true);
    articulation->name = gltf_text(gltf, value, "name");
    articulation->value = value;
    if (list.count > MOST_STAGES) {
        gltf_loss(gltf, LOSS_STAGES, list.count);
        return;
    }
    articulation->stages = gltf_allocate(gltf, list.count, sizeof *articulation->stages);
    for (uint32_t i = 0; i < list.count && gltf->status == CP_OK; i++)
        articulation->stages[i] = read_stage(gltf, list.items[i]);
    articulation->count = list.count;
}

/* All of them once, when the first node names one. */
static void read_articulations(struct gltf *gltf)
{
    struct gltf_list list = gltf_items(gltf, gltf_extension(gltf, 0, "AGI_articulations"), "articulations", true);
    gltf->articulations = gltf_allocate(gltf, (size_t)list.count + 1, sizeof *gltf->articulations);
    for (uint32_t i = 0; i < list.count && gltf->status == CP_OK; i++) {
        read_articulation(gltf, list.items[i], &gltf->articulations[i]);
        if (gltf->articulations[i].name)
            own_name(gltf, MAP_ARTICULATIONS, gltf->articulations[i].name, i);
    }
}

void gltf_read_articulation(struct gltf *gltf, const struct gltf_node *node)
{
    uint32_t extension = gltf_extension(gltf, node->value, "AGI_articulations");
    if (extension == JSON_NONE)
        return;
    if (gltf_flag(gltf, extension, "isAttachPoint") &&
        !scene_add_metadata(gltf->scene, CP_OWNER_NODE, node->target, "isAttachPoint", CP_VALUE_BOOLEAN, "true"))
        gltf_no_memory(gltf);
    const char *name = gltf_text(gltf, extension, "articulationName");
    if (name && !gltf->articulations)
        read_articulations(gltf);
    uint32_t index = name && gltf->status == CP_OK ? own_lookup(gltf, MAP_ARTICULATIONS, name) : CP_NONE;
    if (index != CP_NONE)
        add_stages(gltf, node, &gltf->articulations[index]);
    else if (name)
        gltf_warning(gltf, extension, "gltf-articulation-missing", "there is no articulation \"%.100s\"", name);
}
