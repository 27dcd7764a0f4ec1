/* VRML97: worlds of web browsers, parts of CAD programs, and robots of OpenHRP and Choreonoid.
 *
 * Specification: ISO/IEC 14772-1:1997. Dialects: files without a header that others inline; names with '.' and '-'.
 *
 * Behaviour and limitations
 * - A Transform is a frame; Group, Anchor, Billboard, Switch, LOD and Collision put what they hold into the frame
 * around them. Geometry that is used again is one mesh.
 * - Y is up, but Z in robots of OpenHRP and in worlds that our exporter wrote with up=z. Metres.
 * - Prototypes are expanded. Files of Inline and EXTERNPROTO are read once each.
 * - Prototypes Joint, Segment, Humanoid and ExtraJoint are joints, links, devices and loops.
 * - TimeSensors with interpolators of translation, rotation and scale are clips. Scripts never run.
 * - Worlds of our exporter get their joints, names, masters and recordings back.
 * - Faces keep their corners; normals, colours and texture coordinates of faces and corners split vertices. */
#include "vrml97.h"

#include <stddef.h>

#include "../importers.h"
#include "base/text/text.h"

void wrl_tell(struct wrl *wrl, enum wrl_told what, uint64_t count, struct place place)
{
    if (count > 0 && wrl->told[what].count == 0)
        wrl->told[what].first = place;
    wrl->told[what].count += count;
}

static void report_losses(const struct wrl *wrl)
{
    static const struct told {
        const char *code, *text;
    } texts[WRL_TOLD_COUNT] = {
        [WRL_TOLD_FACES] = {"vrml97-corner", "faces and lines with corners that are not there"},
        [WRL_TOLD_SMALL] = {"vrml97-small", "faces of fewer than three corners, and lines of one"},
        [WRL_TOLD_SWITCH] = {"vrml97-switch", "choices of Switch that are not shown"},
        [WRL_TOLD_LEVELS] = {"vrml97-levels", "coarser levels of detail"},
        [WRL_TOLD_BILLBOARDS] = {"vrml97-billboard", "turns of Billboards to the viewer"},
        [WRL_TOLD_POINTS] = {"vrml97-points", "PointSets"},
        [WRL_TOLD_TEXT] = {"vrml97-text", "Texts"},
        [WRL_TOLD_AMBIENT] = {"vrml97-ambient", "ambient intensities of materials"},
        [WRL_TOLD_SHINING] = {"vrml97-specular", "specular colours of materials"},
        [WRL_TOLD_PICTURES] = {"vrml97-textures", "textures of lines"},
        [WRL_TOLD_SCRIPTS] = {"vrml97-scripts", "Scripts, which are never run"},
        [WRL_TOLD_ROUTES] = {"vrml97-routes", "ROUTEs other than those from time to the poses of Transforms"},
        [WRL_TOLD_CURVES] = {"vrml97-interpolators", "interpolators that no TimeSensor drives"},
        [WRL_TOLD_KEYS] = {"vrml97-keys", "keys without a value, or out of order"}};
    for (size_t i = 0; i < WRL_TOLD_COUNT; i++)
        if (wrl->told[i].count > 0 && texts[i].code && !(wrl->is_own && i == WRL_TOLD_ROUTES))
            report_loss(wrl->context, texts[i].code, wrl->told[i].first, wrl->told[i].count, "%s", texts[i].text);
    if (wrl->told[WRL_TOLD_UNLIT].count > 0)
        report_note(wrl->context, "vrml97-unlit", wrl->told[WRL_TOLD_UNLIT].first,
                    "looks without a Material are white: %llu", (unsigned long long)wrl->told[WRL_TOLD_UNLIT].count);
}

static void find_axes(struct wrl *wrl)
{
    int up = wrl->settings->up;
    wrl->unit = wrl->settings->unit > 0 ? wrl->settings->unit : 1;
    wrl->is_turned = !wrl->is_own && (up == WRL_UP_Y || (up == WRL_UP_AUTO && !wrl->has_robot));
    wrl->turn = pose_z_up_from_y_up();
    wrl->scene->source.unit = wrl->unit;
    wrl->scene->source.up = wrl->is_turned ? CP_UP_Y : CP_UP_Z;
}

