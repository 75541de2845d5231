#include "record/proc_file.h"

#include <fcntl.h>
#include <stdio.h>

#include "record/tracefs.h"

/* Fields behind the name, counted from 0: state, ppid, ...; PF_KTHREAD of the kernel's flags. */
enum { PPID_FIELD = 1, FLAGS_FIELD = 6, START_FIELD = 19, KERNEL_THREAD = 0x200000 };

/* The name may have blanks and brackets: it ends with the last one. */
static bool find_comm(struct str text, struct str *comm, struct str *rest)
{
    size_t open = str_find(text, '('), close = text.n;
    while (close > open && text.p[close - 1] != ')')
        close--;
    if (close <= open + 1)
        return false;
    *comm = str_from_to(text, open + 1, close - 1);
    *rest = str_skip(text, close);
    return true;
}

static struct str read_text(const char *path, struct byte_list *text)
{
    text->v.count = 0;
    if (!read_file_at(AT_FDCWD, path, text))
        return STR("");
    return (struct str){(const char *)text->v.items, text->v.count};
}

struct str proc_file_read(int32_t pid, const char *name, struct byte_list *text)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    return read_text(path, text);
}

bool proc_stat_read(const char *folder, struct byte_list *text, struct proc_stat *out)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%s/stat", folder);
    *out = (struct proc_stat){.comm = {"", 0}};
    struct str rest;
    if (!find_comm(read_text(path, text), &out->comm, &rest))
        return false;
    for (int field = 0; field <= START_FIELD; field++) {
        uint64_t v = 0;
        struct str word = str_take_word(&rest);
        if (!str_to_u64(word, 10, &v))
            continue;
        if (field == PPID_FIELD)
            out->ppid = (int32_t)v;
        else if (field == FLAGS_FIELD)
            out->is_kthread = (v & KERNEL_THREAD) != 0;
        else if (field == START_FIELD)
            out->start = v;
    }
    return true;
}

int32_t proc_next_pid(DIR *dir)
{
    for (const struct dirent *e; (e = readdir(dir));) {
        uint64_t pid;
        if (str_to_u64(str_from(e->d_name), 10, &pid) && pid > 0 && pid <= INT32_MAX)
            return (int32_t)pid;
    }
    return 0;
}

uint64_t proc_start_time(pid_t pid)
{
    char folder[24];
    struct byte_list text = {0};
    struct proc_stat stat;
    snprintf(folder, sizeof folder, "%d", (int)pid);
    uint64_t start = proc_stat_read(folder, &text, &stat) ? stat.start : 0;
    vec_release(&text.v);
    return start;
}
