/* The declarations that the files of the assimp importer share. */
#ifndef CELLPIPE_IMPORTERS_ASSIMP_ASSIMP_H
#define CELLPIPE_IMPORTERS_ASSIMP_ASSIMP_H

#include "../importers.h"

#ifdef HAVE_ASSIMP

#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/scene.h>
#include <assimp/version.h>

/* clang-format off */
#define ASSIMP_FUNCTIONS(X) \
    X(aiCreatePropertyStore) X(aiGetErrorString) X(aiGetMaterialColor) X(aiGetMaterialFloatArray) \
    X(aiGetMaterialIntegerArray) X(aiGetMaterialString) X(aiGetMaterialTexture) X(aiGetMaterialTextureCount) \
    X(aiGetMaterialUVTransform) X(aiGetVersionMajor) X(aiGetVersionMinor) X(aiGetVersionPatch) \
    X(aiGetVersionRevision) X(aiImportFileExWithProperties) X(aiReleaseImport) X(aiReleasePropertyStore) \
    X(aiSetImportPropertyInteger)
/* clang-format on */

LATE_FUNCTIONS(assimp, ASSIMP_FUNCTIONS);
extern struct assimp_functions assimp;

/* The directions of a file's axes. Of X: right is -Y, up X, towards the viewer Z. */
enum axes { AXES_Z_UP, AXES_Y_UP, AXES_X_UP };

/* The properties of a format that assimp's scene does not give. */
struct assimp_format {
    const char *title;    /* the beginning of the name of assimp's reader */
    double unit;          /* metres; 0: given by the root's scale */
    enum axes axes;       /* the axes of the coordinates below the root */
    bool axes_in_root;    /* assimp turns to Y up (and scales) by the root's transform */
    const char *own;      /* NULL; or the importer of ours that reads the format */
    bool numbers_objects; /* assimp replaces the objects' names by numbers */
    bool root_is_scene;   /* the root represents the file, whatever its name */
    bool only_settings;   /* the scene's metadata are an editor's settings */
};

struct assimp_settings {
    struct import_settings common;
    double unit; /* 0: the format's */
    int up;      /* 0: the format's, else an enum axes + 1 */
};

/* The scene meshes made of one of assimp's; CP_NONE if it has no such elements. */
struct mesh_parts {
    uint32_t faces, lines;
};

struct assimp_import {
    cp_context *context;
    const struct source *source;
    const char *file; /* for messages */
    const char *stem; /* the file's name without folder and suffix */
    const struct assimp_settings *settings;
    const struct aiScene *from;
    cp_scene *scene;
    const struct assimp_format *format;
    double unit;
    double unit_in_x3d; /* metres; 0: none */
    cp_pose turn;       /* file axes to Z up: a signed permutation, so that nothing is rounded */
    cp_pose turn_back;
    bool root_holds_axes;     /* the root's transform has gone into unit and turn */
    unsigned mesh;            /* assimp's number of the mesh at work, for messages */
    struct mesh_parts *parts; /* by assimp's mesh */
    uint32_t *materials;      /* the scene's material by assimp's, or CP_NONE */
    struct name_map nodes;    /* assimp's node names to scene nodes, for animations */
    struct name_map images;   /* paths to the scene's images */
    const char **objects;     /* names of a 3DS file's meshes, in its order */
    uint32_t object_count, object_room;
};

/* files.c: the file system that assimp sees. */
struct open_file;
struct file_system {
    struct aiFileIO io;
    cp_context *context;
    const struct source *top;
    const char *top_name; /* as assimp knows it */
    const struct import_settings *settings;
    cp_status status; /* the first failure that is not a missing file */
    struct open_file *files;
};
void file_system_start(struct file_system *system, const struct source *top, const char *top_name,
                       const struct import_settings *settings);
void file_system_end(struct file_system *system);
/* Checks a text for zero bytes, which are an error; with partial=yes a warning, and *size is that of the whole lines
 * before them. Else *size is the source's. A block of them in another file is a warning. */
cp_status cut_at_zeros(const struct source *source, const struct import_settings *settings, size_t *size);
/* Replaces lone CRs in a text without LF, which assimp's readers would take for one line: a copy with LF, size + 1
 * bytes; else NULL. */
cp_status end_lines(const struct source *source, char **text);

/* x3d.c: writes the text of an X3D file for assimp, with a NUL behind it, which counts; nothing for another file.
 * *unit: the file's own, in metres, or 0. Reports elements that no reader reads as lost. Call buffer_free on failure,
 * too. */
cp_status show_x3d(const struct source *source, bool strict, struct arena *arena, struct buffer *shown, double *unit);

/* x3d_shapes.c: writes a cylinder, cone or extrusion, the element that has just started, as what follows the name of an
 * IndexedFaceSet: attributes, ">" and the coordinates. CP_NO if its values are wrong, CP_INPUT if it would take more
 * than `most` bytes. */
struct xml;
bool x3d_is_shape(const char *name);
cp_status write_x3d_shape(cp_context *context, const struct xml *xml, size_t most, struct buffer *out);

/* names.c: see there. */
cp_status find_object_names(struct assimp_import *import);
/* These return the names that the file has; NULL if out of memory. */
const char *name_of_mesh(struct assimp_import *import, const struct aiMesh *mesh);
const char *name_of_node(struct assimp_import *import, const struct aiNode *node);

/* archive.c: CP_OK for a ZIP archive that is whole, or no archive at all. */
cp_status check_archive(const struct source *source);
/* Returns the attribute's value in an XML tag whose name ends at `at`, *size bytes; NULL when it has none. */
const char *find_attribute(const char *at, const char *end, const char *name, size_t *size);

/* axes.c */
void find_format(struct assimp_import *import);
cp_status find_axes(struct assimp_import *import);
/* Returns the double that the shortest decimal of a float means: 0.0254 for an inch, not 0.025399999692. */
double double_from_float(float value);
cp_pose pose_from_assimp(const struct aiMatrix4x4 *matrix);
/* Returns a pose between two of the file's frames as one between the scene's. */
cp_pose turn_local(const struct assimp_import *import, const cp_pose *local);
/* Returns the pose from the file's own coordinates to metres and Z up, for mesh instances. */
cp_pose turn_geometry(const struct assimp_import *import);

/* materials.c, geometry.c, tree.c, animation.c, metadata.c: in the order in which they are called. */
cp_status copy_materials(struct assimp_import *import);
cp_status copy_meshes(struct assimp_import *import);
cp_status copy_tree(struct assimp_import *import);
/* FBX: nodes of assimp's tree are factors of a model's transform (tree.c), and assimp's own product of them would be
 * wrong. */
struct factors {
    bool any, wrong_product;
};
cp_status find_factors(struct assimp_import *import, struct factors *found);
cp_status copy_animations(struct assimp_import *import);
cp_status copy_metadata(struct assimp_import *import, const struct aiMetadata *metadata, uint32_t node);
/* Returns a NUL-ended UTF-8 copy that lives as long as the scene. */
const char *copy_text(struct assimp_import *import, const struct aiString *text);

#endif

#endif
