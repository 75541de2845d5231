/* Render stages: what a gpu's hardware queues worked on. */
#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "parsers/perfetto/gpu/gpu.h"
#include "parsers/perfetto/gpu/gpu_flows.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "pb_fields.h"
#include "core/store/rows.h"

/* A hardware queue or a stage as the specifications number them. */
struct gpu_description {
    string_id name, description;
};

struct render_stages {
    VEC(struct gpu_description) queues, stages;
    struct map unnamed_queues; /* hash of gpu and queue: has a track with a made-up name */
    struct map debug_names;    /* hash of Vulkan object type and handle -> name */
    struct map contexts;       /* graphics contexts that are rows already */
};

static void render_stages_release(void *state)
{
    struct render_stages *rs = state;
    vec_release(&rs->queues);
    vec_release(&rs->stages);
    map_release(&rs->unnamed_queues);
    map_release(&rs->debug_names);
    map_release(&rs->contexts);
}

static const struct import_state_kind render_stages_kind = {
    .size = sizeof(struct render_stages),
    .release = render_stages_release,
};

/* VkObjectType */
enum { VK_COMMAND_BUFFER = 6, VK_RENDER_PASS = 18, VK_FRAMEBUFFER = 24 };

enum { QUEUES_MAX = 1 << 16 };

/* An interned queue or stage. */
struct gpu_specification {
    string_id name, description;
    int64_t category;
    bool known;
};

static struct gpu_specification find_specification(struct import *im, const struct packet *p,
                                                   uint64_t iid)
{
    struct bytes entry = interned_find(p->generation, PB_InternedData_gpu_specifications, iid);
    if (!entry.p)
        return (struct gpu_specification){.known = false};
    const InternedGpuRenderStageSpecification *s =
        unpack_bytes(im, &interned_gpu_render_stage_specification__descriptor, entry);
    return (struct gpu_specification){
        .name = intern_unpacked(im, UNPACKED_TEXT(s, name)),
        .description = intern_unpacked(im, UNPACKED_TEXT(s, description)),
        .category = s->category,
        .known = true,
    };
}

static string_id api_name(struct import *im, uint32_t api)
{
    static const char *const apis[] = {"UNDEFINED", "OPEN_GL", "VULKAN", "OPEN_CL", "CUDA", "HIP"};
    return trace_intern_c(im->trace, apis[api < sizeof apis / sizeof *apis ? api : 0]);
}

/* The pid that a graphics context belongs to; the context's first mention makes its row. */
static bool context_pid(struct import *im, struct render_stages *rs, const struct packet *p,
                        uint64_t context, uint32_t *pid)
{
    struct bytes entry = interned_find(p->generation, PB_InternedData_graphics_contexts, context);
    if (!entry.p)
        return false;
    const InternedGraphicsContext *c =
        unpack_bytes(im, &interned_graphics_context__descriptor, entry);
    struct gpu_context_row row = gpu_context_row_null();
    *pid = (uint32_t)c->pid;
    row.context_id = (uint32_t)context;
    if (c->has_pid)
        row.pid = *pid;
    if (c->has_api)
        row.api = api_name(im, (uint32_t)c->api);
    bool inserted;
    map_insert(&rs->contexts, context, &inserted);
    if (inserted)
        gpu_context_append(&im->trace->tables.gpu_context, &row);
    return true;
}

static struct track_spec queue_spec(struct import *im, const struct packet *p, uint32_t gpu,
                                    const char *source, uint64_t queue, string_id queue_name)
{
    struct track_spec spec = gpu_track_spec(im, p->machine, gpu, "gpu_render_stage");
    gpu_add_dimension(&spec, (struct track_dimension){.key = "render_stage_source",
                                                      .type = ARG_STRING,
                                                      .s = trace_intern_c(im->trace, source)});
    gpu_add_dimension(&spec, (struct track_dimension){.key = "hwqueue_id",
                                                      .type = ARG_INT,
                                                      .i = (int64_t)queue});
    gpu_add_dimension(&spec, (struct track_dimension){.key = "hwqueue_name",
                                                      .type = ARG_STRING,
                                                      .s = queue_name});
    return spec;
}

static struct gpu_description
read_description(struct import *im, const GpuRenderStageEvent__Specifications__Description *d)
{
    return (struct gpu_description){intern_unpacked(im, UNPACKED_TEXT(d, name)),
                                    intern_unpacked(im, UNPACKED_TEXT(d, description))};
}

