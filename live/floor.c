/* Carries out what people say, and tells them what the cell does. */
#include "floor.h"

#include <math.h>
#include <stdio.h>

/* ---- opening and closing ---- */

/* Begins a message anew. One for which there is no memory is written again at the next tick. */
static void begin_again(struct buffer *message)
{
    message->size = 0;
    message->failed = false;
}

void floor_show_mode(struct floor *floor)
{
    const struct simulator *simulator = &floor->simulator;
    const struct mode_facts facts = {
        .authority = &floor->authority,
        .program = floor->outside ? floor->program : simulator->name,
        .line = floor->outside ? floor->line : simulator->line,
        .lines = floor->lines,
        .why = floor->why,
    };
    begin_again(&floor->mode);
    say_mode(&floor->mode, &facts);
    for (struct person *person = floor->people; person; person = person->next)
        person->mode_due = !floor->mode.failed;
}

static void show_state(struct floor *floor)
{
    begin_again(&floor->state);
    floor->n++;
    say_state(&floor->state, &floor->cell, floor->n, floor->time);
    for (struct person *person = floor->people; person; person = person->next)
        person->state_due = !floor->state.failed;
}

/* Somebody has to hear that a recording has ended early. */
static void lose_recording(struct floor *floor)
{
    if (!*floor->why)
        (void)snprintf(floor->why, sizeof floor->why, "the recording has ended: it cannot be written");
    if (floor->report)
        floor->report(floor->report_user);
}

/* Adds the present values to what is recorded. */
static void record(struct floor *floor, uint64_t now)
{
    if (floor->recording && !recording_add(floor->recording, floor->time, (double)now / 1000, floor->cell.q))
        lose_recording(floor);
}

/* Shows what is near; if that has not changed, nobody needs to hear it again. */
static void show_near(struct floor *floor)
{
    const struct near_pair *pairs;
    uint32_t count;
    struct buffer fresh = {.context = floor->context};
    if (cell_near(&floor->cell, NEAR_CLEARANCE, &pairs, &count) != CP_OK)
        count = 0;
    say_near(&fresh, pairs, count);
    if (!fresh.failed && (fresh.size != floor->near.size || memcmp(fresh.data, floor->near.data, fresh.size) != 0)) {
        buffer_free(&floor->near);
        floor->near = fresh;
        for (struct person *person = floor->people; person; person = person->next)
            person->near_due = true;
    } else {
        floor->moved = floor->moved || fresh.failed; /* to be looked at again */
        buffer_free(&fresh);
    }
    cp_report_clear(floor->context);
}

cp_status floor_open(struct floor *floor, cp_context *context, cp_scene *scene, const char *device, const char *frame)
{
    *floor = (struct floor){.context = context, .controller = "simulated"};
    floor->state.context = floor->mode.context = floor->near.context = floor->names.context = context;
    cp_status status = cell_open(context, scene, &floor->cell);
    if (status == CP_OK)
        status = simulator_open(&floor->simulator, &floor->cell, device, frame);
    if (status != CP_OK) {
        floor_close(floor);
        return status;
    }
    floor_show_mode(floor);
    show_state(floor);
    show_near(floor);
    return floor->state.failed || floor->mode.failed || floor->near.failed ? CP_LIMIT : CP_OK;
}

static void free_program(cp_context *context, struct program_text *program)
{
    memory_free(context, program->name, program->name_size, 1);
    memory_free(context, program->text, program->text_size + 1, 1);
}

void floor_close(struct floor *floor)
{
    trials_close(floor);
    for (uint32_t i = 0; i < floor->program_count; i++)
        free_program(floor->context, &floor->programs[i]);
    simulator_close(&floor->simulator);
    cell_close(&floor->cell);
    buffer_free(&floor->state);
    buffer_free(&floor->mode);
    buffer_free(&floor->near);
    buffer_free(&floor->names);
    *floor = (struct floor){0};
}

/* Nobody holds the lease any more, or a jog has ended: what moves has to end, too. */
static void end_motion(struct floor *floor, enum mode before)
{
    static const struct message stop = {.word = WORD_STOP};
    if (floor->outside && floor->outside->obeys && before != MODE_READY && before != MODE_OFFLINE)
        (void)floor->outside->command(floor->outside->user, &stop, NULL);
    if (floor->authority.stopping)
        simulator_stop(&floor->simulator);
    if (floor->authority.mode == MODE_READY)
        simulator_halt(&floor->simulator);
    floor_show_mode(floor);
}

/* ---- people ---- */

