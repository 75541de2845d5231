#include "parsers/perfetto/gpu/gpu_render_stages.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "parsers/perfetto/gpu/gpu.h"
#include "parsers/perfetto/gpu/gpu_flows.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

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

struct stage_event {
    uint64_t event_id, duration, context, queue_iid, stage_iid, kernel_iid, name_iid;
    uint64_t target, pass, command_buffer, pass_instance, stage;
    uint32_t queue, gpu;
    int64_t submission;
    string_id name;
    struct pb_field specifications, launch;
    bool has_event_id, has_context, has_queue_iid, has_stage_iid, has_stage, has_kernel;
    bool has_name_iid, has_subpasses;
    struct pb_reader message;
};

static struct stage_event read_event(struct import *im, struct pb_reader r)
{
    struct stage_event e = {.message = r};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_GpuRenderStageEvent_event_id:
            e.event_id = pb_u64(&f);
            e.has_event_id = true;
            break;
        case PB_GpuRenderStageEvent_duration:
            e.duration = pb_u64(&f);
            break;
        case PB_GpuRenderStageEvent_hw_queue_id:
            e.queue = pb_u32(&f);
            break;
        case PB_GpuRenderStageEvent_stage_id:
            e.stage = (uint64_t)(int64_t)pb_i32(&f);
            e.has_stage = true;
            break;
        case PB_GpuRenderStageEvent_context:
            e.context = pb_u64(&f);
            e.has_context = true;
            break;
        case PB_GpuRenderStageEvent_specifications:
            e.specifications = f;
            break;
        case PB_GpuRenderStageEvent_render_target_handle:
            e.target = pb_u64(&f);
            break;
        case PB_GpuRenderStageEvent_render_pass_handle:
            e.pass = pb_u64(&f);
            break;
        case PB_GpuRenderStageEvent_submission_id:
            e.submission = pb_u32(&f);
            break;
        case PB_GpuRenderStageEvent_gpu_id:
            e.gpu = pb_u32(&f);
            break;
        case PB_GpuRenderStageEvent_command_buffer_handle:
            e.command_buffer = pb_u64(&f);
            break;
        case PB_GpuRenderStageEvent_hw_queue_iid:
            e.queue_iid = pb_u64(&f);
            e.has_queue_iid = true;
            break;
        case PB_GpuRenderStageEvent_stage_iid:
            e.stage_iid = pb_u64(&f);
            e.has_stage_iid = true;
            break;
        case PB_GpuRenderStageEvent_render_subpass_index_mask:
            e.has_subpasses = true;
            break;
        case PB_GpuRenderStageEvent_render_pass_instance_id:
            e.pass_instance = pb_u64(&f);
            break;
        case PB_GpuRenderStageEvent_name:
            e.name = trace_intern(im->trace, pb_str(&f));
            break;
        case PB_GpuRenderStageEvent_name_iid:
            e.name_iid = pb_u64(&f);
            e.has_name_iid = true;
            break;
        case PB_GpuRenderStageEvent_kernel_iid:
            e.kernel_iid = pb_u64(&f);
            e.has_kernel = true;
            break;
        case PB_GpuRenderStageEvent_launch:
            e.launch = f;
            break;
        default:
            break;
        }
    }
    return e;
}

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
    struct gpu_specification s = {.known = entry.p != NULL};
    struct pb_reader r = bytes_reader(entry);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_InternedGpuRenderStageSpecification_name:
            s.name = trace_intern(im->trace, pb_str(&f));
            break;
        case PB_InternedGpuRenderStageSpecification_description:
            s.description = trace_intern(im->trace, pb_str(&f));
            break;
        case PB_InternedGpuRenderStageSpecification_category:
            s.category = pb_i32(&f);
            break;
        default:
            break;
        }
    }
    return s;
}

static string_id api_name(struct import *im, uint64_t api)
{
    static const char *const apis[] = {"UNDEFINED", "OPEN_GL", "VULKAN", "OPEN_CL", "CUDA", "HIP"};
    return trace_intern_c(im->trace, apis[api < sizeof apis / sizeof *apis ? api : 0]);
}

