/* Builds three fences, one behind the other: resource limits (POSIX), Landlock (Linux 5.13: files; later versions also
 * TCP, signals and abstract sockets) and seccomp (Linux 3.5: system calls). A fence that the kernel lacks is left
 * out. */
#include "process.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __linux__
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

const char *sandbox_words(unsigned means)
{
    static const char *const words[] = {
        "",        "rlimits",          "landlock",          "rlimits, landlock",
        "seccomp", "rlimits, seccomp", "landlock, seccomp", "rlimits, landlock, seccomp"};
    return words[means & (SANDBOX_LIMITS | SANDBOX_LANDLOCK | SANDBOX_SECCOMP)];
}

/* ---- resource limits ---- */

static bool lower_limit(int resource, uint64_t soft, uint64_t hard)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0)
        return false;
    limit.rlim_max = limit.rlim_max < hard ? limit.rlim_max : (rlim_t)hard;
    limit.rlim_cur = limit.rlim_cur < soft ? limit.rlim_cur : (rlim_t)soft;
    return setrlimit(resource, &limit) == 0;
}

bool process_sizes(int id, uint64_t *all, uint64_t *own)
{
    char text[256] = "", path[64] = "/proc/self/statm";
    unsigned long long pages, own_pages;
    if (id > 0)
        (void)snprintf(path, sizeof path, "/proc/%d/statm", id);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    if (file >= 0)
        (void)close(file);
    long page = sysconf(_SC_PAGESIZE);
    if (size <= 0 || page <= 0 || sscanf(text, "%llu %*u %*u %*u %*u %llu", &pages, &own_pages) != 2)
        return false;
    *all = pages * (uint64_t)page;
    *own = own_pages * (uint64_t)page;
    return true;
}

/* Asks the system to end this process before all others when memory runs out. */
static void offer_memory(void)
{
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file >= 0) {
        ssize_t written = write(file, "1000", 4);
        (void)written;
        (void)close(file);
    }
}

static uint64_t add_bounded(uint64_t a, uint64_t b)
{
    return a < UINT64_MAX - b ? a + b : UINT64_MAX;
}

static bool limit_resources(uint64_t memory, uint64_t seconds)
{
    enum { STACK = 64 << 20 }; /* so that endless recursion ends */
    uint64_t all, own;
    bool good = lower_limit(RLIMIT_CORE, 0, 0) && lower_limit(RLIMIT_FSIZE, 0, 0);
    (void)lower_limit(RLIMIT_STACK, STACK, STACK);
#ifdef RLIMIT_NPROC
    (void)lower_limit(RLIMIT_NPROC, 0, 0);
#endif
    if (seconds > 0)
        good &= lower_limit(RLIMIT_CPU, seconds, add_bounded(seconds, 1)); /* SIGXCPU, then SIGKILL */
    /* Both limits come on top of what the parent had. The first one counts all address space: mapped files, and what a
     * sanitizer reserves. The second one counts private memory, and is the effective one if much address space was
     * reserved before. */
    if (process_sizes(0, &all, &own)) {
        good &= lower_limit(RLIMIT_AS, add_bounded(all, memory), add_bounded(all, memory));
        good &= lower_limit(RLIMIT_DATA, add_bounded(own, memory), add_bounded(own, memory));
    }
    return good;
}

/* Sets the soft limit alone, up or down. */
static void set_limit(int resource, uint64_t most)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0)
        return;
    limit.rlim_cur = most < limit.rlim_max ? (rlim_t)most : limit.rlim_max;
    (void)setrlimit(resource, &limit);
}

void cp_process_limit(uint64_t memory, uint64_t file_size)
{
    set_limit(RLIMIT_CORE, 0);
    set_limit(RLIMIT_FSIZE, file_size);
#if !defined(HAS_ADDRESS_SANITIZER) && !defined(HAS_THREAD_SANITIZER) /* they take memory without measure */
    uint64_t all = 0, own = 0;
    (void)process_sizes(0, &all, &own);
    set_limit(RLIMIT_DATA, add_bounded(own, memory));
#else
    (void)memory;
#endif
}

void cp_process_limit_seconds(uint64_t seconds)
{
    set_limit(RLIMIT_CPU, seconds);
}

#ifdef __linux__

/* ---- Landlock ---- */

/* Denies access to files by Landlock. The numbers are the kernel's (include/uapi/linux/landlock.h), the same on all
 * machines; they are repeated here as the system's headers may be older than its kernel. */
