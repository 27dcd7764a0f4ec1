/* AGI_articulations of other tools as joints: both are applied after the node's own transform, one after the other.
 * xRotate .. zTranslate .. xScale of a stage are revolute, prismatic and scale joints about X, Y and Z; uniformScale,
 * which no single joint of the scene is, is a loss. Nodes that name the same articulation move together: the joints of
 * the first drive the others. */
#include "gltf.h"

#include "base/text/text.h"

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

/* Adds a joint of the node for a stage. That of the first node keeps the articulation's name and stage, by which a
 * writer of AGI_articulations can join them again; the others follow it. */
static void add_stage(struct gltf *gltf, cp_scene *scene, struct gltf_articulations *articulations,
                      const struct gltf_node *node, const struct gltf_articulation *origin, const struct stage *stage)
{
    static const cp_joint_type types[] = {CP_JOINT_PRISMATIC, CP_JOINT_REVOLUTE, CP_JOINT_SCALE};
    cp_joint_type type = types[stage->type / 3];
    const char *name = origin->name;
    if (!gltf_take_room(gltf, node->value, ITEMS_A_JOINT))
        return;
    if (origin->count > 1)
        name = arena_print(gltf->arena, "%s.%s", name, stage->name ? stage->name : stage_words[stage->type]);
    const char *key = arena_print(gltf->arena, "%s\n%lu", origin->name, (unsigned long)stage->value);
    uint32_t index = name && key ? scene_add_joint(scene, node->target, type, name) : CP_NONE;
    bool added = true;
    uint32_t *first = index != CP_NONE ? name_map_add(&articulations->stages, key, index, &added) : NULL;
    if (!first) {
        gltf_no_memory(gltf);
        return;
    }
    cp_joint *joint = &scene->joints[index];
    bool turns = type == CP_JOINT_REVOLUTE;
    for (uint32_t i = 0; i < 3; i++)
        joint->axis[i] = i == stage->type % 3 ? 1 : 0;
    joint->lower = turns ? degrees_to_radians(stage->lower) : stage->lower;
    joint->upper = turns ? degrees_to_radians(stage->upper) : stage->upper;
    joint->home = joint->q = turns ? degrees_to_radians(stage->initial) : stage->initial;
    if (!added) {
        joint->master = *first;
        joint->driven = false;
        return;
    }
    const struct json_document *json = &gltf->json;
    if (!scene_add_metadata(scene, CP_OWNER_JOINT, index, "articulation", CP_VALUE_STRING, origin->name) ||
        (stage->name && !scene_add_metadata(scene, CP_OWNER_JOINT, index, "stage", CP_VALUE_STRING, stage->name)))
        gltf_no_memory(gltf);
    gltf_keep_json(gltf, scene, json_member(json, stage->value, "extras"), CP_OWNER_JOINT, index, "stage.extras");
    if (stage != origin->stages)
        return;
    gltf_keep_json(gltf, scene, json_member(json, origin->value, "pointingVector"), CP_OWNER_JOINT, index,
                   "articulation.pointingVector");
    gltf_keep_json(gltf, scene, json_member(json, origin->value, "extras"), CP_OWNER_JOINT, index,
                   "articulation.extras");
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
    for (uint32_t i = 0; i < list.count && gltf->status == CP_OK; i++) {
        struct stage *stage = &articulation->stages[i];
        uint32_t at = stage->value = list.items[i];
        stage->type = gltf_word(gltf, at, "type", stage_words, UNIFORM_SCALE);
        stage->name = gltf_text(gltf, at, "name");
        stage->initial = gltf_number(gltf, at, "initialValue", stage->type >= 6 ? 1 : 0);
        stage->lower = gltf_number(gltf, at, "minimumValue", stage->initial);
        stage->upper = gltf_number(gltf, at, "maximumValue", stage->initial);
    }
    articulation->count = list.count;
}

/* Reads all articulations once, when the first node names one. */
static void read_articulations(struct gltf *gltf, struct gltf_articulations *articulations)
{
    struct gltf_list list = gltf_items(gltf, gltf_extension(gltf, 0, "AGI_articulations"), "articulations", true);
    articulations->items = gltf_allocate(gltf, (size_t)list.count + 1, sizeof *articulations->items);
    for (uint32_t i = 0; i < list.count && gltf->status == CP_OK; i++) {
        read_articulation(gltf, list.items[i], &articulations->items[i]);
        if (articulations->items[i].name)
            own_name(gltf, &articulations->names, articulations->items[i].name, i);
    }
}

void gltf_read_articulation(struct gltf *gltf, cp_scene *scene, struct gltf_articulations *articulations,
                            const struct gltf_node *node)
{
    uint32_t extension = gltf_extension(gltf, node->value, "AGI_articulations");
    if (extension == JSON_NONE)
        return;
    if (gltf_flag(gltf, extension, "isAttachPoint") &&
        !scene_add_metadata(scene, CP_OWNER_NODE, node->target, "isAttachPoint", CP_VALUE_BOOLEAN, "true"))
        gltf_no_memory(gltf);
    const char *name = gltf_text(gltf, extension, "articulationName");
    if (name && !articulations->items)
        read_articulations(gltf, articulations);
    uint32_t index = name && gltf->status == CP_OK ? own_lookup(&articulations->names, name) : CP_NONE;
    if (index == CP_NONE) {
        if (name)
            gltf_warning(gltf, extension, "gltf-articulation-missing", "there is no articulation \"%.100s\"", name);
        return;
    }
    /* Make joints of the stages that are sound; a range that runs backwards is ignored. */
    const struct gltf_articulation *articulation = &articulations->items[index];
    for (uint32_t i = 0; i < articulation->count && gltf->status == CP_OK; i++) {
        const struct stage *stage = &articulation->stages[i];
        if (stage->type < STAGE_TYPES && stage->lower <= stage->upper)
            add_stage(gltf, scene, articulations, node, articulation, stage);
        else
            gltf_loss(gltf, LOSS_STAGES, 1);
    }
}