/* A queue whose name comes late: its track had to make do with a made-up one. */
static void name_queue(struct import *im, struct render_stages *rs, const struct packet *p,
                       uint32_t gpu, uint32_t queue, struct gpu_description d)
{
    if (!d.name || queue >= QUEUES_MAX)
        return;
    while (rs->queues.count <= queue)
        *vec_push(&rs->queues) = (struct gpu_description){0};
    rs->queues.items[queue] = d;
    uint64_t key = (uint64_t)gpu << 32 | queue;
    if (!map_find(&rs->unnamed_queues, key))
        return;
    map_remove(&rs->unnamed_queues, key);
    struct track_spec spec = queue_spec(im, p, gpu, "id", queue, NULL_STRING);
    struct trace *t = im->trace;
    uint32_t track = track_set_first(t, &spec);
    struct arg_list args = {0};
    arg_list_str(&args, trace_intern(t, STR("description")), d.description);
    table_set_str(&t->tables.track, track_col_name, track, d.name);
    table_set_u32(&t->tables.track, track_col_source_arg_set_id, track,
                  args_intern(&t->args, &args));
    arg_list_release(&args);
}

static void read_specifications(struct import *im, struct render_stages *rs, const struct packet *p,
                                const GpuRenderStageEvent *e, uint32_t *pid)
{
    const GpuRenderStageEvent__Specifications *s = e->specifications;
    for (size_t i = 0; i < s->n_hw_queue; i++)
        name_queue(im, rs, p, (uint32_t)e->gpu_id, (uint32_t)i,
                   read_description(im, s->hw_queue[i]));
    for (size_t i = 0; i < s->n_stage; i++) {
        struct gpu_description d = read_description(im, s->stage[i]);
        if (d.name)
            *vec_push(&rs->stages) = d;
    }
    if (s->context_spec && s->context_spec->has_pid)
        *pid = (uint32_t)s->context_spec->pid;
}

/* The queue's track for the event; NULL_U32 where the queue is not known. */
static uint32_t queue_track(struct import *im, struct render_stages *rs, const struct packet *p,
                            const GpuRenderStageEvent *e)
{
    struct gpu_description d = {0};
    uint32_t gpu = (uint32_t)e->gpu_id, queue = (uint32_t)e->hw_queue_id;
    string_id dimension = NULL_STRING;
    if (e->has_hw_queue_iid) {
        struct gpu_specification s = find_specification(im, p, e->hw_queue_iid);
        if (!s.known)
            return NULL_U32;
        d = (struct gpu_description){s.name, s.description};
        dimension = s.name;
    } else if (queue < rs->queues.count && rs->queues.items[queue].name) {
        d = rs->queues.items[queue];
        dimension = d.name;
    } else {
        char name[64];
        snprintf(name, sizeof name, "Unknown GPU Queue %" PRIu32, queue);
        d.name = trace_intern_c(im->trace, name);
        map_set(&rs->unnamed_queues, (uint64_t)gpu << 32 | queue, 1);
    }
    struct track_spec spec =
        queue_spec(im, p, gpu, e->has_hw_queue_iid ? "iid" : "id",
                   e->has_hw_queue_iid ? (uint32_t)e->hw_queue_iid : queue, dimension);
    struct arg_list args = {0};
    if (d.description)
        arg_list_str(&args, trace_intern(im->trace, STR("description")), d.description);
    spec.name = d.name;
    spec.source_args = &args;
    uint32_t track = track_set_complete(im->trace, &spec, p->ts, (int64_t)e->duration);
    arg_list_release(&args);
    return track;
}

static string_id stage_name(struct import *im, const struct render_stages *rs,
                            const struct packet *p, const GpuRenderStageEvent *e)
{
    if (e->has_name_iid)
        return interned_string(im, p->generation, PB_InternedData_event_names, e->name_iid);
    if (e->has_name)
        return trace_intern(im->trace, unpacked_str(e->name));
    if (e->has_stage_iid)
        return find_specification(im, p, e->stage_iid).name;
    uint64_t stage = (uint64_t)(int64_t)e->stage_id;
    if (stage < rs->stages.count)
        return rs->stages.items[stage].name;
    char name[64];
    snprintf(name, sizeof name, "render stage(%" PRIu64 ")", stage);
    return trace_intern_c(im->trace, name);
}

static void add_str(struct import *im, struct arg_list *args, const char *key, string_id value)
{
    arg_list_str(args, trace_intern_c(im->trace, key), value);
}