/* The pid that a graphics context belongs to; the context's first mention makes its row. */
static bool context_pid(struct import *im, struct render_stages *rs, const struct packet *p,
                        uint64_t context, uint32_t *pid)
{
    struct bytes entry = interned_find(p->generation, PB_InternedData_graphics_contexts, context);
    struct pb_reader r = bytes_reader(entry);
    struct pb_field f;
    if (!entry.p)
        return false;
    *pid = 0;
    struct gpu_context_row row = gpu_context_row_null();
    row.context_id = (uint32_t)context;
    while (pb_next(&r, &f)) {
        if (f.number == PB_InternedGraphicsContext_pid)
            row.pid = *pid = pb_u32(&f);
        else if (f.number == PB_InternedGraphicsContext_api)
            row.api = api_name(im, pb_u64(&f));
    }
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

static struct gpu_description read_description(struct import *im, struct pb_reader r)
{
    struct gpu_description d = {0};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_GpuRenderStageEvent_Specifications_Description_name)
            d.name = trace_intern(im->trace, pb_str(&f));
        else if (f.number == PB_GpuRenderStageEvent_Specifications_Description_description)
            d.description = trace_intern(im->trace, pb_str(&f));
    }
    return d;
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
                                const struct stage_event *e, uint32_t *pid)
{
    struct pb_reader r = pb_message(&e->specifications), context;
    struct pb_field f, g;
    uint32_t queue = 0;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_GpuRenderStageEvent_Specifications_hw_queue:
            name_queue(im, rs, p, e->gpu, queue++, read_description(im, pb_message(&f)));
            break;
        case PB_GpuRenderStageEvent_Specifications_stage: {
            struct gpu_description d = read_description(im, pb_message(&f));
            if (d.name)
                *vec_push(&rs->stages) = d;
            break;
        }
        case PB_GpuRenderStageEvent_Specifications_context_spec:
            for (context = pb_message(&f); pb_next(&context, &g);)
                if (g.number == PB_GpuRenderStageEvent_Specifications_ContextSpec_pid)
                    *pid = pb_u32(&g);
            break;
        default:
            break;
        }
    }
}

/* The queue's track for the event; NULL_U32 where the queue is not known. */
static uint32_t queue_track(struct import *im, struct render_stages *rs, const struct packet *p,
                            const struct stage_event *e)
{
    struct gpu_description d = {0};
    string_id dimension = NULL_STRING;
    if (e->has_queue_iid) {
        struct gpu_specification s = find_specification(im, p, e->queue_iid);
        if (!s.known)
            return NULL_U32;
        d = (struct gpu_description){s.name, s.description};
        dimension = s.name;
    } else if (e->queue < rs->queues.count && rs->queues.items[e->queue].name) {
        d = rs->queues.items[e->queue];
        dimension = d.name;
    } else {
        char name[64];
        snprintf(name, sizeof name, "Unknown GPU Queue %" PRIu32, e->queue);
        d.name = trace_intern_c(im->trace, name);
        map_set(&rs->unnamed_queues, (uint64_t)e->gpu << 32 | e->queue, 1);
    }
    struct track_spec spec =
        queue_spec(im, p, e->gpu, e->has_queue_iid ? "iid" : "id",
                   e->has_queue_iid ? (uint32_t)e->queue_iid : e->queue, dimension);
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
                            const struct packet *p, const struct stage_event *e)
{
    if (e->has_name_iid)
        return interned_string(im, p->generation, PB_InternedData_event_names, e->name_iid);
    if (e->name)
        return e->name;
    if (e->has_stage_iid)
        return find_specification(im, p, e->stage_iid).name;
    if (e->stage < rs->stages.count)
        return rs->stages.items[e->stage].name;
    char name[64];
    snprintf(name, sizeof name, "render stage(%" PRIu64 ")", e->stage);
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
                           const struct packet *p, const struct stage_event *e,
                           struct arg_list *args)
{
    if (e->has_stage_iid) {
        struct gpu_specification s = find_specification(im, p, e->stage_iid);
        if (!s.known)
            return;
        add_int(im, args, "render_stage_category", s.category);
        add_str(im, args, "description", s.description);
    } else if (e->has_stage && e->stage < rs->stages.count &&
               rs->stages.items[e->stage].description) {
        add_str(im, args, "description", rs->stages.items[e->stage].description);
    }
}

