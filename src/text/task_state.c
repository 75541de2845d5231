#include "text/task_state.h"

#include <stdio.h>

enum {
    SLEEPING = 0x1,
    DISK_SLEEP = 0x2,
    FIXED_BITS = 0x3f, /* up to EXIT_ZOMBIE they are the same in every kernel */
    /* Ours, where kernels differ. */
    PARKED = 0x40,
    DEAD = 0x80,
    WAKE_KILL = 0x100,
    WAKING = 0x200,
    NO_LOAD = 0x400,
    IDLE = 0x800,
    PREEMPTED = 0x1000,
    INVALID = 0x8000,
};

#define VERSION(major, minor) ((kernel_version)(major) << 16 | (kernel_version)(minor))

static unsigned from_4_14(unsigned raw)
{
    unsigned state = raw & FIXED_BITS;
    state |= raw & 0x40 ? PARKED : 0u;
    state |= raw & 0x80 ? IDLE : 0u;
    state |= raw & 0x100 ? PREEMPTED : 0u;
    return raw & 0xfe00 ? INVALID : state;
}

static unsigned before_4_14(unsigned raw, kernel_version version)
{
    unsigned state = raw & FIXED_BITS;
    state |= raw & 0x40 ? DEAD : 0u;
    state |= raw & 0x80 ? WAKE_KILL : 0u;
    state |= raw & 0x100 ? WAKING : 0u;
    state |= raw & 0x200 ? PARKED : 0u;
    state |= raw & 0x400 ? NO_LOAD : 0u;
    if (state == (DISK_SLEEP | NO_LOAD))
        state = IDLE;
    unsigned preempted = version >= VERSION(4, 8) ? 0x1000 : 0x800;
    return raw & preempted ? state | PREEMPTED : state;
}

static void append(struct task_state_text *out, char c)
{
    if (out->n < TASK_STATE_LONGEST)
        out->text[out->n++] = c;
}

struct task_state_text task_state_from_raw(int64_t prev_state, kernel_version version)
{
    static const struct {
        unsigned bit;
        char letter;
    } letters[] = {
        {SLEEPING, 'S'},  {DISK_SLEEP, 'D'}, {0x4, 'T'},     {0x8, 't'},
        {0x10, 'X'},      {0x20, 'Z'},       {PARKED, 'P'},  {DEAD, 'x'},
        {WAKE_KILL, 'K'}, {WAKING, 'W'},     {NO_LOAD, 'N'}, {IDLE, 'I'},
    };
    struct task_state_text out = {.n = 0};
    unsigned raw = (unsigned)(uint16_t)prev_state;
    unsigned state = version >= VERSION(4, 14) ? from_4_14(raw) : before_4_14(raw, version);
    if (state & INVALID)
        return out;
    if ((state & ~(unsigned)PREEMPTED) == 0) {
        append(&out, 'R');
        if (state & PREEMPTED)
            append(&out, '+');
        return out;
    }
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
        if (state & letters[i].bit)
            append(&out, letters[i].letter);
    return out;
}

static const char *letter_words(char letter)
{
    static const struct {
        char letter;
        const char *words;
    } known[] = {
        {'R', "Runnable"},  {'S', "Sleeping"},      {'D', "Uninterruptible Sleep"},
        {'T', "Stopped"},   {'t', "Traced"},        {'X', "Exit (Dead)"},
        {'x', "Task Dead"}, {'Z', "Exit (Zombie)"}, {'I', "Idle"},
        {'K', "Wake Kill"}, {'W', "Waking"},        {'P', "Parked"},
        {'N', "No Load"},   {'+', "(Preempted)"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].letter == letter)
            return known[i].words;
    return NULL;
}

void task_state_words(struct str letters, char *out, size_t size)
{
    size_t used = 0;
    str_copy(letters, out, size);
    for (size_t i = 0; i < letters.n; i++)
        if (!letter_words(letters.p[i]))
            return;
    for (size_t i = 0; i < letters.n && used < size; i++) {
        const char *before = i == 0 ? "" : letters.p[i] == '+' ? " " : ", ";
        int n = snprintf(out + used, size - used, "%s%s", before, letter_words(letters.p[i]));
        used += n > 0 ? (size_t)n : 0;
    }
}

kernel_version kernel_version_parse(struct str release)
{
    uint64_t major, minor;
    size_t dot = str_find(release, '.');
    if (dot == release.n || !str_to_u64(str_from_to(release, 0, dot), 10, &major) || major > 1000)
        return 0;
    struct str rest = str_skip(release, dot + 1);
    size_t digits = 0;
    while (digits < rest.n && rest.p[digits] >= '0' && rest.p[digits] <= '9')
        digits++;
    if (!str_to_u64(str_from_to(rest, 0, digits), 10, &minor) || minor > 0xffff)
        return 0;
    return VERSION(major, minor);
}
