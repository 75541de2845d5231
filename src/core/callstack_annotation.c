#include "core/callstack_annotation.h"

enum map_kind { MAP_OTHER, MAP_INTERPRETED, MAP_JIT, MAP_AOT, MAP_RUNTIME };

static const char *const managed_names[] = {
    [MAP_INTERPRETED] = "interp",
    [MAP_JIT] = "jit",
    [MAP_AOT] = "aot",
    [MAP_RUNTIME] = NULL,
};

static bool is_any_prefix(struct str s, const char *const *prefixes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_starts(s, str_from(prefixes[i])))
            return true;
    return false;
}

/* From the last `c` on, or nothing. */
static struct str from_last(struct str s, char c)
{
    const char *hit = s.n ? memrchr(s.p, c, s.n) : NULL;
    return hit ? str_skip(s, (size_t)(hit - s.p)) : (struct str){"", 0};
}

/* What is mapped, by the names that Android gives its files. Bytecode is "interpreted": the frame
 * of compiled code is in the file of the compiled code. */
static enum map_kind map_kind(struct str name)
{
    static const char *const runtime[] = {"/libart.so", "/libartd.so"};
    static const char *const jit[] = {"/memfd:jit-cache", "/memfd:jit-zygote-cache"};
    static const char *const bytecode[] = {".dex", ".vdex", ".jar", ".apk"};
    static const char *const compiled[] = {".oat", ".odex"};
    if (is_any_prefix(name, jit, 2))
        return MAP_JIT;
    if (is_any_prefix(from_last(name, '/'), runtime, 2))
        return MAP_RUNTIME;
    struct str extension = from_last(name, '.');
    if (is_any_prefix(extension, bytecode, 4))
        return MAP_INTERPRETED;
    return is_any_prefix(extension, compiled, 2) ? MAP_AOT : MAP_OTHER;
}

/* Functions that interpret: who asks what mode the thread was in wants to see them. */
static bool is_interpreter(struct str name)
{
    static const char *const prefixes[] = {"nterp_", "Nterp", "ExecuteNterp", "ExecuteSwitchImpl",
                                           "_ZN3art11interpreter"};
    return is_any_prefix(name, prefixes, sizeof prefixes / sizeof *prefixes);
}

/* On the way from the root to the leaf. */
struct walk {
    bool managed;   /* a managed frame was seen: ART's frames are machinery from here on */
    bool keep_next; /* the trampoline into native code: what it calls is not */
};

static const char *annotate(struct walk *w, struct str name, enum map_kind map)
{
    if (w->keep_next) {
        *w = (struct walk){.managed = true};
        return NULL;
    }
    if (str_eq(name, STR("art_jni_trampoline"))) {
        w->keep_next = true;
        return "common-frame";
    }
    if (map == MAP_RUNTIME && w->managed)
        return is_interpreter(name) ? "common-frame-interp" : "common-frame";
    if (map == MAP_OTHER || map == MAP_RUNTIME)
        return NULL;
    w->managed = true;
    return managed_names[map];
}

void callstack_annotate(const struct trace *t, uint32_t callsite, struct annotated_callstack *out)
{
    const struct table *frames = &t->tables.stack_profile_frame;
    const struct table *mappings = &t->tables.stack_profile_mapping;
    const uint32_t *parents =
        table_u32(&t->tables.stack_profile_callsite, stack_profile_callsite_col_parent_id);
    const uint32_t *frame_ids =
        table_u32(&t->tables.stack_profile_callsite, stack_profile_callsite_col_frame_id);
    out->v.count = 0;
    /* A parent stands before its child, which ends every walk. */
    for (uint32_t at = callsite, child = UINT32_MAX; at < child; child = at, at = parents[at])
        *vec_push(&out->v) = (struct annotated_callsite){at, NULL};
    struct walk w = {0};
    for (size_t i = out->v.count; i-- > 0;) {
        uint32_t frame = frame_ids[out->v.items[i].callsite];
        uint32_t mapping = table_u32(frames, stack_profile_frame_col_mapping)[frame];
        string_id name = column_str(&frames->columns[stack_profile_frame_col_name], frame);
        string_id file = column_str(&mappings->columns[stack_profile_mapping_col_name], mapping);
        out->v.items[i].annotation = annotate(&w, string_pool_get(&t->strings, name),
                                              map_kind(string_pool_get(&t->strings, file)));
    }
}
