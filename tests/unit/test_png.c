/* Pictures: what they show against rays that the test casts itself, on small scenes; colours, textures, alpha, edges,
 * shadows; sizes, views, and the same bytes for any number of threads. libpng reads them. */
#include <math.h>
#include <png.h>

#include "fixture.h"

/* ---- pictures ---- */

struct picture {
    uint32_t width, height;
    unsigned char *rgba;
};

static struct picture decode(const void *bytes, size_t size)
{
    png_image png = {.version = PNG_IMAGE_VERSION};
    assert_int_not_equal(png_image_begin_read_from_memory(&png, bytes, size), 0);
    png.format = PNG_FORMAT_RGBA;
    struct picture picture = {png.width, png.height, malloc(PNG_IMAGE_SIZE(png))};
    assert_non_null(picture.rgba);
    assert_int_not_equal(png_image_finish_read(&png, NULL, picture.rgba, 0, NULL), 0);
    return picture;
}

typedef const char *const words[6];

static void *write_picture(cp_context *context, const cp_scene *scene, words options, size_t *size)
{
    size_t count = 0;
    void *bytes;
    while (options[count])
        count++;
    cp_status status = cp_write_memory(context, scene, "png", options, count, &bytes, size);
    expect_status(context, status, CP_OK);
    return bytes;
}

static struct picture draw(cp_context *context, const cp_scene *scene, words options)
{
    size_t size;
    void *bytes = write_picture(context, scene, options, &size);
    struct picture picture = decode(bytes, size);
    cp_free(context, bytes, size);
    return picture;
}

static const unsigned char *pixel(const struct picture *picture, uint32_t x, uint32_t y)
{
    assert_true(x < picture->width && y < picture->height);
    return picture->rgba + 4 * ((size_t)y * picture->width + x);
}

static void expect_pixel(const struct picture *picture, uint32_t x, uint32_t y, int red, int green, int blue, int alpha)
{
    const int expected[4] = {red, green, blue, alpha};
    const unsigned char *at = pixel(picture, x, y);
    for (int i = 0; i < 4; i++)
        if (abs(at[i] - expected[i]) > 1)
            fail_msg("pixel %u %u is %d %d %d %d, not %d %d %d %d", x, y, at[0], at[1], at[2], at[3], red, green, blue,
                     alpha);
}

/* ---- scenes ---- */

static uint32_t add_material_of(cp_scene *scene, double red, double green, double blue, double alpha)
{
    cp_material material = cp_new_material();
    const double rgba[4] = {red, green, blue, alpha};
    memcpy(material.rgba, rgba, sizeof rgba);
    material.srgb = false;
    material.extensions = "{\"KHR_materials_unlit\":{}}"; /* its colour is what is seen */
    uint32_t index = cp_add_material(scene, &material);
    assert_int_not_equal(index, CP_NONE);
    return index;
}

static uint32_t add_triangles(cp_scene *scene, const float *positions, uint32_t vertices, const uint32_t *corners,
                              uint32_t faces, uint32_t material)
{
    const cp_group group = {0, faces, material};
    cp_mesh mesh = {.kind = CP_MESH_FACES, .vertex_count = vertices, .face_count = faces, .corner_count = 3 * faces};
    mesh.positions = positions;
    mesh.corners = corners;
    mesh.groups = &group;
    mesh.group_count = 1;
    return add_mesh_of(scene, &mesh);
}

/* A box by its middle and half sides. */
static uint32_t add_box(cp_scene *scene, const double at[3], const double half[3], uint32_t material)
{
    static const uint32_t quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    float positions[8][3];
    uint32_t corners[36];
    for (int i = 0; i < 8; i++)
        for (int axis = 0; axis < 3; axis++)
            positions[i][axis] = (float)(at[axis] + (i >> axis & 1 ? half[axis] : -half[axis]));
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++)
            corners[6 * i + k] = quads[i][(const int[]){0, 1, 2, 0, 2, 3}[k]];
    return add_triangles(scene, positions[0], 8, corners, 12, material);
}

static uint32_t add_sphere(cp_scene *scene, const double at[3], double radius, uint32_t material)
{
    enum { ROUND = 16, RINGS = 8 };
    static float positions[(RINGS + 1) * ROUND][3];
    static uint32_t corners[RINGS * ROUND * 6];
    uint32_t *to = corners;
    for (uint32_t ring = 0; ring <= RINGS; ring++)
        for (uint32_t i = 0; i < ROUND; i++) {
            double polar = PI * ring / RINGS, round = 2 * PI * i / ROUND;
            const double unit[3] = {sin(polar) * cos(round), sin(polar) * sin(round), cos(polar)};
            for (int axis = 0; axis < 3; axis++)
                positions[ring * ROUND + i][axis] = (float)(at[axis] + radius * unit[axis]);
        }
    for (uint32_t ring = 0; ring < RINGS; ring++)
        for (uint32_t i = 0; i < ROUND; i++) {
            uint32_t next = (i + 1) % ROUND, upper = ring * ROUND, lower = upper + ROUND;
            const uint32_t six[6] = {upper + i, lower + i, lower + next, upper + i, lower + next, upper + next};
            memcpy(to, six, sizeof six);
            to += 6;
        }
    return add_triangles(scene, positions[0], (RINGS + 1) * ROUND, corners, RINGS * ROUND * 2, material);
}

static cp_scene *new_scene(cp_context *context)
{
    cp_scene *scene = cp_scene_new(context);
    assert_non_null(scene);
    return scene;
}

static void finish(cp_context *context, cp_scene *scene)
{
    expect_status(context, cp_scene_finish(scene), CP_OK);
}

/* ---- a camera and rays, by arithmetic of the test's own ---- */

