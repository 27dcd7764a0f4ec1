/* States the results in the scene's pairs. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "collide/list/list.h"
#include "exclude.h"
#include "motion/motion.h"

/* The reasons, in the order of reason_words. */
enum reason {
    REASON_GIVEN,
    REASON_USER,
    REASON_STATIC,
    REASON_ADJACENT,
    REASON_ALWAYS_PROVED,
    REASON_ALWAYS_SAMPLED,
    REASON_NEVER_PROVED,
    REASON_NEVER_SAMPLED,
    REASON_SOMETIMES,
    REASON_MOVABLE,
    REASON_UNDECIDED,
    REASON_COUNT
};

static bool excludes(const struct exclude_settings *own, enum reason reason)
{
    switch (reason) {
    case REASON_STATIC:
    case REASON_ADJACENT:
    case REASON_ALWAYS_PROVED:
    case REASON_NEVER_PROVED:
    case REASON_NEVER_SAMPLED:
    case REASON_USER:
        return true;
    case REASON_ALWAYS_SAMPLED:
        return own->allow_sampled != ALLOW_NO_SAMPLED;
    default:
        return false;
    }
}

/* margin: of the pair. */
static enum reason reason_of(const struct exclude_settings *own, const struct judgement *judgement, double margin)
{
    static const enum reason reasons[] = {
        [JUDGED_STATIC] = REASON_STATIC,
        [JUDGED_MOVABLE] = REASON_MOVABLE,
        [JUDGED_ALWAYS_PROVED] = REASON_ALWAYS_PROVED,
        [JUDGED_ALWAYS_SAMPLED] = REASON_ALWAYS_SAMPLED,
        [JUDGED_NEVER_PROVED] = REASON_NEVER_PROVED,
        [JUDGED_SOMETIMES] = REASON_SOMETIMES,
        [JUDGED_UNDECIDED] = REASON_UNDECIDED,
    };
    enum reason reason = reasons[judgement->status];
    /* Searches are blind if they do not cover all that the joints do, or do not measure the world's lengths; then it
     * means little that none collided. */
    bool blind =
        judgement->in_loops || judgement->obstacles & (OBSTACLE_UNLIMITED | OBSTACLE_STRETCHED | OBSTACLE_SCALE);
    bool searched = !judgement->is_cut && judgement->samples > 0;
    if (reason == REASON_UNDECIDED && own->allow_sampled == ALLOW_SAMPLED && !blind && searched &&
        judgement->clearance > fmax(margin, own->touch))
        reason = REASON_NEVER_SAMPLED;
    bool adjacent = own->adjacent && judgement->neighbours && reason != REASON_MOVABLE;
    return adjacent && !excludes(own, reason) ? REASON_ADJACENT : reason;
}

/* Returns why a proof was not tried, or how it failed. */
static const char *obstacle_text(const struct frame_chain *chain, const struct body *const bodies[2], bool in_loops)
{
    static const struct {
        enum obstacle obstacle;
        const char *text;
    } texts[] = {{OBSTACLE_EXPRESSION, "a joint between them slides by a formula, or follows one that has a formula"},
                 {OBSTACLE_SCALE, "a joint between them, or above both, scales"},
                 {OBSTACLE_FAR, "the way between them is so long that numbers lose their digits"},
                 {OBSTACLE_UNLIMITED,
                  "a joint between them slides, or turns another, without limits, or turns beyond 100000 rad"},
                 {OBSTACLE_STRETCHED, "a frame between them, or above both, is scaled unevenly or sheared"}};
    if (bodies_incomparable(bodies))
        return body_is_empty(bodies[0]) || body_is_empty(bodies[1]) ? "one of them has no faces"
                                                                    : "planes without borders are not compared";
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (chain->obstacles & texts[i].obstacle)
            return texts[i].text;
    if (chain->is_loose)
        return "a joint between them turns by a formula, and was taken to turn all round";
    return in_loops ? "loops hold joints between them, and where the loops close no collision was found" : "";
}

/* ---- one pair ---- */

/* Lists the joint values that define a witness of a chain in loops: those of the driven joints of its loops, which the
 * others follow, and of its joints that no loop holds. Returns how many. settings may be NULL. */
