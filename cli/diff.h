/* The declarations of diff, which matches the things of two scenes by name. */
#ifndef CELLPIPE_DIFF_H
#define CELLPIPE_DIFF_H

#include "cli.h"

/* Tells how two frames or joints were matched. */
enum matched_by { MATCHED_BY_NAME, MATCHED_BY_MAP, MATCHED_BY_CHAIN };

struct diff_side {
    const char *path;
    cp_scene *scene;
    const cp_node *nodes;
    const cp_joint *joints; /* with the values that they have now */
    uint32_t node_count, joint_count;
    uint32_t *node_twin, *joint_twin;  /* the same thing on the other side, or CP_NONE */
    unsigned char *node_by, *joint_by; /* of a: MATCHED_BY_..., where there is a twin */
};

struct difference;

struct diff {
    struct cli *cli;
    struct diff_side a, b;
    double tolerance;
    uint64_t differences;
    cp_json *json; /* takes the differences in place of standard output, or NULL */
    /* Tells which differences do not count, for an output that is compared with what was to be written; then frames are
     * compared without their meshes. NULL: all count. */
    bool (*excuses)(const struct diff *diff, const struct difference *difference);
    const bool *lost;     /* for excuses */
    const char *stem;     /* name of b's file without suffixes */
    uint32_t world_in_b;  /* the frame that stands for a's world, with which it is matched; 0: the world itself */
    bool same_home;       /* b's homes say nothing: both are posed at those of a */
    double box_tolerance; /* of boxes, as a part of the size */
};

/* The thing whose members are compared. */
struct thing {
    const char *subject, *name, *unit; /* unit NULL: none */
};

/* The value in a file: a text, or numbers, or nothing. */
struct diff_value {
    const char *text;
    const double *numbers;
    size_t count; /* of the numbers */
};
#define TEXT(string)                                                                                                   \
    {                                                                                                                  \
        .text = (string)                                                                                               \
    }
#define NUMBER(number)                                                                                                 \
    {                                                                                                                  \
        .numbers = (const double[]){number}, .count = 1                                                                \
    }
#define NUMBERS(array, size)                                                                                           \
    {                                                                                                                  \
        .numbers = (array), .count = (size)                                                                            \
    }

/* The files that have a statement. */
enum { IN_A = 1, IN_B = 2 };

/* A difference as --json has it; docs/cli.md lists its keys. Members without a meaning here are NULL and 0. */
struct difference {
    const char *subject;         /* "frame", "joint", "exclusion", "volatile", "cell" */
    const char *name;            /* its name; of an exclusion the first frame's */
    const char *second;          /* the second frame of an exclusion */
    const char *mesh;            /* on that frame */
    const char *property;        /* what differs */
    const uint32_t *index;       /* that of the vertex, the face, the corner, the joint vector, the input */
    int only_in;                 /* IN_A, IN_B */
    struct diff_value a, b;      /* what they say */
    int excluded_by;             /* IN_A, IN_B or both: the lists that exclude a pair but should not */
    const char *reason;          /* the reason that the evidence gives for the pair */
    const cp_finding *collision; /* the joint values where it collides, of `scene` */
    const cp_scene *scene;
};

#define ABOUT(subject_, name_, property_, ...)                                                                         \
    (struct difference)                                                                                                \
    {                                                                                                                  \
        .subject = (subject_), .name = (name_), .property = (property_), __VA_ARGS__                                   \
    }

/* Prints a line about a difference: subject and name, then the text. */
void differ(struct diff *diff, const struct difference *difference, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Tells whether they are equal within the tolerance; infinities equal themselves. */
bool near(const struct diff *diff, double a, double b);

/* Compares those members of two rows for which no other function has code of its own. */
void diff_members(struct diff *diff, struct thing of, const cp_rows *rows_a, uint32_t in_a, const cp_rows *rows_b,
                  uint32_t in_b);

/* "(x y z)" with all digits: differences may be tiny. */
struct point_text {
    char text[3 * CP_NUMBER_SIZE + 8];
};
struct point_text point_text(double x, double y, double z);

/* Fills a side with a scene, which the caller keeps. */
cp_status open_side(struct cli *cli, struct diff_side *side, const char *path, cp_scene *scene);

/* Matches frames and joints by name (diff_match.c). */
cp_status match_sides(struct diff *diff);
/* Matches those that a file names: two names a line. Reports a line that it cannot follow. */
cp_status match_by_file(struct diff *diff, const char *path);
/* Matches joints without a twin that move in the same way and hang on twins, in their order; and the frames of joints
 * that were not matched by name. */
cp_status match_by_chain(struct diff *diff);
bool joint_moves(const cp_joint *joint);

/* Finds the next random value between the limits; if one is missing, within half a turn or a metre of the other or of
 * zero. */
double random_value(const cp_joint *joint, uint64_t *state);

/* They say which states are compared; the tolerance is in struct diff. */
struct states_asked {
    int64_t count;   /* random states, beside home; 0: another comparison is asked for */
    const char *map; /* a file of names, or NULL */
};
/* Compares the poses of matched frames while matched joints have the same values (diff_states.c). Prints the answer, or
 * puts it into diff->json. CP_NO if they differ. */
cp_status diff_states(struct diff *diff, const struct states_asked *asked);

/* Compares all that two files say, by name. CP_NO if they differ. */
cp_status diff_tables(struct diff *diff);

/* Compares the meshes of two frames of one name (diff_geometry.c). */
void diff_geometry(struct diff *diff, uint32_t node_a, uint32_t node_b);
/* Compares two lists of exclusions of the cell in that file; the request's settings are those of the filter exclude
 * (diff_lists.c). */
cp_status diff_lists(struct diff *diff, const struct request *request, const char *cell);

#endif
