#include "parsers/json/cut_chunks.h"

enum { EVENTS_PER_CHUNK = 4096 };

void json_cut_chunks_note(struct json_cut_chunks *c, size_t at, uint64_t number, bool begins_list)
{
    if (!begins_list) {
        struct json_cut_chunk *last = &vec_last(&c->v);
        last->end = at;
        last->count = number - last->number;
        if (last->count < EVENTS_PER_CHUNK)
            return;
    }
    *vec_push(&c->v) = (struct json_cut_chunk){.begin = at, .end = at, .number = number};
}

void json_cut_chunks_add_all(struct json_cut_chunks *c)
{
    vec_last(&c->v).has_all = true;
}

void json_cut_chunks_add_time(struct json_cut_chunks *c, int64_t ts)
{
    struct json_cut_chunk *last = &vec_last(&c->v);
    last->first = last->has_time && last->first < ts ? last->first : ts;
    last->last = last->has_time && last->last > ts ? last->last : ts;
    last->has_time = true;
}

const struct json_cut_chunk *json_cut_chunks_at(struct json_cut_chunks *c, size_t at)
{
    bool is_there = c->next < c->v.count && c->v.items[c->next].begin == at;
    return is_there ? &c->v.items[c->next++] : NULL;
}

void json_cut_chunks_release(struct json_cut_chunks *c)
{
    vec_release(&c->v);
}