static uint32_t list_settings(const struct exclusion_list *found, const struct frame_chain *chain,
                              const struct judgement *judgement, cp_joint_setting *settings)
{
    const struct configurations *all = &found->configurations;
    const double *values = all->values + (size_t)judgement->configuration * all->joint_count;
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->joint_count; i++) {
        bool tells = false;
        for (uint32_t k = 0; k < chain->variable_count && !tells; k++) {
            uint32_t joint = chain->variables[k].joint;
            tells = joint == i || (joint_is_in_loop(all, i) && all->groups[i] == all->groups[joint]);
        }
        if (!tells || (joint_is_in_loop(all, i) && !chain->scene->joints[i].driven))
            continue;
        if (settings)
            settings[count] = (cp_joint_setting){i, values[i]};
        count++;
    }
    return count;
}

/* Makes the finding of a pair; `margin` and `chain` are those of the two frames. */
static cp_finding *make_finding(cp_scene *scene, const struct exclude_settings *own, double margin,
                                const struct exclusion_list *found, const struct judgement *judgement,
                                const struct frame_chain *chain)
{
    cp_finding *finding = scene_allocate(scene, 1, sizeof *finding);
    bool closed = judgement->configuration != CP_NONE;
    uint32_t count = !judgement->witnessed ? 0
                     : closed              ? list_settings(found, chain, judgement, NULL)
                                           : judgement->variables;
    cp_joint_setting *witness = scene_allocate(scene, count, sizeof *witness);
    if (!finding || !witness)
        return NULL;
    if (judgement->witnessed && closed)
        (void)list_settings(found, chain, judgement, witness);
    for (uint32_t i = 0; i < count && !closed; i++)
        witness[i] = (cp_joint_setting){chain->variables[i].joint, judgement->witness[i]};
    *finding = (cp_finding){.margin = margin,
                            .touch = own->touch,
                            .clearance = judgement->clearance,
                            .work = judgement->work,
                            .samples = judgement->samples,
                            .descents = judgement->descents,
                            .hits = judgement->hits,
                            .witness_count = count,
                            .witness = witness};
    return finding;
}

/* The statements so far. */
struct statements {
    cp_scene *scene;
    const struct exclude_settings *own;
    const struct exclusion_rules *rules;
    const struct exclusion_list *found;
    const struct user_pairs *users;
    bool *judged;              /* nodes */
    uint32_t *links;           /* of the nodes: scene_find_links */
    bool *filled;              /* indexed by head of a link: some frame of the link can collide */
    struct pair_rules statics; /* its groups, if one statement excludes all static pairs */
    struct frame_chain chain;
    cp_finding **findings; /* ordered like the pairs */
    uint32_t counts[REASON_COUNT];
    uint32_t excluded;
    uint32_t cut;              /* undecided because the search ended early */
    uint32_t audited, refuted; /* pairs of an SRDF that were judged, and those that collide */
    bool interrupted;          /* an interrupt cut it short, not the time */
};

/* Adds the joint values of a witness, in the form that `collide` takes: " at J1=0.5, J2=1"; nothing without any. */
static void add_witness(const cp_scene *scene, const cp_finding *finding, struct buffer *text)
{
    buffer_text(text, finding->witness_count > 0 ? " at " : "");
    for (uint32_t i = 0; i < finding->witness_count; i++) {
        const cp_joint *joint = &scene->joints[finding->witness[i].joint];
        bool alone = cp_joint_is_named_alone(scene, finding->witness[i].joint);
        buffer_print(text, "%s%s%s=", i > 0 ? ", " : "", alone ? "" : "id:", alone ? joint->name : joint->id);
        buffer_double(text, finding->witness[i].value);
    }
    buffer_append(text, "", 1);
}

static cp_status warn_of_user(const struct statements *made, const cp_pair *pair, const struct judgement *judgement)
{
    const cp_scene *scene = made->scene;
    cp_context *context = scene->context;
    const char *first = scene->nodes[pair->first].id, *second = scene->nodes[pair->second].id;
    if (judgement->status == JUDGED_ALWAYS_SAMPLED) {
        report_warning(context, "exclude-user-sampled", NOWHERE,
                       "\"%s\" and \"%s\", which keep= excludes, touch in all %u samples, but that they always do is "
                       "not proved",
                       first, second, (unsigned)judgement->samples);
        return CP_OK;
    }
    if (!judgement->witnessed)
        return CP_OK;
    struct buffer witness = {.context = context};
    add_witness(scene, pair->finding, &witness);
    bool failed = witness.failed;
    if (!failed)
        report_warning(context, "exclude-user", NOWHERE, "\"%s\" and \"%s\", which keep= excludes, collide%s", first,
                       second, witness.data);
    buffer_free(&witness);
    return failed ? CP_LIMIT : CP_OK;
}