struct camera {
    double right[3], up[3], back[3], at[3];
    double focal; /* pixels */
};

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double product[3])
{
    for (int i = 0; i < 3; i++)
        product[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* A vertex of the scene in the world. */
static void place(const cp_scene *scene, const cp_pose *worlds, const cp_instance *instance, uint32_t vertex,
                  double out[3])
{
    const cp_mesh *mesh = &cp_meshes(scene, NULL)[instance->mesh];
    cp_pose world = plain_product(&worlds[instance->node], &instance->transform);
    const float *from = mesh->positions + 3 * (size_t)vertex;
    plain_point(&world, (const double[]){(double)from[0], (double)from[1], (double)from[2]}, out);
}

/* The farthest point to each side in the picture, in units of its half size: left, right, below, above. */
static void measure(const cp_scene *scene, const cp_pose *worlds, uint32_t framed, const struct camera *camera,
                    const double half[2], double sides[4])
{
    uint32_t count;
    const cp_instance *instances = cp_instances(scene, &count);
    for (int i = 0; i < 4; i++)
        sides[i] = -INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        if (framed != CP_NONE && cp_nodes(scene, NULL)[instances[i].node].scope != framed)
            continue;
        for (uint32_t k = 0; k < cp_meshes(scene, NULL)[instances[i].mesh].vertex_count; k++) {
            double at[3];
            place(scene, worlds, &instances[i], k, at);
            for (int axis = 0; axis < 3; axis++)
                at[axis] -= camera->at[axis];
            double w = -dot(camera->back, at);
            double x = w > 0 ? dot(camera->right, at) / w * camera->focal / half[0] : INFINITY;
            double y = w > 0 ? dot(camera->up, at) / w * camera->focal / half[1] : INFINITY;
            sides[0] = fmax(sides[0], w > 0 ? -x : INFINITY);
            sides[1] = fmax(sides[1], x);
            sides[2] = fmax(sides[2], w > 0 ? -y : INFINITY);
            sides[3] = fmax(sides[3], y);
        }
    }
}

/* The camera that looks against `back`, has as much room on one side as on the other, and lets what is framed fill 90 %
 * of the tighter side: by bisection of its distance, and within that of its place. */
static struct camera fit(const cp_scene *scene, const cp_pose *worlds, uint32_t framed, const double back[3],
                         double up_z, uint32_t width, uint32_t height)
{
    struct camera camera = {0};
    double half[2] = {width / 2.0, height / 2.0}, sides[4], length = sqrt(dot(back, back));
    camera.focal = fmin(half[0], half[1]) / tan(PI / 8);
    for (int i = 0; i < 3; i++)
        camera.back[i] = back[i] / length;
    const double up[3] = {0, 1 - up_z, up_z};
    cross(up, camera.back, camera.right);
    length = sqrt(dot(camera.right, camera.right));
    for (int i = 0; i < 3; i++)
        camera.right[i] /= length;
    cross(camera.back, camera.right, camera.up);
    double near = -100, far = 100;
    for (int i = 0; i < 40; i++) {
        double distance = (near + far) / 2, low[2] = {-100, -100}, high[2] = {100, 100};
        for (int k = 0; k < 40; k++) {
            double middle[2] = {(low[0] + high[0]) / 2, (low[1] + high[1]) / 2};
            for (int axis = 0; axis < 3; axis++)
                camera.at[axis] =
                    middle[0] * camera.right[axis] + middle[1] * camera.up[axis] + distance * camera.back[axis];
            measure(scene, worlds, framed, &camera, half, sides);
            for (int side = 0; side < 2; side++)
                *(sides[2 * side + 1] > sides[2 * side] ? &low[side] : &high[side]) = middle[side];
        }
        bool fits = fmax(fmax(sides[0], sides[1]), fmax(sides[2], sides[3])) <= 0.9;
        *(fits ? &far : &near) = distance;
    }
    return camera;
}

/* A triangle in the world. */
struct triangle {
    double corner[3][3], edge[3][3], normal[3];
    uint32_t mesh;
};

static struct triangle *triangles_of(const cp_scene *scene, const cp_pose *worlds, uint32_t *count)
{
    uint32_t instance_count;
    const cp_instance *instances = cp_instances(scene, &instance_count);
    *count = 0;
    for (uint32_t i = 0; i < instance_count; i++)
        *count += cp_meshes(scene, NULL)[instances[i].mesh].face_count;
    struct triangle *all = scratch(*count, sizeof *all), *to = all;
    for (uint32_t i = 0; i < instance_count; i++) {
        const cp_mesh *mesh = &cp_meshes(scene, NULL)[instances[i].mesh];
        for (uint32_t face = 0; face < mesh->face_count; face++, to++) {
            to->mesh = instances[i].mesh;
            for (uint32_t k = 0; k < 3; k++)
                place(scene, worlds, &instances[i], mesh->corners[3 * face + k], to->corner[k]);
            for (int k = 0; k < 3; k++)
                for (int axis = 0; axis < 3; axis++)
                    to->edge[k][axis] = to->corner[(k + 1) % 3][axis] - to->corner[k][axis];
            cross(to->edge[0], to->edge[1], to->normal);
        }
    }
    return all;
}

/* Returns the mesh that a ray through a place of the picture meets first, or CP_NONE. */
static uint32_t cast(const struct triangle *triangles, uint32_t count, const struct camera *camera, double x, double y)
{
    double ray[3], best = INFINITY;
    uint32_t found = CP_NONE;
    for (int i = 0; i < 3; i++)
        ray[i] = x * camera->right[i] + y * camera->up[i] - camera->focal * camera->back[i];
    for (const struct triangle *it = triangles; it < triangles + count; it++) {
        double to[3], turn[3];
        for (int axis = 0; axis < 3; axis++)
            to[axis] = it->corner[0][axis] - camera->at[axis];
        double length = dot(it->normal, to) / dot(it->normal, ray);
        bool inside = length > 0 && length < best;
        for (int k = 0; k < 3 && inside; k++) { /* the point is to the left of each edge */
            for (int axis = 0; axis < 3; axis++)
                to[axis] = camera->at[axis] + length * ray[axis] - it->corner[k][axis];
            cross(it->edge[k], to, turn);
            inside = dot(turn, it->normal) >= 0;
        }
        if (inside) {
            best = length;
            found = it->mesh;
        }
    }
    return found;
}

/* Returns what all four samples of a pixel show, also a hundredth of a pixel beside them; false if they differ. */
static bool cast_pixel(const struct triangle *triangles, uint32_t count, const struct camera *camera,
                       const struct picture *picture, uint32_t x, uint32_t y, uint32_t *found)
{
    for (uint32_t i = 0; i < 8; i++) {
        double off = i < 4 ? -0.01 : 0.01, across = x + 0.25 + 0.5 * (i % 2) + off,
               down = y + 0.25 + 0.5 * (i / 2 % 2) - off;
        uint32_t one = cast(triangles, count, camera, across - picture->width / 2.0, picture->height / 2.0 - down);
        if (i > 0 && one != *found)
            return false;
        *found = one;
    }
    return true;
}

/* Compares the whole picture with rays. Meshes 0, 1 and 2 are red, green and blue. Pixels whose four samples agree must
 * show that mesh, or the background. */
static void expect_rays(const cp_scene *scene, const struct camera *camera, const struct picture *picture, bool free)
{
    cp_pose *worlds = scratch(count_nodes(scene), sizeof *worlds);
    uint32_t wrong = 0, seen[4] = {0};
    pose_scene(scene, NULL, worlds);
    uint32_t count;
    const struct triangle *triangles = triangles_of(scene, worlds, &count);
    for (uint32_t y = 0; y < picture->height; y++)
        for (uint32_t x = 0; x < picture->width; x++) {
            uint32_t found = CP_NONE;
            if (!cast_pixel(triangles, count, camera, picture, x, y, &found))
                continue;
            const unsigned char *at = pixel(picture, x, y);
            uint32_t shown = at[0] > 200 ? 0 : at[1] > 200 ? 1 : at[2] > 200 ? 2 : CP_NONE;
            wrong += shown != found;
            seen[found == CP_NONE ? 3 : found]++;
        }
    if (wrong > 0)
        fail_msg("%u pixels differ from rays", wrong);
    for (uint32_t i = 0; i < count_meshes(scene); i++)
        assert_true(seen[i] > 5);
    assert_true(seen[3] > 20 || !free);
}

/* Three bodies that hide parts of each other. */
static cp_scene *three_bodies(cp_context *context)
{
    cp_scene *scene = new_scene(context);
    uint32_t red = add_material_of(scene, 1, 0, 0, 1), green = add_material_of(scene, 0, 1, 0, 1),
             blue = add_material_of(scene, 0, 0, 1, 1);
    uint32_t node = add_node_at(scene, 0, "bodies", NULL);
    const double third = 1 / sqrt(3);
    cp_pose turned = plain_rotation((const double[]){third, third, third}, 0.7);
    (void)add_instance_of(scene, node,
                          add_box(scene, (const double[]){0.3, -0.2, 0.1}, (const double[]){0.5, 0.4, 0.3}, red),
                          CP_USE_BOTH, &turned);
    (void)add_instance_of(scene, node, add_sphere(scene, (const double[]){-0.5, 0.6, 0.5}, 0.45, green), CP_USE_BOTH,
                          NULL);
    (void)add_instance_of(scene, node,
                          add_box(scene, (const double[]){0.1, 0.3, -0.9}, (const double[]){1, 1.2, 0.1}, blue),
                          CP_USE_BOTH, NULL);
    finish(context, scene);
    return scene;
}

static void test_rays(void **state)
{
    static const struct {
        const char *view;
        double back[3], up_z;
    } views[] = {{"view=front", {1, 0, 0}, 1},
                 {"view=left", {0, -1, 0}, 1},
                 {"view=top", {0, 0, 1}, 0},
                 {"view=corner", {0.6, -1, 0.55}, 1}};
    static const struct {
        const char *option;
        uint32_t width, height;
    } sizes[] = {{"size=60x45", 60, 45}, {"size=40x60", 40, 60}, {"size=90x25", 90, 25}};
    cp_context *context = *state;
    cp_scene *scene = three_bodies(context);
    cp_pose *worlds = scratch(count_nodes(scene), sizeof *worlds);
    pose_scene(scene, NULL, worlds);
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            struct picture picture =
                draw(context, scene, (words){views[i].view, sizes[k].option, "background=none", NULL});
            assert_int_equal(picture.width, sizes[k].width);
            assert_int_equal(picture.height, sizes[k].height);
            struct camera camera =
                fit(scene, worlds, CP_NONE, views[i].back, views[i].up_z, picture.width, picture.height);
            expect_rays(scene, &camera, &picture, true);
            free(picture.rgba);
        }
    cp_scene_free(scene);
}

