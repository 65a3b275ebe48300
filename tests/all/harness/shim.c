/* Stands between a program and the C library. It numbers what the program does to the files of one folder, writes that to a
 * log, and lets one of these steps fail or be the program's last. Everything else passes untouched.
 *
 * SHIM_FOLDER  the folder, absolute and without links
 * SHIM_LOG     a file to append to: a line a step (its form is read in shim.rs), the bytes after the line of a write
 * SHIM_FAIL    "KIND NUMBER ERRNO LASTING": the step of this kind (or "any": all that change something) and number fails;
 *              errno 0 does half of a read or write, a negative one sends that signal before the step, which is done unless
 *              it kills; lasting: all that follow fail too
 * SHIM_GRANTS  if set, every lock is granted to everybody, and none is taken
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { OPEN, READ, WRITE, TRUNCATE, SYNC, UNLINK, RENAME, LINK, MKDIR, LOCK, KINDS };
static const char *const NAMES[KINDS] = {"open", "read", "write", "truncate", "sync", "unlink", "rename", "link", "mkdir", "lock"};

#define FILES 1024
static char *paths[FILES];
static long counts[KINDS], changes;
static char folder[PATH_MAX], fail_kind[16];
static size_t folder_length;
static long fail_number;
static int fail_errno, fail_lasting, grants, log_file = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(type, name, ...) static type (*real)(__VA_ARGS__); if (!real) real = dlsym(RTLD_NEXT, name)

static int real_open(const char *path, int flags, mode_t mode) {
    REAL(int, "open64", const char *, int, ...);
    return real(path, flags, mode);
}

static ssize_t real_write(int file, const void *bytes, size_t count) {
    REAL(ssize_t, "write", int, const void *, size_t);
    return real(file, bytes, count);
}

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("SHIM_FOLDER"), *fail = getenv("SHIM_FAIL"), *log = getenv("SHIM_LOG");
    if (!name) return;
    grants = getenv("SHIM_GRANTS") != NULL;
    snprintf(folder, sizeof folder, "%s", name);
    folder_length = strlen(folder);
    if (fail) sscanf(fail, "%15s %ld %d %d", fail_kind, &fail_number, &fail_errno, &fail_lasting);
    if (log) log_file = real_open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

/* The absolute name of what lies in the folder, or is the folder; NULL for all else. */
static const char *inside(const char *path, char *buffer) {
    if (!folder_length || !path) return NULL;
    if (path[0] != '/') {
        char here[PATH_MAX / 2];
        if (!getcwd(here, sizeof here)) return NULL;
        if (!strcmp(path, ".")) snprintf(buffer, PATH_MAX, "%s", here);
        else snprintf(buffer, PATH_MAX, "%s/%s", here, !strncmp(path, "./", 2) ? path + 2 : path);
    } else snprintf(buffer, PATH_MAX, "%s", path);
    char after = strncmp(buffer, folder, folder_length) ? 'x' : buffer[folder_length];
    return after == 0 || after == '/' ? buffer : NULL;
}

static const char *of(int file) { return file >= 0 && file < FILES ? paths[file] : NULL; }

static void know(int file, const char *path) {
    if (file < 0 || file >= FILES) return;
    free(paths[file]);
    paths[file] = path ? strdup(path) : NULL;
}

/* Counts a step. Whether it is to be cut short, or fail: then errno is set and the answer below 0. */
static int step(enum kind kind, int is_change) {
    counts[kind]++;
    if (is_change) changes++;
    if (!fail_number) return 0;
    long number = !strcmp(fail_kind, "any") ? (is_change ? changes : 0) : !strcmp(fail_kind, NAMES[kind]) ? counts[kind] : 0;
    if (number != fail_number && !(fail_lasting && number > fail_number)) return 0;
    if (fail_errno < 0) {
        kill(getpid(), -fail_errno);
        if (fail_errno == -SIGKILL) pause();
        return 0;
    }
    errno = fail_errno;
    return fail_errno ? -1 : 1;
}

static void note(const char *text, const void *bytes, size_t count) {
    if (log_file < 0) return;
    int before = errno;
    char *line = malloc(strlen(text) + count + 1);
    size_t length = (size_t)sprintf(line, "%s", text);
    if (count) memcpy(line + length, bytes, count);
    real_write(log_file, line, length + count);
    free(line);
    errno = before;
}