/* Compares what an SRDF says of a pair with what was found. */
static cp_status audit(struct statements *made, const cp_pair *pair, const struct user_pair *user,
                       enum judgement_status status)
{
    const cp_scene *scene = made->scene;
    const size_t prefix = sizeof SRDF_REASON - 1;
    const char *word = *user->evidence ? user->evidence + prefix : "no reason";
    bool never = text_equal_nocase(word, "Never");
    bool always = status == JUDGED_ALWAYS_PROVED || status == JUDGED_ALWAYS_SAMPLED;
    struct buffer text = {.context = scene->context};
    made->audited++;
    if (status != JUDGED_SOMETIMES && !(never && always))
        return CP_OK;
    made->refuted++;
    if (always)
        buffer_append(&text, " at all joint values", sizeof " at all joint values");
    else
        add_witness(scene, pair->finding, &text);
    bool failed = text.failed;
    if (!failed)
        report_warning(scene->context, "exclude-audit", IN_FILE(made->users->file),
                       "\"%s\" and \"%s\", which the list excludes (%.100s), collide%s: %s",
                       scene->nodes[pair->first].id, scene->nodes[pair->second].id, word, text.data,
                       pair->verdict == CP_PAIR_KEPT ? "they stay checked" : "they are excluded all the same");
    buffer_free(&text);
    return failed ? CP_LIMIT : CP_OK;
}

/* Adds the rate by the rule of three: if something happens at this rate, so many samples all miss it once in twenty
 * times. */
static cp_status note_rate(cp_scene *scene, cp_pair *pair)
{
    struct buffer text = {.context = scene->context};
    buffer_text(&text, "rate < ");
    buffer_double(&text, pair->finding->samples > 3 ? 3.0 / pair->finding->samples : 1);
    buffer_text(&text, " at 95 %");
    buffer_append(&text, "", 1);
    pair->evidence = text.failed ? NULL : scene_text(scene, text.data);
    buffer_free(&text);
    return pair->evidence ? CP_OK : CP_LIMIT;
}

/* Tells whether keep= excludes the pair: by name, or with all static pairs, unless the pair is found to be static. */
static bool is_users(const struct statements *made, uint32_t one, uint32_t other, enum judgement_status status)
{
    bool grouped =
        made->users->all_static && status != JUDGED_STATIC && made->statics.groups[one] == made->statics.groups[other];
    const struct user_pair *user = user_pairs_find(made->users, one, other);
    bool by_hand = user && user->claim == CLAIM_BY_HAND && (made->own->keep_colliding || status != JUDGED_SOMETIMES);
    return grouped || by_hand || (user && user->claim == CLAIM_KEPT);
}

/* Returns true if the way in the tree from a node to another one meets no link that can collide, but those of the
 * pair. */
static bool is_open_way(const struct statements *made, const uint32_t pair[2], uint32_t from, uint32_t to)
{
    uint32_t ways[2] = {from, to};
    for (;;) {
        for (int side = 0; side < 2; side++) {
            uint32_t link = made->links[ways[side]];
            if (made->filled[link] && link != made->links[pair[0]] && link != made->links[pair[1]])
                return false;
        }
        if (ways[0] == ways[1])
            return true;
        uint32_t *way = ways[0] > ways[1] ? &ways[0] : &ways[1]; /* parents come before their children */
        *way = made->scene->nodes[*way].parent;
    }
}

/* Tells whether such a way leads from one frame of the pair to the other, perhaps over a loop. */
static bool are_neighbours(const struct statements *made, const uint32_t pair[2])
{
    bool open = is_open_way(made, pair, pair[0], pair[1]);
    for (uint32_t i = 0; i < 2 * made->scene->loop_count && !open; i++) {
        const uint32_t *ends = made->scene->loops[i / 2].nodes;
        open = is_open_way(made, pair, pair[0], ends[i % 2]) && is_open_way(made, pair, pair[1], ends[1 - i % 2]);
    }
    return open;
}

/* Warns of pairs that always touch but are no neighbours. Neighbours often overlap at their joint. Others mostly touch
 * by mistake, as an arm that stands inside a block, and a list without them hides that. */
