#include "contacts.h"

#include <math.h>

/* ---- held ---- */

/* Tells whether a clip has hung the node on something other than the world. */
static bool is_held(const struct player *player, uint32_t node)
{
    const uint32_t host = player->parents[node];
    return host != player->scene->nodes[node].parent && host != CP_NONE && host != 0;
}

/* Returns the link that holds: all that moves with the host. A host that no joint moves is a link of its own. */
static uint32_t link_of(const struct player *player, uint32_t host)
{
    uint32_t link = host;
    while (link != CP_NONE && link != 0 && player->scene->nodes[link].joint_count == 0 && !is_held(player, link))
        link = player->parents[link];
    return link == CP_NONE || link == 0 ? host : link;
}

/* Tells whether the node belongs to the link: at most one joint is between them, and the way does not lead over the
 * node that is held. */
static bool belongs_to(const struct player *player, uint32_t node, uint32_t link, uint32_t held)
{
    int joints = 0;
    while (node != CP_NONE && node != link && node != held && joints < 2) {
        joints += player->scene->nodes[node].joint_count > 0;
        node = player->parents[node];
    }
    return node == link && joints < 2;
}

static bool holds(const struct player *player, uint32_t node, uint32_t other)
{
    for (uint32_t at = node; at != CP_NONE; at = player->parents[at])
        if (is_held(player, at) && belongs_to(player, other, link_of(player, player->parents[at]), at))
            return true;
    return false;
}

bool is_held_by_other(const struct player *player, uint32_t one, uint32_t other)
{
    return holds(player, one, other) || holds(player, other, one);
}

/* ---- resting ---- */

static bool hangs_on(const struct player *player, uint32_t node, uint32_t host)
{
    while (node != CP_NONE && node != host)
        node = player->parents[node];
    return node == host;
}

/* Finds the pose of the second frame, seen from the first. False if there is no such pose. */
static bool pose_between(const struct player *player, uint32_t one, uint32_t other, cp_pose *between)
{
    cp_pose back;
    const bool good = pose_inverse(&player->worlds[one], &back);
    if (good)
        *between = pose_multiply(&back, &player->worlds[other]);
    return good;
}

static bool has_moved(const cp_pose *from, const cp_pose *to, double most)
{
    const double turn = 1e-6;
    for (int i = 0; i < 12; i++)
        if (!(fabs(from->m[i] - to->m[i]) <= (i % 4 == 3 ? most : turn)))
            return true;
    return false;
}

bool meeting_is_like_now(const struct meeting *meeting, const struct player *player, uint32_t one, uint32_t other,
                         double most)
{
    cp_pose between;
    return pose_between(player, one, other, &between) && !has_moved(&meeting->between, &between, most);
}

void meeting_add(struct meeting *meeting, const struct player *player, uint32_t moment, uint32_t one, uint32_t other,
                 double most)
{
    const cp_attachment *attachments = player->clip->attachments;
    cp_pose between = POSE_IDENTITY;
    const bool known = pose_between(player, one, other, &between);
    if (meeting->count == 0) {
        *meeting = (struct meeting){.first = moment, .between = between, .hung = player->next, .is_meant = moment == 0};
        while (meeting->hung > 0 && attachments[meeting->hung - 1].time >= player->time)
            meeting->hung--; /* what happens just now belongs to it */
    }
    meeting->moves = meeting->moves || !known || has_moved(&meeting->between, &between, most);
    for (; meeting->hung < player->next && !meeting->is_meant; meeting->hung++) {
        const uint32_t node = attachments[meeting->hung].node;
        meeting->is_meant = hangs_on(player, one, node) || hangs_on(player, other, node);
    }
    meeting->last = moment;
    meeting->count++;
}
