/* Programs and moves are tried before they are done: questions to the checker, and what its answers lead to. */
#include "floor.h"

#include <stdio.h>
#include <stdlib.h>

static void free_trial(struct trial *trial)
{
    free(trial->q);
    free(trial->to);
    *trial = (struct trial){0};
}

void trials_close(struct floor *floor)
{
    for (uint32_t i = 0; i < floor->trial_count; i++)
        free_trial(&floor->trials[i]);
    floor->trial_count = 0;
}

static double *copy_values(const struct cell *cell, const double *values)
{
    const size_t size = cell->joint_count * sizeof *values;
    double *copy = values ? malloc(size + 1) : NULL;
    return copy ? memcpy(copy, values, size) : NULL;
}

const char *trial_begin(struct floor *floor, const struct person *person, const struct message *message,
                        const char *name, const char *text, size_t size)
{
    uint32_t own = 0;
    for (uint32_t i = 0; i < floor->trial_count; i++)
        own += floor->trials[i].client == person->client.number;
    if (floor->trial_count == MOST_CHECKS || own == MOST_CHECKS_OF_ONE)
        return "rate: too much is being checked; try again";
    struct trial *trial = &floor->trials[floor->trial_count];
    *trial = (struct trial){
        .ticket = ++floor->last_ticket,
        .client = person->client.number,
        .id = message->id,
        .word = message->word,
        .speed = message->speed,
        .q = copy_values(&floor->cell, floor->cell.q),
        .to = copy_values(&floor->cell, message->q),
    };
    (void)snprintf(trial->name, sizeof trial->name, "%s", name ? name : "");
    const struct check_question question = {
        .ticket = trial->ticket,
        .q = trial->q,
        .to = trial->to,
        .name = name,
        .text = text,
        .size = size,
        .options = floor->simulator.options,
    };
    const bool good = trial->q && (!message->q || trial->to) && checker_ask(floor->checker, &question);
    if (!good) {
        free_trial(trial);
        return "rate: too much is being checked; try again";
    }
    floor->trial_count++;
    return NULL;
}

void trials_cancel(struct floor *floor, uint64_t client)
{
    for (uint32_t i = 0; i < floor->trial_count && floor->checker; i++)
        if (floor->trials[i].client == client)
            checker_cancel(floor->checker, floor->trials[i].ticket);
}

static struct person *person_of(struct floor *floor, uint64_t number)
{
    struct person *person = floor->people;
    while (person && person->client.number != number)
        person = person->next;
    return person;
}

/* A program that was saved: it may be loaded if nothing is wrong with it. */
static void end_save(struct floor *floor, struct person *person, const struct trial *trial,
                     const struct check_result *result)
{
    struct program_text *program = floor_program(floor, trial->name);
    if (program && program->ticket == trial->ticket)
        program->is_good = !*result->why;
    if (!person)
        return;
    const size_t begin = answer_open(person);
    say_checked(&person->out, &floor->cell, trial->id, trial->name, result);
    answer_close(person, begin);
}

/* A motion: it begins if nothing is wrong, and the person still may. */
static void end_motion(struct floor *floor, struct person *person, const struct trial *trial,
                       const struct check_result *result, uint64_t now)
{
    if (!person)
        return;
    const char *why = authority_refuses(&floor->authority, &person->client, trial->word, now);
    if (!why && memcmp(trial->q, floor->cell.q, floor->cell.joint_count * sizeof *trial->q) != 0)
        why = "the cell has moved meanwhile";
    if (!why && *result->why)
        why = result->why;
    if (!why)
        why = floor_begin(floor, trial->word, trial->to, trial->speed);
    const size_t begin = answer_open(person);
    if (why)
        say_refused(&person->out, trial->id, why, NULL, 0);
    else
        say_done(&person->out, trial->id);
    answer_close(person, begin);
    if (why)
        return;
    floor_obey(floor, person, trial->word, now);
    floor_show_mode(floor);
}

void floor_take_result(struct floor *floor, const struct check_result *result, uint64_t now)
{
    uint32_t i = 0;
    while (i < floor->trial_count && floor->trials[i].ticket != result->ticket)
        i++;
    if (i == floor->trial_count)
        return;
    struct trial trial = floor->trials[i];
    memmove(&floor->trials[i], &floor->trials[i + 1], (floor->trial_count - i - 1) * sizeof trial);
    floor->trial_count--;
    struct person *person = person_of(floor, trial.client);
    if (trial.word == WORD_PROGRAM)
        end_save(floor, person, &trial, result);
    else
        end_motion(floor, person, &trial, result, now);
    cp_report_clear(floor->context);
    free_trial(&trial);
}
