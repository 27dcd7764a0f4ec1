/* Units and axes: the meaning of each format, and what assimp has made of it. */
#include "assimp.h"

#include "base/text/text.h"
#include "model/model.h"

#ifdef HAVE_ASSIMP

#include <math.h>
#include <string.h>

/* Formats without a row are taken as they are: metres, Z up. That is how RobWork reads the .3ds files that
 * its cells name, and all that a format without a statement allows. Sources:
 * 3DS: Z up by the program that made the format; assimp turns the root to Y up and divides it by the master scale,
 * which is an editor's setting that RobWork and most others do not apply, and neither do we.
 * FBX: GlobalSettings UpAxis and UnitScaleFactor (centimetres), which assimp hands on as metadata and does not apply.
 * X3D (ISO/IEC 19775-1, 4.3.5): metres, Y up. IFC: assimp converts to metres and Y up.
 * ASE, Blender, Quake's and others have Z up: assimp turns them to Y up by the root's transform. */
static const struct assimp_format formats[] = {
    {.title = "Discreet 3DS",
     .unit = 1,
     .axes = AXES_Y_UP,
     .axes_in_root = true,
     .root_is_scene = true,
     .numbers_objects = true},
    {.title = "Autodesk FBX", .unit = 0.01, .axes = AXES_Y_UP, .root_is_scene = true, .only_settings = true},
    {.title = "Extensible 3D", .unit = 1, .axes = AXES_Y_UP},
    {.title = "Industry Foundation", .unit = 1, .axes = AXES_Y_UP},
    {.title = "Additive", .own = "amf"},
    {.title = "", .unit = 1, .axes_in_root = true},
};

/* The transforms from a file's axes to Y up, as assimp puts them into the root, and to Z up. */
static const double to_y_up[3][9] = {
    [AXES_Z_UP] = {1, 0, 0, 0, 0, 1, 0, -1, 0},
    [AXES_Y_UP] = {1, 0, 0, 0, 1, 0, 0, 0, 1},
    [AXES_X_UP] = {0, -1, 0, 1, 0, 0, 0, 0, 1},
};
static const cp_pose to_z_up[3] = {
    [AXES_Z_UP] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
    [AXES_Y_UP] = {{1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0}},
    [AXES_X_UP] = {{0, -1, 0, 0, 0, 0, -1, 0, 1, 0, 0, 0}},
};
static const cp_pose from_z_up[3] = {
    [AXES_Z_UP] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
    [AXES_Y_UP] = {{1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0}},
    [AXES_X_UP] = {{0, 0, 1, 0, -1, 0, 0, 0, 0, -1, 0, 0}},
};

static const struct aiMetadataEntry *find_metadata(const struct aiScene *scene, const char *key)
{
    const struct aiMetadata *metadata = scene->mMetaData;
    for (unsigned i = 0; metadata && i < metadata->mNumProperties; i++)
        if (strcmp(metadata->mKeys[i].data, key) == 0)
            return &metadata->mValues[i];
    return NULL;
}

void find_format(struct assimp_import *import)
{
    const struct aiMetadataEntry *entry = find_metadata(import->from, "SourceAsset_Format");
    const char *title = entry && entry->mType == AI_AISTRING ? ((const struct aiString *)entry->mData)->data : "";
    const struct assimp_format *format = formats;
    while (strncmp(title, format->title, strlen(format->title)) != 0)
        format++;
    import->format = format;
}

cp_pose pose_from_assimp(const struct aiMatrix4x4 *matrix)
{
    return (cp_pose){{(double)matrix->a1, (double)matrix->a2, (double)matrix->a3, (double)matrix->a4,
                      (double)matrix->b1, (double)matrix->b2, (double)matrix->b3, (double)matrix->b4,
                      (double)matrix->c1, (double)matrix->c2, (double)matrix->c3, (double)matrix->c4}};
}

