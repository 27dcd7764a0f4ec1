/* A state relay of simple_message: see fake_server.h. Further options: order=big|little (big); real=4|8 bytes (4);
 * type=10|15, the messages that have the joints (10: JOINT_POSITION; 15: JOINT_FEEDBACK). Every fifth sample, and what
 * changes the mode, has a STATUS before it; before every seventh there is a message that nobody asked for. */
#include "fake_server.h"

enum { JOINT_POSITION = 10, STATUS = 13, JOINT_FEEDBACK = 15, JOINTS = 10, MOVED = 6 };

static void put_real(struct fake_bytes *out, double value, size_t size)
{
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    if (size == 8)
        fake_put_double(out, value);
    else
        fake_put(out, bits, 4);
}

static bool send_message(const struct fake *fake, uint32_t type, const struct fake_bytes *body)
{
    struct fake_bytes header = {.is_little = body->is_little};
    fake_put(&header, 12 + body->size, 4);
    fake_put(&header, type, 4);
    fake_put(&header, 1, 4); /* a topic */
    fake_put(&header, 0, 4);
    return fake_send(fake, header.bytes, header.size) && fake_send(fake, body->bytes, body->size);
}

static bool send_status(const struct fake *fake, bool is_little)
{
    struct fake_bytes body = {.is_little = is_little};
    fake_put(&body, 1, 4); /* drives */
    fake_put(&body, fake_is_emergency(fake), 4);
    fake_put(&body, 0, 8); /* no error */
    fake_put(&body, !fake_is_emergency(fake), 4);
    fake_put(&body, 2, 4); /* automatic */
    fake_put(&body, !fake_is_emergency(fake), 4);
    return send_message(fake, STATUS, &body);
}

static bool send_joints(const struct fake *fake, bool is_little)
{
    const size_t real = (size_t)strtol(fake_option(fake, "real", "4"), NULL, 10);
    const bool is_feedback = strtol(fake_option(fake, "type", "10"), NULL, 10) == JOINT_FEEDBACK;
    struct fake_bytes body = {.is_little = is_little};
    fake_put(&body, 0, 4); /* the sequence, or the motion group */
    if (is_feedback) {
        fake_put(&body, 3, 4);
        put_real(&body, (double)fake->sent / 125, real);
    }
    for (int i = 0; i < JOINTS; i++)
        put_real(&body, i < MOVED ? fake_value(fake, i) : 0, real);
    for (int i = 0; i < 2 * JOINTS && is_feedback; i++)
        put_real(&body, 0, real);
    return send_message(fake, is_feedback ? JOINT_FEEDBACK : JOINT_POSITION, &body);
}

static bool send_sample(const struct fake *fake, bool is_little)
{
    const struct fake_bytes other = {.size = 40, .is_little = is_little};
    if (fake->sent == fake->nonsense)
        return fake_send(fake, "\xff\xff\xff\xff", 4);
    if ((fake->sent % 5 == 0 || fake->sent == fake->emergency) && !send_status(fake, is_little))
        return false;
    if (fake->sent % 7 == 0 && !send_message(fake, 2016, &other))
        return false;
    return send_joints(fake, is_little);
}

int main(int argument_count, char **arguments)
{
    struct fake fake = fake_listen(argument_count, arguments);
    const bool is_little = strcmp(fake_option(&fake, "order", "big"), "little") == 0;
    while (fake_accept(&fake)) {
        while (fake_wait(&fake, NULL) && send_sample(&fake, is_little))
            fake.sent++;
        fake_end(&fake);
    }
    return 0;
}