#define NOTE(...) do { char text[3 * PATH_MAX]; snprintf(text, sizeof text, __VA_ARGS__); note(text, NULL, 0); } while (0)
#define ENTER pthread_mutex_lock(&lock)
#define LEAVE(value) do { int kept = errno; pthread_mutex_unlock(&lock); errno = kept; return value; } while (0)

static int opened(const char *name, int flags, mode_t mode) {
    char buffer[PATH_MAX];
    const char *path = inside(name, buffer);
    if (!path) return real_open(name, flags, mode);
    ENTER;
    int is_new = flags & O_CREAT && access(path, F_OK) != 0;
    int file = step(OPEN, is_new || flags & O_TRUNC) < 0 ? -1 : real_open(name, flags, mode);
    if (file >= 0) {
        know(file, path);
        NOTE("open\t%d:%d\t%s\t%s\n", getpid(), file, is_new ? "new" : flags & O_TRUNC ? "empty" : "old", path);
    }
    LEAVE(file);
}

#define MODE mode_t mode = 0; if (flags & O_CREAT) { va_list list; va_start(list, flags); mode = va_arg(list, mode_t); va_end(list); }
int open(const char *path, int flags, ...) { MODE return opened(path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE return opened(path, flags, mode); }

int close(int file) {
    REAL(int, "close", int);
    if (of(file)) { ENTER; know(file, NULL); pthread_mutex_unlock(&lock); }
    return real(file);
}

static ssize_t written(int file, const void *bytes, size_t count, off_t offset, int at) {
    REAL(ssize_t, "pwrite64", int, const void *, size_t, off_t);
    if (!of(file)) return at ? real(file, bytes, count, offset) : real_write(file, bytes, count);
    ENTER;
    int how = step(WRITE, 1);
    if (how > 0 && count > 1) count /= 2;
    ssize_t done = how < 0 ? -1 : at ? real(file, bytes, count, offset) : real_write(file, bytes, count);
    if (done >= 0) {
        char text[128];
        long long from = at ? (long long)offset : (long long)(lseek(file, 0, SEEK_CUR) - done);
        snprintf(text, sizeof text, "write\t%d:%d\t%lld\t%zd\n", getpid(), file, from, done);
        note(text, bytes, (size_t)done);
    }
    LEAVE(done);
}

ssize_t write(int file, const void *bytes, size_t count) { return written(file, bytes, count, 0, 0); }
ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) { return written(file, bytes, count, offset, 1); }
ssize_t pwrite64(int file, const void *bytes, size_t count, off_t offset) { return written(file, bytes, count, offset, 1); }

ssize_t writev(int file, const struct iovec *parts, int count) {
    REAL(ssize_t, "writev", int, const struct iovec *, int);
    if (!of(file)) return real(file, parts, count);
    return count ? written(file, parts[0].iov_base, parts[0].iov_len, 0, 0) : 0;
}

static ssize_t got(int file, void *bytes, size_t count, off_t offset, int at) {
    REAL(ssize_t, "pread64", int, void *, size_t, off_t);
    static ssize_t (*plain)(int, void *, size_t);
    if (!plain) plain = dlsym(RTLD_NEXT, "read");
    if (!of(file)) return at ? real(file, bytes, count, offset) : plain(file, bytes, count);
    ENTER;
    int how = step(READ, 0);
    if (how > 0 && count > 1) count /= 2;
    ssize_t done = how < 0 ? -1 : at ? real(file, bytes, count, offset) : plain(file, bytes, count);
    NOTE("read\t%d:%d\n", getpid(), file);
    LEAVE(done);
}

ssize_t read(int file, void *bytes, size_t count) { return got(file, bytes, count, 0, 0); }
ssize_t pread(int file, void *bytes, size_t count, off_t offset) { return got(file, bytes, count, offset, 1); }
ssize_t pread64(int file, void *bytes, size_t count, off_t offset) { return got(file, bytes, count, offset, 1); }

/* The kernel's own ways to copy would pass unseen; programs that are refused them read and write. */
ssize_t copy_file_range(int from, off_t *in, int to, off_t *out, size_t count, unsigned flags) {
    REAL(ssize_t, "copy_file_range", int, off_t *, int, off_t *, size_t, unsigned);
    if (of(to)) { errno = ENOSYS; return -1; }
    return real(from, in, to, out, count, flags);
}

ssize_t sendfile64(int to, int from, off_t *offset, size_t count) {
    REAL(ssize_t, "sendfile64", int, int, off_t *, size_t);
    if (of(to)) { errno = ENOSYS; return -1; }
    return real(to, from, offset, count);
}