double double_from_float(float value)
{
    char text[NUMBER_SIZE];
    double wide = (double)value;
    parse_double(text, text + print_float(value, text), &wide);
    return wide;
}

static bool is_scaled_turn(const cp_pose *pose, const double turn[9], double scale)
{
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++)
            if (pose->m[4 * row + column] != scale * turn[3 * row + column])
                return false;
        if (pose->m[4 * row + 3] != 0)
            return false;
    }
    return true;
}

/* Reads unit and axes off the root's transform. False when it is no such transform. */
static bool axes_from_root(const struct aiMatrix4x4 *root, float *unit, enum axes *axes)
{
    cp_pose pose = pose_from_assimp(root);
    *unit = root->a1 != 0 ? root->a1 : root->b1;
    for (int i = 0; i < 3; i++)
        if (*unit > 0 && is_scaled_turn(&pose, to_y_up[i], (double)*unit)) {
            *axes = (enum axes)i;
            return true;
        }
    return false;
}

static void axes_from_fbx(const struct aiScene *from, double *unit, enum axes *axes)
{
    const struct aiMetadataEntry *up = find_metadata(from, "UpAxis");
    const struct aiMetadataEntry *scale = find_metadata(from, "UnitScaleFactor");
    int32_t axis = 1;
    if (up && up->mType == AI_INT32)
        memcpy(&axis, up->mData, sizeof axis);
    *axes = axis == 0 ? AXES_X_UP : axis == 2 ? AXES_Z_UP : AXES_Y_UP;
    float factor = 1;
    if (scale && scale->mType == AI_FLOAT)
        memcpy(&factor, scale->mData, sizeof factor);
    *unit = double_from_float(factor) / 100;
}

cp_status find_axes(struct assimp_import *import)
{
    /* Start with the format's axes and unit, then take those of the file. */
    const struct assimp_format *format = import->format;
    enum axes axes = format->axes, found;
    double unit = format->unit;
    float factor;
    if (format->own)
        return report_error(import->context, CP_INPUT, "assimp-own", IN_FILE(import->file),
                            "this format is not read through assimp; the importer %s reads it", format->own);
    bool in_root = format->axes_in_root && axes_from_root(&import->from->mRootNode->mTransformation, &factor, &found);
    /* The root of any other format counts as a node like others if it is neither at rest nor turned from Z up. */
    if (in_root && (*format->title || (found == AXES_Z_UP && factor == 1))) {
        import->root_holds_axes = true;
        axes = found;
        unit = format->unit > 0 ? format->unit : double_from_float(factor);
    } else if (!in_root && format->only_settings) {
        axes_from_fbx(import->from, &unit, &axes);
    }
    if (import->unit_in_x3d > 0)
        unit = import->unit_in_x3d;
    if (import->settings->up)
        axes = (enum axes)(import->settings->up - 1);
    if (import->settings->unit > 0)
        unit = import->settings->unit;
    if (!(unit > 0) || !isfinite(unit))
        return report_error(import->context, CP_INPUT, "assimp-unit", IN_FILE(import->file),
                            "a unit of %s metres makes no sense", show_number(unit).text);
    import->unit = unit;
    import->turn = to_z_up[axes];
    import->turn_back = from_z_up[axes];
    import->scene->source.unit = unit;
    import->scene->source.up = axes == AXES_Y_UP ? CP_UP_Y : CP_UP_Z;
    return CP_OK;
}

cp_pose turn_local(const struct assimp_import *import, const cp_pose *local)
{
    cp_pose pose = pose_multiply(local, &import->turn_back);
    pose = pose_multiply(&import->turn, &pose);
    for (int row = 0; row < 3; row++)
        pose.m[4 * row + 3] *= import->unit;
    return pose;
}

cp_pose turn_geometry(const struct assimp_import *import)
{
    cp_pose pose = import->turn;
    for (int i = 0; i < 12; i++)
        pose.m[i] *= import->unit;
    return pose;
}

#endif
