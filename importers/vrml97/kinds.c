/* The nodes of ISO/IEC 14772-1:1997, chapter 6, with their fields and events. */

#include "vrml97.h"

const char *const wrl_type_words[WRL_TYPE_COUNT + 1] = {"SFBool",     "SFImage",  "SFInt32",  "MFInt32", "SFFloat",
                                                        "MFFloat",    "SFTime",   "MFTime",   "SFVec2f", "MFVec2f",
                                                        "SFVec3f",    "MFVec3f",  "SFColor",  "MFColor", "SFRotation",
                                                        "MFRotation", "SFString", "MFString", "SFNode",  "MFNode"};

/* clang-format off */
#define F(name, type) {name, WRL_##type, WRL_FIELD}
#define E(name, type) {name, WRL_##type, WRL_EXPOSED}
#define I(name, type) {name, WRL_##type, WRL_IN}
#define O(name, type) {name, WRL_##type, WRL_OUT}
#define CHILDREN I("addChildren", NODES), I("removeChildren", NODES), E("children", NODES)
#define BOX F("bboxCenter", VEC3), F("bboxSize", VEC3)
#define LIGHT E("ambientIntensity", FLOAT), E("color", COLOUR), E("intensity", FLOAT), E("on", BOOL)
#define DRAG E("autoOffset", BOOL), E("enabled", BOOL), O("isActive", BOOL), O("trackPoint_changed", VEC3)
#define REPEAT F("repeatS", BOOL), F("repeatT", BOOL)
#define PLAY E("loop", BOOL), E("startTime", TIME), E("stopTime", TIME), O("isActive", BOOL)
#define KEYS(type, out) I("set_fraction", FLOAT), E("key", FLOATS), E("keyValue", type), O("value_changed", out)
#define END {NULL, WRL_BOOL, WRL_FIELD}
#define LIST(name, ...) static const struct wrl_member name[] = {__VA_ARGS__, END}

LIST(anchor, CHILDREN, BOX, E("description", STRING), E("parameter", STRINGS), E("url", STRINGS));
LIST(appearance, E("material", NODE), E("texture", NODE), E("textureTransform", NODE));
LIST(audio_clip, PLAY, E("description", STRING), E("pitch", FLOAT), E("url", STRINGS), O("duration_changed", TIME));
LIST(background, I("set_bind", BOOL), E("groundAngle", FLOATS), E("groundColor", COLOURS), E("backUrl", STRINGS),
     E("bottomUrl", STRINGS), E("frontUrl", STRINGS), E("leftUrl", STRINGS), E("rightUrl", STRINGS), E("topUrl", STRINGS),
     E("skyAngle", FLOATS), E("skyColor", COLOURS), O("isBound", BOOL));
LIST(billboard, CHILDREN, BOX, E("axisOfRotation", VEC3));
LIST(box, F("size", VEC3));
LIST(collision, CHILDREN, BOX, E("collide", BOOL), F("proxy", NODE), O("collideTime", TIME));
LIST(color, E("color", COLOURS));
LIST(color_interpolator, KEYS(COLOURS, COLOUR));
LIST(cone, F("bottomRadius", FLOAT), F("height", FLOAT), F("side", BOOL), F("bottom", BOOL));
LIST(coordinate, E("point", VEC3S));
LIST(coordinate_interpolator, KEYS(VEC3S, VEC3S));
LIST(cylinder, F("bottom", BOOL), F("height", FLOAT), F("radius", FLOAT), F("side", BOOL), F("top", BOOL));
LIST(cylinder_sensor, DRAG, E("diskAngle", FLOAT), E("maxAngle", FLOAT), E("minAngle", FLOAT), E("offset", FLOAT),
     O("rotation_changed", ROTATION));
LIST(directional_light, LIGHT, E("direction", VEC3));
LIST(elevation_grid, I("set_height", FLOATS), E("color", NODE), E("normal", NODE), E("texCoord", NODE), F("height", FLOATS),
     F("ccw", BOOL), F("colorPerVertex", BOOL), F("creaseAngle", FLOAT), F("normalPerVertex", BOOL), F("solid", BOOL),
     F("xDimension", INT), F("xSpacing", FLOAT), F("zDimension", INT), F("zSpacing", FLOAT));
LIST(extrusion, I("set_crossSection", VEC2S), I("set_orientation", ROTATIONS), I("set_scale", VEC2S), I("set_spine", VEC3S),
     F("beginCap", BOOL), F("ccw", BOOL), F("convex", BOOL), F("creaseAngle", FLOAT), F("crossSection", VEC2S),
     F("endCap", BOOL), F("orientation", ROTATIONS), F("scale", VEC2S), F("solid", BOOL), F("spine", VEC3S));
