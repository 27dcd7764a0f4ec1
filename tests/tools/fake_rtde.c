/* A controller of Universal Robots as far as RTDE 2 goes: see fake_server.h. Further options: missing=VARIABLE, which
 * it does not have; version=1: it speaks no other version; text=N: a text message before sample N. It knows more
 * variables than cellpipe asks for, so that other clients can check it. */
#include "fake_server.h"

enum { MOST_VARIABLES = 32 };

static const struct variable {
    const char *name, *type;
} known[] = {{"timestamp", "DOUBLE"},     {"actual_q", "VECTOR6D"}, {"target_q", "VECTOR6D"},
             {"safety_mode", "INT32"},    {"robot_mode", "INT32"},  {"runtime_state", "UINT32"},
             {"speed_scaling", "DOUBLE"}, {"actual_qd", "VECTOR6D"}};

struct talk {
    struct fake *fake;
    unsigned char request[65536];
    size_t size;
    const struct variable *variables[MOST_VARIABLES];
    int count;
    bool has_started;
};

static bool send_package(const struct fake *fake, char type, const struct fake_bytes *payload)
{
    struct fake_bytes package = {.size = 0};
    fake_put(&package, 3 + payload->size, 2);
    fake_put(&package, (unsigned char)type, 1);
    return fake_send(fake, package.bytes, package.size) && fake_send(fake, payload->bytes, payload->size);
}

/* Answers a list of variables with their types. */
static bool set_up(struct talk *talk, char *names)
{
    struct fake_bytes answer = {.size = 0};
    const char *missing = fake_option(talk->fake, "missing", "");
    fake_put(&answer, 1, 1);
    talk->count = 0;
    for (char *rest = names, *name; (name = strtok_r(rest, ",", &rest)) && talk->count < MOST_VARIABLES;) {
        const struct variable *found = NULL;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (strcmp(known[i].name, name) == 0 && strcmp(name, missing) != 0)
                found = &known[i];
        fake_put_text(&answer, talk->count > 0 ? "," : "");
        fake_put_text(&answer, found ? found->type : "NOT_FOUND");
        talk->variables[talk->count++] = found;
    }
    return send_package(talk->fake, 'O', &answer);
}

/* Answers a request, whose payload ends with a zero byte. */
static bool answer(struct talk *talk, char type, unsigned char *payload, size_t size)
{
    const uint64_t version = strtoull(fake_option(talk->fake, "version", "2"), NULL, 10);
    struct fake_bytes one = {.size = 0};
    switch (type) {
    case 'V':
        fake_put(&one, size == 2 && payload[0] == 0 && payload[1] == version, 1);
        return send_package(talk->fake, 'V', &one);
    case 'v': /* 5.15.0 */
        fake_put(&one, 5, 4);
        fake_put(&one, 15, 4);
        fake_put(&one, 0, 8);
        return send_package(talk->fake, 'v', &one);
    case 'O':
        return size > 8 && set_up(talk, (char *)payload + 8);
    case 'S':
    case 'P':
        talk->has_started = type == 'S';
        fake_put(&one, 1, 1);
        return send_package(talk->fake, type, &one);
    default:
        return false;
    }
}

/* Takes requests until the start; false if the client goes or sends anything else. */
static bool greet(struct talk *talk)
{
    while (!talk->has_started) {
        const ssize_t more =
            recv(talk->fake->client, talk->request + talk->size, sizeof talk->request - 1 - talk->size, 0);
        if (more <= 0)
            return false;
        talk->size += (size_t)more;
        for (;;) {
            const size_t whole = (size_t)talk->request[0] << 8 | talk->request[1];
            if (talk->size < 3 || talk->size < whole)
                break;
            if (whole < 3)
                return false;
            unsigned char payload[65536];
            memcpy(payload, talk->request + 3, whole - 3);
            payload[whole - 3] = '\0';
            const char type = (char)talk->request[2];
            talk->size -= whole;
            memmove(talk->request, talk->request + whole, talk->size);
            if (!answer(talk, type, payload, whole - 3))
                return false;
        }
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &talk->fake->begin);
    return true;
}

static void put_variable(const struct fake *fake, struct fake_bytes *data, const struct variable *variable)
{
    if (strcmp(variable->type, "VECTOR6D") == 0)
        for (int joint = 0; joint < 6; joint++)
            fake_put_double(data, strcmp(variable->name, "actual_qd") == 0 ? 0 : fake_value(fake, joint));
    else if (strcmp(variable->name, "timestamp") == 0)
        fake_put_double(data, (double)fake->sent / 125);
    else if (strcmp(variable->type, "DOUBLE") == 0)
        fake_put_double(data, 1);
    else if (strcmp(variable->name, "safety_mode") == 0)
        fake_put(data, fake_is_emergency(fake) ? 7 : 1, 4);
    else
        fake_put(data, strcmp(variable->name, "robot_mode") == 0 ? 7 : 2, 4); /* it runs */
}

static bool send_sample(const struct talk *talk)
{
    const struct fake *fake = talk->fake;
    struct fake_bytes data = {.size = 0}, text = {.size = 0};
    if (fake->sent == strtol(fake_option(fake, "text", "-1"), NULL, 10)) {
        fake_put_text(&text, "\5hello\2ur\3");
        if (!send_package(fake, 'M', &text))
            return false;
    }
    if (fake->sent == fake->nonsense)
        return fake_send(fake, "\0\4X?", 4);
    fake_put(&data, 1, 1);
    for (int i = 0; i < talk->count; i++)
        if (talk->variables[i])
            put_variable(fake, &data, talk->variables[i]);
    return send_package(fake, 'U', &data);
}

int main(int argument_count, char **arguments)
{
    struct fake fake = fake_listen(argument_count, arguments);
    static struct talk talk;
    while (fake_accept(&fake)) {
        memset(&talk, 0, sizeof talk);
        talk.fake = &fake;
        if (greet(&talk))
            while (fake_wait(&fake, NULL) && send_sample(&talk))
                fake.sent++;
        fake_end(&fake);
    }
    return 0;
}
