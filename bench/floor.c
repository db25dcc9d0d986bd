/* What a closed loop costs at least: every connection keeps one prepared point select in flight, sent from a packet
 * that was built beforehand and received without being decoded, timed or kept. The kernel's share of a statement
 * remains, and with it the lower bound that assay is held against. It speaks the little of the protocol that it needs
 * by itself (login without a password, prepare, execute), with the dialect that assay agrees on too: no definitions
 * of columns in replies to an execute, so that both receive the same bytes.
 *
 *   floor epoll|io_uring|blocking SOCKET SCHEMA TABLES ROWS CONNECTIONS SECONDS [fixed]     prints one line of JSON
 *   floor epoll|io_uring|blocking SOCKET memcached 0 KEYS CONNECTIONS SECONDS      the same of gets in memcached's text
 *   floor epoll|io_uring|blocking SOCKET postgres:DATABASE TABLES ROWS CONNECTIONS SECONDS      in PostgreSQL's protocol, as root, who is trusted
 *
 * SOCKET is a path, or HOST:PORT. epoll and io_uring hold all connections in one thread, or in as many as follow a colon
 * (io_uring:2); blocking gives each a thread of its own, which waits in send and recv.
 *
 * Each request draws its table, as those of sysbench and assay do; with `fixed` a connection keeps to one, which spares
 * the server three quarters of its prepared statements. SCHEMA may be empty. Only the loop is measured: connecting and preparing are over before. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <liburing.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* COM_STMT_EXECUTE with one INT: header 4, command 1, statement 4, flags 1, count 4, NULLs 1, types follow 1, type 2, key 4. */
#define EXECUTE_BYTES 22
/* Bind of the statement's name and ten digits, Execute, Sync; all shorter requests fit, too. */
#define REQUEST_BYTES 48
#define NAME_AT 6
#define DIGITS_AT 16
#define DIGITS 10
#define STATEMENT_AT 5
#define KEY_AT 18
#define MOST_TABLES 16
/* A reply has 150 bytes; an error message has fewer than this. */
#define REPLY_BYTES 1024
#define EVENTS 256
/* Completions of the largest number of connections, with a send's that failed. */
#define RING_ENTRIES 4096
#define COMPLETIONS 32768
#define SEND_FAILED UINT64_MAX

struct conversation {
    int socket;
    unsigned prepared;
    uint32_t statements[MOST_TABLES];
    unsigned length;
    unsigned char request[REQUEST_BYTES];
    unsigned char reply[REPLY_BYTES];
};

static struct conversation *all;
static unsigned connections, rows, by_key, by_postgres;
static __thread uint64_t answers, lottery = 88172645463325252u;
static _Atomic uint64_t answered;
/* The end of the loop, for those who share no argument. */
static double over;

_Noreturn static void give_up(const char *why) {
    perror(why);
    exit(1);
}

static void draw(struct conversation *c) {
    lottery ^= lottery << 13, lottery ^= lottery >> 7, lottery ^= lottery << 17;
    uint32_t key = 1 + lottery % rows;
    if (by_key) {
        unsigned char digits[10], *at = c->request + 4;
        int count = 0;
        do digits[count++] = '0' + key % 10; while (key /= 10);
        while (count) *at++ = digits[--count];
        *at++ = '\r', *at++ = '\n';
        c->length = at - c->request;
        return;
    }
    if (by_postgres) {
        c->request[NAME_AT] = c->statements[(lottery >> 32) % c->prepared];
        /* The server takes zeros in front. */
        for (int at = DIGITS_AT + DIGITS; at-- > DIGITS_AT; key /= 10) c->request[at] = '0' + key % 10;
        return;
    }
    memcpy(c->request + STATEMENT_AT, &c->statements[(lottery >> 32) % c->prepared], sizeof *c->statements);
    memcpy(c->request + KEY_AT, &key, sizeof key);
}

/* One whole packet of the dialogue before the loop; returns its payload's length. */
static size_t hear(int socket, unsigned char *payload) {
    unsigned char header[4];
    if (recv(socket, header, 4, MSG_WAITALL) != 4) give_up("the server hung up");
    size_t length = header[0] | header[1] << 8 | header[2] << 16;
    if (length > REPLY_BYTES) { fprintf(stderr, "a packet of %zu bytes was not expected\n", length); exit(1); }
    if (recv(socket, payload, length, MSG_WAITALL) != (ssize_t)length) give_up("the server hung up");
    if (length && payload[0] == 0xff) { fprintf(stderr, "refused: %.*s\n", (int)length - 3, payload + 3); exit(1); }
    return length;
}