static void warn_of_always(const struct statements *made, const cp_pair *pair, enum reason reason)
{
    cp_context *context = made->scene->context;
    const char *first = made->scene->nodes[pair->first].id, *second = made->scene->nodes[pair->second].id;
    if (reason == REASON_ALWAYS_SAMPLED)
        report_warning(context, "exclude-sampled", NOWHERE,
                       "\"%s\" and \"%s\" touch in all %u samples, but that they always do is not proved%s", first,
                       second, (unsigned)pair->finding->samples,
                       excludes(made->own, reason) ? "" : ": they stay checked (allow-sampled=always)");
    if (!are_neighbours(made, (uint32_t[2]){pair->first, pair->second}))
        report_warning(context, "always-not-neighbours", NOWHERE,
                       "\"%s\" and \"%s\" touch at all joint values, though other links lie between them: one may "
                       "stand inside the other by mistake",
                       first, second);
}

/* Warns where what keep= says of a pair is not what was found. */
static cp_status compare_with_list(struct statements *made, cp_pair *pair, const struct judgement *judgement,
                                   enum reason reason)
{
    const struct user_pair *user = user_pairs_find(made->users, pair->first, pair->second);
    if (!user || user->claim == CLAIM_KEPT)
        return reason == REASON_USER ? warn_of_user(made, pair, judgement) : CP_OK;
    if (reason == REASON_USER)
        pair->evidence = user->evidence;
    return audit(made, pair, user, judgement->status);
}

static cp_status state_pair(struct statements *made, uint32_t item)
{
    cp_scene *scene = made->scene;
    const struct exclusion *exclusion = &made->found->items[item];
    const struct judgement *judgement = &exclusion->judgement;
    const struct body *bodies[2] = {&made->found->bodies.items[exclusion->bodies[0]],
                                    &made->found->bodies.items[exclusion->bodies[1]]};
    uint32_t one = bodies[0]->node, other = bodies[1]->node;
    bool users = is_users(made, one, other, judgement->status);
    double margin = margin_of(&made->rules->judge, one, other);
    enum reason reason = users ? REASON_USER : reason_of(made->own, judgement, margin);
    uint32_t index = scene_add_pair(scene, one, other, reason_words[reason]);
    if (index == CP_NONE)
        return CP_LIMIT;
    cp_pair *pair = &scene->pairs[index];
    chain_find(&made->chain, one, other);
    bool is_cut = judgement->status == JUDGED_UNDECIDED && judgement->is_cut;
    if (is_cut)
        pair->evidence = made->interrupted ? "the search was interrupted before it was decided"
                                           : "the time ran out before it was decided";
    else if (judgement->status == JUDGED_UNDECIDED)
        pair->evidence = obstacle_text(&made->chain, bodies, judgement->in_loops);
    made->cut += is_cut;
    pair->verdict = excludes(made->own, reason) ? CP_PAIR_EXCLUDED : CP_PAIR_KEPT;
    pair->finding = made->findings[item] = make_finding(scene, made->own, margin, made->found, judgement, &made->chain);
    if (!pair->finding)
        return CP_LIMIT;
    made->counts[reason]++;
    made->excluded += pair->verdict == CP_PAIR_EXCLUDED;
    if (reason == REASON_ALWAYS_SAMPLED || reason == REASON_ALWAYS_PROVED)
        warn_of_always(made, pair, reason);
    if (reason == REASON_NEVER_SAMPLED && note_rate(scene, pair) != CP_OK)
        return CP_LIMIT;
    return compare_with_list(made, pair, judgement, reason);
}

static cp_status set_keys(const struct statements *made)
{
    cp_scene *scene = made->scene;
    uint32_t count = made->found->count;
    uint64_t *keys = memory_allocate(scene->context, count, sizeof *keys);
    if (!keys)
        return CP_LIMIT;
    cp_status status = pair_keys(scene->context, scene, scene->pairs + (scene->pair_count - count), count, keys);
    for (uint32_t i = 0; i < count && status == CP_OK; i++)
        made->findings[i]->key = keys[i];
    memory_free(scene->context, keys, count, sizeof *keys);
    return status;
}

/* ---- what the scene said before, and the user says ---- */

static bool was_judged(const struct statements *made, uint32_t one, uint32_t other)
{
    const bool *wanted = made->rules->wanted;
    return one != other && made->judged[one] && made->judged[other] && (!wanted || wanted[one] || wanted[other]);
}

/* States a pair that was not judged. The name that comes first is first, as with pairs that were judged. */
static cp_status state_unjudged(cp_scene *scene, uint32_t one, uint32_t other, const char *reason, const char *evidence)
{
    bool swap = strcmp(scene->nodes[one].name, scene->nodes[other].name) > 0;
    uint32_t pair = scene_add_pair(scene, swap ? other : one, swap ? one : other, reason);
    if (pair == CP_NONE)
        return CP_LIMIT;
    scene->pairs[pair].evidence = evidence;
    return CP_OK;
}

