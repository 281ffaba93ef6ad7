/* What a disk certainly has: compiled by test_power_cut.py and loaded before everything else.
 *
 * Whenever somebody waits for the disk (fsync, fdatasync) to have a file of the database, a copy of
 * it is made beside it: name.durable. When the power fails, nothing else need be there. Files of the
 * database are those whose names end as POWER_CUT_FILES says, parted by colons. A lock keeps two
 * processes from making the same copy at once; a copy is whole, for it is renamed into its place.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static int ends_as_watched(const char *path)
{
    const char *at = getenv("POWER_CUT_FILES");
    size_t length = strlen(path);

    while (at != NULL && *at != '\0') {
        const char *colon = strchr(at, ':');
        size_t size = colon != NULL ? (size_t)(colon - at) : strlen(at);
        if (size > 0 && size <= length && strncmp(path + length - size, at, size) == 0)
            return 1;
        at = colon != NULL ? colon + 1 : NULL;
    }
    return 0;
}

static void copy(const char *from, const char *to)
{
    char half[PATH_MAX], locked[PATH_MAX];
    struct stat facts;
    off_t at = 0;

    snprintf(half, sizeof half, "%s.half", to);
    snprintf(locked, sizeof locked, "%s.lock", to);
    int lock = open(locked, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    flock(lock, LOCK_EX);
    int source = open(from, O_RDONLY | O_CLOEXEC);
    int target = open(half, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    if (source >= 0 && target >= 0 && fstat(source, &facts) == 0) {
        while (at < facts.st_size && sendfile(target, source, &at, facts.st_size - at) > 0)
            ;
        if (at >= facts.st_size)
            rename(half, to);
    }
    if (source >= 0)
        close(source);
    if (target >= 0)
        close(target);
    close(lock); /* and with it the lock goes */
}

static void note(int fd)
{
    char link[64], path[PATH_MAX - 16], durable[PATH_MAX];
    ssize_t length;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof path - 1);
    if (length <= 0)
        return;
    path[length] = '\0';
    if (!ends_as_watched(path))
        return;
    snprintf(durable, sizeof durable, "%s.durable", path);
    copy(path, durable);
}

int fsync(int fd)
{
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    int done = real(fd);

    if (done == 0)
        note(fd);
    return done;
}

int fdatasync(int fd)
{
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    int done = real(fd);

    if (done == 0)
        note(fd);
    return done;
}
