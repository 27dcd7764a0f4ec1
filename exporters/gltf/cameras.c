/* Writes views of the scene as cameras, each on a made node below the root. */
#include "writer.h"

#include <math.h>

/* Positions of cameras are rounded to a millionth of the scene's size, and their turns to a millionth. */
static const double ROUND = 1e6;

cp_status plan_cameras(struct gltf_file *file, struct arena *arena)
{
    const struct gltf_export_settings *settings = file->settings;
    bool cell = file->scene->device_count > 0 && !settings->web;
    if (!is_deliver(file) || settings->cameras == CAMERAS_NO || (settings->cameras == CAMERAS_AUTO && !cell))
        return CP_OK;
    return views_find(file->context, file->scene, arena, &file->views);
}

void list_cameras(struct json_writer *json, const struct gltf_file *file)
{
    uint32_t first = file->node_count + has_up_root(file);
    for (uint32_t i = 0; i < file->views.count; i++)
        json_whole(json, first + i);
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

void write_camera_nodes(struct json_writer *json, const struct gltf_file *file)
{
    double size = ceil(log10(file->views.radius)), steps = fmax(1, ROUND / pow(10, size));
    for (uint32_t i = 0; i < file->views.count; i++) {
        const struct viewpoint *view = &file->views.items[i];
        struct trs trs = place(&view->camera).first;
        for (int k = 0; k < 4; k++)
            trs.rotation[k] = rounded(trs.rotation[k], ROUND);
        for (int k = 0; k < 3; k++) {
            trs.translation[k] = rounded(trs.translation[k], steps);
            trs.scale[k] = 1;
        }
        json_open_item(json);
        json_key_text(json, "name", file->view_names[i]);
        json_key_integer(json, "camera", i);
        write_trs(json, file, &trs);
        json_extras_open(json);
        json_key_text(json, "made", "view");
        json_extras_close(json);
        json_close(json, '}');
    }
}

void write_cameras(struct json_writer *json, const struct gltf_file *file)
{
    /* leaves room to move the camera nearer or farther */
    const double room = 10;
    if (file->views.count == 0)
        return;
    json_open_list(json, "cameras");
    for (uint32_t i = 0; i < file->views.count; i++) {
        const struct viewpoint *view = &file->views.items[i];
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
