/* The tree of products as nodes, with instances of their meshes. */
#include <stdlib.h>

#include "model/model.h"
#include "step.h"

#ifdef HAVE_OCCT

/* Tells where a node of a model is in the scene. */
struct step_node {
    uint32_t node;   /* a shape without a product has that of the node above */
    uint32_t colour; /* a material that faces without a colour get: from the instance, the product, or from above */
    cp_pose pose;    /* in that node */
};

/* An instance that is not yet in the scene, where they stand in the order of their nodes. */
struct step_place {
    uint32_t node, mesh;
    uint32_t use;
    uint32_t order;
    cp_pose pose;
};

/* ---- models ---- */

cp_status step_model_start(struct step *step, struct step_model *model)
{
    const struct cad_model *cad = model->cad;
    model->meshes = (struct name_map){.context = step->context};
    model->products = memory_allocate_zeroed(step->context, cad->product_count, sizeof *model->products);
    model->materials = memory_allocate(step->context, cad->colour_count, sizeof *model->materials);
    for (uint32_t i = 0; model->materials && i < cad->colour_count; i++)
        model->materials[i] = CP_NONE;
    return model->products && model->materials ? CP_OK : CP_LIMIT;
}

void step_model_end(struct step *step, struct step_model *model)
{
    uint32_t products = model->cad ? model->cad->product_count : 0, colours = model->cad ? model->cad->colour_count : 0;
    name_map_free(&model->meshes);
    memory_free(step->context, model->materials, colours, sizeof *model->materials);
    memory_free(step->context, model->products, products, sizeof *model->products);
    memory_free(step->context, model->densities, model->density_room, sizeof *model->densities);
}

/* Adds the faces of a product below a node, or its lines. */
static cp_status add_place(struct step *step, struct step_model *model, uint32_t product, bool lines,
                           const struct step_node *node)
{
    uint32_t mesh;
    const struct step_product *made = &model->products[product];
    const struct step_shape *shape = lines ? &made->lines : &made->faces;
    if (shape->mesh.face_count == 0)
        return CP_OK;
    if (!array_reserve(step->context, &step->places, &step->place_room, step->place_count + UINT64_C(1),
                       sizeof *step->places))
        return CP_LIMIT;
    cp_status status = step_find_mesh(step, model, product, lines, node->colour, &mesh);
    if (status == CP_OK) {
        cp_pose pose = pose_multiply(&node->pose, &shape->transform);
        uint32_t use = lines ? CP_USE_DRAWN : CP_USE_BOTH;
        step->places[step->place_count] = (struct step_place){node->node, mesh, use, step->place_count, pose};
        step->place_count++;
    }
    return status;
}

/* ---- nodes ---- */

/* Tells whether a name of an instance says something: many programs number them ("1", "NAUO12", "*DIT33"). */
static bool says_something(const char *name)
{
    if (*name == '*')
        return false;
    if (strncmp(name, "NAUO", 4) == 0)
        name += 4;
    while (is_digit(*name) || is_space(*name))
        name++;
    return *name;
}

/* unit: metres per length of the pose. */
static cp_pose pose_in_metres(const double from[12], double unit)
{
    cp_pose pose;
    for (int i = 0; i < 12; i++)
        pose.m[i] = i % 4 == 3 ? from[i] * unit : from[i];
    return pose;
}

static bool add_text(const struct step *step, uint32_t node, const char *key, const char *text)
{
    return !*text || scene_add_metadata(step->scene, CP_OWNER_NODE, node, key, CP_VALUE_STRING, text);
}

/* Adds the density of a product's material: a number in kg/m3, or the file's words. */
static bool add_density(const struct step *step, const struct step_model *model, uint32_t node, uint64_t definition)
{
    for (uint32_t i = 0; i < model->density_count && definition > 0; i++) {
        const struct step_density *density = &model->densities[i];
        if (density->definition == definition)
            return scene_add_metadata(step->scene, CP_OWNER_NODE, node, "step.density",
                                      density->has_unit ? CP_VALUE_NUMBER : CP_VALUE_STRING, density->text);
    }
    return true;
}

