/* Reports what was counted while a file was read, and counts what no code reads. */
#include "collada.h"

enum severity { NOTE, WARNING, LENIENT, LOSS };

static const struct {
    enum severity severity;
    const char *code, *words;
} findings[COLLADA_TOLD_FINDINGS] = {
    [COLLADA_TOLD_IDS] = {LENIENT, "collada-id", "ids that several elements of a kind have"},
    [COLLADA_TOLD_COMMAS] = {LENIENT, "collada-comma", "numbers with a decimal comma"},
    [COLLADA_TOLD_ARRAYS] = {LENIENT, "collada-count", "arrays of more or fewer numbers than their count="},
    [COLLADA_TOLD_ACCESSORS] = {LENIENT, "collada-accessor", "accessors of more elements than their arrays have"},
    [COLLADA_TOLD_COUNTS] = {LENIENT, "collada-count", "primitives of more or fewer faces than their count="},
    [COLLADA_TOLD_SOURCES] = {LENIENT, "collada-source", "inputs of normals, coordinates or colours without a source"},
    [COLLADA_TOLD_SMALL] = {LOSS, "collada-small-face", "faces of fewer than three corners, and lines of one"},
    [COLLADA_TOLD_HOLES] = {LOSS, "collada-hole", "holes of polygons, which are filled"},
    [COLLADA_TOLD_NORMALS] = {LENIENT, "collada-normals",
                              "normals without direction, which are made of the faces around"},
    [COLLADA_TOLD_COORDINATES] = {LENIENT, "collada-number", "texture coordinates that are no numbers"},
    [COLLADA_TOLD_SETS] = {LOSS, "collada-set", "texture coordinates beyond the second set"},
    [COLLADA_TOLD_ALPHAS] = {WARNING, "collada-vertex-alpha",
                             "vertex colours with an alpha, which is ignored: programs mean no opacity by it"},
    [COLLADA_TOLD_RANGES] = {LENIENT, "collada-colour-range", "colours outside of 0 to 1"},
    [COLLADA_TOLD_SYMBOL_IDS] = {LENIENT, "collada-symbol",
                                 "symbols of materials that nothing binds; materials with these ids are taken"},
    [COLLADA_TOLD_UNBOUND] = {LENIENT, "collada-symbol", "symbols of materials that nothing binds"},
    [COLLADA_TOLD_PARAMS] = {LENIENT, "collada-param", "params of materials that have no value"},
    [COLLADA_TOLD_COLOURLESS] = {NOTE, "collada-colour", "materials without a colour, which are grey"},
    [COLLADA_TOLD_BARE] = {LOSS, "collada-coordinates", "textures on faces without texture coordinates"},
    [COLLADA_TOLD_TEXTURES] = {LOSS, "collada-texture", "textures of other channels than diffuse and emission"},
    [COLLADA_TOLD_CUTS] = {LOSS, "collada-texture", "textures that make transparent"},
    [COLLADA_TOLD_BUMPS] = {LOSS, "collada-texture", "bump textures"},
    [COLLADA_TOLD_BORDERS] = {LOSS, "collada-wrap", "borders round textures"},
    [COLLADA_TOLD_SHORT] = {LENIENT, "collada-sampler", "textures that name an image without a sampler or surface"},
    [COLLADA_TOLD_PATHLESS] = {LENIENT, "collada-image-path", "images without a file"},
    [COLLADA_TOLD_EMBEDDED] = {LOSS, "collada-embedded", "images whose bytes are in the file itself"},
    [COLLADA_TOLD_PROFILES] = {LOSS, "collada-profile", "effects for shaders"},
    [COLLADA_TOLD_SKINS] = {LOSS, "collada-skin", "skins: their meshes stay as they were bound"},
    [COLLADA_TOLD_MORPHS] = {LOSS, "collada-morph", "morphs"},
    [COLLADA_TOLD_HULLS] = {LOSS, "collada-hull", "convex hulls of other geometry"},
    [COLLADA_TOLD_SPLINES] = {LOSS, "collada-spline", "splines"},
    [COLLADA_TOLD_BREPS] = {LOSS, "collada-brep", "boundary representations (brep)"},
    [COLLADA_TOLD_UNSHOWN] = {LOSS, "collada-unshown", "geometries that no node shows, such as shapes for physics"},
    [COLLADA_TOLD_SKEWS] = {LOSS, "collada-skew", "skews of nodes"},
    [COLLADA_TOLD_CAMERAS] = {LOSS, "collada-camera", "cameras and lights"},
    [COLLADA_TOLD_ANIMATIONS] = {LOSS, "collada-animation", "animation channels that move nothing that is shown"},
    [COLLADA_TOLD_SENSELESS] = {LOSS, "collada-keys", "animation channels without sensible keys"},
    [COLLADA_TOLD_WAYS] = {LOSS, "collada-interpolation",
                           "ways between keys other than STEP, LINEAR, BEZIER and "
                           "HERMITE, which are straight here"},
    [COLLADA_TOLD_SHEARS] = {LOSS, "collada-shear", "shear of moving nodes"},
    [COLLADA_TOLD_MEMBERS] = {LOSS, "collada-clip", "animations that a second clip names, or that are not there"},
    [COLLADA_TOLD_CUTTINGS] = {LOSS, "collada-clip", "starts and ends of clips that leave out keys"},
    [COLLADA_TOLD_KINEMATICS] = {LOSS, "collada-kinematics", "kinematics models and systems"},
    [COLLADA_TOLD_FORMULAS] = {LOSS, "collada-formula", "formulas, such as those of joints that follow others"},
    [COLLADA_TOLD_UNSEEN] = {LOSS, "collada-joint", "joints that move nothing in the picture"},
    [COLLADA_TOLD_MODELLESS] = {LENIENT, "collada-joint-model", "joints whose model is not found; they have no limits"},
    [COLLADA_TOLD_AXES] = {LENIENT, "collada-joint-axis",
                           "joints whose model has another axis than the picture, which is taken"},
    [COLLADA_TOLD_CLOSINGS] = {LOSS, "collada-loop", "joints that close loops"},
    [COLLADA_TOLD_EFFECTORS] = {LOSS, "collada-effector", "end effectors"},
    [COLLADA_TOLD_SPEEDS] = {LOSS, "collada-speed", "limits of the speed and acceleration of joints"},
    [COLLADA_TOLD_SENSORS] = {LOSS, "collada-sensor", "sensors and manipulators of OpenRAVE"},
    [COLLADA_TOLD_RIGID] = {LOSS, "collada-rigid", "rigid bodies and constraints"},
    [COLLADA_TOLD_FIELDS] = {LOSS, "collada-field", "force fields"},
};

