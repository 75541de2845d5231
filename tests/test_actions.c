/* Every action after every other, in timelines that lack what actions work on: the table of actions
 * is walked, so that a new one is tried by itself. What is wrong crashes, or is told by a
 * sanitizer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sanitized.h"
#include "tui/app/actions.h"
#include "tui/app/app.h"

struct world {
    const char *name; /* of the trace's file */
    const char *trace;
    const char *setup; /* lines of a script, in between, as some actions undo it; NULL: none */
    uint32_t share;    /* of the orders */
};

enum { BETWEEN_SETUPS = 4 };

#define SCHED(us, from, to)                                                                        \
    "  app-" #from " ( 100) [000] d..3 10.000" us ": sched_switch: prev_comm=app prev_pid=" #from  \
    " prev_prio=120 prev_state=S ==> next_comm=app next_pid=" #to " next_prio=120\n"
#define MARK(us, tid, text)                                                                        \
    "  app-" #tid " ( 100) [000] .... 10.000" us ": tracing_mark_write: " text "\n"

static const struct world empty = {"empty.json", "{\"traceEvents\":[]}", NULL, 0};
static const struct world samples = {"samples.folded", "a;b;c 3\na;b 2\n", NULL, 1};
static const struct world logs = {"logs.txt",
                                  "--------- beginning of main\n"
                                  "01-02 03:04:05.678  100  101 I Tag: hello\n"
                                  "01-02 03:04:06.678  100  102 W Tag: there\n",
                                  NULL, 2};
static const struct world one_slice = {
    "one.json", "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":9}]}", NULL, 3};
static const struct world cpus_only = {
    "cpus.systrace",
    "# tracer: nop\n"
    "  <idle>-0 (-----) [001] .... 10.000001: cpu_frequency: state=300 cpu_id=1\n"
    "  <idle>-0 (-----) [001] .... 10.000101: cpu_frequency: state=500 cpu_id=1\n",
    NULL, 4};
static const struct world filtered = {
    "filtered.systrace",
    "# tracer: nop\n" SCHED("100", 101, 100) MARK("110", 100, "B|100|outer")
        MARK("120", 100, "B|100|inner") SCHED("130", 100, 101) MARK("140", 101, "C|100|count|3")
            SCHED("150", 101, 100) MARK("160", 100, "E|100") MARK("170", 100, "E|100"),
    ":action filter\n:type no track is called so\n:action prompt-accept\n", 5};

static void put_action(FILE *f, uint32_t action)
{
    fprintf(f, ":action %s\n", action_at(action)->name);
}

/* All orders of two, in as few lines as there are orders but for the setups, each in two of the six
 * worlds; under sanitizers in two others. */
static void put_actions(FILE *f, const struct world *w, const uint32_t *actions, uint32_t count)
{
    enum { SHARES = 3 };
    for (uint32_t i = 0; i < count; i++) {
        put_action(f, actions[i]);
        put_action(f, actions[i]);
        for (uint32_t j = i + 1; j < count; j++) {
            if ((i + j + w->share + IS_SANITIZED) % SHARES != 0)
                continue;
            if (w->setup && (i + j) % BETWEEN_SETUPS == 0) {
                fputs(w->setup, f);
                put_action(f, actions[i]);
            }
            put_action(f, actions[j]);
            put_action(f, actions[i]);
        }
    }
}

/* Without those that end the script, or stop the process. */
static void write_script(const char *path, const struct world *w)
{
    uint32_t count = 0, *actions = calloc(action_count(), sizeof *actions);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_non_null(actions);
    for (uint32_t i = 0; i < action_count(); i++)
        if (strcmp(action_at(i)->name, "quit") != 0)
            actions[count++] = i;
    assert_true(count > 100);
    fputs(":wait-idle\n", f);
    put_actions(f, w, actions, count);
    fputs(":wait-idle\n:screenshot end\n:action quit\n", f);
    assert_int_equal(fclose(f), 0);
    free(actions);
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

/* In a process of its own, which the program may end without a return. */
static int run_script(const struct world *w)
{
    const struct tui_options options = {
        .path = w->name, .script = "script", .width = 60, .height = 16, .cache.off = true};
    int status;
    fflush(stdout);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        exit(tui_main(&options));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void run_world(void **state)
{
    const struct world *w = *state;
    write_text(w->name, w->trace);
    write_script("script", w);
    assert_int_equal(run_script(w), 0);
    assert_int_equal(unlink("end"), 0); /* the script was done to its end */
    assert_int_equal(unlink("script"), 0);
    assert_int_equal(unlink(w->name), 0);
}

/* Actions write files, copy and open an editor: all of it in a folder of the test's own. */
static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/tptui-actions-XXXXXX");
    return !mkdtemp(folder) || chdir(folder) || setenv("HOME", folder, 1) ||
           setenv("EDITOR", "true", 1) || unsetenv("VISUAL") || unsetenv("TMUX") ||
           unsetenv("XDG_CONFIG_HOME") || setenv("XDG_STATE_HOME", "/dev/null", 1);
}

static int remove_folder(void **state)
{
    char command[96];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

#define WORLD(w)                                                                                   \
    {                                                                                              \
        .name = "test_all_actions_" #w, .test_func = run_world, .initial_state = (void *)&(w)      \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD(empty),     WORLD(samples),   WORLD(logs),
        WORLD(one_slice), WORLD(cpus_only), WORLD(filtered),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