static void say(int socket, unsigned char number, const unsigned char *payload, size_t length) {
    unsigned char packet[REPLY_BYTES] = {length, length >> 8, 0, number};
    memcpy(packet + 4, payload, length);
    if (send(socket, packet, length + 4, MSG_NOSIGNAL) != (ssize_t)length + 4) give_up("send");
}

static int dial(const char *to) {
    struct sockaddr_un path = {.sun_family = AF_UNIX};
    struct sockaddr_in host = {.sin_family = AF_INET};
    const char *port = *to == '/' ? NULL : strchr(to, ':');
    char name[64];
    int on = 1, s = socket(port ? AF_INET : AF_UNIX, SOCK_STREAM, 0);
    snprintf(path.sun_path, sizeof path.sun_path, "%s", to);
    if (port) {
        snprintf(name, sizeof name, "%.*s", (int)(port - to), to);
        host.sin_port = htons(atoi(port + 1));
        if (inet_pton(AF_INET, name, &host.sin_addr) != 1) give_up(name);
        setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    struct sockaddr *address = port ? (struct sockaddr *)&host : (struct sockaddr *)&path;
    if (s < 0 || connect(s, address, port ? sizeof host : sizeof path)) give_up(to);
    return s;
}

/* Every key gets a value as long as assay's. */
static void fill(int socket) {
    enum { VALUE_BYTES = 119 };
    char request[64 + VALUE_BYTES], answer[16];
    for (unsigned key = 1; key <= rows; key++) {
        int length = sprintf(request, "set %u 0 0 %d\r\n%0*d\r\n", key, VALUE_BYTES, VALUE_BYTES, 7);
        if (send(socket, request, length, MSG_NOSIGNAL) != length) give_up("send");
        if (recv(socket, answer, 8, MSG_WAITALL) != 8 || memcmp(answer, "STORED\r\n", 8)) give_up("not stored");
    }
}

/* Messages of PostgreSQL until it is ready for the next question. */
static void until_ready(int socket) {
    unsigned char head[5], body[REPLY_BYTES];
    do {
        if (recv(socket, head, 5, MSG_WAITALL) != 5) give_up("the server hung up");
        uint32_t length;
        memcpy(&length, head + 1, 4);
        length = ntohl(length) - 4;
        if (length > REPLY_BYTES) { fprintf(stderr, "a message of %u bytes was not expected\n", length); exit(1); }
        if (length && recv(socket, body, length, MSG_WAITALL) != (ssize_t)length) give_up("the server hung up");
        if (*head == 'E') { fprintf(stderr, "refused: %.*s\n", (int)length, body); exit(1); }
        if (*head == 'R' && body[3]) { fprintf(stderr, "the server wants a password\n"); exit(1); }
    } while (*head != 'Z');
}

/* One message; of no kind is the first. */
static void tell(int socket, char kind, const char *body, uint32_t length) {
    unsigned char message[REPLY_BYTES];
    uint32_t at = kind ? 1 : 0, told = htonl(length + 4);
    message[0] = kind;
    memcpy(message + at, &told, 4);
    memcpy(message + at + 4, body, length);
    if (send(socket, message, at + 4 + length, MSG_NOSIGNAL) != at + 4 + length) give_up("send");
}

static int log_in_to_postgres(const char *path, const char *database) {
    char first[200];
    int s = dial(path);
    /* Version 3.0, then names and values. */
    memcpy(first, "\0\3\0\0user\0root\0database", 23);
    int length = 23 + sprintf(first + 23, "%.60s", database) + 1;
    first[length++] = 0;
    tell(s, 0, first, length);
    until_ready(s);
    return s;
}

static void prepare_in_postgres(struct conversation *c, unsigned table) {
    /* Bind: no name for the portal, one for the statement, no formats, one value, text in and out. Execute and Sync. */
    static const unsigned char request[] = "B\0\0\0\x1b\0?\0\0\0\0\1\0\0\0\x0a??????????\0\0"
                                           "E\0\0\0\x09\0\0\0\0\0S\0\0\0\4";
    char parse[100] = {'a' + table};
    int length = 2 + sprintf(parse + 2, "SELECT c FROM sbtest%u WHERE id=$1", table) + 1;
    tell(c->socket, 'P', parse, length + 2);
    tell(c->socket, 'S', "", 0);
    until_ready(c->socket);
    c->statements[c->prepared++] = *parse;
    c->length = sizeof request - 1;
    memcpy(c->request, request, c->length);
}

static int log_in(const char *path, const char *schema) {
    /* Protocol 4.1, schema, transactions, native authentication by plugin, OK in place of EOF; the lowest bit is not set,
     * which makes the server read its own bits: definitions are kept. */
    const uint32_t low = 1u << 9 | 1u << 13 | 1u << 15 | 1u << 19 | 1u << 24 | (*schema ? 1u << 3 : 0), high = 1u << 4;
    unsigned char heard[REPLY_BYTES], answer[200] = {0};
    int s = dial(path);
    hear(s, heard);
    memcpy(answer, &low, 4);
    answer[7] = 1; /* packets of up to 16 MiB */
    answer[8] = 45; /* utf8mb4 */
    memcpy(answer + 28, &high, 4);
    size_t at = 32;
    at += sprintf((char *)answer + at, "root") + 1;
    answer[at++] = 0; /* no password */
    if (*schema) at += sprintf((char *)answer + at, "%.60s", schema) + 1;
    at += sprintf((char *)answer + at, "mysql_native_password") + 1;
    say(s, 1, answer, at);
    if (hear(s, heard) && heard[0] == 0xfe) { /* asked again by another plugin: still no password */
        say(s, 3, answer, 0);
        hear(s, heard);
    }
    return s;
}

static void prepare(struct conversation *c, unsigned table) {
    unsigned char heard[REPLY_BYTES], sql[100];
    int length = sprintf((char *)sql, "\x16SELECT c FROM sbtest%u WHERE id=?", table);
    say(c->socket, 0, sql, length);
    if (hear(c->socket, heard) < 12) { fprintf(stderr, "the statement was not prepared\n"); exit(1); }
    memcpy(c->request, (unsigned char[]){EXECUTE_BYTES - 4, 0, 0, 0, 0x17}, 5);
    memcpy(&c->statements[c->prepared++], heard + 1, 4);
    c->length = EXECUTE_BYTES;
    c->request[10] = 1; /* executions */
    c->request[15] = 1; /* types follow */
    c->request[16] = 3; /* INT */
    unsigned parameters = heard[7] | heard[8] << 8, columns = heard[5] | heard[6] << 8;
    for (unsigned definitions = parameters + columns; definitions; definitions--) hear(c->socket, heard);
}

static void take(struct conversation *c, ssize_t length) {
    if (by_postgres ? length < 20 || c->reply[0] != '2' || c->reply[5] != 'D' || c->reply[length - 1] != 'I' :
        by_key ? length < 10 || c->reply[0] != 'V' || c->reply[length - 1] != '\n' : length < 5 || c->reply[4] == 0xff) {
        fprintf(stderr, "no rows: %zd bytes, %.*s\n", length, (int)(length > 13 ? length - 13 : 0), c->reply + 13);
        exit(1);
    }
    answers++;
    draw(c);
}

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

/* A thread's share of the connections, each so many apart. */
struct share {
    pthread_t thread;
    unsigned first, step;
};

static void *by_epoll(void *place) {
    struct share *own = place;
    lottery += own->first * 0x9e3779b97f4a7c15u;
    int set = epoll_create1(0);
    struct epoll_event happened[EVENTS];
    for (unsigned i = own->first; i < connections; i += own->step) {
        struct epoll_event wanted = {EPOLLIN, {.ptr = &all[i]}};
        if (epoll_ctl(set, EPOLL_CTL_ADD, all[i].socket, &wanted)) give_up("epoll_ctl");
        send(all[i].socket, all[i].request, all[i].length, 0);
    }
    while (now(CLOCK_MONOTONIC) < over) {
        int n = epoll_wait(set, happened, EVENTS, 100);
        for (int i = 0; i < n; i++) {
            struct conversation *c = happened[i].data.ptr;
            take(c, recv(c->socket, c->reply, REPLY_BYTES, MSG_DONTWAIT));
            send(c->socket, c->request, c->length, MSG_NOSIGNAL);
        }
    }
    answered += answers;
    return NULL;
}

static struct io_uring_sqe *entry(struct io_uring *ring, unsigned wanted) {
    if (io_uring_sq_space_left(ring) < wanted) io_uring_submit(ring);
    return io_uring_get_sqe(ring);
}

/* Request and reply as one linked pair: the reply's wait begins in the kernel as soon as the request is out. */
static void exchange(struct io_uring *ring, struct conversation *c) {
    struct io_uring_sqe *e = entry(ring, 2);
    io_uring_prep_send(e, c->socket, c->request, c->length, MSG_NOSIGNAL);
    e->flags |= IOSQE_IO_LINK | IOSQE_CQE_SKIP_SUCCESS;
    e->user_data = SEND_FAILED;
    e = entry(ring, 1);
    io_uring_prep_recv(e, c->socket, c->reply, REPLY_BYTES, 0);
    e->user_data = (uint64_t)(uintptr_t)c;
}

static void *by_io_uring(void *place) {
    struct share *own = place;
    lottery += own->first * 0x9e3779b97f4a7c15u;
    struct io_uring ring;
    struct io_uring_params wish = {.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE,
                                   .cq_entries = COMPLETIONS};
    int refused = io_uring_queue_init_params(RING_ENTRIES, &ring, &wish);
    if (refused) { fprintf(stderr, "io_uring is refused here: %s\n", strerror(-refused)); exit(1); }
    for (unsigned i = own->first; i < connections; i += own->step) exchange(&ring, &all[i]);
    while (now(CLOCK_MONOTONIC) < over) {
        io_uring_submit_and_wait(&ring, 1);
        struct io_uring_cqe *done;
        unsigned head, count = 0;
        io_uring_for_each_cqe(&ring, head, done) {
            count++;
            if (done->user_data == SEND_FAILED) { fprintf(stderr, "send: %s\n", strerror(-done->res)); exit(1); }
            struct conversation *c = (struct conversation *)(uintptr_t)done->user_data;
            take(c, done->res);
            exchange(&ring, c);
        }
        io_uring_cq_advance(&ring, count);
    }
    answered += answers;
    return NULL;
}

static void *by_blocking(void *place) {
    struct share *own = place;
    struct conversation *c = &all[own->first];
    lottery += own->first * 0x9e3779b97f4a7c15u;
    /* The clock is read seldom: sysbench reads it too, and it is no part of the exchange. */
    while (now(CLOCK_MONOTONIC) < over)
        for (int i = 0; i < 16; i++) {
            if (send(c->socket, c->request, c->length, MSG_NOSIGNAL) != c->length) give_up("send");
            take(c, recv(c->socket, c->reply, REPLY_BYTES, 0));
        }
    answered += answers;
    return NULL;
}

static void in_threads(void *(*way)(void *), unsigned count) {
    struct share *shares = calloc(count, sizeof *shares);
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 * 1024);
    for (unsigned i = 0; i < count; i++) {
        shares[i].first = i, shares[i].step = count;
        if (pthread_create(&shares[i].thread, &small, way, &shares[i])) give_up("pthread_create");
    }
    for (unsigned i = 0; i < count; i++) pthread_join(shares[i].thread, NULL);
}