/* A device's view: a floor goes on behind the camera, and hides nothing. */
static void test_behind_camera(void **state)
{
    cp_context *context = *state;
    cp_scene *scene = new_scene(context);
    uint32_t red = add_material_of(scene, 1, 0, 0, 1), green = add_material_of(scene, 0, 1, 0, 1);
    uint32_t base = add_node_at(scene, 0, "base", NULL);
    uint32_t device = add_device_of(scene, "the arm", base, base, 0, NULL);
    cp_node link = cp_new_node();
    link.name = "link";
    link.parent = base;
    link.scope = device;
    uint32_t node = cp_add_node(scene, &link);
    uint32_t joint = add_limited_joint(scene, node, CP_JOINT_REVOLUTE, "turn", -1, 1);
    cp_device row = cp_devices(scene, NULL)[device];
    row.joints = &joint;
    row.joint_count = 1;
    row.ends = &node;
    row.end_count = 1;
    assert_int_equal(cp_set_device(scene, device, &row), CP_OK);
    uint32_t arm = add_box(scene, (const double[]){0, 0, 0.5}, (const double[]){0.1, 0.1, 0.5}, red);
    uint32_t floor = add_box(scene, (const double[]){0, 0, -0.1}, (const double[]){90, 80, 0.1}, green);
    (void)add_instance_of(scene, node, arm, CP_USE_BOTH, NULL);
    (void)add_instance_of(scene, add_node_at(scene, 0, "floor", NULL), floor, CP_USE_BOTH, NULL);
    finish(context, scene);
    struct picture picture = draw(context, scene, (words){"view=the arm", "size=90x60", "background=none", NULL});
    cp_pose *worlds = scratch(count_nodes(scene), sizeof *worlds);
    pose_scene(scene, NULL, worlds);
    struct camera camera = fit(scene, worlds, device, (const double[]){0.6, -1, 0.55}, 1, 90, 60);
    expect_rays(scene, &camera, &picture, false);
    free(picture.rgba);
    cp_scene_free(scene);
}