static void add_uint(struct import *im, struct arg_list *args, const char *key, uint64_t value)
{
    arg_list_uint(args, trace_intern_c(im->trace, key), value);
}

static void add_int(struct import *im, struct arg_list *args, const char *key, int64_t value)
{
    arg_list_int(args, trace_intern_c(im->trace, key), value);
}

static void add_stage_args(struct import *im, const struct render_stages *rs,
                           const struct packet *p, const GpuRenderStageEvent *e,
                           struct arg_list *args)
{
    uint64_t stage = (uint64_t)(int64_t)e->stage_id;
    if (e->has_stage_iid) {
        struct gpu_specification s = find_specification(im, p, e->stage_iid);
        if (!s.known)
            return;
        add_int(im, args, "render_stage_category", s.category);
        add_str(im, args, "description", s.description);
    } else if (e->has_stage_id && stage < rs->stages.count && rs->stages.items[stage].description) {
        add_str(im, args, "description", rs->stages.items[stage].description);
    }
}

/* Bits of the masks, 64 a mask, as "0,3,64". */
static string_id subpasses(struct import *im, const GpuRenderStageEvent *e)
{
    char text[256] = "";
    size_t length = 0;
    if (e->n_render_subpass_index_mask == 0)
        return NULL_STRING;
    for (size_t i = 0; i < e->n_render_subpass_index_mask; i++)
        for (uint64_t mask = e->render_subpass_index_mask[i]; mask && length + 12 < sizeof text;
             mask &= mask - 1)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%" PRIu32,
                                       length ? "," : "",
                                       (uint32_t)i * 64 + (uint32_t)__builtin_ctzll(mask));
    return trace_intern_c(im->trace, text);
}

static string_id debug_name(const struct render_stages *rs, uint32_t type, uint64_t handle)
{
    const uint32_t *name = map_find(&rs->debug_names, hash_mix(hash_u64(handle), type));
    return name ? *name : NULL_STRING;
}

static void add_extra_data(struct import *im, const GpuRenderStageEvent *e, struct arg_list *args)
{
    for (size_t i = 0; i < e->n_extra_data; i++)
        arg_list_str(args, intern_unpacked(im, UNPACKED_TEXT(e->extra_data[i], name)),
                     intern_unpacked(im, UNPACKED_TEXT(e->extra_data[i], value)));
}

/* An arg of a kernel or of its launch, with a name and value that may be interned. */
static void add_compute_arg(struct import *im, const struct packet *p,
                            const GpuRenderStageEvent__ExtraComputeArg *m, struct arg_list *args)
{
    struct arg a = {.type = ARG_NULL};
    if (m->has_name)
        a.key = trace_intern(im->trace, unpacked_str(m->name));
    else if (m->has_name_iid)
        a.key = interned_string(im, p->generation, PB_InternedData_compute_arg_names, m->name_iid);
    a.flat_key = a.key;
    if (m->has_int_value || m->has_uint_value) {
        a.type = m->has_int_value ? ARG_INT : ARG_UINT;
        a.i = m->has_int_value ? m->int_value : (int64_t)m->uint_value;
    } else if (m->has_double_value) {
        a.type = ARG_REAL;
        a.d = m->double_value;
    } else if (m->has_string_value) {
        a.type = ARG_STRING;
        a.s = trace_intern(im->trace, unpacked_str(m->string_value));
    } else if (m->has_string_value_iid) {
        a.type = ARG_STRING;
        a.s = interned_string(im, p->generation, PB_InternedData_debug_annotation_string_values,
                              m->string_value_iid);
    }
    if (a.key && a.type != ARG_NULL)
        arg_list_add(args, a);
}

static void add_kernel(struct import *im, const struct packet *p, uint64_t iid,
                       struct arg_list *args)
{
    struct bytes entry = interned_find(p->generation, PB_InternedData_compute_kernels, iid);
    const InternedComputeKernel *k = unpack_bytes(im, &interned_compute_kernel__descriptor, entry);
    if (k->has_name)
        add_str(im, args, "kernel_name", trace_intern(im->trace, unpacked_str(k->name)));
    if (k->has_demangled_name)
        add_str(im, args, "kernel_demangled_name",
                trace_intern(im->trace, unpacked_str(k->demangled_name)));
    if (k->has_arch)
        add_str(im, args, "arch", trace_intern(im->trace, unpacked_str(k->arch)));
    for (size_t i = 0; i < k->n_args; i++)
        add_compute_arg(im, p, k->args[i], args);
}