/* Lists the static pairs that were not judged and that the scene does not mention. ExcludeStaticPairs of the file would
 * also exclude judged pairs, which may need a check. */
static cp_status list_static_pairs(struct statements *made, const char *reason)
{
    cp_scene *scene = made->scene;
    cp_context *context = scene->context;
    const uint32_t *groups = made->statics.groups;
    uint32_t room = scene->pair_count, nodes = scene->node_count;
    bool *candidates = memory_allocate(context, nodes, sizeof *candidates);
    uint64_t *known = memory_allocate(context, room, sizeof *known);
    for (uint32_t i = 0; candidates && i < nodes; i++)
        candidates[i] = node_can_collide(scene, i);
    for (uint32_t i = 0; known && i < room; i++)
        known[i] = unordered_pair(scene->pairs[i].first, scene->pairs[i].second);
    uint32_t count = known ? make_set(known, room) : 0;
    cp_status status = candidates && known ? CP_OK : CP_LIMIT;
    for (uint32_t one = 0; one < nodes && status == CP_OK; one++)
        for (uint32_t other = one + 1; candidates[one] && other < nodes && status == CP_OK; other++)
            if (candidates[other] && groups[one] == groups[other] && !was_judged(made, one, other) &&
                !user_pairs_find(made->users, one, other) && !set_has(known, count, unordered_pair(one, other)))
                status = state_unjudged(scene, one, other, reason, "");
    memory_free(context, candidates, nodes, sizeof *candidates);
    memory_free(context, known, room, sizeof *known);
    return status;
}

/* Drops the scene's statements on the pairs that were judged, and on the user's. */
static cp_status drop_statements(struct statements *made)
{
    cp_scene *scene = made->scene;
    uint32_t kept = 0, before = scene->pair_count;
    for (uint32_t i = 0; i < before; i++) {
        const cp_pair *pair = &scene->pairs[i];
        if (!was_judged(made, pair->first, pair->second) && !user_pairs_find(made->users, pair->first, pair->second))
            scene->pairs[kept++] = *pair;
    }
    scene->pair_count = kept;
    if (kept < before)
        report_note(scene->context, "exclude-replaced", NOWHERE,
                    "the result replaces the cell's own statements about %u pair%s", (unsigned)(before - kept),
                    before - kept == 1 ? "" : "s");
    cp_status status = CP_OK;
    if (made->rules->wanted && scene->exclude_static_pairs)
        status = list_static_pairs(made, reason_words[REASON_GIVEN]);
    else if (made->rules->wanted && made->users->all_static)
        status = list_static_pairs(made, reason_words[REASON_USER]);
    scene->exclude_static_pairs = false; /* they are listed now */
    return status;
}

static int compare_places(const void *a, const void *b)
{
    uint32_t left = ((const struct user_pair *)a)->place, right = ((const struct user_pair *)b)->place;
    return (left > right) - (left < right);
}

/* States the user's pairs that were not judged, in the order of the list, which does not depend on that of the
 * frames. */
static cp_status state_further(struct statements *made)
{
    cp_scene *scene = made->scene;
    const struct user_pairs *users = made->users;
    struct user_pair *further = memory_allocate(scene->context, users->count, sizeof *further);
    uint32_t count = 0;
    if (!further)
        return CP_LIMIT;
    for (uint32_t i = 0; i < users->count; i++)
        if (!was_judged(made, (uint32_t)(users->items[i].key >> 32), (uint32_t)users->items[i].key))
            further[count++] = users->items[i];
    if (count > 0)
        qsort(further, count, sizeof *further, compare_places);
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < count && status == CP_OK; i++) {
        bool kept = further[i].claim == CLAIM_KEPT;
        status = state_unjudged(scene, (uint32_t)(further[i].key >> 32), (uint32_t)further[i].key,
                                kept ? reason_words[REASON_USER] : further[i].reason, kept ? "" : further[i].evidence);
    }
    if (count > 0)
        report_note(scene->context, "exclude-user-further", NOWHERE,
                    "pairs that keep= excludes and that were not judged, as they cannot collide or are elsewhere: %u",
                    (unsigned)count);
    memory_free(scene->context, further, users->count, sizeof *further);
    return status;
}

/* ---- the summary ---- */

