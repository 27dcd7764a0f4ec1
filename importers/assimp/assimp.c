/* assimp: what the Open Asset Import Library reads and cellpipe does not read itself.
 *
 * Specification: none of its own; libassimp 5.2 (Debian 12: 5.2.5) through its C API. Dialects: some fifty formats;
 * the one that robot cells name is 3D Studio 3DS. docs/assimp.md has the list.
 *
 * Behaviour and limitations
 * - The last resort: every native importer is asked before it.
 * - Every file that assimp opens goes through source_open; the top file is served from memory under its own name, whose
 *   suffix chooses assimp's reader (without one the bytes do). Files are never written. Textures are not read (a loss).
 * - Nothing of assimp's post-processing is used: n-gons, lines and vertices are the file's, normals too. 3DS smoothing
 *   groups arrive as normals, because assimp makes them while reading.
 * - Coordinates stay the file's; its unit and axes sit in the mesh instances' transforms, nodes are turned and scaled.
 *   What each format means by its numbers is the table in axes.c; `unit=` and `up=` overrule it.
 * - assimp computes in float: a node turned by 90 degrees in the file may have 4e-8 where 0 is meant.
 * - Colours are taken as sRGB. The diffuse colour, opacity and two-sidedness become the material; other numbers of a
 *   material that say something are kept as metadata.
 * - Animations of nodes become clips with linear tracks; skins, morphs, cameras, lights, points and texture coordinates
 *   are counted as losses.
 * - What assimp's readers accept although it is cut off cannot be seen here. They recurse over the depth of
 *   a tree and allocate what a file's counts say: reading strangers' files belongs into a process of its own.
 * - Lines of text may end in CR alone, when there is no LF. */
#include "assimp.h"

#include "base/text/text.h"
#include "base/text/xml.h"

#ifdef HAVE_ASSIMP

#include <locale.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* assimp keeps the text of its last error in a variable of the process, so one thread at a time reads and fetches
 * it. */
static pthread_mutex_t assimp_lock = PTHREAD_MUTEX_INITIALIZER;

static const cp_option assimp_options[] = {
    {"unit", "the file's unit of length, instead of what the format says", CP_OPTION_UNIT,
     .offset = offsetof(struct assimp_settings, unit)},
    {"up", "the file's upward axis, instead of what the format says", CP_OPTION_CHOICE,
     offsetof(struct assimp_settings, up), "format", .choices = "format|z|y|x"},
    CP_OPTIONS_END,
};

LATE_LIBRARY(assimp, FILE_OF_ASSIMP, 16 << 20, ASSIMP_FUNCTIONS);

/* our version, and that of the library in use, whatever headers it was built with */
static char version_text[64];

static void print_version(void)
{
    (void)snprintf(version_text, sizeof version_text, "1, assimp %u.%u.%u %x", assimp.aiGetVersionMajor(),
                   assimp.aiGetVersionMinor(), assimp.aiGetVersionPatch(), assimp.aiGetVersionRevision());
}

static const char *version_in_use(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!library_is_there(&assimp_library))
        return "1, assimp, which cannot be loaded";
    (void)pthread_once(&once, print_version);
    return version_text;
}

static cp_status load(cp_context *context)
{
    cp_status status = library_load(context, &assimp_library);
#ifdef HAVE_XML2
    status = status == CP_OK ? xml_load(context) : status; /* for X3D */
#endif
    return status;
}

/* ---- names ---- */

/* Returns the file's name for assimp: without .gz, whose content is expanded already, and without folders, so that the
 * names of further files are relative to the top one's folder. */
static char *visible_name(cp_scene *scene, const char *name)
{
    name = text_file_name(name);
    size_t size = strlen(name);
    if (text_ends_nocase(name, ".gz"))
        size -= 3;
    return size ? arena_copy_text(scene->arena, name, size) : arena_copy_text(scene->arena, "file", 4);
}

/* ---- assimp's part ---- */

/* Reports assimp's last error as one of ours. text: a copy, in which control characters of the file's text become
 * blanks. */
static cp_status report_failure(struct assimp_import *import, const struct source *source, char *text)
{
    struct place place = IN_FILE(import->file);
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = ' ';
    if (strstr(text, "bad_alloc"))
        return report_error(import->context, CP_LIMIT, "assimp-memory", place, "assimp ran out of memory");
    /* The second text ends assimp's own search among keywords that other texts have as well. */
    if (strncmp(text, "No suitable reader", 18) == 0 || strstr(text, "determine STL storage representation"))
        return report_unknown_content(source);
    return report_error(import->context, CP_INPUT, "assimp-failed", place, "assimp cannot read it: %s",
                        *text ? text : "it does not say why");
}

