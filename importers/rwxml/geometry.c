/* Models of frames: files, and shapes by formula. A Drawable is drawn and collides, unless it says that it does not; a
 * CollisionModel is for collisions alone. */
#include "rwxml.h"

#include <stdio.h>

#include "base/text/text.h"

/* A model on its way to a frame. */
struct wish {
    struct rwxml *rwxml;
    const struct xml_node *element; /* the shape */
    const struct rwxml_frame *frame;
    cp_pose pose;
    uint32_t use; /* CP_USE_... */
};

/* Skips files of types that nothing reads. */
static cp_status check_model(const struct model_request *request, const struct source *source)
{
    const struct wish *wish = request->user;
    if (source_is_known(source))
        return CP_OK;
    report_warning(source->context, "rwxml-unreadable", xml_node_place(wish->element),
                   "the model file \"%s\" is of a type that is not read", source->name);
    return CP_NO;
}

static cp_status place(const struct wish *wish, uint32_t model, uint32_t use)
{
    cp_status status = models_place(&wish->rwxml->files_of_models, model, wish->frame->node, use, &wish->pose);
    if (status != CP_NO)
        return status;
    return report_error(wish->rwxml->context, CP_INPUT, "rwxml-range", xml_node_place(wish->element),
                        "the pose takes a model of \"%.100s\" out of range", wish->frame->name);
}

/* Places a file for one use. */
static cp_status place_file(const struct wish *wish, const char *path, uint32_t use)
{
    struct rwxml *rwxml = wish->rwxml;
    struct model_request wanted = {.from = rwxml_source_of(rwxml, wish->element),
                                   .name = path,
                                   .search = use == CP_USE_DRAWN ? &robwork_drawn : &robwork_collision,
                                   .check = check_model,
                                   .user = wish};
    uint32_t model;
    cp_status status = models_find(&rwxml->files_of_models, &wanted, &model);
    if (status != CP_OK && status != CP_NO)
        return status;
    if (model != CP_NONE)
        return place(wish, model, use);
    struct place at = xml_node_place(wish->element);
    const char *places = models_places(&rwxml->files_of_models, &wanted);
    if (rwxml->settings->common.strict)
        return report_error(rwxml->context, CP_INPUT, "rwxml-model", at, "no %s model \"%.200s\" is there%s",
                            cp_use_name(use), path, places);
    report_loss(rwxml->context, "rwxml-model", at, 1, "the %s model \"%.200s\": no file that can be read%s",
                cp_use_name(use), path, places);
    models_miss(&rwxml->files_of_models, wish->frame->node, use);
    return CP_OK;
}

static cp_status place_polytope(const struct wish *wish)
{
    const char *name = rwxml_attribute(wish->rwxml, wish->element, "file");
    char *path = name ? arena_copy_text(wish->rwxml->arena, name, strlen(name)) : NULL;
    if (!path)
        return name ? CP_LIMIT : CP_INPUT;
    text_turn_slashes(path);
    cp_status status = CP_OK;
    for (uint32_t use = CP_USE_DRAWN; use <= CP_USE_COLLISION && status == CP_OK; use++)
        if (wish->use & use)
            status = place_file(wish, path, use);
    return status;
}

/* The shapes, with the attributes that are the numbers of RobWork's formulas ("#Box x y z"), and their sides. */
static const struct {
    const char *name, *formula, *attributes[3], *sides;
} shapes[] = {
    {"Box", "#Box", {"x", "y", "z"}, ""},
    {"Sphere", "#Sphere", {"radius", NULL, NULL}, ""},
    {"Cylinder", "#Cylinder", {"radius", "z", NULL}, " 20"},
    {"Cone", "#Cone", {"radius", "z", NULL}, ""},
    {"Tube", "#Tube", {"radius", "thickness", "z"}, ""},
    {"Plane", "#Plane", {NULL, NULL, NULL}, ""},
};
enum { SHAPE_COUNT = sizeof shapes / sizeof *shapes };

