/* Does what a list says of pairs hold? Looked at in random configurations, and in searches for the nearest ones. */
#ifndef CHECK_H
#define CHECK_H

#include "motion/motion.h"
#include "solids.h"

/* Two solids nearer than this touch: the default of the filter's option. */
#define TOUCH 1e-6

struct check {
    cp_context *context;
    cp_scene *scene;
    cp_mechanism *mechanism;
    struct solid *solids; /* of all nodes */
    cp_pose *worlds;      /* of all nodes */
    double *q;            /* of all joints */
    uint32_t node_count, joint_count;
    uint64_t seed;
};

/* What is looked for, and what was found. */
struct claim {
    uint32_t first, second;
    const char *reason;        /* of the pair; "" to measure alone */
    const cp_finding *finding; /* or NULL */
    cp_pose apart;             /* of the second in the first one's frame, as the scene is read */
    uint64_t states,
        contacts; /* random configurations, and those in which the two touch, or come nearer than the margin */
    double smallest, largest; /* distances that were met with; the latter for claims of contact alone */
    const char *wrong;        /* what is against the claim, or NULL */
};

/* Cuts the scene's faces into triangles. check_end is due in any case. */
cp_status check_begin(struct check *check, cp_context *context, cp_scene *scene);
void check_end(struct check *check);

/* The claim of a pair. False when there is nothing to look at: the list says of it that it does not know. */
bool claim_of(const struct check *check, const cp_pair *pair, struct claim *claim);
/* The same for two nodes of which nothing is said. */
struct claim claim_nothing(const struct check *check, uint32_t first, uint32_t second);

/* Random configurations first .. first + count - 1 of the whole scene, for all claims; every tenth for those of
 * contact. Joints without limits that turn go half a turn each way; those that slide stay. */
void check_states(struct check *check, struct claim *claims, uint32_t claim_count, uint64_t first, uint64_t count);
/* Searches from random configurations of the joints between the two for where they are nearest. */
void check_descents(struct check *check, struct claim *claim, uint32_t count);

#endif
