/* PNG: a picture of the scene as it stands, from one of its views.
 *
 * Specification: ISO/IEC 15948 (PNG), 8 bits a channel, sRGB. libpng writes it.
 *
 * Behaviour and limitations
 * - Perspective, with the views of scene/view. What the view shows fills 90 % of the tighter side of the picture.
 * - Drawn geometry; that for collision if nothing is drawn. Both sides of faces, unless the source says one alone.
 * - Colours of materials and vertices, base colour textures (PNG, JPEG), alpha by mask or blending, sorted by triangle.
 *   Lines are 1.2 pixels wide. Metallic, roughness, normal maps and further textures are not shown.
 * - Light: a sun from above, the sky and the ground. The sun's shadow is soft, on the ground and on what is below.
 * - Frames, as lines to those below them, where shapes are tiny or none.
 * - Normals where the meshes have them, else smooth ones by the crease angle; primitives are round.
 * - 2 x 2 samples a pixel. A sample's depth is a float, so that surfaces nearer to each other than 1e-6 of the distance
 *   may mix. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../exporters.h"
#include "base/context.h"
#include "mesh/mesh.h"
#include "picture.h"
#include "view/pixels.h"

static const cp_option options[] = {
    {"size", "width and height of the picture", CP_OPTION_PIXELS, offsetof(struct png_settings, size), "512x384",
     .minimum = 1, .maximum = MOST_SIDE},
    {"view", "the whole cell from a corner, from the front, the left or the top, or a device by its name",
     CP_OPTION_DEVICE, offsetof(struct png_settings, view), "corner", .value = "corner|front|left|top|NAME"},
    {"edges", "draws lines where faces meet at more than the crease angle", CP_OPTION_BOOLEAN,
     offsetof(struct png_settings, edges), .initial = "no"},
    {"crease", "faces that meet at less than this angle are shaded smoothly", CP_OPTION_ANGLE,
     offsetof(struct png_settings, crease), CREASE_TEXT, .maximum = PI},
    {"background", "a colour, or none for a transparent one", CP_OPTION_COLOUR,
     offsetof(struct png_settings, background), .initial = "#e6edf5"},
    {"colours", "of a cell whose source has none: by robot, tool, workpiece, floor and fence, or all grey",
     CP_OPTION_CHOICE, offsetof(struct png_settings, colours), "auto", .choices = "auto|none"},
    {"frames", "lines from frame to frame: where shapes are tiny or none, always, or never", CP_OPTION_CHOICE,
     offsetof(struct png_settings, frames), "auto", .choices = "auto|yes|no"},
    CP_OPTIONS_END};

static uint32_t carries(const void *settings)
{
    (void)settings;
    return CP_FEATURE_MESHES | CP_FEATURE_HIERARCHY | CP_FEATURE_INSTANCES | CP_FEATURE_NGONS | CP_FEATURE_LINES |
           CP_FEATURE_PRIMITIVES | CP_FEATURE_NORMALS | CP_FEATURE_COLOURS | CP_FEATURE_VERTEX_COLOURS |
           CP_FEATURE_COORDINATES | CP_FEATURE_TEXTURES | CP_FEATURE_COLLISION;
}

static uint32_t shows(const void *settings)
{
    (void)settings;
    return CP_USE_BOTH;
}

/* ---- options ---- */

/* Adds the names of the views, for a message: at most a few. */
static void list_names(const struct views *views, char *text, size_t room)
{
    enum { SHOWN = 12, FIRST_DEVICE = 4 };
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = FIRST_DEVICE; i < views->count && used < room; i++) {
        bool last = i == FIRST_DEVICE + SHOWN;
        used += (size_t)snprintf(text + used, room - used, last ? ", ..." : ", %s", views->items[i].title);
        if (last)
            break;
    }
}

/* Finds the view by its name. */
static cp_status find_view(const struct png_picture *picture, struct viewpoint **view)
{
    static const char *const words[] = {"corner", "front", "left", "top"};
    const struct views *views = &picture->views;
    const char *wanted = picture->settings->view;
    char names[400];
    for (uint32_t i = 0; i < views->count; i++)
        if (strcmp(i < 4 ? words[i] : views->items[i].title, wanted) == 0) {
            *view = &views->items[i];
            return CP_OK;
        }
    if (views->count == 0)
        return report_error(picture->context, CP_OUTPUT, "png-range", NOWHERE,
                            "the scene is too large for a camera to see it all");
    list_names(views, names, sizeof names);
    return report_error(picture->context, CP_USAGE, "png-view", NOWHERE,
                        "view=%s: there is no such view; there are corner, front, left, top%s", wanted, names);
}

/* ---- the camera ---- */

static void map_to_picture(struct png_camera *camera, const struct viewpoint *view, uint32_t width, uint32_t height)
{
    const double shorter = width < height ? width : height;
    camera->focal = SUPERSAMPLES * shorter / 2 / tan(FIELD_OF_VIEW / 2);
    camera->middle[0] = SUPERSAMPLES * (double)width / 2;
    camera->middle[1] = SUPERSAMPLES * (double)height / 2;
    camera->nearest = view->near / 100;
    for (int row = 0; row < 3; row++) {
        for (int axis = 0; axis < 3; axis++)
            camera->axes[axis][row] = view->camera.m[4 * row + axis];
        camera->at[row] = view->camera.m[4 * row + 3];
    }
    for (int i = 0; i < 3; i++) {
        double w = -camera->axes[2][i];
        camera->picture.m[i] = camera->middle[0] * w + camera->focal * camera->axes[0][i];
        camera->picture.m[4 + i] = camera->middle[1] * w - camera->focal * camera->axes[1][i];
        camera->picture.m[8 + i] = w;
    }
    for (int row = 0; row < 3; row++)
        camera->picture.m[4 * row + 3] = -dot_product(camera->picture.m + 4 * row, camera->at);
}