static int shape_of(const struct xml_node *element)
{
    int shape = 0;
    while (shape < SHAPE_COUNT && !rwxml_is(element, shapes[shape].name))
        shape++;
    return shape;
}

static cp_status place_shape(const struct wish *wish, int shape)
{
    struct rwxml *rwxml = wish->rwxml;
    char text[4 * NUMBER_SIZE + 32];
    int size = snprintf(text, sizeof text, "%s", shapes[shape].formula);
    for (int i = 0; i < 3 && shapes[shape].attributes[i]; i++) {
        double number;
        char printed[NUMBER_SIZE];
        cp_status status = rwxml_number(rwxml, wish->element, shapes[shape].attributes[i], &number);
        if (status != CP_OK)
            return status;
        print_double(number, printed);
        size += snprintf(text + size, sizeof text - (size_t)size, " %s", printed);
    }
    (void)snprintf(text + size, sizeof text - (size_t)size, "%s", shapes[shape].sides);
    uint32_t model;
    const char *problem;
    cp_status status = robwork_find_primitive(&rwxml->files_of_models, &rwxml->primitives, text, &model, &problem);
    if (status != CP_OK)
        return status;
    if (model != CP_NONE)
        return place(wish, model, wish->use);
    if (problem)
        status = rwxml_lenient(rwxml, "rwxml-shape", wish->element, "a shape cannot be: %s", problem);
    report_loss(rwxml->context, "rwxml-shape", xml_node_place(wish->element), 1, "the shape \"%s\"", text);
    return status;
}

static uint32_t use_of(const struct xml_node *element)
{
    const char *collides = xml_node_attribute(element, "colmodel");
    if (rwxml_is(element, "CollisionModel"))
        return CP_USE_COLLISION;
    return collides && strcmp(collides, "Disabled") == 0 ? CP_USE_DRAWN : CP_USE_BOTH;
}

/* Tells whether a model has a shape. */
static bool has_shape(const struct xml_node *element)
{
    for (const struct xml_node *child = xml_node_child(element, NULL); child; child = xml_node_next(child, NULL)) {
        if (rwxml_is(child, "Polytope") || rwxml_is(child, "Custom"))
            return true;
        for (int i = 0; i < SHAPE_COUNT; i++)
            if (rwxml_is(child, shapes[i].name))
                return true;
    }
    return false;
}

static cp_status place_model(struct rwxml *rwxml, const struct rwxml_frame *frame, const struct xml_node *element)
{
    struct wish wish = {.rwxml = rwxml, .frame = frame, .use = use_of(element)};
    cp_status status = rwxml_pose(rwxml, element, &wish.pose);
    if (status == CP_OK && !has_shape(element))
        status = rwxml_lenient(rwxml, "rwxml-model", element, "a <%.40s> without a shape", element->name);
    for (const struct xml_node *child = xml_node_child(element, NULL); child && status == CP_OK;
         child = xml_node_next(child, NULL)) {
        int shape = shape_of(child);
        wish.element = child;
        if (rwxml_is(child, "Polytope"))
            status = place_polytope(&wish);
        else if (shape < SHAPE_COUNT)
            status = place_shape(&wish, shape);
        else if (!rwxml_is_one_of(child, rwxml_poses))
            rwxml_lose(rwxml, child);
    }
    return status;
}

cp_status rwxml_place_models(struct rwxml *rwxml, const struct rwxml_frame *frame)
{
    cp_status status = CP_OK;
    for (uint32_t i = frame->first_model; i != CP_NONE && status == CP_OK; i = rwxml->placed[i].next)
        status = place_model(rwxml, frame, rwxml->placed[i].element);
    return status;
}

bool rwxml_collides(const struct rwxml *rwxml, const struct rwxml_frame *frame)
{
    for (uint32_t i = frame->first_model; i != CP_NONE; i = rwxml->placed[i].next)
        if ((use_of(rwxml->placed[i].element) & CP_USE_COLLISION) && has_shape(rwxml->placed[i].element))
            return true;
    return false;
}