/* ---- colours ---- */

/* A square in the plane x, seen from the front; its corners begin at the lower left and go round. */
static cp_mesh square(float x, float half, float (*positions)[3], const cp_group *group)
{
    static const uint32_t corners[] = {0, 1, 2, 0, 2, 3};
    static const int at[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int i = 0; i < 4; i++) {
        positions[i][0] = x;
        positions[i][1] = half * (float)at[i][0];
        positions[i][2] = half * (float)at[i][1];
    }
    return (cp_mesh){.kind = CP_MESH_FACES,
                     .vertex_count = 4,
                     .face_count = 2,
                     .corner_count = 6,
                     .positions = positions[0],
                     .corners = corners,
                     .groups = group,
                     .group_count = 1};
}

static void add_square(cp_scene *scene, uint32_t node, double x, double half, uint32_t material)
{
    float positions[4][3];
    const cp_group group = {0, 2, material};
    cp_mesh mesh = square((float)x, (float)half, positions, &group);
    (void)add_instance_of(scene, node, add_mesh_of(scene, &mesh), CP_USE_BOTH, NULL);
}

/* Half of the light of two colours, whichever comes first in the scene: sRGB of 0.5 is 188. */
static void test_alpha(void **state)
{
    cp_context *context = *state;
    for (int order = 0; order < 2; order++) {
        cp_scene *scene = new_scene(context);
        uint32_t node = add_node_at(scene, 0, "squares", NULL), red = add_material_of(scene, 1, 0, 0, 1);
        uint32_t blue = add_material_of(scene, 0, 0, 1, 0.5), green = add_material_of(scene, 0, 1, 0, 0.5);
        if (order == 0)
            add_square(scene, node, 0, 1, red);
        add_square(scene, node, order == 0 ? 0.1 : 0.2, 0.5, order == 0 ? green : blue);
        add_square(scene, node, order == 0 ? 0.2 : 0.1, 0.5, order == 0 ? blue : green);
        if (order == 1)
            add_square(scene, node, 0, 1, red);
        finish(context, scene);
        struct picture picture = draw(context, scene, (words){"view=front", "size=40x40", NULL});
        for (uint32_t i = 13; i < 27; i++) { /* 0.25 0.25 0.5, also on both diagonals: no sample is covered twice */
            expect_pixel(&picture, i, i, 137, 137, 188, 255);
            expect_pixel(&picture, i, 39 - i, 137, 137, 188, 255);
        }
        expect_pixel(&picture, 5, 20, 255, 0, 0, 255);
        expect_pixel(&picture, 0, 0, 0xe6, 0xed, 0xf5, 255);
        free(picture.rgba);
        /* A pixel that is covered by half keeps its colour. */
        picture = draw(context, scene, (words){"view=front", "size=50x50", "background=none", NULL});
        expect_pixel(&picture, 25, 2, 255, 0, 0, 128);
        free(picture.rgba);
        cp_scene_free(scene);
    }
}

static uint32_t add_image_of(cp_scene *scene, const unsigned char *rgba, uint32_t width, uint32_t height)
{
    static unsigned char bytes[4096];
    png_image png = {.version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = PNG_FORMAT_RGBA};
    png_alloc_size_t size = sizeof bytes;
    assert_int_not_equal(png_image_write_to_memory(&png, bytes, &size, 0, rgba, 0, NULL), 0);
    cp_image image = cp_new_image();
    image.type = "image/png";
    image.bytes = bytes;
    image.size = (uint32_t)size;
    return cp_add_image(scene, &image);
}

/* A square with a texture of 2 x 2 texels, or as many as there are. */
static cp_scene *textured(cp_context *context, const unsigned char *rgba, cp_alpha_mode mode, const cp_texture_use *use,
                          cp_wrap wrap)
{
    static const float coordinates[] = {0, 1, 1, 1, 1, 0, 0, 0};
    cp_scene *scene = new_scene(context);
    cp_texture texture = cp_new_texture();
    texture.image = add_image_of(scene, rgba, 2, 2);
    texture.magnify = CP_SAMPLE_NEAREST;
    texture.wrap[0] = texture.wrap[1] = wrap;
    cp_texture_use own = use ? *use : (cp_texture_use){.scale = {1, 1}};
    own.texture = cp_add_texture(scene, &texture);
    own.role = CP_TEXTURE_BASE_COLOUR;
    cp_material material = cp_new_material();
    for (int i = 0; i < 4; i++)
        material.rgba[i] = 1;
    material.extensions = "{\"KHR_materials_unlit\":{}}";
    material.alpha = mode;
    material.cutoff = 0.5;
    material.textures = &own;
    material.texture_count = 1;
    float positions[4][3];
    const cp_group group = {0, 2, cp_add_material(scene, &material)};
    cp_mesh mesh = square(0, 1, positions, &group);
    mesh.coordinates[0] = coordinates;
    (void)add_instance_of(scene, add_node_at(scene, 0, "square", NULL), add_mesh_of(scene, &mesh), CP_USE_BOTH, NULL);
    finish(context, scene);
    return scene;
}

/* Red, and what is not seen; blue, green. */
static const unsigned char four[] = {255, 0, 0, 255, 200, 100, 50, 0, 0, 0, 255, 255, 0, 255, 0, 255};

static void expect_quarters(struct picture picture, const int (*expected)[4])
{
    for (int i = 0; i < 4; i++)
        for (uint32_t near = 0; near < 2; near++) /* also next to the middle of the square: the borders are sharp */
            expect_pixel(&picture, i % 2 ? (near ? 21 : 35) : (near ? 18 : 4),
                         i / 2 ? (near ? 21 : 35) : (near ? 18 : 4), expected[i][0], expected[i][1], expected[i][2],
                         expected[i][3]);
    free(picture.rgba);
}