static cp_status read_world(struct wrl *wrl, const struct source *source)
{
    struct wrl_file *top = arena_allocate_zeroed(wrl->arena, 1, sizeof *top);
    if (!top || !array_add(wrl->context, &wrl->files, &wrl->file_room, &wrl->file_count, &top, sizeof top))
        return CP_LIMIT;
    top->source = source;
    cp_status status = wrl_parse(wrl, top, 0);
    if (status == CP_OK)
        status = wrl_find_own(wrl, top);
    if (status != CP_OK)
        return status;
    find_axes(wrl);
    status = wrl_build(wrl, top);
    if (status == CP_OK)
        status = wrl_own_finish(wrl);
    if (status == CP_OK)
        status = wrl_finish_robots(wrl);
    if (status == CP_OK)
        status = wrl_add_clips(wrl);
    if (status == CP_OK)
        report_losses(wrl);
    return status;
}

static cp_status read(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    struct wrl wrl = {.context = context,
                      .settings = settings,
                      .scene = scene,
                      .arena = arena_new(context),
                      .file_paths = {.context = context},
                      .file_names = {.context = context},
                      .proto_names = {.context = context},
                      .materials = {.context = context},
                      .textures = {.context = context},
                      .text = {.context = context}};
    wrl.moved_end = &wrl.moved;
    cp_status status = wrl.arena ? read_world(&wrl, source) : CP_LIMIT;
    for (uint32_t i = 1; i < wrl.file_count; i++)
        source_close(wrl.files[i]->opened);
    wrl_own_free(&wrl);
    memory_free(context, wrl.files, wrl.file_room, sizeof *wrl.files);
    memory_free(context, wrl.placed, wrl.placed_room, sizeof *wrl.placed);
    name_map_free(&wrl.file_paths);
    memory_free(context, wrl.protos, wrl.proto_room, sizeof *wrl.protos);
    memory_free(context, wrl.given, wrl.given_room, sizeof *wrl.given);
    name_map_free(&wrl.file_names);
    name_map_free(&wrl.proto_names);
    name_map_free(&wrl.materials);
    name_map_free(&wrl.textures);
    buffer_free(&wrl.text);
    arena_free(wrl.arena);
    return status == CP_OK ? scene_finish(scene) : status;
}

/* VRML 1.0 and worlds of Webots are known, too, so that their error says what to do. */
static int probe(const char *head, size_t size, uint64_t file_size)
{
    static const char sign[] = "#VRML V", other[] = "#VRML_SIM";
    const char *text = text_after_mark(head, size);
    const size_t left = (size_t)(head + size - text);
    (void)file_size;
    bool known = (left >= sizeof sign - 1 && memcmp(text, sign, sizeof sign - 1) == 0) ||
                 (left >= sizeof other - 1 && memcmp(text, other, sizeof other - 1) == 0);
    return known ? 100 : 0;
}

static const cp_option options[] = {
    {"unit", "length of the file's unit; m if none is given", CP_OPTION_UNIT,
     .offset = offsetof(struct wrl_settings, unit)},
    {"up", "the file's axis that points up; auto: Z in robots of OpenHRP, else Y", CP_OPTION_CHOICE,
     offsetof(struct wrl_settings, up), "auto", .choices = "auto|y|z"},
    CP_OPTIONS_END,
};

const struct importer vrml97_importer = {
    .plugin = {.name = "vrml97",
               .title = "VRML97 worlds, with robots of OpenHRP",
               .options = options,
               .settings_size = sizeof(struct wrl_settings)},
    .suffixes = ".wrl .wrz",
    .is_cell = true,
    .probe = probe,
    .sign = "\"#VRML V2.0 utf8\"",
    .read = read,
};
