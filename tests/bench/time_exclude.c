/* time_exclude [--rounds N] [--seconds N] [--seeds N] [--work N] [--thorough N] NAME CELL...
 *
 * What the filter exclude finds in cells, what it takes, and what random states alone would find. Prints Markdown.
 * Times are of the filter, without reading; rounds with one and with two threads alternate, and times are their
 * medians: there are so many rounds, and more while a cell has taken less than so many seconds. Times of the processor
 * say more than those on the wall where other programs are at work, too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh.h"
#include "sampled_rule.h"
#include "timing.h"

enum { MOST_ROUNDS = 99, MOST_THREADS = 2 };

struct options {
    size_t rounds, seconds, seeds, work, thorough;
};

enum { STATIC, ALWAYS_PROVED, ALWAYS_SAMPLED, NEVER_PROVED, SOMETIMES, MOVABLE, UNDECIDED, STATUSES };
static const char *const status_words[STATUSES] = {"static",    "always-proved", "always-sampled", "never-proved",
                                                   "sometimes", "movable",       "undecided"};

struct counts {
    uint32_t pairs, of[STATUSES];
    uint64_t work;
};

/* Seconds on the wall, and of all threads together. */
struct times {
    double wall, processor;
};

struct result {
    const char *name;
    struct counts usual, thorough;
    struct times times[MOST_THREADS], thorough_times;
    struct sampled_rule rule;
    char *worst; /* its frames */
};

static struct times times_now(void)
{
    return (struct times){wall_seconds(), processor_seconds()};
}

/* ---- one run ---- */

static void need(cp_context *context, cp_status status)
{
    size_t count;
    const cp_entry *report = cp_report(context, &count);
    if (status != CP_OK)
        fail("time_exclude: %s", count > 0 ? report[count - 1].message : "out of memory");
}

/* The scene after the filter, and the times that it took. */
static cp_scene *exclude(cp_context *context, const char *cell, uint32_t threads, uint64_t work, struct times *times)
{
    cp_scene *scene;
    char option[32];
    snprintf(option, sizeof option, "work=%llu", (unsigned long long)work);
    need(context, cp_set_threads(context, threads));
    cp_set_flag(context, CP_FLAG_CONFINE, false);
    need(context, cp_read(context, cell, NULL, NULL, 0, &scene));
    struct times begin = times_now();
    need(context, cp_apply(context, scene, "exclude", (const char *const[]){option}, 1));
    struct times end = times_now();
    *times = (struct times){end.wall - begin.wall, end.processor - begin.processor};
    return scene;
}

static struct counts count_pairs(const cp_scene *scene)
{
    struct counts counts = {0};
    uint32_t count;
    const cp_pair *pairs = cp_pairs(scene, &count);
    for (uint32_t i = 0; i < count; i++)
        for (int status = 0; status < STATUSES && pairs[i].finding; status++)
            if (strcmp(pairs[i].reason, status_words[status]) == 0) {
                counts.pairs++;
                counts.of[status]++;
                counts.work += pairs[i].finding->work;
            }
    return counts;
}

static char *name_pair(const cp_scene *scene, const struct sampled_pair *pair)
{
    uint32_t count;
    const cp_node *nodes = cp_nodes(scene, &count);
    const char *first = nodes[pair->first].name, *second = nodes[pair->second].name;
    size_t size = strlen(first) + strlen(second) + 4;
    char *text = allocate(size, 1);
    snprintf(text, size, "%s, %s", first, second);
    return text;
}

/* ---- one cell ---- */

static void measure_usual(cp_context *context, const char *cell, const struct options *options, struct result *result)
{
    double wall[MOST_THREADS][MOST_ROUNDS], processor[MOST_THREADS][MOST_ROUNDS], spent = 0;
    uint32_t round = 0;
    for (; round < options->rounds || (round < MOST_ROUNDS && spent < (double)options->seconds); round++)
        for (uint32_t turn = 0; turn < MOST_THREADS; turn++) {
            uint32_t which = (round + turn) % MOST_THREADS;
            struct times times;
            cp_scene *scene = exclude(context, cell, which + 1, options->work, &times);
            wall[which][round] = times.wall;
            spent += times.wall;
            processor[which][round] = times.processor;
            struct counts counts = count_pairs(scene);
            if (round + turn > 0 && memcmp(&counts, &result->usual, sizeof counts) != 0)
                fail("time_exclude: %s: another result with %u threads", cell, (unsigned)which + 1);
            result->usual = counts;
            cp_scene_free(scene);
        }
    for (int which = 0; which < MOST_THREADS; which++)
        result->times[which] = (struct times){median(wall[which], round), median(processor[which], round)};
}

/* Witnesses are those of the thorough run, which has more of them. */
static void measure_thorough(cp_context *context, const char *cell, const struct options *options,
                             struct result *result)
{
    cp_scene *scene = exclude(context, cell, MOST_THREADS, options->thorough, &result->thorough_times);
    result->thorough = count_pairs(scene);
    need(context, sampled_rule_run(context, scene, (uint32_t)options->seeds, &result->rule));
    const struct sampled_pair *worst = sampled_rule_worst(&result->rule);
    result->worst = worst ? name_pair(scene, worst) : NULL;
    cp_scene_free(scene);
}

