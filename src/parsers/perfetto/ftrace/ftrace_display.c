/* Display: virtio-gpu's queues, underruns and settings of panels. */
#include "parsers/perfetto/ftrace/ftrace_handlers.h"
#include "parsers/perfetto/ftrace/ftrace_tools.h"
#include "pb_fields.h"

/* VIRTIO_GPU_CMD_... by number, "" where there is none. */
static const char *command_name(uint32_t type)
{
    static const char *const commands_2d[] = {"GET_DISPLAY_INFO",
                                              "RESOURCE_CREATE_2D",
                                              "RESOURCE_UNREF",
                                              "SET_SCANOUT",
                                              "RESOURCE_FLUSH",
                                              "TRANSFER_TO_HOST_2D",
                                              "RESOURCE_ATTACH_BACKING",
                                              "RESOURCE_DETACH_BACKING",
                                              "GET_CAPSET_INFO",
                                              "GET_CAPSET",
                                              "GET_EDID",
                                              "RESOURCE_ASSIGN_UUID",
                                              "RESOURCE_CREATE_BLOB",
                                              "SET_SCANOUT_BLOB"};
    static const char *const commands_3d[] = {
        "CTX_CREATE",         "CTX_DESTROY",         "CTX_ATTACH_RESOURCE",   "CTX_DETACH_RESOURCE",
        "RESOURCE_CREATE_3D", "TRANSFER_TO_HOST_3D", "TRANSFER_FROM_HOST_3D", "SUBMIT_3D",
        "RESOURCE_MAP_BLOB",  "RESOURCE_UNMAP_BLOB"};
    static const char *const commands_cursor[] = {"UPDATE_CURSOR", "MOVE_CURSOR"};
    static const struct {
        uint32_t first;
        const char *const *names;
        uint32_t count;
    } groups[] = {
        {0x100, commands_2d, sizeof commands_2d / sizeof commands_2d[0]},
        {0x200, commands_3d, sizeof commands_3d / sizeof commands_3d[0]},
        {0x300, commands_cursor, sizeof commands_cursor / sizeof commands_cursor[0]},
    };
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        if (type >= groups[i].first && type - groups[i].first < groups[i].count)
            return groups[i].names[type - groups[i].first];
    return "";
}

/* What is shown of a queue by its name in the event, NULL for other queues. */
static const char *queue_title(struct str name)
{
    if (str_eq(name, STR("control")))
        return "Control";
    return str_eq(name, STR("cursor")) ? "Cursor" : NULL;
}

static void queue_counter(const struct ftrace_event *e, const char *type, const char *title,
                          const char *what, double value)
{
    event_named_counter(e, type, "virtgpu_name", trace_intern_c(e->t, title),
                        event_format(e, "Virtgpu %s %s", title, what), value);
}

static struct track_spec queue_spec(const struct ftrace_event *e, const char *title)
{
    return (struct track_spec){
        .type = "virtgpu_queue_event",
        .machine = e->cpu->machine,
        .dimension_count = 1,
        .dimensions = {dimension_string("virtgpu_name", trace_intern_c(e->t, title))},
        .name = event_format(e, "Virtgpu %s Queue", title),
    };
}

static void on_virtio_gpu_queue(const struct ftrace_event *e)
{
    const char *title = queue_title(event_str(e, PB_VirtioGpuCmdQueueFtraceEvent_name));
    if (!title)
        return;
    uint32_t seqno = event_u32(e, PB_VirtioGpuCmdQueueFtraceEvent_seqno);
    uint32_t type = event_u32(e, PB_VirtioGpuCmdQueueFtraceEvent_type);
    queue_counter(e, "virtgpu_num_free", title, "Free",
                  event_u32(e, PB_VirtioGpuCmdQueueFtraceEvent_num_free));
    struct track_spec spec = queue_spec(e, title);
    event_begin(e, track_set_begin(e->t, &spec, seqno), NULL_STRING,
                trace_intern_c(e->t, command_name(type)));
}

/* Commands with a fence are answered when the fence signals: they say nothing about latency. */
static void on_virtio_gpu_response(const struct ftrace_event *e)
{
    const char *title = queue_title(event_str(e, PB_VirtioGpuCmdResponseFtraceEvent_name));
    if (!title)
        return;
    uint32_t seqno = event_u32(e, PB_VirtioGpuCmdResponseFtraceEvent_seqno);
    queue_counter(e, "virtgpu_num_free", title, "Free",
                  event_u32(e, PB_VirtioGpuCmdResponseFtraceEvent_num_free));
    struct track_spec spec = queue_spec(e, title);
    uint32_t slice =
        slice_end(e->t, e->ts, track_set_end(e->t, &spec, seqno), NULL_STRING, NULL_STRING);
    if (slice != NULL_U32 && event_uint(e, PB_VirtioGpuCmdResponseFtraceEvent_fence_id) == 0)
        queue_counter(e, "virtgpu_latency", title, "Latency",
                      (double)table_i64(&e->t->tables.slice, slice_col_dur)[slice]);
}

