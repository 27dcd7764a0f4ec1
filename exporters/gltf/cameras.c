/* Writes views of the scene as cameras, each on a made node below the root. */
#include "writer.h"

#include <math.h>

/* Positions of cameras are rounded to a millionth of the scene's size, and their turns to a millionth. */
static const double ROUND = 1e6;

cp_status plan_cameras(struct writer *writer, struct arena *arena)
{
    const struct gltf_settings *settings = writer->settings;
    bool cell = writer->scene->device_count > 0 && !settings->web;
    if (!is_deliver(writer) || settings->cameras == CAMERAS_NO || (settings->cameras == CAMERAS_AUTO && !cell))
        return CP_OK;
    return views_find(writer->context, writer->scene, arena, &writer->views);
}

void list_cameras(struct writer *writer)
{
    uint32_t first = writer->node_count + has_up_root(writer);
    for (uint32_t i = 0; i < writer->views.count; i++)
        json_whole(&writer->json, first + i);
}

/* Rounds to whole numbers of 1 / steps. */
static double rounded(double value, double steps)
{
    return round(value * steps) / steps + 0.0;
}

/* Rounds to two digits; borders need no more. */
static double significant(double value)
{
    double steps = pow(10, 1 - floor(log10(value)));
    return steps >= 1 ? rounded(value, steps) : value;
}

void write_camera_nodes(struct writer *writer)
{
    struct json_writer *json = &writer->json;
    double size = ceil(log10(writer->views.radius)), steps = fmax(1, ROUND / pow(10, size));
    for (uint32_t i = 0; i < writer->views.count; i++) {
        const struct viewpoint *view = &writer->views.items[i];
        struct trs trs = place(&view->camera).first;
        for (int k = 0; k < 4; k++)
            trs.rotation[k] = rounded(trs.rotation[k], ROUND);
        for (int k = 0; k < 3; k++) {
            trs.translation[k] = rounded(trs.translation[k], steps);
            trs.scale[k] = 1;
        }
        json_line(json);
        json_open(json, '{');
        json_key_text(json, "name", writer->view_names[i]);
        json_key_integer(json, "camera", i);
        write_trs(writer, &trs);
        json_extras_open(json);
        json_key_text(json, "made", "view");
        json_extras_close(json);
        json_close(json, '}');
    }
}

void write_cameras(struct writer *writer)
{
    /* leaves room to move the camera nearer or farther */
    const double room = 10;
    struct json_writer *json = &writer->json;
    if (writer->views.count == 0)
        return;
    json_line(json);
    json_key_open(json, "cameras", '[');
    for (uint32_t i = 0; i < writer->views.count; i++) {
        const struct viewpoint *view = &writer->views.items[i];
        json_open(json, '{');
        json_key_text(json, "type", "perspective");
        json_key_open(json, "perspective", '{');
        json_key_number(json, "yfov", FIELD_OF_VIEW);
        json_key_number(json, "znear", significant(view->near / room));
        json_key_number(json, "zfar", significant(view->far * room));
        json_close(json, '}');
        json_close(json, '}');
    }
    json_close(json, ']');
}
