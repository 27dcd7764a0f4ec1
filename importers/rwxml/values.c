/* Texts, numbers and poses of elements. */
#include "rwxml.h"

#include <math.h>
#include <stdio.h>

#include "base/text/text.h"

const char *const rwxml_poses[] = {"RPY", "Pos", "Transform", NULL};
const char *const rwxml_limits[] = {"PosLimit", "VelLimit", "AccLimit", NULL};
const char *const rwxml_models[] = {"Drawable", "CollisionModel", NULL};

bool rwxml_is_one_of(const struct xml_node *element, const char *const *names)
{
    while (*names && !rwxml_is(element, *names))
        names++;
    return *names;
}

void rwxml_lose(struct rwxml *rwxml, const struct xml_node *element)
{
    report_loss(rwxml->context, "rwxml-element", xml_node_place(element), 1, "the element <%.100s>", element->name);
}

cp_status rwxml_lenient(struct rwxml *rwxml, const char *code, const struct xml_node *element, const char *format,
                        const char *word)
{
    char text[512];
    (void)snprintf(text, sizeof text, format, word);
    return report_lenient(rwxml->context, rwxml->settings->common.strict, code, xml_node_place(element), "%s", text);
}

const char *rwxml_text(struct rwxml *rwxml, const struct xml_node *element)
{
    struct buffer text = {.context = rwxml->context};
    for (const struct xml_node *child = element->first; child; child = child->next)
        if (!child->name)
            buffer_text(&text, child->text);
    size_t begin = 0, end = text.size;
    while (begin < end && is_space(text.data[begin]))
        begin++;
    while (end > begin && is_space(text.data[end - 1]))
        end--;
    const char *kept = text.failed ? NULL : arena_copy_text(rwxml->arena, end ? text.data + begin : "", end - begin);
    buffer_free(&text);
    return kept;
}

const char *rwxml_attribute(struct rwxml *rwxml, const struct xml_node *element, const char *name)
{
    const char *value = xml_node_attribute(element, name);
    if (!value || !*value) {
        report_error(rwxml->context, CP_INPUT, "rwxml-attribute", xml_node_place(element),
                     "<%.100s> has no attribute %s", element->name, name);
        return NULL;
    }
    return value;
}

cp_status rwxml_number(struct rwxml *rwxml, const struct xml_node *element, const char *name, double *number)
{
    const char *value = rwxml_attribute(rwxml, element, name);
    if (!value)
        return CP_INPUT;
    if (text_is_number(value, number))
        return CP_OK;
    return report_error(rwxml->context, CP_INPUT, "rwxml-number", xml_node_place(element),
                        "the attribute %s of <%.100s> is no number: \"%.100s\"", name, element->name, value);
}

cp_status rwxml_numbers(struct rwxml *rwxml, const struct xml_node *element, double **numbers, uint32_t *count)
{
    const char *text = rwxml_text(rwxml, element);
    if (!text)
        return CP_LIMIT;
    size_t size = strlen(text);
    const char *at = text, *end = text + size;
    *count = 0;
    *numbers = arena_allocate(rwxml->arena, size / 2 + 1, sizeof **numbers);
    if (!*numbers)
        return CP_LIMIT;
    while (at < end) {
        const char *after = parse_double(at, end, *numbers + *count);
        if (!after || (after < end && !is_space(*after)) || !isfinite((*numbers)[*count]))
            return report_error(rwxml->context, CP_INPUT, "rwxml-number", xml_node_place(element),
                                "<%.100s> holds what is no number: \"%.*s\"", element->name,
                                (int)strcspn(at, " \t\r\n\v\f") > 100 ? 100 : (int)strcspn(at, " \t\r\n\v\f"), at);
        ++*count;
        for (at = after; at < end && is_space(*at);)
            at++;
    }
    return CP_OK;
}

/* Reads exactly so many numbers of a child element. *found stays false if there is no such child. */
static cp_status child_numbers(struct rwxml *rwxml, const struct xml_node *element, const char *name, uint32_t wanted,
                               double *numbers, bool *found)
{
    const struct xml_node *child = xml_node_child(element, name);
    double *read;
    uint32_t count;
    *found = child != NULL;
    if (!child)
        return CP_OK;
    cp_status status = rwxml_numbers(rwxml, child, &read, &count);
    if (status != CP_OK)
        return status;
    if (count < wanted)
        return report_error(rwxml->context, CP_INPUT, "rwxml-pose", xml_node_place(child),
                            "<%s> has %u numbers and needs %u", name, count, wanted);
    if (count > wanted) {
        status = rwxml_lenient(rwxml, "rwxml-pose", child, "<%s> has more numbers than it needs", name);
        if (status != CP_OK)
            return status;
    }
    memcpy(numbers, read, wanted * sizeof *numbers);
    return CP_OK;
}