LIST(fog, E("color", COLOUR), E("fogType", STRING), E("visibilityRange", FLOAT), I("set_bind", BOOL), O("isBound", BOOL));
LIST(font_style, F("family", STRINGS), F("horizontal", BOOL), F("justify", STRINGS), F("language", STRING),
     F("leftToRight", BOOL), F("size", FLOAT), F("spacing", FLOAT), F("style", STRING), F("topToBottom", BOOL));
LIST(group, CHILDREN, BOX);
LIST(face_set, I("set_colorIndex", INTS), I("set_coordIndex", INTS), I("set_normalIndex", INTS), I("set_texCoordIndex", INTS),
     E("color", NODE), E("coord", NODE), E("normal", NODE), E("texCoord", NODE), F("ccw", BOOL), F("colorIndex", INTS),
     F("colorPerVertex", BOOL), F("convex", BOOL), F("coordIndex", INTS), F("creaseAngle", FLOAT), F("normalIndex", INTS),
     F("normalPerVertex", BOOL), F("solid", BOOL), F("texCoordIndex", INTS));
LIST(line_set, I("set_colorIndex", INTS), I("set_coordIndex", INTS), E("color", NODE), E("coord", NODE),
     F("colorIndex", INTS), F("colorPerVertex", BOOL), F("coordIndex", INTS));
LIST(inlined, E("url", STRINGS), BOX);
LIST(lod, E("level", NODES), F("center", VEC3), F("range", FLOATS));
LIST(material, E("ambientIntensity", FLOAT), E("diffuseColor", COLOUR), E("emissiveColor", COLOUR), E("shininess", FLOAT),
     E("specularColor", COLOUR), E("transparency", FLOAT));
LIST(movie, PLAY, E("speed", FLOAT), E("url", STRINGS), REPEAT, O("duration_changed", TIME));
LIST(navigation, I("set_bind", BOOL), E("avatarSize", FLOATS), E("headlight", BOOL), E("speed", FLOAT), E("type", STRINGS),
     E("visibilityLimit", FLOAT), O("isBound", BOOL));
LIST(normal, E("vector", VEC3S));
LIST(normal_interpolator, KEYS(VEC3S, VEC3S));
LIST(orientation_interpolator, KEYS(ROTATIONS, ROTATION));
LIST(image_texture, E("url", STRINGS), REPEAT);
LIST(pixel_texture, E("image", IMAGE), REPEAT);
LIST(plane_sensor, DRAG, E("maxPosition", VEC2), E("minPosition", VEC2), E("offset", VEC3), O("translation_changed", VEC3));
LIST(point_light, LIGHT, E("attenuation", VEC3), E("location", VEC3), E("radius", FLOAT));
LIST(point_set, E("color", NODE), E("coord", NODE));
LIST(position_interpolator, KEYS(VEC3S, VEC3));
LIST(proximity, E("center", VEC3), E("size", VEC3), E("enabled", BOOL), O("isActive", BOOL), O("position_changed", VEC3),
     O("orientation_changed", ROTATION), O("enterTime", TIME), O("exitTime", TIME));
LIST(scalar_interpolator, KEYS(FLOATS, FLOAT));
LIST(script, E("url", STRINGS), F("directOutput", BOOL), F("mustEvaluate", BOOL));
LIST(shape, E("appearance", NODE), E("geometry", NODE));
LIST(sound, E("direction", VEC3), E("intensity", FLOAT), E("location", VEC3), E("maxBack", FLOAT), E("maxFront", FLOAT),
     E("minBack", FLOAT), E("minFront", FLOAT), E("priority", FLOAT), E("source", NODE), F("spatialize", BOOL));
LIST(sphere, F("radius", FLOAT));
LIST(sphere_sensor, DRAG, E("offset", ROTATION), O("rotation_changed", ROTATION));
LIST(spot_light, LIGHT, E("attenuation", VEC3), E("beamWidth", FLOAT), E("cutOffAngle", FLOAT), E("direction", VEC3),
     E("location", VEC3), E("radius", FLOAT));
LIST(switched, E("choice", NODES), E("whichChoice", INT));
LIST(text, E("string", STRINGS), E("fontStyle", NODE), E("length", FLOATS), E("maxExtent", FLOAT));
LIST(texture_coordinate, E("point", VEC2S));
LIST(texture_transform, E("center", VEC2), E("rotation", FLOAT), E("scale", VEC2), E("translation", VEC2));
LIST(time_sensor, PLAY, E("cycleInterval", TIME), E("enabled", BOOL), O("cycleTime", TIME), O("fraction_changed", FLOAT),
     O("time", TIME));
LIST(touch_sensor, E("enabled", BOOL), O("hitNormal_changed", VEC3), O("hitPoint_changed", VEC3), O("hitTexCoord_changed", VEC2),
     O("isActive", BOOL), O("isOver", BOOL), O("touchTime", TIME), F("description", STRING)); /* the last as X3D has it */
LIST(transform, CHILDREN, BOX, E("center", VEC3), E("rotation", ROTATION), E("scale", VEC3), E("scaleOrientation", ROTATION),
     E("translation", VEC3));