static void test_textures(void **state)
{
    cp_context *context = *state;
    words options = {"view=front", "size=40x40", "background=none", NULL};
    cp_scene *scene = textured(context, four, CP_ALPHA_OPAQUE, NULL, CP_WRAP_REPEAT);
    expect_quarters(draw(context, scene, options),
                    (const int[4][4]){{255, 0, 0, 255}, {200, 100, 50, 255}, {0, 0, 255, 255}, {0, 255, 0, 255}});
    cp_scene_free(scene);
    /* Faces that the mask cuts off, and wholly translucent ones, are not there. */
    for (int mask = 0; mask < 2; mask++) {
        scene = textured(context, four, mask ? CP_ALPHA_MASK : CP_ALPHA_BLEND, NULL, CP_WRAP_REPEAT);
        expect_quarters(draw(context, scene, options),
                        (const int[4][4]){{255, 0, 0, 255}, {0, 0, 0, 0}, {0, 0, 255, 255}, {0, 255, 0, 255}});
        cp_scene_free(scene);
    }
    /* A quarter turn: a vertex with (u, v) shows the texture's (v, 1 - u). */
    cp_texture_use turned = {.rotation = PI / 2, .scale = {1, 1}, .offset = {0, 1}};
    scene = textured(context, four, CP_ALPHA_OPAQUE, &turned, CP_WRAP_REPEAT);
    expect_quarters(draw(context, scene, options),
                    (const int[4][4]){{0, 0, 255, 255}, {255, 0, 0, 255}, {0, 255, 0, 255}, {200, 100, 50, 255}});
    cp_scene_free(scene);
    /* Shifted by one half, it goes on as the sampler says. */
    cp_texture_use shifted = {.scale = {1, 1}, .offset = {0.5, 0}};
    static const int repeated[4][4] = {{200, 100, 50, 255}, {255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}};
    static const int clamped[4][4] = {{200, 100, 50, 255}, {200, 100, 50, 255}, {0, 255, 0, 255}, {0, 255, 0, 255}};
    for (int wrap = CP_WRAP_REPEAT; wrap <= CP_WRAP_CLAMP; wrap++) {
        scene = textured(context, four, CP_ALPHA_OPAQUE, &shifted, (cp_wrap)wrap);
        expect_quarters(draw(context, scene, options), wrap == CP_WRAP_REPEAT ? repeated : clamped);
        cp_scene_free(scene);
    }
    assert_false(was_reported(context, "png-textures"));
}

/* A damaged image: the loss, and the colour of the material. */
static void test_lost_texture(void **state)
{
    cp_context *context = *state;
    cp_scene *scene = textured(context, four, CP_ALPHA_OPAQUE, NULL, CP_WRAP_REPEAT);
    struct draft draft = draft_of(scene);
    draft.images[0].size -= 20;
    scene = built_again(&draft, context);
    finish(context, scene);
    struct picture picture = draw(context, scene, (words){"view=front", "size=40x40", NULL});
    assert_int_equal(count_lost(context, "png-textures"), 1);
    expect_pixel(&picture, 20, 20, 255, 255, 255, 255);
    free(picture.rgba);
    cp_scene_free(scene);
}

/* Colours of vertices, times the material's: at the middle of a square, the mean. */
static void test_vertex_colours(void **state)
{
    static const float colours[] = {1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 1};
    cp_context *context = *state;
    cp_scene *scene = new_scene(context);
    float positions[4][3];
    const cp_group group = {0, 2, add_material_of(scene, 1, 1, 0.5, 1)};
    cp_mesh mesh = square(0, 1, positions, &group);
    mesh.colours = colours;
    (void)add_instance_of(scene, add_node_at(scene, 0, "square", NULL), add_mesh_of(scene, &mesh), CP_USE_BOTH, NULL);
    finish(context, scene);
    struct picture picture = draw(context, scene, (words){"view=front", "size=201x201", NULL});
    expect_pixel(&picture, 100, 100, 188, 0, 137, 255);
    free(picture.rgba);
    cp_scene_free(scene);
}

/* A black square shows its emission, unless a texture that is not drawn says where it shines. */
static void test_emission(void **state)
{
    cp_context *context = *state;
    for (int is_textured = 0; is_textured < 2; is_textured++) {
        cp_scene *scene = new_scene(context);
        float positions[4][3];
        cp_texture texture = cp_new_texture();
        texture.image = add_image_of(scene, four, 2, 2);
        const cp_texture_use use = {
            .role = CP_TEXTURE_EMISSIVE, .texture = cp_add_texture(scene, &texture), .scale = {1, 1}};
        cp_material material = cp_new_material();
        material.rgba[0] = material.rgba[1] = material.rgba[2] = 0;
        material.emissive[1] = 1;
        material.textures = &use;
        material.texture_count = (uint32_t)is_textured;
        const cp_group group = {0, 2, cp_add_material(scene, &material)};
        cp_mesh mesh = square(0, 1, positions, &group);
        uint32_t node = add_node_at(scene, 0, "square", NULL);
        (void)add_instance_of(scene, node, add_mesh_of(scene, &mesh), CP_USE_BOTH, NULL);
        finish(context, scene);
        struct picture picture = draw(context, scene, (words){"view=front", "size=40x40", NULL});
        expect_pixel(&picture, 20, 20, 0, is_textured ? 0 : 255, 0, 255);
        free(picture.rgba);
        cp_scene_free(scene);
    }
}

/* Light comes from above and from the left: the top is brighter than the sides, and the left one than the right one. A
 * smooth sphere has normals of its own. */
