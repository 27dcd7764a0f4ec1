/* Open CASCADE behind plain data: kernel.cpp reads a file of CAD and fills these arrays, step.c makes a scene of them.
 * kernel.cpp is a shared object of its own, since its libraries take some 100 ms to load. All lengths are
 * millimetres. */
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
    double deflection;    /* the greatest distance between triangles and surface */
    double relative;      /* not 0: that distance as a part of the diagonal of each product */
    double angle;         /* radians, between the directions of neighbouring pieces of a curve */
    double coarse;        /* not 0: triangles with this deflection, too, and as few as that takes */
    enum cad_edges edges; /* that become lines */
    bool keeps_hidden;    /* products and instances that the file hides */
};

/* sRGB and alpha, as the file has them. */
struct cad_colour {
    double rgba[4];
};

/* Consecutive triangles of a product, of all faces that have one colour. */
struct cad_group {
    uint32_t first_triangle, triangle_count;
    uint32_t colour; /* the face's, its shell's or its solid's; CAD_NONE: that of the instance or the product */
};

/* The triangles of a product, and what was found while they were made. */
struct cad_triangles {
    uint32_t first_point, point_count, first_triangle, triangle_count, first_group, group_count;
    uint32_t mended_faces; /* faces that got triangles only as splines */
    uint32_t lost_faces;   /* faces that got no triangles */
    double lost_area;      /* mm2 */
    double deflection;     /* what was asked for, mm */
    double deviation;      /* the largest distance of a sample of the triangles from the surface, mm */
    double volume;         /* of all solids, mm3; 0 where there is no solid, or a face is lost */
};

/* A curve as a line of points. */
struct cad_line {
    uint32_t first_point, point_count; /* of line_points */
};

struct cad_product {
    const char *name; /* UTF-8; "" for a shape without a product, which belongs to the product above it */
    bool has_name, is_assembly;
    uint32_t colour;    /* CAD_NONE: it has none */
    const char *file;   /* the one that has its shape, as the file names it; "": this one */
    const char *layers; /* names, with ", " between two */
    const char *material;
    struct cad_triangles fine, coarse;                /* coarse: none unless the request wants them */
    uint32_t first_line, free_line_count, line_count; /* free ones first */
    uint32_t face_count, solids;
    uint32_t free_edges, free_points; /* part of no face; edges that became lines do not count */
    double volume;                    /* the exact one of all solids, mm3; 0 where fine.volume is */
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
    const struct cad_group *groups;
    const struct cad_colour *colours;
    const struct cad_complaint *complaints;
    const struct cad_line *lines;
    const double (*line_points)[3];
    const double (*points)[3];
    const float (*normals)[3];      /* one a point; 0 where the surface has none */
    const uint32_t (*triangles)[3]; /* points of their product, from 0 */
    uint32_t node_count, product_count, group_count, colour_count, complaint_count, line_count;
    uint32_t hidden_products; /* uses that were left out */
};

enum cad_outcome {
    CAD_READ,
    CAD_REFUSED, /* text: why, in the kernel's words, or "" */
    CAD_EMPTY,   /* the kernel read it and found no shape */
    CAD_NO_MEMORY,
    CAD_TOO_LARGE /* more than arrays hold */
};

/* Reads the file. *model is to be freed by cad_free, whatever the outcome; it may be NULL. text: room for a message. */
enum { CAD_TEXT = 400 };
CAD_PUBLIC enum cad_outcome cad_read(const struct cad_request *request, struct cad_model **model, char text[CAD_TEXT]);
CAD_PUBLIC void cad_free(struct cad_model *model);

#ifdef __cplusplus
}
#endif
#endif
