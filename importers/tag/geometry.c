/* Finds the models of a frame: the file that a model id means, and the places where it is shown. */

#include "../robwork/robwork.h"
#include "tag.h"

#include "base/text/text.h"
#include "model/model.h"

/* The wish of a tag for a model. */
struct model_wish {
    struct tag_reader *reader;
    const struct tag *tag;
    const struct tag_attribute *attribute;
    const struct tag_text *id;
    uint32_t node;
    uint32_t use; /* CP_USE_DRAWN or CP_USE_COLLISION */
    double scale;
    uint32_t missing;   /* the uses for which there is no model */
    const char *places; /* the places that were searched */
};

/* Finds a primitive; the same words are the same mesh. */
static cp_status find_primitive(const struct model_wish *request, uint32_t *model)
{
    struct tag_reader *reader = request->reader;
    const char *text = request->id->text, *problem;
    cp_status status = robwork_find_primitive(&reader->models, &reader->primitives, text, model, &problem);
    if (status == CP_OK && problem)
        return report_lenient(reader->context, reader->strict, "tag-primitive",
                              tag_attribute_place(request->tag, request->attribute), "the model \"%s\": %s", text,
                              problem);
    return status;
}

/* Skips a format that no importer reads (.TRI, .IVG, .WRL, or one that is not built), and files without a model. */
static cp_status check_model(const struct model_request *wanted, const struct source *source)
{
    const struct model_wish *request = wanted->user;
    if (source_is_known(source))
        return CP_OK;
    report_warning(source->context, "tag-unreadable", tag_attribute_place(request->tag, request->attribute),
                   "the model file \"%s\" is of a type that is not read", source->name);
    return CP_NO;
}

static cp_status place_model(struct model_wish *request)
{
    struct tag_reader *reader = request->reader;
    const char *id = request->id->text;
    uint32_t model = CP_NONE;
    cp_status status;
    if (*id == '#') {
        status = find_primitive(request, &model);
    } else {
        struct model_request wanted = {.from = request->tag->file->source,
                                       .name = tag_path(reader->arena, request->id),
                                       .search = request->use == CP_USE_DRAWN ? &robwork_drawn : &robwork_collision,
                                       .check = check_model,
                                       .user = request};
        status = wanted.name ? models_find(&reader->models, &wanted, &model) : CP_LIMIT;
        if (status == CP_NO)
            status = CP_OK;
        if (status == CP_OK && model == CP_NONE)
            request->places = models_places(&reader->models, &wanted);
    }
    if (status != CP_OK)
        return status;
    if (model == CP_NONE) {
        request->missing |= request->use;
        models_miss(&reader->models, request->node, request->use);
        return CP_OK;
    }
    cp_pose scaling = pose_scaling(request->scale, request->scale, request->scale);
    status = models_place(&reader->models, model, request->node, request->use, &scaling);
    if (status != CP_NO)
        return status;
    return report_error(reader->context, CP_INPUT, "tag-scale", tag_place(request->tag),
                        "the GeoScale of \"%s\" takes the model out of range", request->tag->name.text);
}

/* Reports a missing model once, with the number of frames that lack it. */
static cp_status report_missing(const struct model_wish *request)
{
    const struct tag_reader *reader = request->reader;
    struct place place = tag_attribute_place(request->tag, request->attribute);
    const char *use = request->missing == CP_USE_BOTH ? "" : cp_use_name(request->missing);
    const char *blank = *use ? " " : "", *id = request->id->text;
    if (request->missing == 0)
        return CP_OK;
    if (*id == '#') /* its error was reported */
        report_loss(reader->context, "tag-model", place, 1, "the %s%smodel \"%s\"", use, blank, id);
    else if (reader->strict)
        return report_error(reader->context, CP_INPUT, "tag-model", place, "no %s%smodel \"%s\" is there%s", use, blank,
                            id, request->places);
    else
        report_loss(reader->context, "tag-model", place, 1, "the %s%smodel \"%s\": no file that can be read%s", use,
                    blank, id, request->places);
    return CP_OK;
}

cp_status tag_place_geometry(struct tag_reader *reader, const struct tag *tag, uint32_t node)
{
    static const struct {
        const char *key;
        uint32_t uses;
    } kinds[] = {{"DrawableID", CP_USE_DRAWN}, {"CollisionModelID", CP_USE_COLLISION}, {"GeoID", CP_USE_BOTH}};
    struct model_wish request = {.reader = reader, .tag = tag, .node = node, .scale = 1};
    if (!tag_find(tag, "DrawableID") && !tag_find(tag, "CollisionModelID") && !tag_find(tag, "GeoID"))
        return CP_OK;
    const struct tag_attribute *scale = tag_use(tag, "GeoScale");
    if (scale && tag_number(reader, tag, scale, 0, &request.scale) != CP_OK)
        return CP_INPUT;
    if (request.scale < 0) {
        char shown[NUMBER_SIZE];
        print_double(request.scale, shown);
        return report_error(reader->context, CP_INPUT, "tag-scale", tag_attribute_place(tag, scale),
                            "the GeoScale %s of \"%s\" is negative", shown, tag->name.text);
    }
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        const struct tag_attribute *attribute = request.attribute = tag_use(tag, kinds[kind].key);
        for (uint32_t i = 0; attribute && i < attribute->value_count; i++) {
            cp_status status = tag_string(reader, tag, attribute, i, &request.id);
            if (status == CP_OK && !*request.id->text)
                status = report_error(reader->context, CP_INPUT, "tag-value", tag_attribute_place(tag, attribute),
                                      "%s holds an empty model id", attribute->key);
            request.missing = 0;
            request.places = "";
            for (request.use = CP_USE_DRAWN; request.use <= CP_USE_COLLISION && status == CP_OK; request.use++)
                if (kinds[kind].uses & request.use)
                    status = place_model(&request);
            if (status == CP_OK)
                status = report_missing(&request);
            if (status != CP_OK)
                return status;
        }
    }
    return CP_OK;
}