/* factors: the transforms of FBX models are read factor by factor, not as products. */
static cp_status run_assimp(struct assimp_import *import, struct file_system *system, bool factors)
{
    enum { ERROR_SIZE = 400 }; /* the longest text of assimp's that is shown */
    char text[ERROR_SIZE] = "";
    /* Some of assimp's readers take the decimal point of the host's locale. */
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    struct aiPropertyStore *properties = plain ? assimp.aiCreatePropertyStore() : NULL;
    if (!properties) {
        if (plain)
            freelocale(plain);
        return report_failure(import, system->top, strcpy(text, "bad_alloc"));
    }
    assimp.aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    assimp.aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, factors);
    pthread_mutex_lock(&assimp_lock);
    locale_t before = uselocale(plain);
    import->from = assimp.aiImportFileExWithProperties(system->top_name, 0, &system->io, properties);
    uselocale(before);
    if (!import->from)
        strncpy(text, assimp.aiGetErrorString(), sizeof text - 1);
    pthread_mutex_unlock(&assimp_lock);
    freelocale(plain);
    assimp.aiReleasePropertyStore(properties);
    if (system->status != CP_OK)
        return system->status;
    if (!import->from || !import->from->mRootNode)
        return report_failure(import, system->top, text);
    return CP_OK;
}

static cp_status import_file(struct assimp_import *import, struct file_system *system)
{
    struct factors found;
    cp_status status = run_assimp(import, system, true);
    if (status == CP_OK)
        status = find_factors(import, &found);
    /* Clips move whole nodes, but keys of factors move them one by one, so the products are needed. */
    if (status == CP_OK && found.any && !found.wrong_product && import->from->mNumAnimations > 0) {
        assimp.aiReleaseImport(import->from);
        status = run_assimp(import, system, false);
    }
    if (status != CP_OK)
        return status;
    /* Several of assimp's readers (X3D, ASE) take any bytes for an empty scene. */
    if (import->from->mNumMeshes || import->from->mRootNode->mNumChildren)
        return CP_OK;
    return report_error(import->context, CP_INPUT, "assimp-empty", IN_FILE(import->file),
                        "assimp finds nothing in it: neither a mesh nor a node");
}

/* ---- our part ---- */

static cp_status copy_scene(struct assimp_import *import)
{
    static cp_status (*const steps[])(struct assimp_import *) = {find_axes,   find_object_names, copy_materials,
                                                                 copy_meshes, copy_tree,         copy_animations};
    const struct aiScene *from = import->from;
    cp_context *context = import->context;
    struct place place = IN_FILE(import->file);
    find_format(import);
    import->parts = memory_allocate(context, from->mNumMeshes, sizeof *import->parts);
    import->materials = memory_allocate(context, from->mNumMaterials, sizeof *import->materials);
    import->nodes = import->images = (struct name_map){.context = context};
    cp_status status = import->parts && import->materials ? CP_OK : CP_LIMIT;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == CP_OK; i++)
        status = steps[i](import);
    if (status == CP_OK && !import->format->only_settings)
        status = copy_metadata(import, from->mMetaData, 0);
    if (status == CP_OK && from->mNumCameras)
        report_loss(context, "assimp-cameras", place, from->mNumCameras, "cameras");
    if (status == CP_OK && from->mNumLights)
        report_loss(context, "assimp-lights", place, from->mNumLights, "lights");
    name_map_free(&import->nodes);
    name_map_free(&import->images);
    memory_free(context, import->materials, from->mNumMaterials, sizeof *import->materials);
    memory_free(context, import->parts, from->mNumMeshes, sizeof *import->parts);
    return status;
}

/* Refuses what importers of ours read, by the suffix of which assimp would choose its reader, or by the content. */
static cp_status check_formats(const struct source *source, const char *name)
{
    enum { HEAD_SIZE = 1 << 12 };
    size_t head = source->size < HEAD_SIZE ? source->size : HEAD_SIZE;
    struct place place = IN_FILE(source->name);
    if (text_ends_nocase(name, ".dae") || text_ends_nocase(name, ".zae") ||
        xml_probe(source->data, head, "COLLADA") > 0)
        return report_error(source->context, CP_INPUT, "assimp-collada", place,
                            "COLLADA is not read through assimp; the importer collada reads it");
    if (text_ends_nocase(name, ".ac") || text_ends_nocase(name, ".ac3d") || text_ends_nocase(name, ".acc") ||
        (head > 4 && memcmp(source->data, "AC3D", 4) == 0))
        return report_error(source->context, CP_INPUT, "assimp-own", place,
                            "AC3D is not read through assimp; the importer ac3d reads it");
    return CP_OK;
}

