/* time_collide [--triangles N] [--poses N] [--states N] [--rounds N] [--each 1] [CELL]...
 *
 * The engine of scene/collide beside FCL, in one run: whether two tori meet and whether the bodies of an arm do, and
 * how far apart the latter are, and the links of an arm from a plate, and the bodies of each cell; of these also the
 * pair that FCL does best at, or each. Prints Markdown. Rounds alternate, and times, of the processor, are their
 * medians. Every answer is compared: where two differ all pairs of triangles are tried. Ends with 1 when one of
 * cellpipe's is wrong, with 77 where there is no FCL to compare with. */
#include "collide_sets.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fcl_peer.h"
#include "mesh.h"
#include "timing.h"

enum { MOST_ROUNDS = 99 };

enum engine { OURS, PEER, ENGINES };
static const char *const engine_names[ENGINES] = {"cellpipe", "FCL"};

#ifdef HAVE_FCL
enum { HAS_PEER = true };
#else
enum { HAS_PEER = false };
struct fcl_body *fcl_body_new(const double (*vertices)[3], size_t vertex_count, const uint32_t (*triangles)[3],
                              size_t triangle_count)
{
    (void)vertices, (void)vertex_count, (void)triangles, (void)triangle_count;
    return NULL;
}
void fcl_body_free(struct fcl_body *body)
{
    (void)body;
}
bool fcl_bodies_meet(const struct fcl_body *one, const struct fcl_body *other, const double placed[12])
{
    (void)one, (void)other, (void)placed;
    return false;
}
double fcl_bodies_distance(const struct fcl_body *one, const struct fcl_body *other, const double placed[12])
{
    (void)one, (void)other, (void)placed;
    return 0;
}
#endif
static const size_t engines_here = HAS_PEER ? ENGINES : 1;

