/* A wall clock that somebody sets: compiled by test_clock_jumps.py, loaded before everything else.
 *
 * SET_CLOCK names a file with eight bytes: by how many seconds the wall clock is off, as the machine
 * writes numbers. It is mapped, so that a change is seen at once. Clocks that nobody can set go on
 * as they do.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *offset;
static int (*real_gettime)(clockid_t, struct timespec *);

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("SET_CLOCK");
    int fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;

    real_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    if (fd >= 0) {
        void *seen = mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, fd, 0);
        offset = seen == MAP_FAILED ? NULL : seen;
        close(fd);
    }
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (real_gettime == NULL)
        begin();
    int done = real_gettime(clock, now);
    if (done == 0 && offset != NULL && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += *offset;
    return done;
}

int gettimeofday(struct timeval *now, void *zone)
{
    struct timespec found;

    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &found) != 0)
        return -1;
    now->tv_sec = found.tv_sec;
    now->tv_usec = found.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now)
{
    struct timespec found;

    if (clock_gettime(CLOCK_REALTIME, &found) != 0)
        return -1;
    if (now != NULL)
        *now = found.tv_sec;
    return found.tv_sec;
}