static cp_status read_shown(cp_context *context, const struct source *source, const void *settings, cp_scene *scene,
                            double unit_in_x3d)
{
    struct assimp_import import = {
        .context = context, .source = source, .file = source->name, .settings = settings, .scene = scene};
    import.unit_in_x3d = unit_in_x3d;
    struct file_system system;
    char *name = visible_name(scene, source->name);
    size_t size;
    const char *stem = name ? text_stem(name, &size) : NULL;
    import.stem = stem ? arena_copy_text(scene->arena, stem, size) : NULL;
    if (!import.stem)
        return CP_LIMIT;
    cp_status status = check_archive(source);
    if (status == CP_OK)
        status = check_formats(source, name);
    if (status != CP_OK)
        return status;
    file_system_start(&system, source, name, &import.settings->common);
    status = import_file(&import, &system);
    file_system_end(&system);
    if (status == CP_OK)
        status = copy_scene(&import);
    if (import.from)
        assimp.aiReleaseImport(import.from);
    memory_free(context, import.objects, import.object_room, sizeof *import.objects);
    return status == CP_OK ? scene_finish(scene) : status;
}

static cp_status read_text(cp_context *context, const struct source *source, const void *settings, cp_scene *scene)
{
    struct source shown = *source;
    struct buffer x3d;
    double unit;
    cp_status status = show_x3d(source, ((const struct import_settings *)settings)->strict, scene->arena, &x3d, &unit);
    if (x3d.size) {
        shown.data = x3d.data;
        shown.size = x3d.size - 1;
    }
    if (status == CP_OK)
        status = read_shown(context, &shown, settings, scene, unit);
    buffer_free(&x3d);
    return status;
}

/* Tells whether the file has a suffix of a format of which assimp 5.2.5 reads nothing that is part of a cell, or hardly
 * any real file: it refuses them, crashes, or finds motion and cameras alone. */
static bool is_given_up(const struct source *source)
{
    static const char *const suffixes[] = {
        ".irr", ".irrmesh", ".ter", ".pk3", ".ndo", ".csm",  ".bvh",    ".md5camera", ".ogex", ".mdl", ".mdc",   ".iqm",
        ".hmp", ".md5mesh", ".ask", ".scn", ".bsp", ".enff", ".assbin", ".mot",       ".prj",  ".vta", ".ifczip"};
    char suffix[16];
    bool is = false;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && !is; i++) {
        (void)snprintf(suffix, sizeof suffix, "%s.gz", suffixes[i]);
        is = text_ends_nocase(source->name, suffixes[i]) || text_ends_nocase(source->name, suffix);
    }
    return is;
}

static cp_status assimp_read(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    if (is_given_up(source))
        return report_unknown_content(source);
    cp_status status = source_decode(source); /* several of assimp's readers make an empty scene of UTF-16 */
    struct source shown = *source;
    char *text = NULL;
    if (status == CP_OK)
        status = cut_at_zeros(&shown, settings, &shown.size);
    if (status == CP_OK)
        status = end_lines(&shown, &text);
    if (text)
        shown.data = text;
    if (status == CP_OK)
        status = read_text(context, &shown, settings, scene);
    memory_free(context, text, shown.size + 1, 1);
    return status;
}

/* Knows formats that begin with words of their own. For other bytes, some reader of assimp's may know them; every
 * native importer that does is surer. */
static int assimp_probe(const char *head, size_t size, uint64_t file_size)
{
    static const char *const signs[] = {
        "BLENDER",           "IDPO", "IDP2", "IDP3", "IDST", "MDL2", "MDL3", "MDL4", "MDL5", "MDL7", "xof 03", "BB3D",
        "Kaydara FBX Binary"};
    (void)file_size;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (size > strlen(signs[i]) && memcmp(head, signs[i], strlen(signs[i])) == 0)
            return 60;
    /* Ogre's binary meshes: two bytes before the words. */
    static const char ogre[] = "[MeshSerializer_";
    return size > sizeof ogre + 1 && memcmp(head + 2, ogre, sizeof ogre - 1) == 0 ? 60 : size > 0;
}

#else

static int assimp_probe(const char *head, size_t size, uint64_t file_size)
{
    (void)head, (void)size, (void)file_size;
    return 0;
}

#endif

/* The formats of CAD and modelling programs that libassimp 5.2.5 reads and cellpipe does not read itself; first those
 * that the tests read. Others, formats of games among them, are left out, as assimp refuses or damages most of their
 * files. */
const struct importer assimp_importer = {
    .plugin =
        {
            .name = "assimp",
            .title = "other formats, through assimp",
#ifdef HAVE_ASSIMP
            .options = assimp_options,
            .settings_size = sizeof(struct assimp_settings),
            .version = "1, assimp " VERSION_OF_ASSIMP,
            .version_in_use = version_in_use,
#else
            .settings_size = sizeof(struct import_settings),
            .package = "libassimp-dev",
#endif
        },
    .suffixes = ".3ds .x3d .fbx .ase .lwo .lws .x",
    .further = ".blend .cob .lxo .nff .xgl .zgl",
    .probe = assimp_probe,
    .sign = "what its readers know",
#ifdef HAVE_ASSIMP
    .third_party = true,
    .load = load,
    .read = assimp_read,
#endif
};