static uint32_t indexed_track(const struct ftrace_event *e, const char *type, const char *key,
                              const char *name, uint32_t index)
{
    struct track_spec spec = {
        .type = type,
        .machine = e->cpu->machine,
        .dimension_count = 1,
        .dimensions = {dimension_int(key, index)},
        .name = event_format(e, "%s[%u]", name, index),
    };
    return track_intern(e->t, &spec);
}

/* Both kinds of underruns have the same fields, which are called differently. */
static void add_underrun(const struct ftrace_event *e, const char *type, const char *track_name,
                         const char *name, const char *pending)
{
    uint32_t track = indexed_track(e, type, "display_id", track_name,
                                   event_u32(e, PB_DpuDispDpuUnderrunFtraceEvent_id));
    struct slice_ref s = event_instant(e, track, NULL_STRING, trace_intern_c(e->t, name));
    slice_ref_int(&s, "vsync_count", event_i32(e, PB_DpuDispDpuUnderrunFtraceEvent_vsync_count));
    slice_ref_int(&s, pending, event_i32(e, PB_DpuDispDpuUnderrunFtraceEvent_frames_pending));
}

static void on_dpu_underrun(const struct ftrace_event *e)
{
    add_underrun(e, "disp_dpu_underrun", "underrun", "disp_dpu_underrun", "pending_frame");
}

static void on_dpu_line_underrun(const struct ftrace_event *e)
{
    add_underrun(e, "disp_dpu_line_underrun", "line_underrun", "disp_line_dpu_underrun",
                 "frames_pending");
}

static void on_vblank_irq_enable(const struct ftrace_event *e)
{
    uint32_t output = event_u32(e, PB_DpuDispVblankIrqEnableFtraceEvent_output_id);
    uint32_t track =
        indexed_track(e, "disp_vblank_irq_enable", "display_id", "vblank_irq_en", output);
    if (event_i32(e, PB_DpuDispVblankIrqEnableFtraceEvent_enable) == 0) {
        event_end(e, track);
        return;
    }
    struct slice_ref s =
        event_begin(e, track, NULL_STRING, trace_intern(e->t, STR("disp_vblank_irq_enable")));
    slice_ref_int(&s, "display_id", event_i32(e, PB_DpuDispVblankIrqEnableFtraceEvent_id));
    slice_ref_int(&s, "output_id", output);
}

/* Frames that a panel did not begin or end in time, or at all. The four kinds share the numbers of
 * their fields. */
static void on_panel_frame_fault(const struct ftrace_event *e)
{
    const char *type =
        e->id == PB_FtraceEvent_dpu_disp_frame_start_timeout   ? "disp_frame_start_timeout"
        : e->id == PB_FtraceEvent_dpu_disp_frame_done_timeout  ? "disp_frame_done_timeout"
        : e->id == PB_FtraceEvent_dpu_disp_frame_start_missing ? "disp_frame_start_missing"
                                                               : "disp_frame_done_missing";
    const char *name = type + strlen("disp_");
    uint32_t panel = event_u32(e, PB_DpuDispFrameDoneTimeoutFtraceEvent_output_id);
    uint32_t track = indexed_track(e, type, "panel_index", name, panel);
    struct slice_ref s = event_instant(e, track, NULL_STRING, trace_intern_c(e->t, name));
    slice_ref_int(&s, "display_id", event_i32(e, PB_DpuDispFrameDoneTimeoutFtraceEvent_display_id));
    slice_ref_int(&s, "output_id", panel);
    slice_ref_int(&s, "frames_pending",
                  event_i32(e, PB_DpuDispFrameDoneTimeoutFtraceEvent_frames_pending));
    slice_ref_int(&s, "te_count", event_i32(e, PB_DpuDispFrameDoneTimeoutFtraceEvent_te_count));
    if (e->id == PB_FtraceEvent_dpu_disp_frame_done_timeout)
        slice_ref_int(&s, "during_disable",
                      event_u32(e, PB_DpuDispFrameDoneTimeoutFtraceEvent_during_disable));
}

static struct slice_ref panel_instant(const struct ftrace_event *e, const char *what,
                                      uint32_t panel)
{
    uint32_t track = indexed_track(e, what, "panel_index", what, panel);
    return event_instant(e, track, NULL_STRING, trace_intern_c(e->t, what));
}

static void on_gram_collision(const struct ftrace_event *e)
{
    struct slice_ref s =
        panel_instant(e, "ddic_underrun", event_u32(e, PB_GramCollisionFtraceEvent_panel_index));
    slice_ref_int(&s, "collision_cnt", event_i32(e, PB_GramCollisionFtraceEvent_collision_cnt));
}

static bool flag(const struct ftrace_event *e, uint32_t number)
{
    return event_int(e, number) != 0;
}