static void test_light(void **state)
{
    cp_context *context = *state;
    cp_scene *scene = new_scene(context);
    cp_mesh box = {.kind = CP_MESH_BOX, .size = {1, 1, 1}};
    (void)add_instance_of(scene, add_node_at(scene, 0, "box", NULL), add_mesh_of(scene, &box), CP_USE_BOTH, NULL);
    finish(context, scene);
    struct picture picture = draw(context, scene, (words){"size=100x100", "background=none", NULL});
    int top = pixel(&picture, 50, 13)[0], left = pixel(&picture, 30, 60)[0], right = pixel(&picture, 80, 55)[0];
    assert_true(top > left + 10 && left > right + 10 && right > 40);
    free(picture.rgba);
    cp_scene_free(scene);
    scene = new_scene(context);
    cp_mesh ball = {.kind = CP_MESH_SPHERE, .size = {1}, .sides = 12};
    (void)add_instance_of(scene, add_node_at(scene, 0, "ball", NULL), add_mesh_of(scene, &ball), CP_USE_BOTH, NULL);
    finish(context, scene);
    picture = draw(context, scene, (words){"size=200x200", NULL});
    for (uint32_t y = 60; y < 140; y++) /* no step that a facet would make */
        assert_true(abs(pixel(&picture, 100, y)[0] - pixel(&picture, 100, y + 1)[0]) <= 4);
    assert_true(pixel(&picture, 100, 60)[0] > pixel(&picture, 100, 140)[0] + 20);
    free(picture.rgba);
    cp_scene_free(scene);
}

/* A ball of faces without normals is smooth; with a crease angle of 0 it has facets. */
static void test_smooth(void **state)
{
    cp_context *context = *state;
    cp_scene *scene = new_scene(context);
    const cp_material material = cp_new_material();
    uint32_t ball = add_sphere(scene, (const double[]){0, 0, 0}, 1, cp_add_material(scene, &material));
    (void)add_instance_of(scene, add_node_at(scene, 0, "ball", NULL), ball, CP_USE_BOTH, NULL);
    finish(context, scene);
    for (int flat = 0; flat < 2; flat++) {
        struct picture picture = draw(context, scene, (words){"size=200x200", flat ? "crease=0" : "crease=38", NULL});
        int step = 0;
        for (uint32_t y = 60; y < 140; y++) {
            int off = abs(pixel(&picture, 90, y)[0] - pixel(&picture, 90, y + 1)[0]);
            step = off > step ? off : step;
        }
        assert_true(flat ? step >= 12 : step <= 5);
        free(picture.rgba);
    }
    cp_scene_free(scene);
}

/* ---- the rest ---- */

/* A mesh that its instance mirrors looks like one that is mirrored itself. */
static void test_mirrored(void **state)
{
    static const float wedge[] = {0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3}, other[] = {0, 0, 0, 2, 0, 0, 0, -1, 0, 0, 0, 3};
    static const uint32_t corners[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3},
                          turned[] = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};
    cp_context *context = *state;
    void *bytes[2];
    size_t sizes[2];
    for (int i = 0; i < 2; i++) {
        cp_scene *scene = new_scene(context);
        cp_pose mirror = plain_scaling(1, -1, 1);
        cp_material material = cp_new_material();
        material.one_sided = true;
        uint32_t mesh = add_triangles(scene, i == 0 ? wedge : other, 4, i == 0 ? corners : turned, 4,
                                      cp_add_material(scene, &material));
        (void)add_instance_of(scene, add_node_at(scene, 0, "wedge", NULL), mesh, CP_USE_BOTH, i == 0 ? &mirror : NULL);
        finish(context, scene);
        bytes[i] = write_picture(context, scene, (words){"size=60x60", "background=none", NULL}, &sizes[i]);
        struct picture picture = decode(bytes[i], sizes[i]);
        assert_int_equal(pixel(&picture, 30, 40)[3], 255); /* its front is seen */
        assert_true(pixel(&picture, 30, 40)[0] > 100);
        free(picture.rgba);
        cp_scene_free(scene);
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    for (int i = 0; i < 2; i++)
        cp_free(context, bytes[i], sizes[i]);
}

/* The back of a face is not seen if the source says so. */
static void test_one_sided(void **state)
{
    cp_context *context = *state;
    for (int side = 0; side < 2; side++) {
        cp_scene *scene = new_scene(context);
        cp_material material = cp_new_material();
        material.one_sided = side == 0;
        material.two_sided = side == 1;
        uint32_t index = cp_add_material(scene, &material);
        cp_pose turn = plain_turn(2, 180);
        add_square(scene, add_node_at(scene, 0, "square", &turn), 0, 1, index);
        finish(context, scene);
        struct picture picture = draw(context, scene, (words){"view=front", "size=40x40", "background=none", NULL});
        assert_int_equal(pixel(&picture, 20, 20)[3], side == 0 ? 0 : 255);
        free(picture.rgba);
        cp_scene_free(scene);
    }
}

static uint32_t count_dark(const struct picture *picture)
{
    uint32_t dark = 0;
    for (size_t i = 0; i < (size_t)picture->width * picture->height; i++)
        dark += picture->rgba[4 * i] < 110 && picture->rgba[4 * i + 3] == 255;
    return dark;
}

/* A box from the front shows the four edges of its face: 90 % of a side long each, one pixel wide, none of them across.
 * With a crease angle beyond 90 degrees there is none. */
static void test_edges(void **state)
{
    cp_context *context = *state;
    cp_scene *scene = new_scene(context);
    cp_mesh box = {.kind = CP_MESH_BOX, .size = {1, 1, 1}};
    (void)add_instance_of(scene, add_node_at(scene, 0, "box", NULL), add_mesh_of(scene, &box), CP_USE_BOTH, NULL);
    finish(context, scene);
    struct picture plain = draw(context, scene, (words){"view=front", "size=100x100", NULL});
    struct picture edges = draw(context, scene, (words){"view=front", "size=100x100", "edges=yes", NULL});
    struct picture none = draw(context, scene, (words){"view=front", "size=100x100", "edges=yes", "crease=91", NULL});
    struct picture soft = draw(context, scene, (words){"view=front", "size=100x100", "crease=91", NULL});
    assert_int_equal(count_dark(&plain), 0);
    assert_memory_equal(none.rgba, soft.rgba, 4 * 100 * 100);
    assert_true(pixel(&none, 50, 20)[0] > pixel(&none, 50, 80)[0] + 20); /* smooth over all of its edges */
    assert_true(count_dark(&edges) > 300 && count_dark(&edges) < 800);
    for (uint32_t i = 10; i < 90; i++) /* both diagonals, where a triangle's edge would be */
        assert_true(pixel(&edges, i, i)[0] == pixel(&plain, i, i)[0] &&
                    pixel(&edges, i, 99 - i)[0] == pixel(&plain, i, 99 - i)[0]);
    free(plain.rgba);
    free(edges.rgba);
    free(none.rgba);
    free(soft.rgba);
    cp_scene_free(scene);
}