static void print_counts(const struct statements *made, bool excluded, struct buffer *text)
{
    const char *before = " (";
    for (enum reason reason = 0; reason < REASON_COUNT; reason++) {
        if (made->counts[reason] == 0 || excludes(made->own, reason) != excluded)
            continue;
        buffer_print(text, "%s%u %s", before, (unsigned)made->counts[reason], reason_words[reason]);
        before = ", ";
    }
    buffer_text(text, *before == ',' ? ")" : "");
}

static cp_status report_summary(const struct statements *made)
{
    struct buffer text = {.context = made->scene->context};
    uint32_t all = made->found->count;
    buffer_print(&text, "%u pair%s of frames: %u excluded", (unsigned)all, all == 1 ? "" : "s",
                 (unsigned)made->excluded);
    print_counts(made, true, &text);
    buffer_print(&text, ", %u to be checked", (unsigned)(all - made->excluded));
    print_counts(made, false, &text);
    uint64_t without = count_without_geometry(made->scene);
    if (without > 0)
        buffer_print(&text, "; volatile frames without geometry, whose pairs are to be checked too: %" PRIu64, without);
    buffer_append(&text, "", 1);
    bool failed = text.failed;
    if (!failed)
        report_note(made->scene->context, "exclude-pairs", NOWHERE, "%s", text.data);
    if (!failed && made->cut > 0 && made->interrupted)
        report_warning(made->scene->context, "exclude-interrupted", NOWHERE,
                       "the search was interrupted: %u of %u pairs are undecided because of that, and stay checked",
                       (unsigned)made->cut, (unsigned)all);
    else if (!failed && made->cut > 0)
        report_warning(
            made->scene->context, "exclude-time", NOWHERE,
            "the time (time=) ran out: %u of %u pairs are undecided because of that, and stay checked unless "
            "an option excludes them; a longer time may decide more",
            (unsigned)made->cut, (unsigned)all);
    if (!failed && made->audited > 0)
        report_note(made->scene->context, "exclude-audited", IN_FILE(made->users->file),
                    "%u pairs of the list were judged: %u of them collide", (unsigned)made->audited,
                    (unsigned)made->refuted);
    buffer_free(&text);
    return failed ? CP_LIMIT : CP_OK;
}

/* ---- all ---- */

static cp_status state_all(struct statements *made)
{
    scene_find_links(made->scene, made->links);
    for (uint32_t i = 0; i < made->found->bodies.count; i++) {
        uint32_t node = made->found->bodies.items[i].node;
        made->judged[node] = made->filled[made->links[node]] = true;
    }
    cp_status status = drop_statements(made);
    if (status == CP_OK)
        status = state_further(made);
    for (uint32_t i = 0; i < made->found->count && status == CP_OK; i++)
        status = state_pair(made, i);
    if (status == CP_OK)
        status = set_keys(made);
    return status == CP_OK ? report_summary(made) : status;
}

cp_status state_pairs(cp_scene *scene, const struct exclude_settings *own, const struct exclusion_rules *rules,
                      const struct exclusion_list *found, const struct user_pairs *users)
{
    cp_context *context = scene->context;
    struct statements made = {.scene = scene, .own = own, .rules = rules, .found = found, .users = users};
    const struct ending *ending = &rules->judge.ending;
    made.interrupted = ending->asks && ending->asks(ending->user);
    made.findings = memory_allocate(context, found->count, sizeof *made.findings);
    made.judged = memory_allocate_zeroed(context, scene->node_count, sizeof *made.judged);
    made.links = memory_allocate(context, scene->node_count, sizeof *made.links);
    made.filled = memory_allocate_zeroed(context, scene->node_count, sizeof *made.filled);
    bool room = made.findings && made.judged && made.links && made.filled;
    bool open = chain_open(&made.chain, context, scene, rules->judge.movable);
    if (open && room && (users->all_static || scene->exclude_static_pairs))
        open = pair_rules_find(&made.statics, context, scene, made.judged); /* without candidates, since only groups are
                                                                             * needed */
    cp_status status = open && room ? state_all(&made) : CP_LIMIT;
    memory_free(context, made.findings, found->count, sizeof *made.findings);
    memory_free(context, made.judged, scene->node_count, sizeof *made.judged);
    memory_free(context, made.links, scene->node_count, sizeof *made.links);
    memory_free(context, made.filled, scene->node_count, sizeof *made.filled);
    pair_rules_free(&made.statics);
    chain_close(&made.chain);
    return status;
}