static size_t allocated_bytes(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/* ---- building ---- */

struct built {
    double seconds;
    size_t bytes;
};

static void build_trees(cp_context *context, struct collide_set *set, enum engine engine, struct built *built)
{
    size_t bytes = allocated_bytes();
    double begin = processor_seconds();
    for (size_t i = 0; i < set->body_count; i++) {
        struct collide_body *body = &set->bodies[i];
        struct bvh *bvh = &body->bvh;
        if (engine == OURS && bvh_build(context, bvh) != CP_OK)
            fail("out of memory");
        if (engine == PEER && !(body->peer = fcl_body_new((const double(*)[3])bvh->vertices, bvh->vertex_count,
                                                          (const uint32_t(*)[3])bvh->triangles, bvh->triangle_count)))
            fail("FCL builds no tree");
    }
    built->seconds = processor_seconds() - begin;
    built->bytes = allocated_bytes() - bytes;
    for (size_t i = 0; i < set->body_count && engine == OURS; i++) /* FCL's has copies of these */
        built->bytes += set->bodies[i].bvh.vertex_count * sizeof *set->bodies[i].bvh.vertices +
                        set->bodies[i].bvh.triangle_count * sizeof *set->bodies[i].bvh.triangles;
}

static void free_trees(cp_context *context, struct collide_set *set)
{
    for (size_t i = 0; i < set->body_count; i++) {
        bvh_free(context, &set->bodies[i].bvh);
        fcl_body_free(set->bodies[i].peer);
    }
}

/* ---- asking ---- */

/* 1 or 0 where they meet or do not, or how far apart they are. */
typedef double ask_one(const struct collide_set *set, const struct collide_query *query, enum engine engine);

static double ask_meeting(const struct collide_set *set, const struct collide_query *query, enum engine engine)
{
    const struct collide_body *one = &set->bodies[query->one], *other = &set->bodies[query->other];
    uint64_t tests = 0;
    if (engine == PEER)
        return fcl_bodies_meet(one->peer, other->peer, query->placed.m);
    return bvh_meet(&one->bvh, &other->bvh, &query->placed, &tests);
}

static double ask_distance(const struct collide_set *set, const struct collide_query *query, enum engine engine)
{
    const struct collide_body *one = &set->bodies[query->one], *other = &set->bodies[query->other];
    uint64_t tests = 0;
    if (engine == PEER)
        return fmax(0, fcl_bodies_distance(one->peer, other->peer, query->placed.m));
    return surfaces_distance(&one->bvh, &other->bvh, &query->placed, INFINITY, &tests);
}

/* As a proof asks, to which only what is near matters; FCL knows no such bound. */
static double ask_nearer(const struct collide_set *set, const struct collide_query *query, enum engine engine)
{
    static const double most = 0.01;
    const struct collide_body *one = &set->bodies[query->one], *other = &set->bodies[query->other];
    uint64_t tests = 0;
    if (engine == PEER)
        return fmin(most, ask_distance(set, query, PEER));
    return surfaces_distance(&one->bvh, &other->bvh, &query->placed, most, &tests);
}

static bool brute_force(const struct collide_set *set, const struct collide_query *query)
{
    const struct bvh *one = &set->bodies[query->one].bvh, *other = &set->bodies[query->other].bvh;
    for (uint32_t i = 0; i < one->triangle_count; i++)
        for (uint32_t k = 0; k < other->triangle_count; k++) {
            double here[3][3], there[3][3];
            for (int corner = 0; corner < 3; corner++) {
                memcpy(here[corner], one->vertices[one->triangles[i][corner]], sizeof here[corner]);
                pose_point(&query->placed, other->vertices[other->triangles[k][corner]], there[corner]);
            }
            if (triangles_meet((const double(*)[3])here, (const double(*)[3])there))
                return true;
        }
    return false;
}

struct result {
    double seconds[ENGINES][MOST_ROUNDS];
    size_t met, differ, wrong;
};

/* answers: of both engines to each query. */
static void ask_all(const struct collide_set *set, ask_one *question, size_t rounds, double *answers[ENGINES],
                    struct result *result)
{
    for (size_t round = 0; round < rounds; round++)
        for (size_t turn = 0; turn < engines_here; turn++) {
            enum engine engine = (enum engine)((round + turn) % engines_here);
            double begin = processor_seconds();
            for (size_t i = 0; i < set->query_count; i++)
                answers[engine][i] = question(set, &set->queries[i], engine);
            result->seconds[engine][round] = processor_seconds() - begin;
        }
}

static void compare_answers(const struct collide_set *set, ask_one *question, double *answers[ENGINES],
                            struct result *result)
{
    bool distances = question != ask_meeting;
    for (size_t i = 0; i < set->query_count; i++) {
        double ours = answers[OURS][i], peers = HAS_PEER ? answers[PEER][i] : ours;
        result->met += distances ? ours == 0 : ours > 0;
        if (distances ? fabs(ours - peers) <= 1e-6 * ours + 1e-9 : (ours > 0) == (peers > 0))
            continue;
        result->differ++;
        result->wrong += distances || brute_force(set, &set->queries[i]) != (ours > 0);
    }
}

static void print_row(const struct collide_set *set, const char *what, size_t rounds, struct result *result)
{
    double count = (double)set->query_count, ours = median(result->seconds[OURS], rounds);
    printf("| %s | %zu | %.1f | %.0f |", what, set->query_count, 100 * (double)result->met / count, count / ours);
    if (HAS_PEER) {
        double peers = median(result->seconds[PEER], rounds);
        printf(" %.0f | %.2f | %zu |\n", count / peers, peers / ours, result->differ);
    } else {
        printf(" not installed |  |  |\n");
    }
}

static void ask(const struct collide_set *set, ask_one *question, size_t rounds, struct result *result)
{
    double *answers[ENGINES];
    *result = (struct result){0};
    for (size_t engine = 0; engine < ENGINES; engine++)
        answers[engine] = allocate(set->query_count, sizeof *answers[engine]);
    ask_all(set, question, rounds, answers, result);
    compare_answers(set, question, answers, result);
    for (size_t engine = 0; engine < ENGINES; engine++)
        free(answers[engine]);
}

/* How many of cellpipe's answers are wrong. */
static size_t measure(const struct collide_set *set, const char *what, ask_one *question, size_t rounds)
{
    struct result result;
    ask(set, question, rounds, &result);
    print_row(set, what, rounds, &result);
    return result.wrong;
}

/* The queries of a pair of bodies. */
static struct collide_set queries_of_pair(const struct collide_set *set, size_t pair)
{
    struct collide_set part = *set;
    part.query_count /= set->pair_count;
    part.queries += pair * part.query_count;
    return part;
}

static void describe_pair(const struct collide_set *part, char *what, size_t size)
{
    const struct collide_query *query = &part->queries[0];
    (void)snprintf(what, size, "%s: %s, %s", part->name, part->bodies[query->one].name,
                   part->bodies[query->other].name);
}

/* How far apart are the bodies of a set whose queries go by pairs? All of them, and the pair that FCL does best at. */
static size_t measure_pairs(const struct collide_set *set, bool each, size_t rounds)
{
    struct result all = {0}, worst = {0};
    struct collide_set worst_set = *set;
    double least = INFINITY;
    char what[2 * sizeof set->bodies[0].name + 64];
    for (size_t pair = 0; pair < set->pair_count; pair++) {
        struct collide_set part = queries_of_pair(set, pair);
        struct result result;
        ask(&part, ask_distance, rounds, &result);
        for (size_t engine = 0; engine < ENGINES; engine++)
            for (size_t round = 0; round < rounds; round++)
                all.seconds[engine][round] += result.seconds[engine][round];
        all.met += result.met;
        all.differ += result.differ;
        all.wrong += result.wrong;
        double faster = median(result.seconds[PEER], rounds) / median(result.seconds[OURS], rounds);
        if (each) {
            describe_pair(&part, what, sizeof what);
            print_row(&part, what, rounds, &result);
        }
        if (faster < least) {
            least = faster;
            worst = result;
            worst_set = part;
        }
    }
    (void)snprintf(what, sizeof what, "%s: distance", set->name);
    print_row(set, what, rounds, &all);
    describe_pair(&worst_set, what, sizeof what);
    if (HAS_PEER && set->pair_count > 0)
        print_row(&worst_set, what, rounds, &worst);
    return all.wrong;
}

/* ---- all of it ---- */

struct options {
    size_t triangles, poses, states, rounds, each;
    char **cells;
    size_t cell_count;
};

static void print_built(const struct collide_set *set, const struct built built[ENGINES])
{
    size_t triangles = 0;
    for (size_t i = 0; i < set->body_count; i++)
        triangles += set->bodies[i].bvh.triangle_count;
    for (size_t engine = 0; engine < engines_here; engine++)
        printf("| %s | %s | %zu | %zu | %.1f | %.2f | %.1f |\n", set->name, engine_names[engine], set->body_count,
               triangles, 1e3 * built[engine].seconds, (double)built[engine].bytes / 1e6,
               (double)built[engine].bytes / (double)built[OURS].bytes);
}

static void build_set(cp_context *context, struct collide_set *set)
{
    struct built built[ENGINES] = {{0, 0}, {0, 0}};
    for (size_t engine = 0; engine < engines_here; engine++)
        build_trees(context, set, (enum engine)engine, &built[engine]);
    print_built(set, built);
}

/* Tori, an arm, a plate; then the cells. */
enum { OWN_SETS = 3 };

static size_t measure_sets(cp_context *context, const struct options *options)
{
    size_t count = OWN_SETS + options->cell_count, wrong = 0, fewer_states = (options->states + 19) / 20;
    struct collide_set *sets = allocate(count, sizeof *sets);
    make_torus_pairs(&sets[0], options->triangles, options->poses);
    make_arm_pairs(&sets[1], options->states);
    make_plate_pairs(&sets[2], fewer_states);
    for (size_t i = OWN_SETS; i < count; i++)
        make_cell_pairs(&sets[i], context, options->cells[i - OWN_SETS], fewer_states);
    printf("| set | engine | bodies | triangles | building, ms | memory, MB | times cellpipe |\n"
           "|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < count; i++)
        build_set(context, &sets[i]);
    printf("\n| queries | count | %% that meet | cellpipe, 1/s | FCL, 1/s | times faster | differ |\n"
           "|---|---|---|---|---|---|---|\n");
    wrong += measure(&sets[0], "tori: meet?", ask_meeting, options->rounds);
    wrong += measure(&sets[1], "arm: meet?", ask_meeting, options->rounds);
    struct collide_set fewer = sets[1]; /* these take FCL a hundred times as long */
    fewer.query_count = (sets[1].query_count + 19) / 20;
    wrong += measure(&fewer, "arm: distance", ask_distance, options->rounds);
    wrong += measure(&fewer, "arm: distance up to 10 mm", ask_nearer, options->rounds);
    for (size_t i = 2; i < count; i++)
        wrong += measure_pairs(&sets[i], options->each, options->rounds);
    for (size_t i = 0; i < count; i++) {
        free_trees(context, &sets[i]);
        collide_set_free(&sets[i]);
    }
    free(sets);
    return wrong;
}

static void read_options(char **arguments, int count, struct options *options)
{
    const struct number_option table[] = {{"--triangles", &options->triangles}, {"--poses", &options->poses},
                                          {"--states", &options->states},       {"--rounds", &options->rounds},
                                          {"--each", &options->each},           {NULL, NULL}};
    int i = read_numbers(count, arguments, table,
                         "time_collide [--triangles N] [--poses N] [--states N] [--rounds N] "
                         "[--each 1] [CELL]...");
    options->cells = arguments + i;
    options->cell_count = (size_t)(count - i);
    if (options->triangles == 0 || options->poses == 0 || options->states == 0 || options->rounds == 0 ||
        options->rounds > MOST_ROUNDS)
        fail("time_collide: numbers are 1 or more, rounds at most %d", MOST_ROUNDS);
}

int main(int count, char **arguments)
{
    struct options options = {20000, 20000, 10000, 7, 0, NULL, 0};
    read_options(arguments, count, &options);
    cp_context *context = cp_context_new(NULL);
    if (!context)
        fail("out of memory");
    size_t wrong = measure_sets(context, &options);
    cp_context_free(context);
    if (wrong > 0)
        fail("time_collide: %zu answers are wrong", wrong);
    if (!HAS_PEER)
        fprintf(stderr, "skipped: FCL was not there (apt-get install libfcl-dev g++)\n");
    return HAS_PEER ? 0 : 77;
}