/* Lines, and where a face hides them. */
static void test_lines(void **state)
{
    static const float positions[] = {-1, -1, 0.5F, -1, 1, 0.5F, 1, -1, -0.5F, 1, 1, -0.5F};
    static const uint32_t offsets[] = {0, 2, 4}, corners[] = {0, 1, 2, 3};
    cp_context *context = *state;
    cp_scene *scene = new_scene(context);
    const cp_group group = {0, 2, add_material_of(scene, 1, 0, 0, 1)};
    cp_mesh lines = {.kind = CP_MESH_LINES, .vertex_count = 4, .face_count = 2, .corner_count = 4};
    lines.positions = positions;
    lines.face_offsets = offsets;
    lines.corners = corners;
    lines.groups = &group;
    lines.group_count = 1;
    uint32_t node = add_node_at(scene, 0, "lines", NULL);
    (void)add_instance_of(scene, node, add_mesh_of(scene, &lines), CP_USE_BOTH, NULL);
    add_square(scene, node, 0, 1, add_material_of(scene, 0, 1, 0, 1));
    finish(context, scene);
    struct picture picture = draw(context, scene, (words){"view=front", "size=100x100", NULL});
    uint32_t red = 0;
    for (uint32_t y = 0; y < 100; y++)
        red += pixel(&picture, 50, y)[0] > 200 && pixel(&picture, 50, y)[1] < 200;
    assert_true(red >= 1 && red <= 2); /* the nearer one alone */
    free(picture.rgba);
    cp_scene_free(scene);
}

/* Below what floats there is a shadow, black and translucent; there is none in a picture from below or without. */
static void test_shadow(void **state)
{
    cp_context *context = *state;
    cp_scene *scene = new_scene(context);
    uint32_t node = add_node_at(scene, 0, "boxes", NULL), red = add_material_of(scene, 1, 0, 0, 1);
    (void)add_instance_of(scene, node, add_box(scene, (const double[]){0, 0, 0}, (const double[]){1, 1, 0.2}, red),
                          CP_USE_BOTH, NULL);
    finish(context, scene);
    struct picture picture = draw(context, scene, (words){"size=120x90", "background=none", NULL});
    uint32_t soft = 0, darkest = 0, levels[256] = {0}, kinds = 0;
    for (size_t i = 0; i < (size_t)picture.width * picture.height; i++) {
        const unsigned char *at = picture.rgba + 4 * i;
        if (at[3] == 0 || at[0] > 0)
            continue;
        soft++;
        darkest = at[3] > darkest ? at[3] : darkest;
        kinds += levels[at[3]]++ == 0;
    }
    assert_true(soft > 100 && darkest > 60 && darkest < 160);
    assert_true(kinds > 30); /* its border is soft */
    expect_pixel(&picture, 0, 0, 0, 0, 0, 0);
    free(picture.rgba);
    cp_scene_free(scene);
}

static void test_threads(void **state)
{
    cp_context *context = *state;
    cp_scene *scenes[] = {read_sample_of(context, SAMPLES, "demo.wu"),
                          read_sample_of(context, SAMPLES, "gltf_textures.gltf")};
    static const uint32_t counts[] = {1, 2, 5, 32};
    for (size_t i = 0; i < 2; i++) {
        void *first = NULL;
        size_t first_size = 0;
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            size_t size;
            assert_int_equal(cp_set_threads(context, counts[k]), CP_OK);
            void *bytes = write_picture(context, scenes[i], (words){"size=301x203", "edges=yes", NULL}, &size);
            if (k > 0) {
                assert_int_equal(size, first_size);
                assert_memory_equal(bytes, first, size);
                cp_free(context, bytes, size);
                continue;
            }
            first = bytes;
            first_size = size;
        }
        cp_free(context, first, first_size);
        cp_scene_free(scenes[i]);
    }
}

static void test_sizes(void **state)
{
    static const struct {
        const char *option;
        uint32_t width, height;
    } sizes[] = {{"size=1x1", 1, 1}, {"size=7x300", 7, 300}, {"size=16384x1", 16384, 1}, {"size=3x16384", 3, 16384}};
    cp_context *context = *state;
    cp_scene *scene = three_bodies(context);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct picture picture = draw(context, scene, (words){sizes[i].option, NULL});
        assert_int_equal(picture.width, sizes[i].width);
        assert_int_equal(picture.height, sizes[i].height);
        free(picture.rgba);
    }
    struct picture picture = draw(context, scene, (words){NULL});
    assert_true(picture.width == 512 && picture.height == 384);
    free(picture.rgba);
    /* A large picture is drawn in a fraction of its memory: 16 bytes a sample would be 256 MB. */
    assert_int_equal(cp_set_limit(context, "memory=100MB"), CP_OK);
    picture = draw(context, scene, (words){"size=2000x2000", NULL});
    free(picture.rgba);
    cp_scene_free(scene);
}

