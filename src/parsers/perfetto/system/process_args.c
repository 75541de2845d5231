#include "parsers/perfetto/system/process_args.h"

#include "parsers/perfetto/packets/import.h"

struct process_args {
    uint32_t upid;
    struct arg_list args;
};

struct all_process_args {
    struct map by_upid; /* -> index in `list` */
    VEC(struct process_args) list;
};

static void all_process_args_release(void *state)
{
    struct all_process_args *all = state;
    for (size_t i = 0; i < all->list.count; i++)
        arg_list_release(&all->list.items[i].args);
    vec_release(&all->list);
    map_release(&all->by_upid);
}

static const struct import_state_kind process_args_kind = {
    .size = sizeof(struct all_process_args),
    .release = all_process_args_release,
};

struct arg_list *process_args_of(struct import *im, uint32_t upid)
{
    struct all_process_args *all = import_state(im, &process_args_kind);
    bool inserted;
    uint32_t *at = map_insert(&all->by_upid, upid, &inserted);
    if (inserted) {
        *at = (uint32_t)all->list.count;
        *vec_push(&all->list) = (struct process_args){.upid = upid};
    }
    return &all->list.items[*at].args;
}

void process_args_finish(struct import *im)
{
    struct trace *t = im->trace;
    struct all_process_args *all = import_state(im, &process_args_kind);
    for (size_t i = 0; i < all->list.count; i++) {
        struct process_args *p = &all->list.items[i];
        table_set_u32(&t->tables.process, process_col_arg_set_id, p->upid,
                      args_intern(&t->args, &p->args));
    }
}