/* An answer is its size, then its text; what was sent before goes when all is sent. */
size_t answer_open(struct person *person)
{
    const uint32_t none = 0;
    if (person->out_at == person->out.size)
        person->out.size = person->out_at = 0;
    buffer_append(&person->out, &none, sizeof none);
    return person->out.size;
}

void answer_close(struct person *person, size_t begin)
{
    if (person->out.failed)
        return;
    const uint32_t size = (uint32_t)(person->out.size - begin);
    memcpy(person->out.data + begin - sizeof size, &size, sizeof size);
}

cp_status floor_enter(struct floor *floor, struct person *person, const char *name, enum role role)
{
    *person = (struct person){.out = {.context = floor->context}, .next = floor->people};
    (void)snprintf(person->name, sizeof person->name, "%s", name);
    person->client = (struct client){++floor->last_number, role, person->name};
    floor->people = person;
    const size_t begin = answer_open(person);
    say_hello(&person->out, &floor->cell, &person->client, floor->key, floor->controller);
    answer_close(person, begin);
    person->mode_due = person->state_due = person->near_due = true;
    person->programs_due = role >= ROLE_TEACHER && floor->program_count > 0;
    if (!person->out.failed)
        return CP_OK;
    floor_leave(floor, person);
    return CP_LIMIT;
}

void floor_leave(struct floor *floor, struct person *person)
{
    struct person **at = &floor->people;
    while (*at && *at != person)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = person->next;
    buffer_free(&person->out);
    trials_cancel(floor, person->client.number);
    const enum mode before = floor->authority.mode;
    if (authority_leave(&floor->authority, person->client.number))
        end_motion(floor, before);
}

bool floor_is_due(const struct floor *floor, const struct person *person)
{
    (void)floor;
    return person->out_at < person->out.size || person->mode_due || person->state_due || person->near_due ||
           person->programs_due;
}

/* The newest of a kind, once. */
static const char *newest(const struct buffer *text, bool *due, size_t *size)
{
    *due = false;
    *size = text->size;
    return text->data;
}

const char *floor_next(struct floor *floor, struct person *person, size_t *size)
{
    if (person->out_at < person->out.size) {
        uint32_t length;
        memcpy(&length, person->out.data + person->out_at, sizeof length);
        const char *text = person->out.data + person->out_at + sizeof length;
        person->out_at += sizeof length + length;
        *size = length;
        return text;
    }
    if (person->mode_due)
        return newest(&floor->mode, &person->mode_due, size);
    if (person->state_due)
        return newest(&floor->state, &person->state_due, size);
    if (person->near_due)
        return newest(&floor->near, &person->near_due, size);
    if (person->programs_due)
        return newest(&floor->names, &person->programs_due, size);
    return NULL;
}

/* ---- programs ---- */

static const char no_program[] = "there is no program of this name";
static const char no_device[] = "no device: programs need one with joints and one end";

struct program_text *floor_program(struct floor *floor, const char *name)
{
    for (uint32_t i = 0; i < floor->program_count; i++)
        if (strcmp(floor->programs[i].name, name) == 0)
            return &floor->programs[i];
    return NULL;
}

/* Tells teachers which programs are kept. */
static void show_programs(struct floor *floor)
{
    const char *names[MOST_PROGRAMS];
    for (uint32_t i = 0; i < floor->program_count; i++)
        names[i] = floor->programs[i].name;
    floor->names.size = 0;
    say_programs(&floor->names, names, floor->program_count);
    for (struct person *person = floor->people; person; person = person->next)
        person->programs_due = person->client.role >= ROLE_TEACHER;
}

/* Keeps a program, in place of one of the same name. */
static const char *keep_program(struct floor *floor, const struct message *message)
{
    struct program_text *program = floor_program(floor, message->name);
    if (!program && floor->program_count == MOST_PROGRAMS)
        return "full: no more programs can be kept";
    struct program_text fresh = {
        .name = memory_allocate(floor->context, strlen(message->name) + 1, 1),
        .text = memory_allocate(floor->context, message->text_size + 1, 1),
        .name_size = strlen(message->name) + 1,
        .text_size = message->text_size,
    };
    if (!fresh.name || !fresh.text) {
        free_program(floor->context, &fresh);
        return "out of memory";
    }
    memcpy(fresh.name, message->name, fresh.name_size);
    memcpy(fresh.text, message->text, fresh.text_size + 1);
    const bool is_new = !program;
    if (program)
        free_program(floor->context, program);
    if (is_new)
        program = &floor->programs[floor->program_count++];
    *program = fresh;
    if (is_new)
        show_programs(floor);
    return NULL;
}

