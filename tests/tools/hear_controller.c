/* hear_controller PROTOCOL PORT [most]: connects to a controller on this machine and prints what it says, a sample a
 * line: time, mode, line of the program, and the values. At the end it prints "end", or "refused: WHY". With a third
 * word it ends after so many samples. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../live/controller.h"

static long left = -1;

static void show(void *user, const struct controller_sample *sample)
{
    static const char *const modes[] = {"silent", "ready", "running", "jogging", "moving", "stopped", "emergency"};
    (void)user;
    if (left == 0)
        return;
    left--;
    printf("%.17g %s %llu", sample->time, modes[sample->mode], (unsigned long long)sample->line);
    for (uint32_t i = 0; i < sample->count; i++)
        printf(" %s=%.17g", sample->names[i], sample->values[i]);
    printf("\n");
    (void)fflush(stdout);
}

static int connect_to(const char *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    address.sin_port = htons((uint16_t)strtol(port, NULL, 10));
    const int file = socket(AF_INET, SOCK_STREAM, 0);
    return file >= 0 && connect(file, (struct sockaddr *)&address, sizeof address) == 0 ? file : -1;
}

static cp_status talk(cp_context *context, const struct controller_protocol *protocol, void *state, int file)
{
    static const struct controller_listener listener = {show, NULL};
    const void *answer;
    size_t size;
    char bytes[1000], why[WHY_SIZE] = "";
    cp_status status = protocol->begin(context, state, &answer, &size);
    while (status == CP_OK && left != 0) {
        if (size > 0 && send(file, answer, size, MSG_NOSIGNAL) != (ssize_t)size)
            return CP_OUTPUT;
        const ssize_t more = recv(file, bytes, sizeof bytes, 0);
        if (more <= 0) {
            status = protocol->end(context, state, &listener, why);
            break;
        }
        status = protocol->take(context, state, bytes, (size_t)more, &listener, &answer, &size, why);
    }
    if (status == CP_OK)
        printf("end\n");
    else
        printf("refused: %s\n", why);
    return status;
}

int main(int count, char **words)
{
    static const struct controller_protocol *const protocols[] = {&json_lines_protocol, &rtde_protocol,
                                                                  &simple_protocol};
    const struct controller_protocol *protocol = NULL;
    for (int i = 0; i < 3 && count > 2; i++)
        if (strcmp(protocols[i]->name, words[1]) == 0)
            protocol = protocols[i];
    const int file = protocol ? connect_to(words[2]) : -1;
    if (file < 0) {
        fprintf(stderr, "usage: %s jsonl|rtde|simple PORT [MOST]\n", words[0]);
        return 2;
    }
    left = count > 3 ? strtol(words[3], NULL, 10) : -1;
    cp_context *context = cp_context_new(NULL);
    void *state = calloc(1, protocol->state_size);
    cp_status status = context && state ? talk(context, protocol, state, file) : CP_LIMIT;
    if (state)
        protocol->free(context, state);
    free(state);
    cp_context_free(context);
    (void)close(file);
    return (int)status;
}
