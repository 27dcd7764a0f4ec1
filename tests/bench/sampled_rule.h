/* The rule of MoveIt's setup assistant for pairs that never collide: those that do in none of 10,000 random states. How
 * often is it wrong? */
#ifndef BENCH_SAMPLED_RULE_H
#define BENCH_SAMPLED_RULE_H

#include "model/model.h"

enum { FEWER_STATES = 1000, USUAL_STATES = 10000 };

/* A pair of nodes that is known to collide: that it never does is false. */
struct sampled_pair {
    uint32_t first, second;
    uint64_t states, hits; /* of all seeds: states that were looked at for the rate, and those in which it collides */
    uint32_t missed[2];    /* seeds that call it never, by fewer and by the usual states */
};

struct sampled_rule {
    struct sampled_pair *pairs;
    uint32_t pair_count;
    uint32_t unconfirmed; /* pairs that only touch in the witness's configuration, or come nearer than the margin: not
                             in `pairs` */
    uint32_t false_seeds[2]; /* seeds that call at least one pair never, by fewer and by the usual states */
};

/* Of a scene to which the filter exclude was applied: the pairs that it has a witness for. Each seed draws states of
 * its own. The rule's memory is freed by sampled_rule_free. */
cp_status sampled_rule_run(cp_context *context, const cp_scene *scene, uint32_t seeds, struct sampled_rule *rule);
void sampled_rule_free(struct sampled_rule *rule);
/* The pair that most seeds miss, of these the one with the lowest rate; NULL when there are no pairs. */
const struct sampled_pair *sampled_rule_worst(const struct sampled_rule *rule);

#endif