static void test_refused(void **state)
{
    cp_context *context = *state;
    cp_scene *scene = three_bodies(context);
    static const char *const wrong[][2] = {{"view=the arm", "png-view"},
                                           {"size=16385x1", "option-range"},
                                           {"size=1x", "option-value"},
                                           {"size=10x10 ", "option-value"},
                                           {"background=#1234567", "option-value"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        void *bytes;
        size_t size;
        cp_report_clear(context);
        assert_int_equal(cp_write_memory(context, scene, "png", &wrong[i][0], 1, &bytes, &size), CP_USAGE);
        assert_true(was_reported(context, wrong[i][1]));
    }
    cp_scene_free(scene);
    /* The scene is so large that no camera sees it all. */
    scene = new_scene(context);
    uint32_t node = add_node_at(scene, 0, "far", NULL);
    cp_pose far[2] = {plain_translation(1e308, 0, 0), plain_translation(-1e308, 0, 0)};
    cp_mesh box = {.kind = CP_MESH_BOX, .size = {1, 1, 1}};
    uint32_t mesh = add_mesh_of(scene, &box);
    (void)add_instance_of(scene, node, mesh, CP_USE_BOTH, &far[0]);
    (void)add_instance_of(scene, node, mesh, CP_USE_BOTH, &far[1]);
    finish(context, scene);
    void *bytes;
    size_t size;
    assert_int_equal(cp_write_memory(context, scene, "png", NULL, 0, &bytes, &size), CP_OUTPUT);
    assert_true(was_reported(context, "png-range"));
    cp_scene_free(scene);
}

static void test_empty(void **state)
{
    cp_context *context = *state;
    cp_scene *scene = new_scene(context);
    finish(context, scene);
    struct picture picture = draw(context, scene, (words){"size=30x20", "background=#f08", NULL});
    assert_true(was_reported(context, "png-empty"));
    for (uint32_t i = 0; i < 30 * 20; i++)
        expect_pixel(&picture, i % 30, i / 30, 255, 0, 0x88, 255);
    free(picture.rgba);
    cp_scene_free(scene);
    /* Shapes for collision alone are shown if nothing is drawn. */
    scene = new_scene(context);
    cp_mesh box = {.kind = CP_MESH_BOX, .size = {1, 1, 1}};
    (void)add_instance_of(scene, add_node_at(scene, 0, "box", NULL), add_mesh_of(scene, &box), CP_USE_COLLISION, NULL);
    finish(context, scene);
    cp_report_clear(context);
    picture = draw(context, scene, (words){"size=30x20", "background=none", NULL});
    assert_int_equal(pixel(&picture, 15, 10)[3], 255);
    assert_false(was_reported(context, "png-empty"));
    free(picture.rgba);
    cp_scene_free(scene);
}

/* Three frames at the corners of a square of 1 m, seen along -X: lines from the first to the second and on to the
 * third, which fill 90 % of the picture, and none from the world. */
static cp_scene *three_frames(cp_context *context, double side)
{
    const cp_pose begin = plain_translation(0, 3, 0),
                  along[2] = {plain_translation(0, 1, 0), plain_translation(0, 0, 1)};
    cp_scene *scene = new_scene(context);
    cp_mesh box = {.kind = CP_MESH_BOX, .size = {side, side, side}};
    uint32_t node = add_node_at(scene, 0, "first", &begin), mesh = add_mesh_of(scene, &box);
    for (int i = 0; i < 2; i++) {
        node = add_node_at(scene, node, "next", &along[i]);
        if (side > 0)
            (void)add_instance_of(scene, node, mesh, CP_USE_DRAWN, NULL);
    }
    finish(context, scene);
    return scene;
}

static bool is_blue(const struct picture *picture, uint32_t x, uint32_t y)
{
    const unsigned char *at = pixel(picture, x, y);
    return at[3] > 100 && at[2] > 130 && at[0] < 70;
}

static void test_frames(void **state)
{
    cp_context *context = *state;
    static const struct {
        double side;
        const char *option;
        bool drawn;
    } cases[] = {{0, "frames=auto", true},    {0, "frames=yes", true},    {0, "frames=no", false},
                 {0.01, "frames=auto", true}, {0.01, "frames=no", false}, {0.2, "frames=auto", false},
                 {0.2, "frames=yes", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cp_scene *scene = three_frames(context, cases[i].side);
        cp_report_clear(context);
        struct picture picture =
            draw(context, scene, (words){"view=front", "size=100x100", "background=none", cases[i].option, NULL});
        bool empty = cases[i].side == 0 && !cases[i].drawn;
        assert_int_equal(was_reported(context, "png-empty"), empty);
        assert_int_equal(was_reported(context, "frames-drawn"), cases[i].drawn);
        if (cases[i].side < 0.1) { /* the lines alone, or next to it, fill the picture */
            assert_int_equal(is_blue(&picture, 50, 94) || is_blue(&picture, 50, 95), cases[i].drawn);
            assert_int_equal(is_blue(&picture, 94, 50) || is_blue(&picture, 95, 50), cases[i].drawn);
            for (uint32_t k = 0; k < 90; k++)
                assert_false(is_blue(&picture, 4, k) || is_blue(&picture, k, 4) || is_blue(&picture, k, k));
        }
        free(picture.rgba);
        cp_scene_free(scene);
    }
}

/* A frame beyond single precision loses its line, and its child's; the others keep theirs. */
static void test_far_frames(void **state)
{
    cp_context *context = *state;
    const cp_pose begin = plain_translation(0, 3, 0), far = plain_translation(0, 1e39, 0),
                  zero = plain_translation(0, 0, 0),
                  along[2] = {plain_translation(0, 1, 0), plain_translation(0, 0, 1)};
    for (int near = 0; near < 2; near++) {
        cp_scene *scene = new_scene(context);
        uint32_t first = add_node_at(scene, 0, "first", &begin), node = first;
        for (int i = 0; i < 2 * near; i++)
            node = add_node_at(scene, node, "next", &along[i]);
        node = add_node_at(scene, first, "far", &far);
        (void)add_node_at(scene, node, "child", &zero);
        finish(context, scene);
        cp_report_clear(context);
        struct picture picture = draw(context, scene, (words){"view=front", "size=100x100", "background=none", NULL});
        assert_int_equal(count_lost(context, "frames-far"), 2);
        assert_int_equal(was_reported(context, "frames-drawn"), near);
        assert_int_equal(was_reported(context, "png-empty"), !near);
        assert_int_equal(is_blue(&picture, 94, 50) || is_blue(&picture, 95, 50), near);
        free(picture.rgba);
        cp_scene_free(scene);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_context, free_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_rays),         TEST(test_behind_camera),  TEST(test_alpha),     TEST(test_textures),
        TEST(test_lost_texture), TEST(test_vertex_colours), TEST(test_emission),  TEST(test_light),
        TEST(test_smooth),       TEST(test_mirrored),       TEST(test_one_sided), TEST(test_edges),
        TEST(test_lines),        TEST(test_shadow),         TEST(test_threads),   TEST(test_sizes),
        TEST(test_refused),      TEST(test_empty),          TEST(test_frames),    TEST(test_far_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