LIST(viewpoint, I("set_bind", BOOL), E("fieldOfView", FLOAT), E("jump", BOOL), E("orientation", ROTATION), E("position", VEC3),
     F("description", STRING), O("bindTime", TIME), O("isBound", BOOL));
LIST(visibility, E("center", VEC3), E("enabled", BOOL), E("size", VEC3), O("enterTime", TIME), O("exitTime", TIME),
     O("isActive", BOOL));
LIST(world_info, F("info", STRINGS), F("title", STRING));

static const struct wrl_kind kinds[] = { /* by name, as bytes */
    {"Anchor", WRL_GROUP, anchor},
    {"Appearance", WRL_PART, appearance},
    {"AudioClip", WRL_LOST, audio_clip},
    {"Background", WRL_LOST, background},
    {"Billboard", WRL_GROUP, billboard},
    {"Box", WRL_PART, box},
    {"Collision", WRL_COLLIDE, collision},
    {"Color", WRL_PART, color},
    {"ColorInterpolator", WRL_MOTION, color_interpolator},
    {"Cone", WRL_PART, cone},
    {"Coordinate", WRL_PART, coordinate},
    {"CoordinateInterpolator", WRL_MOTION, coordinate_interpolator},
    {"Cylinder", WRL_PART, cylinder},
    {"CylinderSensor", WRL_LOST, cylinder_sensor},
    {"DirectionalLight", WRL_LOST, directional_light},
    {"ElevationGrid", WRL_PART, elevation_grid},
    {"Extrusion", WRL_PART, extrusion},
    {"Fog", WRL_LOST, fog},
    {"FontStyle", WRL_PART, font_style},
    {"Group", WRL_GROUP, group},
    {"ImageTexture", WRL_PART, image_texture},
    {"IndexedFaceSet", WRL_PART, face_set},
    {"IndexedLineSet", WRL_PART, line_set},
    {"Inline", WRL_INLINE, inlined},
    {"LOD", WRL_LEVELS, lod},
    {"Material", WRL_PART, material},
    {"MovieTexture", WRL_PART, movie},
    {"NavigationInfo", WRL_QUIET, navigation},
    {"Normal", WRL_PART, normal},
    {"NormalInterpolator", WRL_MOTION, normal_interpolator},
    {"OrientationInterpolator", WRL_MOTION, orientation_interpolator},
    {"PixelTexture", WRL_PART, pixel_texture},
    {"PlaneSensor", WRL_LOST, plane_sensor},
    {"PointLight", WRL_LOST, point_light},
    {"PointSet", WRL_PART, point_set},
    {"PositionInterpolator", WRL_MOTION, position_interpolator},
    {"ProximitySensor", WRL_LOST, proximity},
    {"ScalarInterpolator", WRL_MOTION, scalar_interpolator},
    {"Script", WRL_LOST, script},
    {"Shape", WRL_SHAPE, shape},
    {"Sound", WRL_LOST, sound},
    {"Sphere", WRL_PART, sphere},
    {"SphereSensor", WRL_LOST, sphere_sensor},
    {"SpotLight", WRL_LOST, spot_light},
    {"Switch", WRL_SWITCH, switched},
    {"Text", WRL_PART, text},
    {"TextureCoordinate", WRL_PART, texture_coordinate},
    {"TextureTransform", WRL_PART, texture_transform},
    {"TimeSensor", WRL_MOTION, time_sensor},
    {"TouchSensor", WRL_LOST, touch_sensor},
    {"Transform", WRL_PLACED, transform},
    {"Viewpoint", WRL_VIEW, viewpoint},
    {"VisibilitySensor", WRL_LOST, visibility},
    {"WorldInfo", WRL_INFO, world_info},
};
/* clang-format on */

const struct wrl_kind *wrl_kind_named(const char *name)
{
    size_t low = 0, high = sizeof kinds / sizeof *kinds;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(name, kinds[middle].name);
        if (order == 0)
            return &kinds[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

bool wrl_same_event(const char *word, const char *name)
{
    static const char before[] = "set_", behind[] = "_changed";
    size_t size = strlen(name), length = strlen(word);
    if (strcmp(word, name) == 0)
        return true;
    if (length == size + sizeof before - 1 && memcmp(word, before, sizeof before - 1) == 0)
        return strcmp(word + sizeof before - 1, name) == 0;
    return length == size + sizeof behind - 1 && memcmp(word, name, size) == 0 && strcmp(word + size, behind) == 0;
}

const struct wrl_member *wrl_member_named(const struct wrl_member *members, const char *word)
{
    for (const struct wrl_member *member = members; member->name; member++)
        if (strcmp(member->name, word) == 0)
            return member;
    for (const struct wrl_member *member = members; member->name; member++)
        if (member->access != WRL_FIELD && wrl_same_event(word, member->name))
            return member;
    return NULL;
}