static void add_dimensions(struct import *im, const char *const keys[3],
                           const GpuRenderStageEvent__Dim3 *d, struct arg_list *args)
{
    if (d && d->has_x)
        add_uint(im, args, keys[0], d->x);
    if (d && d->has_y)
        add_uint(im, args, keys[1], d->y);
    if (d && d->has_z)
        add_uint(im, args, keys[2], d->z);
}

static void add_launch(struct import *im, const struct packet *p,
                       const GpuRenderStageEvent__ComputeKernelLaunch *launch,
                       struct arg_list *args)
{
    static const char *const grid[] = {"launch.grid_size.x", "launch.grid_size.y",
                                       "launch.grid_size.z"};
    static const char *const workgroup[] = {"launch.workgroup_size.x", "launch.workgroup_size.y",
                                            "launch.workgroup_size.z"};
    add_dimensions(im, grid, launch->grid_size, args);
    add_dimensions(im, workgroup, launch->workgroup_size, args);
    for (size_t i = 0; i < launch->n_args; i++)
        add_compute_arg(im, p, launch->args[i], args);
}

static void add_args(struct import *im, const struct render_stages *rs, const struct packet *p,
                     const GpuRenderStageEvent *e, uint32_t pid, struct arg_list *args)
{
    add_stage_args(im, rs, p, e, args);
    if (e->has_kernel_iid)
        add_kernel(im, p, e->kernel_iid, args);
    if (e->launch)
        add_launch(im, p, e->launch, args);
    if (e->render_pass_instance_id) {
        char text[40];
        snprintf(text, sizeof text, "rp:#%" PRIu64, e->render_pass_instance_id);
        add_str(im, args, "correlation_id", trace_intern_c(im->trace, text));
    }
    add_extra_data(im, e, args);
    add_uint(im, args, "context_id", e->context);
    add_uint(im, args, "render_target", e->render_target_handle);
    add_str(im, args, "render_target_name",
            debug_name(rs, VK_FRAMEBUFFER, e->render_target_handle));
    add_uint(im, args, "render_pass", e->render_pass_handle);
    add_str(im, args, "render_pass_name", debug_name(rs, VK_RENDER_PASS, e->render_pass_handle));
    add_str(im, args, "render_subpasses", subpasses(im, e));
    add_uint(im, args, "command_buffer", e->command_buffer_handle);
    add_str(im, args, "command_buffer_name",
            debug_name(rs, VK_COMMAND_BUFFER, e->command_buffer_handle));
    add_int(im, args, "submission_id", e->submission_id);
    add_uint(im, args, "hw_queue_id",
             e->has_hw_queue_iid ? e->hw_queue_iid : (uint32_t)e->hw_queue_id);
    add_int(im, args, "upid", process_tracker_process(im->trace, p->machine, pid));
}

static void add_flows(struct import *im, const GpuRenderStageEvent *e, uint32_t slice)
{
    gpu_flow_stage(im, e->event_id, slice);
    for (size_t i = 0; i < e->n_event_wait_ids; i++)
        gpu_flow_wait(im, e->event_wait_ids[i], slice);
}

static void gpu_render_stage_event_parse(struct import *im, const struct packet *p)
{
    struct render_stages *rs = import_state(im, &render_stages_kind);
    const GpuRenderStageEvent *e = unpack_packet(im, &gpu_render_stage_event__descriptor, p);
    uint32_t pid = 0;
    if (e->specifications)
        read_specifications(im, rs, p, e, &pid);
    if (e->has_context)
        context_pid(im, rs, p, e->context, &pid);
    if (!e->has_event_id)
        return;
    if (e->duration > INT64_MAX) {
        stats_count(im->trace, STAT_gpu_render_stage_parser_errors);
        return;
    }
    uint32_t track = queue_track(im, rs, p, e);
    if (track == NULL_U32)
        return;
    uint32_t slice = slice_complete(im->trace, p->ts, (int64_t)e->duration, track, NULL_STRING,
                                    stage_name(im, rs, p, e));
    if (slice == NULL_U32)
        return;
    add_args(im, rs, p, e, pid, slice_args(im->trace, track, slice));
    add_flows(im, e, slice);
}

static void read_debug_name(struct import *im, const VulkanApiEvent__VkDebugUtilsObjectName *n)
{
    struct render_stages *rs = import_state(im, &render_stages_kind);
    map_set(&rs->debug_names, hash_mix(hash_u64(n->object), (uint32_t)n->object_type),
            intern_unpacked(im, UNPACKED_TEXT(n, object_name)));
}

