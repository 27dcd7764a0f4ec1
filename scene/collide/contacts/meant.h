/* Contacts that are meant: of what is held with what holds it, and of what rests. */
#ifndef CELLPIPE_MEANT_H
#define CELLPIPE_MEANT_H

#include "../../motion/clips/play.h"

/* Whether one of the two is held now by what the other belongs to: by the link that it hangs on, which is all that
 * moves with its host, and what is on that link with at most one joint between, such as fingers. What hangs on the
 * world is not held. */
bool is_held_by_other(const struct player *player, uint32_t one, uint32_t other);

/* Moments one after the other at which two frames meet. They rest if they do not move against each other meanwhile,
 * and if they met at the first moment of all, or one of them was hung elsewhere: taken, or put down. */
struct meeting {
    uint32_t first, last, count; /* moments; count 0: there is none */
    cp_pose between;             /* the second one, seen from the first, at the first moment */
    uint32_t hung;               /* attachments of the clip that were looked at */
    bool moves, is_meant;
};
/* The frames meet at a moment, where the player is; more than `most` metres is a move. The meeting goes on if they met
 * at the moment before; else it must have been ended. */
void meeting_add(struct meeting *meeting, const struct player *player, uint32_t moment, uint32_t one, uint32_t other,
                 double most);
/* The frames are now, where the player is, as they were at the first moment. */
bool meeting_is_like_now(const struct meeting *meeting, const struct player *player, uint32_t one, uint32_t other,
                         double most);
static inline bool meeting_rests(const struct meeting *meeting)
{
    return meeting->is_meant && !meeting->moves;
}

#endif