cp_status rwxml_pose(struct rwxml *rwxml, const struct xml_node *element, cp_pose *pose)
{
    double turn[3] = {0, 0, 0}, place[3] = {0, 0, 0};
    bool whole, turns, moves;
    *pose = POSE_IDENTITY;
    cp_status status = child_numbers(rwxml, element, "Transform", 12, pose->m, &whole);
    if (status == CP_OK && whole && !pose_is_rigid(pose, 1e-3)) /* digits may be few */
        status =
            rwxml_lenient(rwxml, "rwxml-pose", element, "the rotation in <%s> scales, shears or mirrors", "Transform");
    if (status != CP_OK || whole)
        return status;
    status = child_numbers(rwxml, element, "RPY", 3, turn, &turns);
    if (status == CP_OK)
        status = child_numbers(rwxml, element, "Pos", 3, place, &moves);
    if (status != CP_OK)
        return status;
    if (turns != moves)
        status = rwxml_lenient(rwxml, "rwxml-pose", element, "a pose by RPY and Pos lacks one of the two, %s",
                               turns ? "Pos" : "RPY");
    cp_pose roll = pose_rotation_degrees(2, turn[0]), pitch = pose_rotation_degrees(1, turn[1]);
    cp_pose yaw = pose_rotation_degrees(0, turn[2]), shift = pose_translation(place[0], place[1], place[2]);
    *pose = pose_multiply(&shift, &roll);
    *pose = pose_multiply(pose, &pitch);
    *pose = pose_multiply(pose, &yaw);
    return status;
}

/* ---- Denavit and Hartenberg ---- */

/* The two numbers of the link, and the two of the joint. */
struct link_numbers {
    double alpha, a, along, angle; /* degrees and metres */
};

/* Standard: Rz(angle) Tz(along) Tx(a) Rx(alpha). By Craig: Rx(alpha) Tx(a) Rz(angle) Tz(along). */
static cp_pose link_pose(const struct link_numbers *link, bool standard)
{
    cp_pose bend = pose_rotation_degrees(0, link->alpha), side = pose_translation(link->a, 0, 0);
    cp_pose turn = pose_rotation_degrees(2, link->angle), along = pose_translation(0, 0, link->along);
    cp_pose joint = pose_multiply(&turn, &along);
    cp_pose arm = standard ? pose_multiply(&side, &bend) : pose_multiply(&bend, &side);
    return standard ? pose_multiply(&joint, &arm) : pose_multiply(&arm, &joint);
}

/* Returns the pose by Hayati, for axes that are nearly parallel: T(a cos beta, b, -a sin beta) Ry(beta) Rx(alpha). */
static cp_pose parallel_pose(const struct link_numbers *link)
{
    cp_pose turn = pose_rotation_degrees(1, link->angle), bend = pose_rotation_degrees(0, link->alpha);
    cp_pose place = pose_translation(link->a * turn.m[0], link->along, link->a * turn.m[8]);
    place = pose_multiply(&place, &turn);
    return pose_multiply(&place, &bend);
}

cp_status rwxml_joint_pose(struct rwxml *rwxml, const struct xml_node *element, struct rwxml_frame *frame)
{
    static const char *const words[] = {"d", "theta", "b", "beta"};
    struct link_numbers link;
    const char *type = xml_node_attribute(element, "type");
    double said, offset;
    int word = 0, other;
    while (word < 4 && !xml_node_attribute(element, words[word]))
        word++;
    if (word == 4)
        return report_error(rwxml->context, CP_INPUT, "rwxml-joint", xml_node_place(element),
                            "the DHJoint \"%.100s\" has none of d, theta, b and beta", frame->name);
    for (other = word + 1; other < 4 && !xml_node_attribute(element, words[other]);)
        other++;
    cp_status status = CP_OK;
    if (other < 4) {
        const char *both = arena_print(rwxml->arena, "%s and %s", words[word], words[other]);
        status = both ? rwxml_lenient(rwxml, "rwxml-joint", element, "the DHJoint has %s; the first one counts", both)
                      : CP_LIMIT;
    }
    bool standard = type && (strcmp(type, "schilling") == 0 || strcmp(type, "HGP") == 0);
    if (status == CP_OK && type && *type && !standard && !text_equal_nocase(type, "craig"))
        status = rwxml_lenient(
            rwxml, "rwxml-joint", element,
            "the type \"%.40s\" of a DHJoint is neither schilling nor HGP; RobWork reads it by Craig", type);
    if (status == CP_OK)
        status = rwxml_number(rwxml, element, "alpha", &link.alpha);
    if (status == CP_OK)
        status = rwxml_number(rwxml, element, "a", &link.a);
    if (status == CP_OK)
        status = rwxml_number(rwxml, element, words[word], &said);
    if (status == CP_OK)
        status = rwxml_number(rwxml, element, "offset", &offset);
    if (status != CP_OK)
        return status;
    bool is_revolute = word % 2 == 0; /* the offset is where the joint begins */
    link.along = is_revolute ? said : offset;
    link.angle = is_revolute ? offset : said;
    frame->kind = is_revolute ? RWXML_REVOLUTE : RWXML_PRISMATIC;
    frame->pose = word < 2 ? link_pose(&link, standard) : parallel_pose(&link);
    return CP_OK;
}