/* The list, and its first one alone, as it was before there could be several. */
static void add_command_buffers(struct import *im, const VulkanApiEvent__VkQueueSubmit *submit,
                                struct arg_list *args)
{
    if (submit->n_vk_command_buffers)
        add_uint(im, args, "command_buffer", submit->vk_command_buffers[0]);
    for (size_t i = 0; i < submit->n_vk_command_buffers; i++) {
        char key[40];
        snprintf(key, sizeof key, "command_buffers[%zu]", i);
        arg_list_add(args, (struct arg){
                               .flat_key = trace_intern(im->trace, STR("command_buffers")),
                               .key = trace_intern_c(im->trace, key),
                               .type = ARG_UINT,
                               .i = (int64_t)submit->vk_command_buffers[i],
                           });
    }
}

static void add_queue_submit(struct import *im, const struct packet *p,
                             const VulkanApiEvent__VkQueueSubmit *submit)
{
    struct trace *t = im->trace;
    if (submit->duration_ns > INT64_MAX)
        return;
    struct track_spec spec = {.type = "vulkan_events",
                              .machine = p->machine,
                              .name = trace_intern(t, STR("Vulkan Events"))};
    uint32_t track = track_intern(t, &spec);
    uint32_t slice = slice_complete(t, p->ts, (int64_t)submit->duration_ns, track, NULL_STRING,
                                    trace_intern(t, STR("vkQueueSubmit")));
    if (slice == NULL_U32)
        return;
    struct arg_list *args = slice_args(t, track, slice);
    add_int(im, args, "pid", submit->pid);
    add_int(im, args, "tid", submit->tid);
    add_command_buffers(im, submit, args);
    add_int(im, args, "submission_id", submit->submission_id);
}

static void vulkan_api_event_parse(struct import *im, const struct packet *p)
{
    const VulkanApiEvent *e = unpack_packet(im, &vulkan_api_event__descriptor, p);
    if (e->vk_debug_utils_object_name)
        read_debug_name(im, e->vk_debug_utils_object_name);
    if (e->vk_queue_submit)
        add_queue_submit(im, p, e->vk_queue_submit);
}

static bool render_stage_span(struct import *im, const struct packet *p, struct packet_span *out)
{
    (void)im;
    struct pb_field f = pb_last(bytes_reader(p->field), PB_GpuRenderStageEvent_duration);
    return packet_span_lasting(p, pb_i64(&f), out);
}

static bool vulkan_api_span(struct import *im, const struct packet *p, struct packet_span *out)
{
    (void)im;
    struct pb_field f = pb_last(bytes_reader(p->field), PB_VulkanApiEvent_vk_queue_submit);
    struct pb_field dur = pb_last(pb_message(&f), PB_VulkanApiEvent_VkQueueSubmit_duration_ns);
    return packet_span_lasting(p, pb_i64(&dur), out);
}

/* What stages and queues are called, in older traces. */
static void render_stage_say(struct import *im, const struct packet *p,
                             struct packet_felt_sink *out)
{
    (void)im;
    if (pb_last(bytes_reader(p->field), PB_GpuRenderStageEvent_specifications).data)
        packet_felt_anywhere(out, p->ts, hash_mix(p->number, p->field_number));
}

/* Stages are called by the names of objects; one that is given up later may still be shown. */
static void vulkan_api_say(struct import *im, const struct packet *p, struct packet_felt_sink *out)
{
    const VulkanApiEvent *e = unpack_packet(im, &vulkan_api_event__descriptor, p);
    const VulkanApiEvent__VkDebugUtilsObjectName *n = e->vk_debug_utils_object_name;
    if (!n)
        return;
    struct str name = UNPACKED_TEXT(n, object_name);
    uint64_t object = hash_mix(hash_u64(n->object), (uint32_t)n->object_type);
    packet_felt_last(out, p->ts, hash_bytes(name.p, name.n, object));
}

const struct packet_module gpu_render_stages_packets[] = {
    {PB_TracePacket_gpu_render_stage_event, .parse = gpu_render_stage_event_parse,
     .felt = PACKET_SPAN, .span = render_stage_span, .say = render_stage_say},
    {PB_TracePacket_vulkan_api_event, .parse = vulkan_api_event_parse, .felt = PACKET_SPAN,
     .span = vulkan_api_span, .say = vulkan_api_say},
    {0},
};