static double in_seconds(struct timeval t) { return t.tv_sec + t.tv_usec / 1e6; }

int main(int count, char **word) {
    by_key = count > 7 && !strcmp(word[3], "memcached");
    by_postgres = count > 7 && !strncmp(word[3], "postgres:", 9);
    if (count < 8 || (atoi(word[4]) < 1 && !by_key) || atoi(word[4]) > MOST_TABLES) {
        fprintf(stderr, "floor epoll|io_uring|blocking SOCKET SCHEMA TABLES ROWS CONNECTIONS SECONDS [fixed]\n");
        return 2;
    }
    unsigned tables = atoi(word[4]);
    rows = atoi(word[5]), connections = atoi(word[6]);
    all = calloc(connections, sizeof *all);
    for (unsigned i = 0; i < connections; i++) {
        all[i].socket = by_key ? dial(word[2]) : by_postgres ? log_in_to_postgres(word[2], word[3] + 9) : log_in(word[2], word[3]);
        if (by_key) memcpy(all[i].request, "get ", 4);
        if (by_key && i == 0) fill(all[i].socket);
        for (unsigned table = 0; table < tables; table++)
            if (count == 8 || table == i % tables) (by_postgres ? prepare_in_postgres : prepare)(&all[i], 1 + table);
        draw(&all[i]);
    }
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    double begin = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    const char *threads = strchr(word[1], ':');
    unsigned wanted = *word[1] == 'b' ? connections : threads ? atoi(threads + 1) : 1;
    over = begin + atof(word[7]);
    in_threads(*word[1] == 'e' ? by_epoll : *word[1] == 'b' ? by_blocking : by_io_uring, wanted < connections ? wanted : connections);
    double wall = now(CLOCK_MONOTONIC) - begin;
    cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    getrusage(RUSAGE_SELF, &after);
    double user = in_seconds(after.ru_utime) - in_seconds(before.ru_utime);
    printf("{\"qps\":%.0f,\"client_cpu_us_per_statement\":%.3f,\"client_cpu_user_us_per_statement\":%.3f}\n",
           answered / wall, cpu / answered * 1e6, user / answered * 1e6);
    return 0;
}
