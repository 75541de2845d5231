/* The tab with all args of the event. */
#include "core/trace/settled_args.h"
#include "tui/view/details_parts.h"

/* All args, a line each. */
static void add_args(struct details *d, const struct details_input *in)
{
    const struct timeline *tl = in->tl;
    struct event_ref e = in->cursor.event;
    struct arg_list list = {0};
    uint32_t set = e.kind && e.kind->arg_set ? e.kind->arg_set(tl, in->tree, e) : NULL_U32;
    args_read(&tl->trace->args, set, &list);
    for (size_t i = 0; i < list.v.count && i < 2000; i++) {
        struct str key = timeline_str(tl, list.v.items[i].key);
        details_line(d, &d->left, NO_EVENT);
        details_put(d, &d->left, ROLE_KEY, "%-32.*s ", (int)(key.n < 64 ? key.n : 64),
                    key.n ? key.p : "");
        details_put_arg(d, tl, &list.v.items[i]);
    }
    if (list.v.count == 0) {
        details_line(d, &d->left, NO_EVENT);
        details_put(d, &d->left, ROLE_DIM, "%s",
                    settled_args_ready(tl->trace) ? "no args" : settled_args_lost);
    }
    arg_list_release(&list);
}

const struct details_tab args_tab = {.title = "Args", .add = add_args};
