/* Memory of Vulkan drivers and devices: each event is a row, and changes the sum of its kind. */
#include <inttypes.h>
#include <stdio.h>

#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "pb_fields.h"
#include "core/counter.h"
#include "core/store/rows.h"

static const char *const scope_names[] = {"UNSPECIFIED", "COMMAND", "OBJECT",
                                          "CACHE",       "DEVICE",  "INSTANCE"};
static const char *const source_names[] = {"UNSPECIFIED",       "DRIVER",     "DEVICE",
                                           "GPU_DEVICE_MEMORY", "GPU_BUFFER", "GPU_IMAGE"};
static const char *const operation_names[] = {"UNSPECIFIED", "CREATE",        "DESTROY",
                                              "BIND",        "DESTROY_BOUND", "ANNOTATIONS"};

enum sum_kind { SUM_DRIVER, SUM_ALLOCATED, SUM_BOUND };

struct vulkan_memory {
    struct map known; /* hash of kind and scope or memory type -> position in sums */
    VEC(int64_t) sums;
};

static void vulkan_memory_release(void *state)
{
    struct vulkan_memory *v = state;
    map_release(&v->known);
    vec_release(&v->sums);
}

static const struct import_state_kind vulkan_memory_kind = {
    .size = sizeof(struct vulkan_memory),
    .release = vulkan_memory_release,
};

struct vulkan_event {
    struct vulkan_memory_allocations_row row;
    uint32_t source, operation, scope, memory_type;
    int64_t size;
};

static string_id name_of(struct import *im, const char *const *names, size_t count, uint32_t i)
{
    return i < count ? trace_intern_c(im->trace, names[i]) : NULL_STRING;
}

static void add_annotation(struct import *im, const struct packet *p,
                           const VulkanMemoryEventAnnotation *a, struct arg_list *args)
{
    const uint32_t keys = PB_InternedData_vulkan_memory_keys;
    string_id key =
        a->has_key_iid ? interned_string(im, p->generation, keys, a->key_iid) : NULL_STRING;
    if (!key)
        return;
    if (a->has_int_value)
        arg_list_int(args, key, a->int_value);
    else if (a->has_double_value)
        arg_list_real(args, key, a->double_value);
    else if (a->has_string_iid)
        arg_list_str(args, key, interned_string(im, p->generation, keys, a->string_iid));
}

static struct vulkan_event read_event(struct import *im, const struct packet *p,
                                      const VulkanMemoryEvent *m)
{
    struct vulkan_event e = {.row = vulkan_memory_allocations_row_null(),
                             .source = (uint32_t)m->source,
                             .operation = (uint32_t)m->operation,
                             .scope = (uint32_t)m->allocation_scope,
                             .memory_type = m->memory_type,
                             .size = (int64_t)m->memory_size};
    struct vulkan_memory_allocations_row *row = &e.row;
    row->source = name_of(im, source_names, sizeof source_names / sizeof *source_names, e.source);
    row->operation =
        name_of(im, operation_names, sizeof operation_names / sizeof *operation_names, e.operation);
    row->upid = process_tracker_process(im->trace, p->machine, m->pid);
    UNPACK_OPTIONAL(*row, m, timestamp);
    if (m->has_memory_address)
        row->memory_address = (int64_t)m->memory_address;
    if (m->has_memory_size)
        row->memory_size = e.size;
    if (m->has_caller_iid)
        row->function_name =
            interned_string(im, p->generation, PB_InternedData_function_names, m->caller_iid);
    if (m->has_allocation_scope)
        row->scope = name_of(im, scope_names, sizeof scope_names / sizeof *scope_names, e.scope);
    if (m->has_device)
        row->device = (int64_t)m->device;
    if (m->has_device_memory)
        row->device_memory = (int64_t)m->device_memory;
    UNPACK_OPTIONAL(*row, m, memory_type);
    UNPACK_OPTIONAL(*row, m, heap);
    if (m->has_object_handle)
        row->object_handle = (int64_t)m->object_handle;
    return e;
}

