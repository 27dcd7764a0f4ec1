/* A controller of JSON lines: see fake_server.h. It prints "got LINE" for each line that it hears. Further options:
 * joints=A,B,..., the names of its joints (Arm.J1,Arm.J2); cuts=yes: every line is sent in two pieces, with a pause. */
#include "fake_server.h"

enum { MOST_JOINTS = 16 };

static char heard[65536];
static size_t heard_size;

static void hear(struct fake *fake, const char *bytes, size_t size)
{
    (void)fake;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == '\n' || heard_size == sizeof heard) {
            printf("got %.*s\n", (int)heard_size, heard);
            (void)fflush(stdout);
            heard_size = 0;
        } else {
            heard[heard_size++] = bytes[i];
        }
    }
}

static bool send_line(const struct fake *fake, const char *line, bool cuts)
{
    const size_t size = strlen(line), half = cuts ? size / 2 : size;
    if (!fake_send(fake, line, half))
        return false;
    if (cuts)
        (void)poll(NULL, 0, 1);
    return fake_send(fake, line + half, size - half);
}

int main(int argument_count, char **arguments)
{
    struct fake fake = fake_listen(argument_count, arguments);
    char names[1024], *joints[MOST_JOINTS];
    int count = 0;
    (void)snprintf(names, sizeof names, "%s", fake_option(&fake, "joints", "Arm.J1,Arm.J2"));
    for (char *rest = names, *name; (name = strtok_r(rest, ",", &rest)) && count < MOST_JOINTS;)
        joints[count++] = name;
    const bool cuts = strcmp(fake_option(&fake, "cuts", "no"), "yes") == 0;
    while (fake_accept(&fake)) {
        while (fake_wait(&fake, hear)) {
            char line[4096];
            size_t size = (size_t)snprintf(line, sizeof line, "{\"t\":%.3f,\"q\":{", (double)fake.sent / 125);
            for (int i = 0; i < count && size < sizeof line; i++)
                size += (size_t)snprintf(line + size, sizeof line - size, "%s\"%s\":%.17g", i > 0 ? "," : "", joints[i],
                                         fake_value(&fake, i));
            (void)snprintf(line + size, sizeof line - size,
                           "},\"mode\":\"%s\",\"program\":\"fake.prg\",\"line\":%ld}\n",
                           fake_is_emergency(&fake) ? "emergency" : "running", fake.sent % 9 + 1);
            if (!send_line(&fake, fake.sent == fake.nonsense ? "{\"q\":nonsense}\n" : line, cuts))
                break;
            fake.sent++;
        }
        fake_end(&fake);
    }
    return 0;
}
