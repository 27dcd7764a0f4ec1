/* Contacts at a time or in a clip. */
#ifndef CELLPIPE_COLLIDE_CONTACTS_CONTACTS_H
#define CELLPIPE_COLLIDE_CONTACTS_CONTACTS_H

#include "collide/body/body.h"
#include "collide/list/list.h"
#include "motion/clips/clips.h"

/* Contacts that are meant: of a held frame with what holds it, and of frames that rest on each other. */

/* Tells whether one of the two is held now by a link to which the other belongs. The link is all that moves with the
 * host of the held frame, and all that is on it with at most one joint between, such as fingers. A frame that hangs on
 * the world is not held. */
bool is_held_by_other(const struct player *player, uint32_t one, uint32_t other);

/* A meeting: consecutive moments at which two frames meet. They rest if they do not move against each other meanwhile,
 * and if they met at the first moment of all, or one of them was hung elsewhere: taken, or put down. */
struct meeting {
    uint32_t first, last, count; /* moments; count 0: there is none */
    cp_pose between;             /* the second one, seen from the first, at the first moment */
    uint32_t hung;               /* attachments of the clip that were handled */
    bool moves, is_meant;
};
/* Adds a moment, where the player is, at which the frames meet; more than `most` metres is a move. The meeting goes on
 * if they met at the moment before; else it must have been ended. */
void meeting_add(struct meeting *meeting, const struct player *player, uint32_t moment, uint32_t one, uint32_t other,
                 double most);
/* Tells whether the frames are now, where the player is, as they were at the first moment. */
bool meeting_is_like_now(const struct meeting *meeting, const struct player *player, uint32_t one, uint32_t other,
                         double most);
static inline bool meeting_rests(const struct meeting *meeting)
{
    return meeting->is_meant && !meeting->moves;
}

/* All bodies of a scene at a moment, and the pairs of them that are near each other. */

struct cp_collider {
    cp_context *context;
    const cp_scene *scene;
    struct bodies bodies;
    struct pair_rules rules;
    uint64_t plane_pairs; /* pairs of frames that consist of planes only, which are not compared */
    bool every_pair;      /* whatever the rules say */
    uint64_t *ignored;    /* pairs that are not checked, whatever the rules say; ascending, each once */
    uint32_t ignored_count, ignored_room;
    double touch;
    struct contact_moment *moment; /* of cp_collide */
    cp_passage *passages;          /* of the last clip */
    uint32_t passage_room;
};

/* A body's box along the world's axes. */
struct world_box {
    double low[3], high[3];
    uint32_t body;
};

struct contact_moment {
    const cp_collider *collider;
    struct placed *placed;   /* of each body */
    struct world_box *boxes; /* boxes of the bodies that can meet anything */
    uint32_t box_count;
    cp_contact *contacts; /* contacts between bodies until moment_end, then between nodes */
    uint32_t room;
    uint64_t count; /* may be more than there is room for: then make room and begin again */
    double reach;   /* metres: pairs farther apart are of no interest */
    uint32_t lost;  /* a node whose pose is not finite, or CP_NONE */
};

/* Tells whether the collider compares two nodes, which have bodies. */
bool collider_checks(const cp_collider *collider, uint32_t one, uint32_t other);

/* Returns false if out of memory; call moment_close even on failure. */
bool moment_open(struct contact_moment *moment, const cp_collider *collider);
void moment_close(struct contact_moment *moment);
/* Makes room for count contacts. */
bool moment_make_room(struct contact_moment *moment);

/* Finds the pairs whose boxes are at most `reach` apart; moment_measure then measures each of them. These functions
 * make no call with the context, so any thread may call them. worlds: one pose for each of the scene's nodes; they stay
 * until the moment's end. */
void moment_begin(struct contact_moment *moment, const cp_pose *worlds, double reach);
void moment_measure(struct contact_moment *moment, uint32_t contact);
/* Keeps the pairs within reach, in the order of their nodes. */
void moment_end(struct contact_moment *moment);

/* Reports the error of a lost node. */
cp_status moment_complain(const struct contact_moment *moment);
/* Tells whether two bodies collide, which must have been placed. */
bool moment_collide(const struct contact_moment *moment, uint32_t one, uint32_t other);

#endif
