/* Open CASCADE behind plain data. kernel.cpp reads a file of CAD, describes its tree and its products, and tessellates
 * these one by one; what is to be made of that is decided in C. It is a shared object of its own, since its libraries
 * take some 100 ms to load. All lengths are millimetres. */
#ifndef CELLPIPE_IMPORTERS_STEP_KERNEL_H
#define CELLPIPE_IMPORTERS_STEP_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAD_NONE UINT32_MAX
#define CAD_PUBLIC __attribute__((visibility("default")))

enum cad_edges { CAD_NO_EDGES, CAD_FREE_EDGES, CAD_ALL_EDGES };
enum cad_format { CAD_STEP, CAD_IGES, CAD_BREP };

struct cad_request {
    enum cad_format format;
    const char *bytes;
    size_t size;
    const char *codepage; /* of the texts of STEP, as Open CASCADE calls it: "UTF8", "CP1252" */
    bool keeps_hidden;    /* products and instances that the file hides */
};

/* sRGB and alpha, as the file has them. */
struct cad_colour {
    double rgba[4];
};

struct cad_product {
    const char *name; /* UTF-8; "" for a shape without a product, which belongs to the product above it */
    bool has_name, is_assembly;
    uint32_t colour;    /* CAD_NONE: it has none */
    const char *file;   /* the one that has its shape, as the file names it; "": this one */
    const char *layers; /* names, with ", " between two */
    const char *material;
    uint64_t definition;              /* the number of its record in STEP; 0: it has none */
    uint32_t face_count, free_points; /* points of no edge */
    bool is_solid;                    /* it has solids, and no faces beside them */
    double size;                      /* its diagonal; 0 without an extent */
};

struct cad_node {
    uint32_t parent, product; /* parent CAD_NONE: a root */
    const char *name;         /* of the instance; "" for a root */
    uint32_t colour;          /* CAD_NONE: it has none */
    double pose[12];          /* in the parent, rows of 4 */
};

/* The kernel complained of something: equal texts are counted, and the first entity is named. */
enum cad_gravity {
    CAD_REMARK, /* the kernel itself says that it is of no matter */
    CAD_FAULT,  /* an entity is written wrongly; what the kernel made of it may be right */
    CAD_LOSS    /* an entity did not become a shape */
};
struct cad_complaint {
    enum cad_gravity gravity;
    const char *text, *entity; /* "#39"; "": of the whole file */
    uint32_t count;
};

struct cad_model {
    const struct cad_node *nodes; /* parents before children */
    const struct cad_product *products;
    const struct cad_colour *colours;
    const struct cad_complaint *complaints;
    uint32_t node_count, product_count, colour_count, complaint_count;
    uint32_t hidden_products; /* uses that were left out */
};

/* A face of a product. One that is twice in it, turned, is two. */
struct cad_face {
    uint32_t colour; /* its own, its shell's or its solid's; CAD_NONE: that of the instance or the product */
    uint32_t first_point, point_count, first_triangle, triangle_count;
    uint32_t first_border, border_count; /* a face that got no triangles has the points of its borders */
    double area;                         /* of such a face, mm2 */
    bool is_turned;                      /* its triangles run clockwise, seen from outside of the solid */
    bool may_deviate;                    /* its triangles are not those of a plane */
};

/* The triangles of a product, as the kernel makes them. */
struct cad_mesh {
    const struct cad_face *faces;
    const double (*points)[3];      /* bit for bit the same on both sides of an edge */
    const double (*places)[2];      /* the points' parameters on their surface */
    const float (*normals)[3];      /* out of the solid; 0 where the surface has none */
    const uint32_t (*triangles)[3]; /* points of the mesh */
    const uint32_t *borders;        /* how many points each has; outer ones run counter-clockwise by the places */
    uint32_t face_count, point_count, triangle_count, border_count;
};

/* A curve as a line of points. */
struct cad_line {
    uint32_t first_point, point_count;
};

struct cad_lines {
    const struct cad_line *lines; /* free ones first */
    const double (*points)[3];
    uint32_t free_count, count, point_count;
    uint32_t lost; /* edges that bound no face and are not among the lines */
};

enum cad_outcome {
    CAD_READ,
    CAD_REFUSED, /* text: why, in the kernel's words, or "" */
    CAD_EMPTY,   /* the kernel read it and found no shape */
    CAD_NO_MEMORY,
    CAD_TOO_LARGE /* more than arrays hold */
};

/* Calls with a text return CAD_READ, or something else with the reason as text; what it has made is then
 * worth nothing. A mesh and lines last until the next call that makes one. */
enum { CAD_TEXT = 400 };

/* Reads the file. *model is to be freed by cad_free, whatever the outcome; it may be NULL. */
CAD_PUBLIC enum cad_outcome cad_read(const struct cad_request *request, struct cad_model **model, char text[CAD_TEXT]);
/* Makes triangles of a product with faces. deflection: the distance between them and the surface that the kernel aims
 * at. angle: radians, between the directions of neighbouring pieces of a curve. */
CAD_PUBLIC enum cad_outcome cad_tessellate(struct cad_model *model, uint32_t product, double deflection, double angle,
                                           const struct cad_mesh **mesh, char text[CAD_TEXT]);
/* Makes lines of the curves of a product: those without a face, and the borders of faces. */
CAD_PUBLIC enum cad_outcome cad_draw(struct cad_model *model, uint32_t product, enum cad_edges edges, double deflection,
                                     double angle, const struct cad_lines **lines, char text[CAD_TEXT]);
/* Computes the volume of all solids of a product, mm3. */
CAD_PUBLIC enum cad_outcome cad_measure(struct cad_model *model, uint32_t product, double *volume, char text[CAD_TEXT]);
/* Computes a point of the surface of a face of the last mesh, and its derivatives. Returns false if it has none there.
 */
CAD_PUBLIC bool cad_evaluate(const struct cad_model *model, uint32_t face, const double place[2], double point[3],
                             double along_u[3], double along_v[3]);
/* Finds the parameters of the point that is nearest, on a surface for which there is a formula. */
CAD_PUBLIC bool cad_project(const struct cad_model *model, uint32_t face, const double point[3], double place[2]);
/* Frees the shapes of a model: its products and nodes stay. */
CAD_PUBLIC void cad_forget(struct cad_model *model);
CAD_PUBLIC void cad_free(struct cad_model *model);

#ifdef __cplusplus
}
#endif
#endif