static cp_status aim(struct png_picture *picture, const cp_scene *scene)
{
    struct viewpoint *view = NULL;
    cp_status status = views_list(picture->context, scene, picture->arena, &picture->views);
    if (status == CP_OK)
        status = find_view(picture, &view);
    if (status != CP_OK)
        return status;
    views_aim(&picture->views, view, (double)picture->width / picture->height);
    map_to_picture(&picture->camera, view, picture->width, picture->height);
    return CP_OK;
}

/* Points to the sun: from above, from the left and from behind the camera. */
static void place_sun(struct png_picture *picture)
{
    static const double aside = 0.5, behind = 0.35, level = 0.1;
    const struct png_camera *camera = &picture->camera;
    const double *back =
        fabs(camera->axes[2][0]) + fabs(camera->axes[2][1]) > level ? camera->axes[2] : camera->axes[1];
    double across = sqrt(back[0] * back[0] + back[1] * back[1]);
    for (int i = 0; i < 2; i++)
        picture->sun[i] = behind * back[i] / across - aside * camera->axes[0][i];
    picture->sun[2] = 1;
    double length = sqrt(dot_product(picture->sun, picture->sun));
    for (int i = 0; i < 3; i++)
        picture->sun[i] /= length;
}

static cp_status make_tables(struct png_picture *picture)
{
    picture->encoded = arena_allocate(picture->arena, ENCODED_STEPS + 1, 1);
    if (!picture->encoded)
        return CP_LIMIT;
    for (int i = 0; i < 256; i++)
        picture->linear[i] = (float)linear_from_srgb(i / 255.0);
    /* Each byte begins at the light of half a step below it. */
    for (int byte = 0, step = 0; byte < 256; byte++) {
        double end = byte < 255 ? linear_from_srgb((byte + 0.5) / 255) * ENCODED_STEPS : ENCODED_STEPS + 1;
        for (; step <= ENCODED_STEPS && step < end; step++)
            picture->encoded[step] = (unsigned char)byte;
    }
    return CP_OK;
}

/* Makes triangles of all that is drawn; round primitives get the normals of their surfaces. *changed: a copy of the
 * scene if that changes a mesh, or the one that *changed is before. */
static cp_status make_triangles(const cp_scene *scene, cp_scene **changed)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < scene->mesh_count && status == CP_OK; i++) {
        const cp_mesh *mesh = &scene->meshes[i];
        if (mesh->kind == CP_MESH_LINES || (mesh->kind == CP_MESH_FACES && !mesh->face_offsets))
            continue;
        if (!*changed && !(*changed = scene_copy(scene)))
            return CP_LIMIT;
        status = mesh_tessellate_round(*changed, &(*changed)->meshes[i]);
        if (status == CP_OK)
            status = mesh_triangulate(*changed, &(*changed)->meshes[i]);
    }
    return status;
}

static cp_status draw(struct png_picture *picture, const cp_scene *scene, cp_scene **changed, struct sink *sink)
{
    cp_status status = aim(picture, scene);
    if (status == CP_OK)
        status = make_triangles(scene, changed);
    picture->scene = *changed ? *changed : scene;
    place_sun(picture);
    bands_choose(picture);
    if (status == CP_OK)
        status = make_tables(picture);
    if (status == CP_OK)
        status = shapes_make(picture);
    if (status == CP_OK)
        status = looks_make(picture);
    if (status == CP_OK)
        status = smoothing_make(picture);
    if (status == CP_OK)
        status = edges_add(picture);
    if (status == CP_OK)
        status = shadow_make(picture);
    if (status == CP_OK)
        status = bands_make(picture);
    if (status == CP_OK && picture->shape_count == 0)
        report_warning(picture->context, "png-empty", NOWHERE,
                       "nothing is drawn: the picture shows the background alone");
    return status == CP_OK ? bands_write(picture, sink) : status;
}

static cp_status write_picture(cp_context *context, const cp_scene *scene, const void *pointer, struct sink *sink)
{
    const struct png_settings *settings = pointer;
    struct png_picture picture = {.context = context, .settings = settings};
    cp_scene *changed = NULL, *triangles = NULL;
    const cp_colour *background = &settings->background;
    const unsigned char bytes[3] = {background->red, background->green, background->blue};
    for (int i = 0; i < 3; i++)
        picture.background[i] = (float)linear_from_srgb(bytes[i] / 255.0);
    picture.background[3] = background->alpha > 0;
    picture.crease_cosine = (float)cos(settings->crease);
    picture.width = settings->size.width;
    picture.height = settings->size.height;
    picture.arena = arena_new(context);
    cp_status status = picture.arena ? view_limit_planes(context, scene, &changed) : CP_LIMIT;
    if (status == CP_OK && settings->colours == PNG_COLOURS_AUTO)
        status = view_paint(context, scene, &changed);
    if (status == CP_OK && settings->frames != PNG_FRAMES_NO)
        status = view_add_frames(context, scene, settings->frames == PNG_FRAMES_YES, &changed);
    if (status == CP_OK)
        status = draw(&picture, changed ? changed : scene, &triangles, sink);
    cp_scene_free(triangles);
    cp_scene_free(changed);
    arena_free(picture.arena);
    return status;
}

const struct exporter png_exporter = {.plugin = {.name = "png",
                                                 .title = "PNG pictures",
                                                 .options = options,
                                                 .settings_size = sizeof(struct png_settings),
                                                 .package = PNG_PACKAGE},
                                      .suffixes = ".png",
                                      .carries = carries,
                                      .shows = shows,
                                      .tessellates = true,
                                      .write = write_picture};