static void on_panel_settings_full(const struct ftrace_event *e)
{
    struct slice_ref s = panel_instant(e, "panel_settings_full",
                                       event_u32(e, PB_PanelSettingsFullFtraceEvent_panel_index));
    slice_ref_bool(&s, "hbm", flag(e, PB_PanelSettingsFullFtraceEvent_hbm));
    slice_ref_int(&s, "irc", event_int(e, PB_PanelSettingsFullFtraceEvent_irc));
    slice_ref_bool(&s, "h_pwm", flag(e, PB_PanelSettingsFullFtraceEvent_h_pwm));
    slice_ref_bool(&s, "fi_auto", flag(e, PB_PanelSettingsFullFtraceEvent_fi_auto));
    slice_ref_bool(&s, "fi_manual", flag(e, PB_PanelSettingsFullFtraceEvent_fi_manual));
    slice_ref_bool(&s, "early_exit", flag(e, PB_PanelSettingsFullFtraceEvent_early_exit));
    slice_ref_int(&s, "min_rr", event_int(e, PB_PanelSettingsFullFtraceEvent_min_rr));
    slice_ref_int(&s, "max_rr", event_int(e, PB_PanelSettingsFullFtraceEvent_max_rr));
    slice_ref_int(&s, "te_freq", event_int(e, PB_PanelSettingsFullFtraceEvent_te_freq));
}

static void on_panel_settings_lite(const struct ftrace_event *e)
{
    struct slice_ref s = panel_instant(e, "panel_settings_lite",
                                       event_u32(e, PB_PanelSettingsLiteFtraceEvent_panel_index));
    slice_ref_bool(&s, "vrr", flag(e, PB_PanelSettingsLiteFtraceEvent_vrr));
    slice_ref_int(&s, "min_rr", event_int(e, PB_PanelSettingsLiteFtraceEvent_min_rr));
    slice_ref_int(&s, "max_rr", event_int(e, PB_PanelSettingsLiteFtraceEvent_max_rr));
    slice_ref_int(&s, "te_freq", event_int(e, PB_PanelSettingsLiteFtraceEvent_te_freq));
}

static void queue_felt(const struct ftrace_event *e, struct felt_sink *out, enum mark_kind kind,
                       uint32_t name, uint32_t seqno)
{
    uint64_t queue = felt_key_by(felt_key(e, PB_FtraceEvent_virtio_gpu_cmd_queue), e, name);
    felt_mark(out, kind, felt_key_by(queue, e, seqno), FELT_ANY, 0);
    felt_last_of_mark(out, queue);
}

static void say_virtio_gpu_queue(const struct ftrace_event *e, struct felt_sink *out)
{
    queue_felt(e, out, MARK_BEGIN, PB_VirtioGpuCmdQueueFtraceEvent_name,
               PB_VirtioGpuCmdQueueFtraceEvent_seqno);
}

static void say_virtio_gpu_response(const struct ftrace_event *e, struct felt_sink *out)
{
    queue_felt(e, out, MARK_END, PB_VirtioGpuCmdResponseFtraceEvent_name,
               PB_VirtioGpuCmdResponseFtraceEvent_seqno);
}

static const struct ftrace_handler handlers[] = {
    {PB_FtraceEvent_virtio_gpu_cmd_queue, .handle = on_virtio_gpu_queue,
     .felt = FELT_SAID_BY(say_virtio_gpu_queue)},
    {PB_FtraceEvent_virtio_gpu_cmd_response, .handle = on_virtio_gpu_response,
     .felt = FELT_SAID_BY(say_virtio_gpu_response)},
    {PB_FtraceEvent_dpu_disp_dpu_underrun, .handle = on_dpu_underrun, .felt = FELT_NOTHING},
    {PB_FtraceEvent_dpu_disp_dpu_line_underrun, .handle = on_dpu_line_underrun,
     .felt = FELT_NOTHING},
    {PB_FtraceEvent_dpu_disp_vblank_irq_enable, .handle = on_vblank_irq_enable,
     .felt = {.kind = FELT_SWITCH,
              .key = {PB_DpuDispVblankIrqEnableFtraceEvent_output_id},
              .value = PB_DpuDispVblankIrqEnableFtraceEvent_enable}},
    {PB_FtraceEvent_dpu_disp_frame_start_timeout, .handle = on_panel_frame_fault,
     .felt = FELT_NOTHING},
    {PB_FtraceEvent_dpu_disp_frame_done_timeout, .handle = on_panel_frame_fault,
     .felt = FELT_NOTHING},
    {PB_FtraceEvent_dpu_disp_frame_start_missing, .handle = on_panel_frame_fault,
     .felt = FELT_NOTHING},
    {PB_FtraceEvent_dpu_disp_frame_done_missing, .handle = on_panel_frame_fault,
     .felt = FELT_NOTHING},
    {PB_FtraceEvent_gram_collision, .handle = on_gram_collision, .felt = FELT_NOTHING},
    {PB_FtraceEvent_panel_settings_full, .handle = on_panel_settings_full, .felt = FELT_NOTHING},
    {PB_FtraceEvent_panel_settings_lite, .handle = on_panel_settings_lite, .felt = FELT_NOTHING},
    {0},
};

const struct ftrace_module ftrace_display_module = {
    .handlers = handlers,
};