/* Bits of the masks, 64 a mask, as "0,3,64". */
static string_id subpasses(struct import *im, const struct stage_event *e)
{
    char text[256] = "";
    size_t length = 0;
    uint32_t base = 0;
    struct pb_reader r = e->message;
    struct pb_field f;
    uint64_t mask;
    if (!e->has_subpasses)
        return NULL_STRING;
    while (pb_next(&r, &f)) {
        if (f.number != PB_GpuRenderStageEvent_render_subpass_index_mask)
            continue;
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        for (; pb_packed_next(&it, &mask); base += 64)
            for (; mask && length + 12 < sizeof text; mask &= mask - 1)
                length +=
                    (size_t)snprintf(text + length, sizeof text - length, "%s%" PRIu32,
                                     length ? "," : "", base + (uint32_t)__builtin_ctzll(mask));
    }
    return trace_intern_c(im->trace, text);
}

static string_id debug_name(const struct render_stages *rs, uint32_t type, uint64_t handle)
{
    const uint32_t *name = map_find(&rs->debug_names, hash_mix(hash_u64(handle), type));
    return name ? *name : NULL_STRING;
}

static void add_extra_data(struct import *im, const struct stage_event *e, struct arg_list *args)
{
    struct pb_reader r = e->message, datum;
    struct pb_field f, g;
    while (pb_next(&r, &f)) {
        if (f.number != PB_GpuRenderStageEvent_extra_data)
            continue;
        string_id name = NULL_STRING, value = NULL_STRING;
        for (datum = pb_message(&f); pb_next(&datum, &g);) {
            if (g.number == PB_GpuRenderStageEvent_ExtraData_name)
                name = trace_intern(im->trace, pb_str(&g));
            else if (g.number == PB_GpuRenderStageEvent_ExtraData_value)
                value = trace_intern(im->trace, pb_str(&g));
        }
        arg_list_str(args, name, value);
    }
}

/* An arg of a kernel or of its launch, with a name and value that may be interned. */
static void add_compute_arg(struct import *im, const struct packet *p, struct pb_reader r,
                            struct arg_list *args)
{
    struct arg a = {.type = ARG_NULL};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_GpuRenderStageEvent_ExtraComputeArg_name_iid:
            a.key =
                interned_string(im, p->generation, PB_InternedData_compute_arg_names, pb_u64(&f));
            break;
        case PB_GpuRenderStageEvent_ExtraComputeArg_name:
            a.key = trace_intern(im->trace, pb_str(&f));
            break;
        case PB_GpuRenderStageEvent_ExtraComputeArg_int_value:
            a.type = ARG_INT;
            a.i = pb_i64(&f);
            break;
        case PB_GpuRenderStageEvent_ExtraComputeArg_uint_value:
            a.type = ARG_UINT;
            a.i = pb_i64(&f);
            break;
        case PB_GpuRenderStageEvent_ExtraComputeArg_double_value:
            a.type = ARG_REAL;
            a.d = pb_real(&f);
            break;
        case PB_GpuRenderStageEvent_ExtraComputeArg_string_value:
            a.type = ARG_STRING;
            a.s = trace_intern(im->trace, pb_str(&f));
            break;
        case PB_GpuRenderStageEvent_ExtraComputeArg_string_value_iid:
            a.type = ARG_STRING;
            a.s = interned_string(im, p->generation, PB_InternedData_debug_annotation_string_values,
                                  pb_u64(&f));
            break;
        default:
            break;
        }
    }
    a.flat_key = a.key;
    if (a.key && a.type != ARG_NULL)
        arg_list_add(args, a);
}

static void add_kernel(struct import *im, const struct packet *p, uint64_t iid,
                       struct arg_list *args)
{
    struct bytes entry = interned_find(p->generation, PB_InternedData_compute_kernels, iid);
    struct pb_reader r = bytes_reader(entry);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_InternedComputeKernel_name:
            add_str(im, args, "kernel_name", trace_intern(im->trace, pb_str(&f)));
            break;
        case PB_InternedComputeKernel_demangled_name:
            add_str(im, args, "kernel_demangled_name", trace_intern(im->trace, pb_str(&f)));
            break;
        case PB_InternedComputeKernel_arch:
            add_str(im, args, "arch", trace_intern(im->trace, pb_str(&f)));
            break;
        case PB_InternedComputeKernel_args:
            add_compute_arg(im, p, pb_message(&f), args);
            break;
        default:
            break;
        }
    }
}

