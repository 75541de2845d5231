#define PB_READS_LITTLE
#include "parsers/perfetto/track_event/translation.h"

#include "base/hash.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/profile/deobfuscation.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

void translations_release(struct translations *tr)
{
    for (size_t i = 0; i < HASH_TABLES; i++)
        map_release(&tr->hashes[i]);
    map_release(&tr->slice_names);
    map_release(&tr->process_track_names);
}

/* Every entry has its key in field 1 and its readable name in field 2. */
enum { ENTRY_KEY = 1, ENTRY_NAME = 2 };

static void read_hash_entry(struct import *im, struct pb_reader r, struct map *table)
{
    uint64_t key = 0;
    string_id name = NULL_STRING;
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == ENTRY_KEY)
            key = pb_u64(&f);
        else if (f.number == ENTRY_NAME)
            name = trace_intern(im->trace, pb_str(&f));
    }
    map_set(table, key, name);
}

static void read_name_entry(struct import *im, struct pb_reader r, struct map *table)
{
    string_id key = NULL_STRING, name = NULL_STRING;
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == ENTRY_KEY)
            key = trace_intern(im->trace, pb_str(&f));
        else if (f.number == ENTRY_NAME)
            name = trace_intern(im->trace, pb_str(&f));
    }
    map_set(table, key, name);
}

static void read_hashes(struct import *im, struct pb_reader r, struct map *table)
{
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == 1)
            read_hash_entry(im, pb_message(&f), table);
}

static void read_names(struct import *im, struct pb_reader r, struct map *table)
{
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == 1)
            read_name_entry(im, pb_message(&f), table);
}

static void read_marks(struct import *im, struct pb_reader r)
{
    struct translations *tr = &im->track_event->translations;
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_ChromePerformanceMarkTranslationTable_site_hash_to_name)
            read_hash_entry(im, pb_message(&f), &tr->hashes[HASH_MARK_SITE]);
        else if (f.number == PB_ChromePerformanceMarkTranslationTable_mark_hash_to_name)
            read_hash_entry(im, pb_message(&f), &tr->hashes[HASH_MARK]);
    }
}

static bool translation_table_tokenize(struct import *im, struct packet *p)
{
    struct translations *tr = &im->track_event->translations;
    struct pb_reader r = pb_reader_from(p->field.p, p->field.n);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_TranslationTable_chrome_histogram:
            read_hashes(im, pb_message(&f), &tr->hashes[HASH_HISTOGRAM]);
            break;
        case PB_TranslationTable_chrome_user_event:
            read_hashes(im, pb_message(&f), &tr->hashes[HASH_USER_EVENT]);
            break;
        case PB_TranslationTable_chrome_performance_mark:
            read_marks(im, pb_message(&f));
            break;
        case PB_TranslationTable_chrome_study:
            read_hashes(im, pb_message(&f), &tr->hashes[HASH_STUDY]);
            break;
        case PB_TranslationTable_slice_name:
            read_names(im, pb_message(&f), &tr->slice_names);
            break;
        case PB_TranslationTable_process_track_name:
            read_names(im, pb_message(&f), &tr->process_track_names);
            break;
        default:
            break;
        }
    }
    return true;
}

static string_id translate(const struct map *table, string_id name)
{
    const uint32_t *to = map_find(table, name);
    return to ? *to : name;
}

string_id translate_slice_name(struct import *im, string_id name)
{
    return translate(&im->track_event->translations.slice_names, name);
}

string_id translate_process_track_name(struct import *im, string_id name)
{
    return translate(&im->track_event->translations.process_track_names, name);
}

static const struct {
    const char *hash_key, *name_key;
} hash_keys[HASH_TABLES] = {
    [HASH_HISTOGRAM] = {"chrome_histogram_sample.name_hash", "chrome_histogram_sample.name"},
    [HASH_USER_EVENT] = {"chrome_user_event.action_hash", "chrome_user_event.action"},
    [HASH_MARK_SITE] = {"chrome_hashed_performance_mark.site_hash",
                        "chrome_hashed_performance_mark.site"},
    [HASH_MARK] = {"chrome_hashed_performance_mark.mark_hash",
                   "chrome_hashed_performance_mark.mark"},
    [HASH_STUDY] = {"chrome_trigger.name_hash", "chrome_trigger.name"},
};

/* Names of Android's views, where the trace carries what obfuscated ones stand for. */
static void translate_views(struct import *im, struct arg_list *args, size_t from)
{
    string_id key = im->track_event->keys.view_class;
    for (size_t i = from; i < args->v.count; i++) {
        struct arg *a = &args->v.items[i];
        if (a->flat_key != key || a->type != ARG_STRING)
            continue;
        string_id name = deobfuscated_class(im, a->s);
        if (name)
            a->s = name;
    }
}

void translate_args(struct import *im, struct arg_list *args, size_t from)
{
    const struct translations *tr = &im->track_event->translations;
    if (from == args->v.count)
        return;
    translate_views(im, args, from);
    for (int i = 0; i < HASH_TABLES; i++) {
        if (tr->hashes[i].count == 0)
            continue;
        string_id key = trace_intern_c(im->trace, hash_keys[i].hash_key);
        for (size_t k = from, n = args->v.count; k < n; k++) {
            const struct arg *a = &args->v.items[k];
            const uint32_t *name = a->key == key && a->type == ARG_UINT
                                       ? map_find(&tr->hashes[i], (uint64_t)a->i)
                                       : NULL;
            if (name)
                arg_list_str(args, trace_intern_c(im->trace, hash_keys[i].name_key), *name);
        }
    }
}

const struct packet_module translation_packets[] = {
    {PB_TracePacket_translation_table, .tokenize = translation_table_tokenize,
     .felt = PACKET_ALWAYS},
    {0},
};
