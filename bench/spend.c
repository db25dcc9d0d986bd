/* What a program spends, seen from outside: runs COMMAND, lets its output through, and writes "CPU_SECONDS USER_SECONDS
 * PEAK_KIB" to FILE when it is over. Counting begins when a line of the output holds MARK (an empty MARK: at once), so that
 * a program that says when its users are connected is not charged for connecting. Children are not counted.
 *
 *   spend FILE MARK COMMAND... */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How often the peak of memory is looked at; it cannot be asked for after the end. */
#define LOOK_MS 100

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
    if (count < 4) { fprintf(stderr, "spend FILE MARK COMMAND...\n"); return 2; }
    int pipe_ends[2];
    if (pipe(pipe_ends)) return 1;
    pid_t pid = fork();
    if (pid == 0) {
        dup2(pipe_ends[1], 1);
        close(pipe_ends[0]), close(pipe_ends[1]);
        execvp(word[3], word + 3);
        perror(word[3]);
        _exit(127);
    }
    close(pipe_ends[1]);
    char line[65536];
    size_t length = 0;
    long peak_kib = 0;
    int counting = !*word[2];
    struct spent before = {0, 0}, last = {0, 0};
    struct pollfd output = {pipe_ends[0], POLLIN, 0};
    for (;;) {
        poll(&output, 1, LOOK_MS);
        struct spent seen = look(pid, &peak_kib);
        if (seen.cpu > 0) last = seen;
        if (!output.revents) continue;
        ssize_t got = read(pipe_ends[0], line + length, sizeof line - 1 - length);
        if (got <= 0) break;
        if (write(1, line + length, got) < 0) break;
        length += got;
        line[length] = 0;
        if (!counting && strstr(line, word[2])) counting = 1, before = last;
        char *rest = strrchr(line, '\n');
        rest = rest ? rest + 1 : line;
        length = length + 1 < sizeof line ? strlen(rest) : 0;
        memmove(line, rest, length);
    }
    /* The end of the output is nearly the end of the program; what it spends on leaving is in the last look or lost. */
    int status = 0;
    siginfo_t over;
    waitid(P_PID, pid, &over, WEXITED | WNOWAIT);
    struct spent seen = look(pid, &peak_kib);
    if (seen.cpu > 0) last = seen;
    waitpid(pid, &status, 0);
    FILE *file = fopen(word[1], "w");
    if (!file) { perror(word[1]); return 1; }
    fprintf(file, "%.3f %.3f %ld\n", last.cpu - before.cpu, last.user - before.user, peak_kib);
    fclose(file);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