static void measure(const char *name, const char *cell, const struct options *options, struct result *result)
{
    cp_context *context = cp_context_new(NULL);
    if (!context)
        fail("out of memory");
    *result = (struct result){.name = name};
    measure_usual(context, cell, options, result);
    measure_thorough(context, cell, options, result);
    cp_context_free(context);
    fprintf(stderr, "%s: %.2f s\n", name, result->times[0].processor);
}

/* ---- the page ---- */

static void print_found(const struct result *results, size_t count, const struct options *options)
{
    printf("| cell | pairs |");
    for (int status = 0; status < STATUSES; status++)
        printf(" %s |", status_words[status]);
    printf(" undecided, work=%llu |\n|---|---|---|---|---|---|---|---|---|---|\n",
           (unsigned long long)options->thorough);
    for (size_t i = 0; i < count; i++) {
        printf("| %s | %u |", results[i].name, (unsigned)results[i].usual.pairs);
        for (int status = 0; status < STATUSES; status++)
            printf(" %u |", (unsigned)results[i].usual.of[status]);
        printf(" %u |\n", (unsigned)results[i].thorough.of[UNDECIDED]);
    }
}

static void print_costs(const struct result *results, size_t count, const struct options *options)
{
    printf(
        "\n| cell | work=%llu: bounds | one thread, s | CPU s | two threads, s | CPU s | times faster | work/CPU s | "
        "pairs/CPU s | work=%llu: bounds | two threads, s | CPU s "
        "|\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        (unsigned long long)options->work, (unsigned long long)options->thorough);
    for (size_t i = 0; i < count; i++) {
        const struct result *it = &results[i];
        const struct times *one = &it->times[0], *two = &it->times[1], *thorough = &it->thorough_times;
        printf("| %s | %llu | %.3f | %.3f | %.3f | %.3f | %.2f | %.0f | %.0f | %llu | %.3f | %.3f |\n", it->name,
               (unsigned long long)it->usual.work, one->wall, one->processor, two->wall, two->processor,
               one->wall / two->wall, (double)it->usual.work / one->processor, it->usual.pairs / one->processor,
               (unsigned long long)it->thorough.work, thorough->wall, thorough->processor);
    }
}

static void print_sampled(const struct result *results, size_t count, const struct options *options)
{
    printf(
        "\n| cell | pairs with a witness | only touch | of %llu seeds with a false never: %u states | %u states | the "
        "worst pair | collides in | missed by: %u states | %u states |\n|---|---|---|---|---|---|---|---|---|\n",
        (unsigned long long)options->seeds, (unsigned)FEWER_STATES, (unsigned)USUAL_STATES, (unsigned)FEWER_STATES,
        (unsigned)USUAL_STATES);
    for (size_t i = 0; i < count; i++) {
        const struct sampled_rule *rule = &results[i].rule;
        const struct sampled_pair *worst = sampled_rule_worst(rule);
        printf("| %s | %u | %u | %u | %u |", results[i].name, (unsigned)rule->pair_count, (unsigned)rule->unconfirmed,
               (unsigned)rule->false_seeds[0], (unsigned)rule->false_seeds[1]);
        if (worst)
            printf(" %s | %llu of %llu | %u | %u |\n", results[i].worst, (unsigned long long)worst->hits,
                   (unsigned long long)worst->states, (unsigned)worst->missed[0], (unsigned)worst->missed[1]);
        else
            printf(" none |  |  |  |\n");
    }
}

static void measure_all(char **arguments, size_t count, const struct options *options)
{
    struct result *results = allocate(count, sizeof *results);
    for (size_t i = 0; i < count; i++)
        measure(arguments[2 * i], arguments[2 * i + 1], options, &results[i]);
    print_found(results, count, options);
    print_costs(results, count, options);
    print_sampled(results, count, options);
    for (size_t i = 0; i < count; i++) {
        sampled_rule_free(&results[i].rule);
        free(results[i].worst);
    }
    free(results);
}

static const char usage[] =
    "time_exclude [--rounds N] [--seconds N] [--seeds N] [--work N] [--thorough N] NAME CELL...";

/* Returns the place of the first word behind the options. */
static int read_options(char **arguments, int count, struct options *options)
{
    const struct number_option table[] = {{"--rounds", &options->rounds},     {"--seconds", &options->seconds},
                                          {"--seeds", &options->seeds},       {"--work", &options->work},
                                          {"--thorough", &options->thorough}, {NULL, NULL}};
    int place = read_numbers(count, arguments, table, usage);
    if (options->rounds == 0 || options->rounds > MOST_ROUNDS || options->seeds == 0 || options->seeds > 1000000)
        fail("time_exclude: rounds are 1 to %d, seeds 1 to 1000000", MOST_ROUNDS);
    return place;
}

int main(int count, char **arguments)
{
    struct options options = {.rounds = 3, .seeds = 100, .work = 200000, .thorough = 2000000};
    int first = read_options(arguments, count, &options);
    if (first >= count || (count - first) % 2 != 0)
        fail("usage: %s", usage);
    measure_all(arguments + first, (size_t)(count - first) / 2, &options);
    return 0;
}
