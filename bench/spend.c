/* What a program spends, seen from outside: runs COMMAND, lets its output through, and writes "CPU_SECONDS USER_SECONDS
 * PEAK_KIB" to FILE when it is over. Counting begins when a line of the output holds FROM (an empty FROM: at once), so that
 * a program that says when its users are connected is not charged for connecting, and ends with the first one behind it that holds
 * UNTIL (an empty UNTIL: with the program). A program that never says UNTIL has spent nothing that could be told: status 3. Children
 * are not counted.
 *
 *   spend FILE FROM UNTIL COMMAND... */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How often the peak of memory is looked at; it cannot be asked for after the end. */
#define LOOK_MS 100
/* A line is to be seen when it is said, among a thousand threads that want the CPU too. */
#define NICE -10

struct spent { double cpu, user; };

static struct spent look(pid_t pid, long *peak_kib) {
    char path[64], text[4096];
    struct spent spent = {0, 0};
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int file = open(path, O_RDONLY);
    ssize_t got = file < 0 ? 0 : read(file, text, sizeof text - 1);
    close(file);
    text[got > 0 ? got : 0] = 0;
    unsigned long user = 0, system = 0;
    char *fields = strrchr(text, ')');
    if (fields) sscanf(fields, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
    spent.user = (double)user / sysconf(_SC_CLK_TCK);
    spent.cpu = spent.user + (double)system / sysconf(_SC_CLK_TCK);
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    file = open(path, O_RDONLY);
    got = file < 0 ? 0 : read(file, text, sizeof text - 1);
    close(file);
    text[got > 0 ? got : 0] = 0;
    char *peak = strstr(text, "VmHWM:");
    if (peak) *peak_kib = strtol(peak + 6, NULL, 10);
    return spent;
}

int main(int count, char **word) {
    if (count < 5) { fprintf(stderr, "spend FILE FROM UNTIL COMMAND...\n"); return 2; }
    const char *from = word[2], *until = word[3];
    int pipe_ends[2];
    if (pipe(pipe_ends)) return 1;
    pid_t pid = fork();
    if (pid == 0) {
        dup2(pipe_ends[1], 1);
        close(pipe_ends[0]), close(pipe_ends[1]);
        execvp(word[4], word + 4);
        perror(word[4]);
        _exit(127);
    }
    close(pipe_ends[1]);
    setpriority(PRIO_PROCESS, 0, NICE);
    char text[65536];
    size_t length = 0;
    long peak_kib = 0;
    int counting = !*from, counted = 0;
    struct spent before = {0, 0}, last = {0, 0};
    struct pollfd output = {pipe_ends[0], POLLIN, 0};
    for (;;) {
        poll(&output, 1, LOOK_MS);
        struct spent seen = look(pid, &peak_kib);
        if (seen.cpu > 0 && !counted) last = seen;
        if (!output.revents) continue;
        ssize_t got = read(pipe_ends[0], text + length, sizeof text - 1 - length);
        if (got <= 0) break;
        if (write(1, text + length, got) < 0) break;
        length += got;
        text[length] = 0;
        char *line = text, *end;
        for (; (end = strchr(line, '\n')); line = end + 1) {
            *end = 0;
            if (counting && *until && strstr(line, until)) counted = 1;
            if (!counting && strstr(line, from)) counting = 1, before = last;
        }
        length = length + 1 < sizeof text ? strlen(line) : 0;
        memmove(text, line, length);
    }
    /* The end of the output is nearly the end of the program; what it spends on leaving is in the last look or lost. */
    int status = 0;
    siginfo_t over;
    waitid(P_PID, pid, &over, WEXITED | WNOWAIT);
    struct spent seen = look(pid, &peak_kib);
    if (seen.cpu > 0 && !counted) last = seen;
    waitpid(pid, &status, 0);
    if (*until && !counted) { fprintf(stderr, "spend: nothing was said between '%s' and '%s'\n", from, until); return 3; }
    FILE *file = fopen(word[1], "w");
    if (!file) { perror(word[1]); return 1; }
    fprintf(file, "%.3f %.3f %ld\n", last.cpu - before.cpu, last.user - before.user, peak_kib);
    fclose(file);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
