/* The fleet that is asked: `target HEALTHY HUNG` listens on that many ports of 127.0.0.1 each, prints them, and serves until killed.
 * A healthy port answers every request with the same JSON and closes; a hung one accepts, reads and says nothing. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST 65536
enum { NOTHING, LISTEN, LISTEN_HUNG, CONNECTION, HUNG };
static char kind[MOST];
static const char body[] =
    "{\"status\": \"ok\", \"uptime_s\": 5400, \"instance\": \"b1f0\", \"version\": \"1.4.2\", "
    "\"progress\": {\"counter\": 5512, \"age_s\": 12}, \"queue\": 3, "
    "\"errors\": [], \"apis\": {\"google-sheets\": {\"state\": \"closed\", \"failures\": 0, \"calls_60s\": 40, \"errors_60s\": 0}}, "
    "\"checks\": {\"polling\": {\"ok\": true, \"age_s\": 4}}, \"metrics\": {\"requests_today\": 812, \"rooms_synced\": 40}}";

static int listener(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) || listen(fd, 4096)) exit(1);
    if (getsockname(fd, (struct sockaddr *)&address, &size)) exit(1);
    printf("%d ", ntohs(address.sin_port));
    return fd;
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max < MOST ? files.rlim_max : MOST - 1;
    setrlimit(RLIMIT_NOFILE, &files);
    signal(SIGPIPE, SIG_IGN);
    char answer[1024], request[4096];
    int length = snprintf(answer, sizeof answer,
                          "HTTP/1.1 200 OK\r\nServer: target\r\nContent-Type: application/json\r\n"
                          "Content-Length: %zu\r\nConnection: close\r\n\r\n%s", strlen(body), body);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; i < atoi(argv[1]) + atoi(argv[2]); i++) {
        int fd = listener();
        kind[fd] = i < atoi(argv[1]) ? LISTEN : LISTEN_HUNG;
        struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
        epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
    }
    printf("\n");
    fflush(stdout);
    struct epoll_event events[256];
    for (;;) {
        int ready = epoll_wait(epoll, events, 256, -1);
        for (int i = 0; i < ready; i++) {
            int fd = events[i].data.fd;
            if (kind[fd] == LISTEN || kind[fd] == LISTEN_HUNG) {
                for (;;) {
                    int peer = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
                    if (peer < 0 || peer >= MOST) break;
                    kind[peer] = kind[fd] == LISTEN ? CONNECTION : HUNG;
                    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data.fd = peer};
                    epoll_ctl(epoll, EPOLL_CTL_ADD, peer, &event);
                }
                continue;
            }
            ssize_t got = recv(fd, request, sizeof request, 0);
            if (got < 0 && errno == EAGAIN) continue;
            if (got > 0 && kind[fd] == HUNG) continue;
            if (got > 0 && send(fd, answer, (size_t)length, MSG_NOSIGNAL) > 0) continue; /* the client closes */
            kind[fd] = NOTHING;
            close(fd);
        }
    }
}