/* Adds the node of an instance to the scene, below `above`. */
static cp_status add_node(struct step *step, const struct step_model *model, const struct cad_node *from,
                          const struct step_node *above, struct step_node *to)
{
    const struct cad_product *product = &model->cad->products[from->product];
    bool has_own = says_something(from->name) && (step->settings->names == NAMES_INSTANCE || !*product->name);
    const char *name = has_own ? from->name : product->name;
    size_t size = strlen(name);
    if (size == 0 && from->parent == CAD_NONE)
        name = text_stem(model->path, &size);
    to->node = scene_add_node(step->scene, above->node, name, size);
    if (to->node == CP_NONE)
        return CP_LIMIT;
    step->scene->nodes[to->node].local = to->pose;
    to->pose = POSE_IDENTITY;
    bool done = (strcmp(name, product->name) == 0 || add_text(step, to->node, "step.product", product->name)) &&
                (strcmp(name, from->name) == 0 || add_text(step, to->node, "step.instance", from->name)) &&
                add_text(step, to->node, "step.material", product->material) &&
                add_density(step, model, to->node, product->definition) &&
                add_text(step, to->node, "step.layer", product->layers);
    return done ? CP_OK : CP_LIMIT;
}

/* Finds the material that faces without a colour get at a node. */
static cp_status inherit(struct step *step, struct step_model *model, const struct cad_node *from,
                         const struct step_node *above, struct step_node *to)
{
    uint32_t colour = from->colour != CAD_NONE ? from->colour : model->cad->products[from->product].colour;
    to->colour = colour == CAD_NONE ? above->colour : step_material(step, model, colour);
    return colour == CAD_NONE || to->colour != CP_NONE ? CP_OK : CP_LIMIT;
}

static cp_status add_model(struct step *step, struct step_model *model, const struct step_node *base, bool is_top);

static cp_status add_instance(struct step *step, struct step_model *model, uint32_t index, const struct step_node *base,
                              bool is_top, struct step_node *nodes)
{
    const struct cad_node *from = &model->cad->nodes[index];
    const struct cad_product *product = &model->cad->products[from->product];
    const struct step_node *above = from->parent == CAD_NONE ? base : &nodes[from->parent];
    struct step_node *to = &nodes[index];
    struct step_model *other = NULL;
    cp_pose pose = pose_in_metres(from->pose, model->unit);
    to->node = above->node;
    to->pose = pose_multiply(&above->pose, &pose);
    cp_status status = inherit(step, model, from, above, to);
    /* The root of a further file is the product that names the file. */
    bool has_node = from->parent == CAD_NONE ? is_top : product->has_name;
    if (status == CP_OK && has_node)
        status = add_node(step, model, from, above, to);
    if (status == CP_OK)
        status = add_place(step, model, from->product, false, to);
    if (status == CP_OK)
        status = add_place(step, model, from->product, true, to);
    if (status == CP_OK && *product->file)
        status = step_open(step, model, product->file, &other);
    return status == CP_OK && other ? add_model(step, other, to, false) : status;
}

/* Adds the tree of a model; the roots of a further file are one with the node that names it. */
static cp_status add_model(struct step *step, struct step_model *model, const struct step_node *base, bool is_top)
{
    uint32_t count = model->cad->node_count;
    struct step_node *nodes = memory_allocate(step->context, count, sizeof *nodes);
    cp_status status = nodes ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < count && status == CP_OK; i++)
        status = add_instance(step, model, i, base, is_top, nodes);
    memory_free(step->context, nodes, count, sizeof *nodes);
    return status;
}

static int compare_places(const void *first, const void *second)
{
    const struct step_place *a = first, *b = second;
    return a->node != b->node ? (a->node > b->node) - (a->node < b->node)
                              : (a->order > b->order) - (a->order < b->order);
}

cp_status step_fill(struct step *step)
{
    struct step_node world = {.colour = CP_NONE,
                              .pose = step->settings->up == CP_UP_Y ? pose_z_up_from_y_up() : POSE_IDENTITY};
    cp_status status = add_model(step, step->models[0], &world, true);
    if (status == CP_OK && step->place_count)
        qsort(step->places, step->place_count, sizeof *step->places, compare_places);
    for (uint32_t i = 0; i < step->place_count && status == CP_OK; i++) {
        const struct step_place *place = &step->places[i];
        if (scene_add_instance(step->scene, place->node, place->mesh, place->use, &place->pose) == CP_NONE)
            status = CP_LIMIT;
    }
    memory_free(step->context, step->places, step->place_room, sizeof *step->places);
    return status;
}

#else
/* ISO C wants a declaration in every file. */
extern const struct importer step_importer;
#endif
