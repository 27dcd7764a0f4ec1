/* Loaded before a program (LD_PRELOAD): the system's clock leaps. The file that $LEAP_CLOCK names has 8 bytes, the
 * seconds that are added to the clock of the day from then on. Clocks that never leap stay as they are. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *leap;

__attribute__((constructor)) static void begin(void)
{
    const char *name = getenv("LEAP_CLOCK");
    const int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    void *page = file >= 0 ? mmap(NULL, sizeof *leap, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
    if (page != MAP_FAILED)
        leap = page;
}

#pragma GCC visibility push(default)

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const long status = syscall(SYS_clock_gettime, clock, now);
    if (status == 0 && leap && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += *leap;
    return (int)status;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec time;
    (void)zone;
    (void)clock_gettime(CLOCK_REALTIME, &time);
    *now = (struct timeval){.tv_sec = time.tv_sec, .tv_usec = time.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *now)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_REALTIME, &time);
    if (now)
        *now = time.tv_sec;
    return time.tv_sec;
}