static bool deny_files(void)
{
    enum { CREATE_RULESET = 444, RESTRICT_SELF = 446, ASK_VERSION = 1 };
    struct {
        uint64_t files, network, scope;
    } denied = {0};
    long version = syscall(CREATE_RULESET, NULL, (size_t)0, ASK_VERSION);
    if (version < 1)
        return false;
    /* This handles every right that the version knows. No rule grants one, so that all are denied. */
    denied.files = version >= 5 ? 0xffff : version >= 3 ? 0x7fff : version == 2 ? 0x3fff : 0x1fff;
    denied.network = version >= 4 ? 3 : 0;
    denied.scope = version >= 6 ? 3 : 0;
    size_t size = version >= 6 ? sizeof denied : version >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
    int rules = (int)syscall(CREATE_RULESET, &denied, size, 0);
    if (rules < 0)
        return false;
    bool done = syscall(RESTRICT_SELF, rules, 0) == 0;
    (void)close(rules);
    return done;
}

/* ---- seccomp ---- */

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && !defined(__AARCH64EB__)
#define MACHINE AUDIT_ARCH_AARCH64
#endif

/* The calls that computing needs: memory, time, locks, the end of the process, reading and writing of open descriptors,
 * signals to itself. All others fail with EPERM instead of killing the process: a reader can handle a refused call, so
 * that no file becomes unreadable by it. */
#ifdef MACHINE
static const unsigned short allowed_calls[] = {
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
    SYS_brk,
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    SYS_futex,
    SYS_close,
    SYS_fstat,
    SYS_lseek,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_gettimeofday,
#ifdef SYS_time
    SYS_time,
#endif
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_restart_syscall,
    SYS_getpid,
    SYS_gettid,
    SYS_getrusage,
    SYS_getrandom,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_set_robust_list,
#ifdef SYS_rseq
    SYS_rseq,
#endif
    SYS_exit,
    SYS_exit_group,
};
enum { ALLOWED = sizeof allowed_calls / sizeof *allowed_calls };

/* The offset of the lower half of an argument. */
#define ARGUMENT(number) (offsetof(struct seccomp_data, args) + (number) * sizeof(uint64_t))

struct call_filter {
    struct sock_filter steps[2 * ALLOWED + 32];
    unsigned short count;
};

static void add_step(struct call_filter *filter, unsigned code, uint32_t value, unsigned char if_true,
                     unsigned char if_false)
{
    filter->steps[filter->count++] = (struct sock_filter){(unsigned short)code, if_true, if_false, value};
}

static void load(struct call_filter *filter, size_t offset)
{
    add_step(filter, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void answer(struct call_filter *filter, uint32_t action)
{
    add_step(filter, BPF_RET | BPF_K, action, 0, 0);
}

static void add_rules(struct call_filter *filter)
{
    static const unsigned short mapping_calls[] = {SYS_mmap, SYS_mprotect};
    const uint32_t refused = SECCOMP_RET_ERRNO | EPERM;
    load(filter, offsetof(struct seccomp_data, arch));
    add_step(filter, BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0);
    answer(filter, refused);
    load(filter, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < ALLOWED; i++) {
        add_step(filter, BPF_JMP | BPF_JEQ | BPF_K, allowed_calls[i], 0, 1);
        answer(filter, SECCOMP_RET_ALLOW);
    }
    /* Memory may be mapped, but not executable memory. */
    for (size_t i = 0; i < sizeof mapping_calls / sizeof *mapping_calls; i++) {
        add_step(filter, BPF_JMP | BPF_JEQ | BPF_K, mapping_calls[i], 0, 4);
        load(filter, ARGUMENT(2));
        add_step(filter, BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1);
        answer(filter, refused);
        answer(filter, SECCOMP_RET_ALLOW);
    }
    /* abort() and raise(). */
    add_step(filter, BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 3);
    load(filter, ARGUMENT(0));
    add_step(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)getpid(), 0, 1);
    answer(filter, SECCOMP_RET_ALLOW);
    answer(filter, refused);
}
#endif

static bool deny_calls(void)
{
#ifdef MACHINE
    struct call_filter filter = {.count = 0};
    add_rules(&filter);
    struct sock_fprog program = {filter.count, filter.steps};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
#else
    return false;
#endif
}

#endif

/* ---- all of it ---- */

unsigned sandbox_enter(uint64_t memory, uint64_t seconds)
{
    unsigned means = 0;
    offer_memory();
    bool limited = limit_resources(memory, seconds); /* reads a file */
#ifdef __linux__
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* no core file, by whatever way the system writes them */
    bool barred = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
    if (barred && deny_files()) /* takes a descriptor for a moment */
        means |= SANDBOX_LANDLOCK;
#endif
    if (lower_limit(RLIMIT_NOFILE, 0, 0) && limited)
        means |= SANDBOX_LIMITS;
#ifdef __linux__
    if (barred && deny_calls()) /* the last one, since it refuses all of the calls above */
        means |= SANDBOX_SECCOMP;
#endif
    return means;
}