cp_status collada_report_findings(struct collada *collada)
{
    struct place place = IN_FILE(collada->documents[0]->source->name);
    cp_status status = CP_OK;
    for (int i = 0; i < COLLADA_TOLD_FINDINGS && status == CP_OK; i++) {
        unsigned long long count = collada->counts[i];
        if (count == 0 || !findings[i].code)
            continue;
        if (findings[i].severity == LOSS)
            report_loss(collada->context, findings[i].code, place, count, "%s", findings[i].words);
        else if (findings[i].severity == LENIENT)
            status = report_lenient(collada->context, collada->settings->common.strict, findings[i].code, place,
                                    "%s: %llu", findings[i].words, count);
        else if (findings[i].severity == WARNING)
            report_warning(collada->context, findings[i].code, place, "%s: %llu", findings[i].words, count);
        else
            report_note(collada->context, findings[i].code, place, "%s: %llu", findings[i].words, count);
    }
    report_opaque(collada->context, OPAQUE_COLLADA_TRANSPARENCY, place, collada->counts[COLLADA_TOLD_CLEAR]);
    return status;
}

cp_status collada_count_unread(struct collada_document *document, void *into)
{
    static const struct {
        const char *name;
        enum collada_finding finding;
    } unread[] = {
        {"channel", COLLADA_TOLD_ANIMATIONS},
        {"animation_clip", COLLADA_TOLD_ANIMATIONS},
        {"kinematics_model", COLLADA_TOLD_KINEMATICS},
        {"articulated_system", COLLADA_TOLD_KINEMATICS},
        {"formula", COLLADA_TOLD_FORMULAS},
        {"rigid_body", COLLADA_TOLD_RIGID},
        {"rigid_constraint", COLLADA_TOLD_RIGID},
        {"force_field", COLLADA_TOLD_FIELDS},
    };
    struct xml *xml = &document->xml;
    uint32_t depth = xml->depth;
    (void)into;
    for (enum xml_event event; (event = xml_next(xml)) != XML_OVER && !(event == XML_END && xml->depth == depth);)
        for (size_t i = 0; event == XML_START && i < sizeof unread / sizeof *unread; i++)
            document->collada->counts[unread[i].finding] += strcmp(xml->name, unread[i].name) == 0;
    return xml->status;
}