static void add_dimensions(struct import *im, const char *const keys[3], struct pb_reader r,
                           struct arg_list *args)
{
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number >= PB_GpuRenderStageEvent_Dim3_x && f.number <= PB_GpuRenderStageEvent_Dim3_z)
            add_uint(im, args, keys[f.number - PB_GpuRenderStageEvent_Dim3_x], pb_u32(&f));
}

static void add_launch(struct import *im, const struct packet *p, struct pb_reader r,
                       struct arg_list *args)
{
    static const char *const grid[] = {"launch.grid_size.x", "launch.grid_size.y",
                                       "launch.grid_size.z"};
    static const char *const workgroup[] = {"launch.workgroup_size.x", "launch.workgroup_size.y",
                                            "launch.workgroup_size.z"};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_GpuRenderStageEvent_ComputeKernelLaunch_grid_size)
            add_dimensions(im, grid, pb_message(&f), args);
        else if (f.number == PB_GpuRenderStageEvent_ComputeKernelLaunch_workgroup_size)
            add_dimensions(im, workgroup, pb_message(&f), args);
        else if (f.number == PB_GpuRenderStageEvent_ComputeKernelLaunch_args)
            add_compute_arg(im, p, pb_message(&f), args);
    }
}

static void add_args(struct import *im, const struct render_stages *rs, const struct packet *p,
                     const struct stage_event *e, uint32_t pid, struct arg_list *args)
{
    add_stage_args(im, rs, p, e, args);
    if (e->has_kernel)
        add_kernel(im, p, e->kernel_iid, args);
    if (e->launch.data)
        add_launch(im, p, pb_message(&e->launch), args);
    if (e->pass_instance) {
        char text[40];
        snprintf(text, sizeof text, "rp:#%" PRIu64, e->pass_instance);
        add_str(im, args, "correlation_id", trace_intern_c(im->trace, text));
    }
    add_extra_data(im, e, args);
    add_uint(im, args, "context_id", e->context);
    add_uint(im, args, "render_target", e->target);
    add_str(im, args, "render_target_name", debug_name(rs, VK_FRAMEBUFFER, e->target));
    add_uint(im, args, "render_pass", e->pass);
    add_str(im, args, "render_pass_name", debug_name(rs, VK_RENDER_PASS, e->pass));
    add_str(im, args, "render_subpasses", subpasses(im, e));
    add_uint(im, args, "command_buffer", e->command_buffer);
    add_str(im, args, "command_buffer_name", debug_name(rs, VK_COMMAND_BUFFER, e->command_buffer));
    add_int(im, args, "submission_id", e->submission);
    add_uint(im, args, "hw_queue_id", e->has_queue_iid ? e->queue_iid : e->queue);
    add_int(im, args, "upid", process_tracker_process(im->trace, p->machine, pid));
}

static void add_flows(struct import *im, const struct stage_event *e, uint32_t slice)
{
    struct pb_reader r = e->message;
    struct pb_field f;
    uint64_t event;
    gpu_flow_stage(im, e->event_id, slice);
    while (pb_next(&r, &f)) {
        if (f.number != PB_GpuRenderStageEvent_event_wait_ids)
            continue;
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (pb_packed_next(&it, &event))
            gpu_flow_wait(im, event, slice);
    }
}

static void gpu_render_stage_event_parse(struct import *im, const struct packet *p)
{
    struct render_stages *rs = import_state(im, &render_stages_kind);
    struct stage_event e = read_event(im, bytes_reader(p->field));
    uint32_t pid = 0;
    if (e.specifications.data)
        read_specifications(im, rs, p, &e, &pid);
    if (e.has_context)
        context_pid(im, rs, p, e.context, &pid);
    if (!e.has_event_id)
        return;
    if (e.duration > INT64_MAX) {
        stats_count(im->trace, STAT_gpu_render_stage_parser_errors);
        return;
    }
    uint32_t track = queue_track(im, rs, p, &e);
    if (track == NULL_U32)
        return;
    uint32_t slice = slice_complete(im->trace, p->ts, (int64_t)e.duration, track, NULL_STRING,
                                    stage_name(im, rs, p, &e));
    if (slice == NULL_U32)
        return;
    add_args(im, rs, p, &e, pid, slice_args(im->trace, track, slice));
    add_flows(im, &e, slice);
}