static uint64_t count_lines(const char *text)
{
    uint64_t lines = *text != 0;
    for (; *text; text++)
        lines += *text == '\n' && text[1];
    return lines;
}

static const char *download(struct floor *floor, const char *name)
{
    const struct program_text *program = floor_program(floor, name);
    if (!program)
        return no_program;
    if (floor->checker && !program->is_good)
        return "the program has not passed its check: save it again";
    const cp_status status = simulator_load(&floor->simulator, program->name, program->text, program->text_size);
    if (status != CP_OK)
        return floor->simulator.options.device == CP_NONE ? no_device
               : status == CP_LIMIT                       ? "out of memory"
                                                          : "the program has errors";
    floor->lines = count_lines(program->text);
    return NULL;
}

/* The line of a program that sets a point to where the tool is: in the frame of the device's base, as programs see it.
 * NULL: there is no such device. */
static const char *teach(struct floor *floor, struct arena *arena, const char *name)
{
    const struct simulator *simulator = &floor->simulator;
    double c[6];
    if (simulator->options.device == CP_NONE)
        return NULL;
    simulator_tool(simulator, c);
    const double degrees = 57.295779513082320876798154814105;
    char numbers[6][CP_NUMBER_SIZE];
    /* A ten-thousandth of a millimetre, and of a degree, are less than any robot can do. */
    for (int i = 0; i < 6; i++)
        (void)cp_print_double(round(1e4 * (i < 3 ? 1000 * c[i] : degrees * c[i])) / 1e4 + 0.0, numbers[i]);
    return arena_print(arena, "%s = POSE(%s, %s, %s, %s, %s, %s)", name, numbers[0], numbers[1], numbers[2], numbers[3],
                       numbers[4], numbers[5]);
}

/* ---- messages ---- */

struct answer {
    const char *why;  /* NULL: done */
    const char *text; /* a teach has made this line, or an open asks for this program */
    bool comes_later; /* the answer waits for a trial */
};

const char *floor_begin(struct floor *floor, enum word word, const double *to, double speed)
{
    struct simulator *simulator = &floor->simulator;
    if (floor->outside) {
        const struct message message = {.word = word, .q = to, .speed = speed};
        return floor->outside->command(floor->outside->user, &message, NULL);
    }
    if (word == WORD_MOVE)
        return simulator_move(simulator, to, speed) == CP_OK ? NULL : simulator->why;
    if (!simulator->text)
        return "no program is loaded";
    const bool goes_on = floor->authority.mode == MODE_STOPPED;
    if ((goes_on ? simulator_continue(simulator) : simulator_run(simulator)) != CP_OK)
        return simulator->why;
    if (word == WORD_STEP)
        simulator_stop_after_next(simulator);
    return NULL;
}

/* Begins a motion, after a trial if it is a new one. */
static struct answer set_in_motion(struct floor *floor, const struct person *person, const struct message *message)
{
    const struct simulator *simulator = &floor->simulator;
    struct answer answer = {0};
    const bool is_new = floor->authority.mode == MODE_READY && (message->word == WORD_MOVE || simulator->text);
    if (message->word == WORD_MOVE && cell_beyond(&floor->cell, message->q) != CP_NONE)
        answer.why = "limits";
    else if (!floor->checker || !is_new)
        answer.why = floor_begin(floor, message->word, message->q, message->speed);
    else {
        answer.why = trial_begin(floor, person, message, simulator->name, simulator->text, simulator->text_size);
        answer.comes_later = !answer.why;
    }
    return answer;
}

static struct answer save_program(struct floor *floor, const struct person *person, const struct message *message)
{
    struct answer answer = {.why = keep_program(floor, message)};
    if (!answer.why && floor->checker) {
        answer.why = floor->simulator.options.device == CP_NONE
                         ? no_device
                         : trial_begin(floor, person, message, message->name, message->text, message->text_size);
        if (!answer.why)
            floor_program(floor, message->name)->ticket = floor->last_ticket;
        answer.comes_later = !answer.why;
    }
    return answer;
}

static struct answer open_program(struct floor *floor, const char *name)
{
    const struct program_text *program = floor_program(floor, name);
    if (!program)
        return (struct answer){.why = no_program};
    return (struct answer){.text = program->text};
}

