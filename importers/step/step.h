/* STEP, IGES and BREP: step.c knows the files, kernel.cpp reads and tessellates them, scan.c finds in their text what
 * the kernel overlooks, triangles.c decides how fine triangles are, borders.c makes those that the kernel leaves out,
 * meshes.c makes meshes, tree.c makes nodes, checks.c tells what was measured and what was lost. */
#ifndef CELLPIPE_IMPORTERS_STEP_STEP_H
#define CELLPIPE_IMPORTERS_STEP_STEP_H

#include "../importers.h"
#include "base/text/text.h"
#include "kernel.h"

struct step_settings {
    struct import_settings common;
    cp_extent deflection;
    double angle;
    double error; /* metres; 0: not given */
    double unit;  /* metres; 0: not given */
    int encoding; /* of step.c's list of them */
    int up;       /* cp_up */
    int names;    /* enum step_names */
    int edges;    /* cad_edges */
    bool hidden, normals;
};

/* The kernel, which load_kernel of step.c has loaded. */
#define KERNEL_CALLS(CALL)                                                                                             \
    CALL(cad_read)                                                                                                     \
    CALL(cad_tessellate)                                                                                               \
    CALL(cad_draw)                                                                                                     \
    CALL(cad_measure) CALL(cad_evaluate) CALL(cad_project) CALL(cad_forget) CALL(cad_free)
LATE_FUNCTIONS(step_kernel, KERNEL_CALLS);
extern struct step_kernel_functions step_kernel;

enum step_names { NAMES_INSTANCE, NAMES_PRODUCT };

/* The kernel does not read these of a file's text, or reads them wrongly. */
struct step_facts {
    uint64_t annotations; /* of PMI, each with its leaders and texts */
    uint64_t tessellated; /* shapes of triangles */
    uint64_t joints;      /* of mechanisms */
    uint64_t densities;   /* of materials */
    uint64_t misplaced;   /* operators of mapped items that mirror, scale, or are complex records */
};

/* The density that a file gives to the definition of a product. */
struct step_density {
    uint64_t definition; /* the number of the record */
    const char *text;    /* kg/m3; without a unit that is known, the file's words */
    bool has_unit;
};

/* A file as the kernel has read it, and what the scene has of it. */
struct step_model {
    struct cad_model *cad;
    struct step_facts facts;
    enum cad_format format;
    double unit;      /* metres per length of the kernel */
    const char *path; /* of the file */
    struct step_product *products;
    uint32_t *materials;    /* one for each colour; CP_NONE: none yet */
    struct name_map meshes; /* by product and colour */
    struct source *source;  /* the parent of the files that it names */
    struct step_density *densities;
    uint32_t density_count, density_room;
};

struct step {
    cp_context *context;
    const struct step_settings *settings;
    cp_scene *scene;
    struct step_model **models; /* the first is the top file's */
    struct name_map known;      /* models by path */
    struct step_place *places;
    uint32_t model_count, model_room, place_count, place_room;
    double deviation; /* metres: the largest of all products */
    uint32_t border;  /* the material of the borders of faces; CP_NONE: none yet */
};

/* Reads the model of a file that `from` names, or finds it among those that were read: *model; NULL if there is no such
 * file, which is a loss then. */
cp_status step_open(struct step *step, const struct step_model *from, const char *name, struct step_model **model);

/* Reports what a call of the kernel has said; CP_OK if all is well. */
cp_status step_outcome(cp_context *context, const struct step_model *model, enum cad_outcome outcome, const char *text);

/* scan.c: goes through the text of STEP once or twice. */
cp_status step_scan(cp_context *context, const char *bytes, size_t size, struct step_facts *facts);

/* densities.c: finds the densities of a text of STEP. */
cp_status step_find_densities(struct step *step, struct step_model *model, const char *bytes, size_t size);

/* checks.c */
/* Reports what is lost of a model, and the figures of its check. */
void step_report(cp_context *context, const struct step_model *model);

/* A mesh without a row in the scene, whose groups have colours of the model as materials; and what places it:
 * millimetres, and the origin of its positions. */
struct step_shape {
    cp_mesh mesh; /* without vertices if there is none */
    cp_pose transform;
};
#define STEP_BORDER (CAD_NONE - 1) /* the colour of the borders of faces */

struct step_product {
    struct step_shape faces, lines;
    double deviation, asked;           /* the largest distance from the surface, and the one that was asked for, mm */
    uint32_t mended_faces, lost_faces; /* those that the kernel left without triangles: now have some; have none */
    double lost_area;                  /* mm2 */
    double volume, exact_volume;       /* inside the triangles and inside the surfaces, mm3; 0 where it is not known */
    uint64_t open_edges;               /* solids have so many that are not passed as often one way as the other */
    uint32_t lost_edges;               /* edges that bound no face and are no lines */
};

/* Triangles of a product, all in memory of their own, and what was found while they were made. */
struct step_triangles {
    double (*points)[3];
    float (*normals)[3];    /* 0 where the surface has none */
    uint32_t (*corners)[3]; /* points */
    cp_group *groups;       /* their materials are colours of the model */
    uint32_t point_count, count, group_count, group_room;
    uint32_t mended_faces, lost_faces;
    double lost_area, deflection, deviation, volume; /* as of step_product; what was asked for */
};

/* triangles.c */
/* Makes the triangles of a product with faces. If they are farther than the deflection from the surface, they are made
 * again at a half, a quarter and an eighth of it. Call step_triangles_free even on failure. */
cp_status step_tessellate(struct step *step, struct step_model *model, uint32_t product, double deflection,
                          double angle, struct step_triangles *made);
void step_triangles_free(struct step *step, struct step_triangles *made);
/* Computes the distance of a point from the surface of a face of the last mesh, by a formula or by steps of Gauss and
 * Newton from these parameters. If it is not more than `most`, the result may be any number between them. */
double step_distance(const struct step_model *model, uint32_t face, const double point[3], const double place[2],
                     double most);

/* borders.c */
#define STEP_FARTHEST 1e9 /* mm: numbers of damaged files, with which nothing can be computed, are larger */
/* Returns how many triangles step_cut_face may make; 0 if the face has too many points for it. */
uint32_t step_most_triangles(const struct cad_face *face);
/* Makes triangles between the borders of a face of the last mesh, with points of the mesh as corners; none if the
 * borders have too many points. */
cp_status step_cut_face(cp_context *context, const struct step_model *model, const struct cad_mesh *mesh,
                        uint32_t index, uint32_t (*triangles)[3], uint32_t *count);

/* meshes.c */
/* Finds or makes the material of a colour; CP_NONE when out of memory. */
uint32_t step_material(struct step *step, struct step_model *model, uint32_t colour);
/* Makes the shapes of a product. */
cp_status step_make_product(struct step *step, struct step_model *model, uint32_t index);
/* Finds or makes the mesh of a product's faces, or of its lines; those without a colour get the inherited material. */
cp_status step_find_mesh(struct step *step, struct step_model *model, uint32_t index, bool lines, uint32_t inherited,
                         uint32_t *mesh);

/* tree.c */
/* Prepares what the scene will have of a model; step_model_end frees it. */
cp_status step_model_start(struct step *step, struct step_model *model);
void step_model_end(struct step *step, struct step_model *model);
/* Adds the nodes and meshes of the first model, those of other files below the nodes that name them. */
cp_status step_fill(struct step *step);

#endif