/* The new sum of its kind and key. */
static int64_t add_to_sum(struct import *im, enum sum_kind kind, uint32_t key, int64_t change)
{
    struct vulkan_memory *v = import_state(im, &vulkan_memory_kind);
    bool inserted;
    uint32_t *at = map_insert(&v->known, (uint64_t)kind << 32 | key, &inserted);
    if (inserted) {
        *at = (uint32_t)v->sums.count;
        *vec_push(&v->sums) = 0;
    }
    int64_t *sum = &v->sums.items[*at];
    *sum = (int64_t)((uint64_t)*sum + (uint64_t)change);
    return *sum;
}

static void push_sum(struct import *im, const struct packet *p, const struct vulkan_event *e,
                     enum sum_kind kind, int64_t change)
{
    struct trace *t = im->trace;
    struct track_spec spec = {
        .event_type = TRACK_COUNTER,
        .machine = p->machine,
        .dimension_count = 2,
        .dimensions = {{.key = "upid", .type = ARG_INT, .i = e->row.upid},
                       {.key = "vulkan_memory_type", .type = ARG_INT, .i = e->memory_type}},
    };
    char name[80];
    if (kind == SUM_DRIVER) {
        spec.type = "vulkan_driver_mem";
        spec.dimensions[1] = (struct track_dimension){.key = "vulkan_allocation_scope",
                                                      .type = ARG_STRING,
                                                      .s = e->row.scope};
        snprintf(name, sizeof name, "vulkan.mem.driver.scope.%s", scope_names[e->scope]);
    } else {
        bool bound = kind == SUM_BOUND;
        spec.type = bound ? "vulkan_device_mem_bind" : "vulkan_device_mem_allocation";
        snprintf(name, sizeof name, "vulkan.mem.device.memory.type.%" PRIu32 ".%s", e->memory_type,
                 bound ? "bind" : "allocation");
    }
    spec.name = trace_intern_c(t, name);
    int64_t sum = add_to_sum(im, kind, kind == SUM_DRIVER ? e->scope : e->memory_type, change);
    counter_push(t, e->row.timestamp, track_intern(t, &spec), (double)sum);
}

/* What comes and goes differs: memory is created and destroyed, buffers and images are bound. */
static void update_sums(struct import *im, const struct packet *p, const struct vulkan_event *e)
{
    bool binds = e->source == PB_VulkanMemoryEvent_Source_SOURCE_BUFFER ||
                 e->source == PB_VulkanMemoryEvent_Source_SOURCE_IMAGE;
    uint32_t up =
        binds ? PB_VulkanMemoryEvent_Operation_OP_BIND : PB_VulkanMemoryEvent_Operation_OP_CREATE;
    uint32_t down = binds ? PB_VulkanMemoryEvent_Operation_OP_DESTROY_BOUND
                          : PB_VulkanMemoryEvent_Operation_OP_DESTROY;
    if (e->operation != up && e->operation != down)
        return;
    int64_t change = e->operation == up ? e->size : (int64_t)(0 - (uint64_t)e->size);
    if (binds)
        push_sum(im, p, e, SUM_BOUND, change);
    else if (e->source == PB_VulkanMemoryEvent_Source_SOURCE_DEVICE_MEMORY)
        push_sum(im, p, e, SUM_ALLOCATED, change);
    else if (e->source == PB_VulkanMemoryEvent_Source_SOURCE_DRIVER && e->scope != 0 &&
             e->row.scope)
        push_sum(im, p, e, SUM_DRIVER, change);
}

static void vulkan_memory_event_parse(struct import *im, const struct packet *p)
{
    struct trace *t = im->trace;
    const VulkanMemoryEvent *m = unpack_packet(im, &vulkan_memory_event__descriptor, p);
    struct vulkan_event e = read_event(im, p, m);
    struct arg_list args = {0};
    for (size_t i = 0; i < m->n_annotations; i++)
        add_annotation(im, p, m->annotations[i], &args);
    e.row.arg_set_id = args_intern(&t->args, &args);
    arg_list_release(&args);
    update_sums(im, p, &e);
    vulkan_memory_allocations_append(&t->tables.vulkan_memory_allocations, &e.row);
}

const struct packet_module vulkan_memory_packets[] = {
    {PB_TracePacket_vulkan_memory_event, .parse = vulkan_memory_event_parse, .felt = PACKET_EACH},
    {0},
};