/* A word for a controller outside. */
static struct answer command(struct floor *floor, const struct person *person, const struct message *message)
{
    const struct outside *outside = floor->outside;
    struct answer answer = {0};
    if (!outside->obeys) {
        answer.why = "controller: it is shown, not moved";
        return answer;
    }
    if (message->word == WORD_MOVE)
        return set_in_motion(floor, person, message);
    const struct program_text *program = message->word == WORD_DOWNLOAD ? floor_program(floor, message->name) : NULL;
    if (message->word == WORD_DOWNLOAD && !program)
        answer.why = no_program;
    else if (program && floor->checker && !program->is_good)
        answer.why = "the program has not passed its check: save it again";
    else
        answer.why = outside->command(outside->user, message, program ? program->text : NULL);
    if (program && !answer.why)
        floor->lines = count_lines(program->text);
    return answer;
}

static bool moves_something(enum word word)
{
    return word != WORD_TAKE && word != WORD_GIVE && word != WORD_ALIVE && word != WORD_TEACH && word != WORD_PROGRAM &&
           word != WORD_OPEN;
}

void floor_obey(struct floor *floor, const struct person *person, enum word word, uint64_t now)
{
    const enum mode before = floor->authority.mode;
    const bool tells_itself = floor->outside && moves_something(word);
    authority_obey(&floor->authority, &person->client, tells_itself ? WORD_ALIVE : word, now);
    if (before != floor->authority.mode)
        floor->why[0] = 0;
}

static struct answer carry_out(struct floor *floor, const struct person *person, struct arena *arena,
                               const struct message *message)
{
    struct simulator *simulator = &floor->simulator;
    struct answer answer = {0};
    if (floor->outside && moves_something(message->word))
        return command(floor, person, message);
    switch (message->word) {
    case WORD_STOP:
        simulator_stop(simulator);
        if (floor->authority.mode == MODE_JOGGING)
            simulator_halt(simulator);
        break;
    case WORD_EMERGENCY:
        simulator_emergency(simulator);
        break;
    case WORD_RESET:
        simulator_reset(simulator);
        break;
    case WORD_RUN:
    case WORD_STEP:
    case WORD_CONTINUE:
    case WORD_MOVE:
        return set_in_motion(floor, person, message);
    case WORD_JOG:
        if (simulator_jog(simulator, message->joint, message->speed) != CP_OK)
            answer.why = simulator->why;
        break;
    case WORD_TEACH:
        answer.text = teach(floor, arena, message->name);
        if (!answer.text)
            answer.why = simulator->options.device == CP_NONE ? no_device : "out of memory";
        break;
    case WORD_PROGRAM:
        return save_program(floor, person, message);
    case WORD_OPEN:
        return open_program(floor, message->name);
    case WORD_DOWNLOAD:
        answer.why = download(floor, message->name);
        break;
    case WORD_TAKE:
    case WORD_GIVE:
    case WORD_ALIVE:
    case WORD_COUNT:
        break;
    }
    return answer;
}

static bool says_too_much(struct person *person, uint64_t now)
{
    if (person->second != now / 1000) {
        person->second = now / 1000;
        person->said = 0;
    }
    return ++person->said > MOST_A_SECOND;
}

static void reply(struct floor *floor, struct person *person, const struct message *message, struct answer answer)
{
    size_t count = 0;
    const cp_entry *errors = answer.why ? cp_report(floor->context, &count) : NULL;
    const size_t begin = answer_open(person);
    if (answer.why)
        say_refused(&person->out, message->id, answer.why, errors, count);
    else if (answer.text)
        say_text(&person->out, message->id, message->name, answer.text);
    else
        say_done(&person->out, message->id);
    answer_close(person, begin);
    cp_report_clear(floor->context);
}

bool floor_hear(struct floor *floor, struct person *person, const char *text, size_t size, uint64_t now)
{
    struct message message = {0};
    char why[MOST_WHY];
    if (says_too_much(person, now) || person->out.size - person->out_at > MOST_WAITING_OUT)
        return false;
    struct arena *arena = arena_new(floor->context);
    struct answer answer = {0};
    if (!arena) /* an answer without the question's id would not be one */
        return false;
    if (!message_read(&floor->cell, arena, text, size, &message, why)) {
        answer.why = why;
        if (message.is_nonsense) {
            arena_free(arena);
            return false;
        }
    } else
        answer.why = authority_refuses(&floor->authority, &person->client, message.word, now);
    if (!answer.why) {
        const enum mode before = floor->authority.mode;
        answer = carry_out(floor, person, arena, &message);
        if (!answer.why && !answer.comes_later)
            floor_obey(floor, person, message.word, now);
        if (message.word != WORD_ALIVE && (message.word != WORD_JOG || before != MODE_JOGGING))
            floor_show_mode(floor);
    }
    if (!answer.comes_later)
        reply(floor, person, &message, answer);
    arena_free(arena);
    return !person->out.failed;
}

