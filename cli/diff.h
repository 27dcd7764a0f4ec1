/* diff's inside: two scenes whose things are matched by name. */
#ifndef CELLPIPE_DIFF_H
#define CELLPIPE_DIFF_H

#include "cli.h"

struct side {
    const char *path;
    cp_scene *scene;
    const cp_node *nodes;
    const cp_joint *joints;
    double *values; /* of the joints, now */
    uint32_t node_count, joint_count;
    uint32_t *node_twin, *joint_twin; /* the same thing on the other side, or CP_NONE */
};

struct diff {
    struct cli *cli;
    struct side a, b;
    double tolerance;
    uint64_t differences;
};

/* Prints a line about a difference. */
void differ(struct diff *diff, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Equal within the tolerance; infinities equal themselves. */
bool near(const struct diff *diff, double a, double b);

/* "(x y z)" with all digits: differences may be tiny. */
struct point_text {
    char text[3 * CP_NUMBER_SIZE + 8];
};
struct point_text point_text(double x, double y, double z);

/* Compares what two frames of one name carry (diff_geometry.c). */
void diff_geometry(struct diff *diff, uint32_t node_a, uint32_t node_b);
/* Compares two lists of exclusions of the cell in that file; settings: of the filter exclude (diff_lists.c). */
cp_status diff_lists(struct cli *cli, const struct request *request, const char *cell, const struct list *settings);

#endif