static int synced(const char *name, int file) {
    int (*real)(int) = dlsym(RTLD_NEXT, name);
    if (!of(file)) return real(file);
    ENTER;
    int done = step(SYNC, 1) < 0 ? -1 : real(file);
    if (done == 0) NOTE("sync\t%d:%d\t%s\n", getpid(), file, of(file));
    LEAVE(done);
}

int fsync(int file) { return synced("fsync", file); }
int fdatasync(int file) { return synced("fdatasync", file); }

static int cut(int file, off_t size) {
    REAL(int, "ftruncate64", int, off_t);
    if (!of(file)) return real(file, size);
    ENTER;
    int done = step(TRUNCATE, 1) < 0 ? -1 : real(file, size);
    if (done == 0) NOTE("truncate\t%d:%d\t%lld\n", getpid(), file, (long long)size);
    LEAVE(done);
}

int ftruncate(int file, off_t size) { return cut(file, size); }
int ftruncate64(int file, off_t size) { return cut(file, size); }

static int named(enum kind kind, int (*real)(const char *), const char *name) {
    char buffer[PATH_MAX];
    const char *path = inside(name, buffer);
    if (!path) return real(name);
    ENTER;
    int done = step(kind, 1) < 0 ? -1 : real(name);
    if (done == 0) NOTE("%s\t%s\n", NAMES[kind], path);
    LEAVE(done);
}

int unlink(const char *path) { REAL(int, "unlink", const char *); return named(UNLINK, real, path); }

int mkdir(const char *name, mode_t mode) {
    REAL(int, "mkdir", const char *, mode_t);
    char buffer[PATH_MAX];
    const char *path = inside(name, buffer);
    if (!path) return real(name, mode);
    ENTER;
    int done = step(MKDIR, 1) < 0 ? -1 : real(name, mode);
    if (done == 0) NOTE("mkdir\t%s\n", path);
    LEAVE(done);
}

#define PAIR(kind, call) \
    char one[PATH_MAX], two[PATH_MAX]; \
    const char *a = inside(from, one), *b = inside(to, two); \
    if (!a && !b) return call; \
    ENTER; \
    int done = step(kind, 1) < 0 ? -1 : call; \
    if (done == 0) NOTE("%s\t%s\t%s\n", NAMES[kind], a ? a : from, b ? b : to); \
    LEAVE(done)

int rename(const char *from, const char *to) {
    REAL(int, "rename", const char *, const char *);
    PAIR(RENAME, real(from, to));
}

int renameat(int first, const char *from, int second, const char *to) {
    REAL(int, "renameat", int, const char *, int, const char *);
    PAIR(RENAME, real(first, from, second, to));
}

int renameat2(int first, const char *from, int second, const char *to, unsigned flags) {
    REAL(int, "renameat2", int, const char *, int, const char *, unsigned);
    PAIR(RENAME, real(first, from, second, to, flags));
}

int link(const char *from, const char *to) {
    REAL(int, "link", const char *, const char *);
    PAIR(LINK, real(from, to));
}

int linkat(int first, const char *from, int second, const char *to, int flags) {
    REAL(int, "linkat", int, const char *, int, const char *, int);
    PAIR(LINK, real(first, from, second, to, flags));
}

static int controlled(const char *name, int file, int command, void *argument) {
    int (*real)(int, int, ...) = dlsym(RTLD_NEXT, name);
    if (!of(file)) return real(file, command, argument);
    ENTER;
    int done;
    int locks = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
    if (locks && ((struct flock *)argument)->l_type != F_UNLCK) {
        done = step(LOCK, 0) < 0 ? -1 : grants ? 0 : real(file, command, argument);
        NOTE("lock\t%d:%d\n", getpid(), file);
    } else {
        done = real(file, command, argument);
        if (done >= 0 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC)) know(done, of(file));
    }
    LEAVE(done);
}

#define ARGUMENT va_list list; va_start(list, command); void *argument = va_arg(list, void *); va_end(list)
int fcntl(int file, int command, ...) { ARGUMENT; return controlled("fcntl", file, command, argument); }
int fcntl64(int file, int command, ...) { ARGUMENT; return controlled("fcntl64", file, command, argument); }

int flock(int file, int how) {
    REAL(int, "flock", int, int);
    if (!of(file) || how & LOCK_UN) return real(file, how);
    ENTER;
    int done = step(LOCK, 0) < 0 ? -1 : real(file, how);
    NOTE("lock\t%d:%d\n", getpid(), file);
    LEAVE(done);
}
