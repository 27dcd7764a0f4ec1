/* Animations: channels, samplers and the clips that name animations. Only those of the file itself are read. */
#include "animation.h"

#include "base/text/text.h"

static struct collada_animations *animations_of(const struct collada_document *document)
{
    return document->collada->animations;
}

/* ---- animations ---- */

static cp_status read_sampler_input(struct collada_document *document, void *into)
{
    static const char *const semantics[COLLADA_CURVE_INPUTS] = {[COLLADA_TIMES] = "INPUT",
                                                                [COLLADA_VALUES] = "OUTPUT",
                                                                [COLLADA_WAYS] = "INTERPOLATION",
                                                                [COLLADA_IN] = "IN_TANGENT",
                                                                [COLLADA_OUT] = "OUT_TANGENT"};
    struct collada_sampler_inputs *sampler = into;
    uint32_t row = document->input_count;
    cp_status status = collada_read_input(document, NULL);
    for (int i = 0; i < COLLADA_CURVE_INPUTS && status == CP_OK; i++)
        if (strcmp(document->inputs[row].semantic, semantics[i]) == 0)
            sampler->inputs[i] = row;
    return status;
}

static cp_status read_sampler(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"input", read_sampler_input}, {NULL, NULL}};
    struct collada_animations *animations = animations_of(document);
    const char *id = collada_attribute(document, "id");
    struct collada_sampler_inputs sampler;
    (void)into;
    for (int i = 0; i < COLLADA_CURVE_INPUTS; i++)
        sampler.inputs[i] = CP_NONE;
    cp_status status = id ? collada_read_children(document, elements, &sampler) : CP_LIMIT;
    if (status != CP_OK)
        return status;
    bool added = true;
    if (!array_add(document->collada->context, &animations->samplers, &animations->sampler_room,
                   &animations->sampler_count, &sampler, sizeof sampler) ||
        !name_map_add(&animations->sampler_ids, id, animations->sampler_count - 1, &added))
        return CP_LIMIT;
    document->collada->counts[COLLADA_TOLD_IDS] += !added;
    return CP_OK;
}

static cp_status read_channel(struct collada_document *document, void *into)
{
    struct collada_animations *animations = animations_of(document);
    struct collada_channel_row channel = {.sampler = collada_attribute(document, "source"),
                                          .target = collada_attribute(document, "target"),
                                          .line = document->xml.line,
                                          .animation = animations->animation};
    (void)into;
    return channel.sampler && channel.target &&
                   array_add(document->collada->context, &animations->channels, &animations->channel_room,
                             &animations->channel_count, &channel, sizeof channel)
               ? CP_OK
               : CP_LIMIT;
}

static cp_status read_animation(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"source", collada_read_source},
                                                      {"sampler", read_sampler},
                                                      {"channel", read_channel},
                                                      {"animation", read_animation},
                                                      {NULL, NULL}};
    struct collada_animations *animations = animations_of(document);
    uint32_t parent = animations->animation, row = animations->animation_count;
    struct collada_animation animation = {.id = collada_attribute(document, "id"),
                                          .name = collada_attribute(document, "name"),
                                          .parent = parent,
                                          .clip = CP_NONE};
    if (!animation.id || !animation.name ||
        !array_add(document->collada->context, &animations->animations, &animations->animation_room,
                   &animations->animation_count, &animation, sizeof animation) ||
        (*animation.id && !name_map_add(&animations->animation_ids, animation.id, row, NULL)))
        return CP_LIMIT;
    animations->animation = row;
    cp_status status = collada_read_children(document, elements, into);
    animations->animation = parent;
    return status;
}

cp_status collada_read_animations(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"animation", read_animation}, {NULL, NULL}};
    if (document != document->collada->documents[0])
        return collada_count_unread(document, into);
    name_map_free(&document->mesh_sources); /* those of the last mesh */
    document->mesh_sources = (struct name_map){.context = document->collada->context};
    return collada_read_children(document, elements, into);
}

/* ---- clips ---- */

static cp_status read_member(struct collada_document *document, void *into)
{
    struct collada_animations *animations = animations_of(document);
    struct collada_member member = {collada_attribute(document, "url"), *(const uint32_t *)into};
    return member.url && array_add(document->collada->context, &animations->members, &animations->member_room,
                                   &animations->member_count, &member, sizeof member)
               ? CP_OK
               : CP_LIMIT;
}

static double read_time(const struct collada_document *document, const char *name)
{
    const char *text = xml_attribute(&document->xml, name);
    double time;
    return text && text_is_number(text, &time) ? time : (double)NAN;
}

static cp_status read_clip(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"instance_animation", read_member}, {NULL, NULL}};
    struct collada_animations *animations = animations_of(document);
    uint32_t row = animations->clip_count;
    const char *id = collada_attribute(document, "id"), *name = collada_attribute(document, "name");
    struct collada_clip clip = {.start = read_time(document, "start"), .end = read_time(document, "end")};
    (void)into;
    if (!id || !name)
        return CP_LIMIT;
    clip.name = *name ? name : id;
    if (!array_add(document->collada->context, &animations->clips, &animations->clip_room, &animations->clip_count,
                   &clip, sizeof clip))
        return CP_LIMIT;
    return collada_read_children(document, elements, &row);
}

cp_status collada_read_clips(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"animation_clip", read_clip}, {NULL, NULL}};
    return document == document->collada->documents[0] ? collada_read_children(document, elements, into)
                                                       : collada_count_unread(document, into);
}

/* ---- memory ---- */

cp_status collada_start_animations(struct collada *collada)
{
    struct collada_animations *animations = arena_allocate_zeroed(collada->arena, 1, sizeof *animations);
    if (!animations)
        return CP_LIMIT;
    animations->animation_ids.context = animations->sampler_ids.context = collada->context;
    animations->animation = CP_NONE;
    collada->animations = animations;
    return CP_OK;
}

void collada_free_animations(struct collada *collada)
{
    struct collada_animations *animations = collada->animations;
    if (!animations)
        return;
    name_map_free(&animations->animation_ids);
    name_map_free(&animations->sampler_ids);
#define FREE(rows, room) memory_free(collada->context, animations->rows, animations->room, sizeof *animations->rows)
    FREE(animations, animation_room);
    FREE(clips, clip_room);
    FREE(members, member_room);
    FREE(samplers, sampler_room);
    FREE(channels, channel_room);
#undef FREE
}
