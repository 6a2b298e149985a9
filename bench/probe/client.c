/* The measure: an epoll client that does what a probe must do and nothing else.
 * `client INTERVAL SECONDS DEADLINE COUNT HEALTHY_PORTS HUNG_PORTS EVERY SETTLES`: COUNT targets, each asked once per INTERVAL in ticks
 * of 100 ms, for SECONDS after SETTLES seconds of the same; every EVERY-th target is hung (0: none). Ports are comma separated.
 * Prints one line of JSON. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define MOST 65536
struct probe { double due; int sent, next, back; };
static struct probe probes[MOST];
static int oldest = -1, newest = -1, epoll_fd;
static long done, good, late;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

static double cpu(const struct rusage *used) {
    return used->ru_utime.tv_sec + used->ru_stime.tv_sec + (used->ru_utime.tv_usec + used->ru_stime.tv_usec) / 1e6;
}

static int ports_of(char *text, int *ports) {
    int count = 0;
    for (char *one = strtok(text, ","); one; one = strtok(NULL, ",")) ports[count++] = atoi(one);
    return count;
}

static void finish(int fd) {
    struct probe *p = &probes[fd];
    if (p->back >= 0) probes[p->back].next = p->next; else oldest = p->next;
    if (p->next >= 0) probes[p->next].back = p->back; else newest = p->back;
    close(fd);
    done++;
}

static void ask(int port, double deadline) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || fd >= MOST) { done++; return; }
    probes[fd] = (struct probe){.due = seconds() + deadline, .next = -1, .back = newest};
    if (newest >= 0) probes[newest].next = fd; else oldest = fd;
    newest = fd;
    if (connect(fd, (struct sockaddr *)&to, sizeof to) && errno != EINPROGRESS) { finish(fd); return; }
    struct epoll_event event = {.events = EPOLLOUT, .data.fd = fd};
    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

static void ready(int fd) {
    static const char request[] =
        "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        "Accept: application/health+json, application/json;q=0.9, */*;q=0.5\r\n"
        "Accept-Encoding: identity\r\nConnection: close\r\n\r\n";
    char answer[16384];
    if (!probes[fd].sent) {
        if (send(fd, request, sizeof request - 1, MSG_NOSIGNAL) < 0) { finish(fd); return; }
        probes[fd].sent = 1;
        struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
        epoll_ctl(epoll_fd, EPOLL_CTL_MOD, fd, &event);
        return;
    }
    ssize_t got = recv(fd, answer, sizeof answer - 1, 0);
    if (got < 0 && errno == EAGAIN) return;
    if (got > 0) {
        answer[got] = 0;
        char *json = strstr(answer, "\r\n\r\n");
        if (!strncmp(answer, "HTTP/1.1 200", 12) && json && strstr(json, "\"status\": \"ok\"")) good++;
    }
    finish(fd);
}

int main(int argc, char **argv) {
    if (argc < 9) return 2;
    double interval = atof(argv[1]), length = atof(argv[2]), deadline = atof(argv[3]), settles = atof(argv[8]);
    int count = atoi(argv[4]), every = atoi(argv[7]), healthy[64], hung[64];
    int n_healthy = ports_of(argv[5], healthy), n_hung = ports_of(argv[6], hung);
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    struct itimerspec tick = {{0, 100000000}, {0, 1}};
    timerfd_settime(timer, 0, &tick, NULL);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = timer}, events[256];
    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, timer, &event);
    struct rusage used;
    double before = 0, started = seconds(), measures = started + settles, asked = 0;
    long next = 0, settled = -1;
    for (double now = started; now - measures < length; now = seconds()) {
        if (settled < 0 && now >= measures) {
            getrusage(RUSAGE_SELF, &used);
            before = cpu(&used);
            settled = next;
        }
        int got = epoll_wait(epoll_fd, events, 256, 100);
        for (int i = 0; i < got; i++) {
            if (events[i].data.fd != timer) { ready(events[i].data.fd); continue; }
            unsigned long long ticks;
            if (read(timer, &ticks, sizeof ticks) < 0) continue;
            double now = seconds();
            while (oldest >= 0 && probes[oldest].due <= now) { late++; finish(oldest); }
            for (asked += count * 0.1 * ticks / interval; asked >= 1; asked--, next++)
                ask(every && next % every == 0 ? hung[next % n_hung] : healthy[next % n_healthy], deadline);
        }
    }
    getrusage(RUSAGE_SELF, &used);
    printf("{\"asked\": %ld, \"good\": %ld, \"late\": %ld, \"cpu\": %.6f, \"rss\": %ld}\n", next - settled, good, late,
           cpu(&used) - before, used.ru_maxrss * 1024);
    return 0;
}