/* ---- time ---- */

/* Makes one step of the controller, in which its clock goes on to `now`; true if it has come to an end. */
static bool step(struct floor *floor, uint64_t now)
{
    struct simulator *simulator = &floor->simulator;
    const uint64_t line = simulator->line;
    const enum simulator_end end = simulator_step(simulator);
    if (end == SIMULATOR_FAILED)
        (void)snprintf(floor->why, sizeof floor->why, "%s", simulator->why);
    if (end != SIMULATOR_GOES_ON)
        authority_end(&floor->authority, end == SIMULATOR_STOPPED);
    if (end != SIMULATOR_GOES_ON || line != simulator->line)
        floor_show_mode(floor);
    floor->time = (double)(now - floor->begun) / 1000;
    record(floor, now);
    floor->moved = true;
    return end != SIMULATOR_GOES_ON;
}

static void lapse(struct floor *floor, uint64_t now)
{
    const enum mode before = floor->authority.mode;
    if (authority_lapse(&floor->authority, now))
        end_motion(floor, before);
    if (floor->outside && floor->authority.mode != MODE_OFFLINE && now - floor->last_sample > SILENCE)
        floor_lose_controller(floor, "the controller is silent");
}

/* ---- a controller outside ---- */

static void follow(struct floor *floor, const struct controller_sample *sample)
{
    static const enum mode modes[] = {[CONTROLLER_READY] = MODE_READY,
                                      [CONTROLLER_RUNNING] = MODE_RUNNING,
                                      [CONTROLLER_STOPPED] = MODE_STOPPED,
                                      [CONTROLLER_EMERGENCY] = MODE_EMERGENCY};
    const enum mode before = floor->authority.mode;
    const uint64_t line = floor->line;
    const bool was_lost = authority_offline(&floor->authority, false);
    if (was_lost)
        floor->why[0] = 0;
    if (sample->mode != CONTROLLER_SILENT)
        floor->authority.mode = modes[sample->mode];
    if (sample->program)
        (void)snprintf(floor->program, sizeof floor->program, "%s", sample->program);
    if (sample->line > 0)
        floor->line = sample->line;
    if (was_lost || before != floor->authority.mode || line != floor->line)
        floor_show_mode(floor);
}

void floor_take_sample(struct floor *floor, const double *values, const struct controller_sample *sample, uint64_t now)
{
    if (sample->count > 0 && cell_go(&floor->cell, values) != CP_OK) {
        floor_lose_controller(floor, "the controller's values do not close a loop");
        cp_report_clear(floor->context);
        return;
    }
    floor->last_sample = now;
    if (sample->time == sample->time)
        floor->time = sample->time;
    follow(floor, sample);
    if (sample->count > 0) {
        record(floor, now);
        show_state(floor);
        floor->moved = true;
    }
}

void floor_lose_controller(struct floor *floor, const char *why)
{
    (void)snprintf(floor->why, sizeof floor->why, "%s", why);
    if (authority_offline(&floor->authority, true))
        floor_show_mode(floor);
}

/* ---- time ---- */

uint64_t floor_tick(struct floor *floor, uint64_t now)
{
    enum { MOST_STEPS = 20, IDLE = 100 }; /* a machine that was asleep does not make up for it */
    lapse(floor, now);
    if (floor->begun == 0)
        floor->begun = now;
    /* A motion begins with its first step now, however long nothing has moved before. */
    if (!floor->moves || floor->next_step + MOST_STEPS * STEP_TIME < now)
        floor->next_step = now;
    bool any = false, ended = false;
    while (simulator_moves(&floor->simulator) && floor->next_step <= now && !ended) {
        any = true;
        ended = step(floor, floor->next_step);
        floor->next_step += STEP_TIME;
    }
    floor->moves = simulator_moves(&floor->simulator);
    if (any || floor->state.failed)
        show_state(floor);
    if (floor->mode.failed)
        floor_show_mode(floor);
    if (floor->recording && !recording_flush(floor->recording, (double)now / 1000))
        lose_recording(floor);
    if (floor->moved && floor->next_near <= now) {
        floor->moved = false;
        floor->next_near = now + NEAR_TIME;
        show_near(floor);
    }
    if (floor->moves)
        return floor->next_step > now ? floor->next_step - now : 0;
    return floor->moved ? NEAR_TIME : IDLE;
}