static void read_debug_name(struct import *im, struct pb_reader r)
{
    struct render_stages *rs = import_state(im, &render_stages_kind);
    string_id name = NULL_STRING;
    uint64_t type = 0, handle = 0;
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_VulkanApiEvent_VkDebugUtilsObjectName_object_type)
            type = pb_u32(&f);
        else if (f.number == PB_VulkanApiEvent_VkDebugUtilsObjectName_object)
            handle = pb_u64(&f);
        else if (f.number == PB_VulkanApiEvent_VkDebugUtilsObjectName_object_name)
            name = trace_intern(im->trace, pb_str(&f));
    }
    map_set(&rs->debug_names, hash_mix(hash_u64(handle), type), name);
}

/* The list, and its first one alone, as it was before there could be several. */
static void add_command_buffers(struct import *im, struct pb_reader r, struct arg_list *args)
{
    struct pb_field f;
    uint64_t buffer;
    uint32_t count = 0;
    while (pb_next(&r, &f)) {
        if (f.number != PB_VulkanApiEvent_VkQueueSubmit_vk_command_buffers)
            continue;
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        for (; pb_packed_next(&it, &buffer); count++) {
            char key[32];
            if (!count)
                add_uint(im, args, "command_buffer", buffer);
            snprintf(key, sizeof key, "command_buffers[%" PRIu32 "]", count);
            arg_list_add(args, (struct arg){
                                   .flat_key = trace_intern(im->trace, STR("command_buffers")),
                                   .key = trace_intern_c(im->trace, key),
                                   .type = ARG_UINT,
                                   .i = (int64_t)buffer,
                               });
        }
    }
}

static void add_queue_submit(struct import *im, const struct packet *p, struct pb_reader r)
{
    struct trace *t = im->trace;
    struct pb_field f;
    struct pb_reader buffers = r;
    uint64_t duration = 0;
    uint32_t pid = 0, tid = 0, submission = 0;
    while (pb_next(&r, &f)) {
        if (f.number == PB_VulkanApiEvent_VkQueueSubmit_duration_ns)
            duration = pb_u64(&f);
        else if (f.number == PB_VulkanApiEvent_VkQueueSubmit_pid)
            pid = pb_u32(&f);
        else if (f.number == PB_VulkanApiEvent_VkQueueSubmit_tid)
            tid = pb_u32(&f);
        else if (f.number == PB_VulkanApiEvent_VkQueueSubmit_submission_id)
            submission = pb_u32(&f);
    }
    if (duration > INT64_MAX)
        return;
    struct track_spec spec = {.type = "vulkan_events",
                              .machine = p->machine,
                              .name = trace_intern(t, STR("Vulkan Events"))};
    uint32_t track = track_intern(t, &spec);
    uint32_t slice = slice_complete(t, p->ts, (int64_t)duration, track, NULL_STRING,
                                    trace_intern(t, STR("vkQueueSubmit")));
    if (slice == NULL_U32)
        return;
    struct arg_list *args = slice_args(t, track, slice);
    add_int(im, args, "pid", pid);
    add_int(im, args, "tid", tid);
    add_command_buffers(im, buffers, args);
    add_int(im, args, "submission_id", submission);
}

static void vulkan_api_event_parse(struct import *im, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_VulkanApiEvent_vk_debug_utils_object_name)
            read_debug_name(im, pb_message(&f));
        else if (f.number == PB_VulkanApiEvent_vk_queue_submit)
            add_queue_submit(im, p, pb_message(&f));
    }
}

const struct packet_module gpu_render_stages_packets[] = {
    {PB_TracePacket_gpu_render_stage_event, .parse = gpu_render_stage_event_parse},
    {PB_TracePacket_vulkan_api_event, .parse = vulkan_api_event_parse},
    {0},
};
