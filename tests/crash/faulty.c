/* Faults at library calls: put before the C library by LD_PRELOAD, for tests only.
 *
 * While it is armed, each call that changes a file below one folder is counted. At the nth it
 * fails, is torn in the middle of what it writes, or is the last thing that the process does. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { NOTHING, KILL, TEAR, FAIL, FAIL_FROM };

static char folder[PATH_MAX];
static atomic_int is_armed;
static atomic_long met, struck_at;
static long nth;
static int what, with_error;

void faulty_arm(const char *below, long at, int fault, int error) {
    snprintf(folder, sizeof folder, "%s/", below);
    nth = at, what = fault, with_error = error;
    met = struck_at = 0;
    is_armed = 1;
}

long faulty_disarm(void) {
    is_armed = 0;
    return met;
}

long faulty_struck(void) { return struck_at; }

static int is_below(const char *path) { return !strncmp(path, folder, strlen(folder)); }

static int is_ours(int descriptor) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 2);
    if (length < 0) return 0;
    path[length] = '/', path[length + 1] = 0;
    return is_below(path);
}

static int is_named_ours(int at, const char *path) {
    return path && (path[0] == '/' ? is_below(path) : at != AT_FDCWD && is_ours(at));
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/* Says what is to happen to a call that is one of ours: NOTHING, TEAR or FAIL. */
static int meet(int ours) {
    if (!is_armed || !ours) return NOTHING;
    long now = atomic_fetch_add(&met, 1) + 1;
    if (!nth || now < nth || (now > nth && what != FAIL_FROM)) return NOTHING;
    struck_at = now;
    if (what == KILL) die();
    if (what == TEAR) return TEAR;
    errno = with_error;
    return FAIL;
}

#define FIND(name)                                                                                 \
    if (!real) real = (typeof(real))dlsym(RTLD_NEXT, name)

/* A call that cannot be torn is the last one instead. */
#define STRIKE(ours)                                                                               \
    switch (meet(ours)) {                                                                          \
    case FAIL: return -1;                                                                          \
    case TEAR: die();                                                                              \
    }

#define PLAIN(type, name, parameters, arguments, ours)                                             \
    type name parameters {                                                                         \
        static type(*real) parameters;                                                             \
        FIND(#name);                                                                               \
        STRIKE(is_armed && (ours));                                                                \
        return real arguments;                                                                     \
    }

#define WRITING(name, parameters, arguments, half)                                                 \
    ssize_t name parameters {                                                                      \
        static ssize_t(*real) parameters;                                                          \
        FIND(#name);                                                                               \
        switch (meet(is_armed && is_ours(fd))) {                                                   \
        case FAIL: return -1;                                                                      \
        case TEAR: (void)!real half; die();                                                        \
        }                                                                                          \
        return real arguments;                                                                     \
    }

WRITING(write, (int fd, const void *data, size_t size), (fd, data, size), (fd, data, size / 2))
WRITING(pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at),
        (fd, data, size / 2, at))
WRITING(pwrite64, (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at),
        (fd, data, size / 2, at))

PLAIN(int, fsync, (int fd), (fd), is_ours(fd))
PLAIN(int, fdatasync, (int fd), (fd), is_ours(fd))
PLAIN(int, syncfs, (int fd), (fd), is_ours(fd))
PLAIN(int, ftruncate, (int fd, off_t size), (fd, size), is_ours(fd))
PLAIN(int, ftruncate64, (int fd, off64_t size), (fd, size), is_ours(fd))
PLAIN(int, truncate, (const char *path, off_t size), (path, size),
      is_named_ours(AT_FDCWD, path))
PLAIN(int, truncate64, (const char *path, off64_t size), (path, size),
      is_named_ours(AT_FDCWD, path))
PLAIN(int, fallocate, (int fd, int mode, off_t at, off_t size), (fd, mode, at, size), is_ours(fd))
PLAIN(int, fallocate64, (int fd, int mode, off64_t at, off64_t size), (fd, mode, at, size),
      is_ours(fd))
PLAIN(int, fchmod, (int fd, mode_t mode), (fd, mode), is_ours(fd))
PLAIN(int, mkdir, (const char *path, mode_t mode), (path, mode), is_named_ours(AT_FDCWD, path))
PLAIN(int, mkdirat, (int at, const char *path, mode_t mode), (at, path, mode),
      is_named_ours(at, path))
PLAIN(int, rmdir, (const char *path), (path), is_named_ours(AT_FDCWD, path))
PLAIN(int, unlink, (const char *path), (path), is_named_ours(AT_FDCWD, path))
PLAIN(int, unlinkat, (int at, const char *path, int flags), (at, path, flags),
      is_named_ours(at, path))
PLAIN(int, rename, (const char *from, const char *to), (from, to), is_named_ours(AT_FDCWD, from))
PLAIN(int, renameat, (int at, const char *from, int there, const char *to), (at, from, there, to),
      is_named_ours(at, from))
PLAIN(int, link, (const char *from, const char *to), (from, to), is_named_ours(AT_FDCWD, from))
PLAIN(int, linkat, (int at, const char *from, int there, const char *to, int flags),
      (at, from, there, to, flags), is_named_ours(at, from))

/* These give back the error instead of keeping it in errno. */
#define SETTING_ASIDE(name, offset)                                                                \
    int name(int fd, offset at, offset size) {                                                     \
        static int (*real)(int, offset, offset);                                                   \
        FIND(#name);                                                                               \
        switch (meet(is_armed && is_ours(fd))) {                                                   \
        case FAIL: return with_error;                                                              \
        case TEAR: die();                                                                          \
        }                                                                                          \
        return real(fd, at, size);                                                                 \
    }

SETTING_ASIDE(posix_fallocate, off_t)
SETTING_ASIDE(posix_fallocate64, off64_t)

/* Only what makes a file is a change; what is looked at is not. */
#define OPENING(name, parameters, arguments, at, path)                                             \
    int name parameters {                                                                          \
        static int (*real)();                                                                      \
        mode_t mode = 0;                                                                           \
        if (flags & O_CREAT) {                                                                     \
            va_list more;                                                                          \
            va_start(more, flags);                                                                 \
            mode = va_arg(more, mode_t);                                                           \
            va_end(more);                                                                          \
            STRIKE(is_armed && is_named_ours(at, path));                                           \
        }                                                                                          \
        FIND(#name);                                                                               \
        return real arguments;                                                                     \
    }

OPENING(open, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD, path)
OPENING(open64, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD, path)
OPENING(openat, (int at, const char *path, int flags, ...), (at, path, flags, mode), at, path)
OPENING(openat64, (int at, const char *path, int flags, ...), (at, path, flags, mode), at, path)

long syscall(long number, ...) {
    static long (*real)(long, ...);
    long a[6];
    va_list more;
    va_start(more, number);
    for (int i = 0; i < 6; i++) a[i] = va_arg(more, long);
    va_end(more);
    if (number == SYS_renameat2) STRIKE(is_armed && is_named_ours((int)a[0], (const char *)a[1]));
    FIND("syscall");
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
