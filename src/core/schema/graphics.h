/* The graphics processor and video. How to read it: core/schema/schema.h. */
#ifndef TPTUI_CORE_SCHEMA_GRAPHICS_H
#define TPTUI_CORE_SCHEMA_GRAPHICS_H

/* clang-format off */
#define COLUMNS_gpu(C, T) \
    C(T, gpu, U32, COLUMN_NULLABLE, "Number of the GPU in its machine.") \
    C(T, machine_id, JOINID(machine.id), 0, "Machine that it belongs to.") \
    C(T, name, STR, 0, "Name.") \
    C(T, vendor, STR, 0, "Who made it.") \
    C(T, model, STR, 0, "Model.") \
    C(T, architecture, STR, 0, "Architecture.") \
    C(T, uuid, STR, 0, "Unique id of the device.") \
    C(T, pci_bdf, STR, 0, "Place on the PCI bus: bus, device, function.") \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE, "Arguments, joins args.")

#define COLUMNS_gpu_context(C, T) \
    C(T, context_id, U32, COLUMN_FOREIGN, "Number of the context.") \
    C(T, pid, U32, COLUMN_NULLABLE, "Process that it belongs to, as a pid.") \
    C(T, api, STR, COLUMN_NULLABLE, "Interface: OPENGL, VULKAN, OPEN_CL, ...")

#define COLUMNS_gpu_counter_group(C, T) \
    C(T, group_id, I32, COLUMN_FOREIGN, "Number of the group.") \
    C(T, track_id, JOINID(track.id), 0, "Counter.") \
    C(T, name, STR, COLUMN_NULLABLE, "Name of the group.") \
    C(T, description, STR, COLUMN_NULLABLE, "What the group is.")

#define COLUMNS_video_frames(C, T) \
    C(T, ts, TIMESTAMP, COLUMN_SORTED | COLUMN_IN_BOUNDS, "When it was shown, ns of trace time.") \
    C(T, display_id, I32, COLUMN_FOREIGN, "Number of the display.") \
    C(T, display_name, STR, COLUMN_NULLABLE, "Name of the display.") \
    C(T, codec_string, STR, COLUMN_NULLABLE, "Codec, as web browsers name it.") \
    C(T, frame_number, I64, 0, "Number of the frame.") \
    C(T, codec, I32, COLUMN_NULLABLE, "Number of the codec.") \
    C(T, is_key_frame, I32, COLUMN_NULLABLE, "1 where it needs no other frame.") \
    C(T, pts_us, I64, COLUMN_NULLABLE, "Time to show it, us, on the recorder's own clock.") \
    C(T, is_config, I32, COLUMN_NULLABLE, "1 for parameters of the codec.")

#define GRAPHICS_TABLES(T) \
    T(gpu, "__intrinsic_gpu", "Graphics processors of all machines.", "") \
    T(gpu_context, "__intrinsic_gpu_context", \
      "Contexts that work for the GPU was given in.", "gpu.renderstages") \
    T(gpu_counter_group, "__intrinsic_gpu_counter_group", \
      "Groups that counters of the GPU belong to.", "gpu.counters") \
    T(video_frames, "__intrinsic_video_frames", \
      "Encoded frames of a recorded screen.", "android.display.video")

#define GRAPHICS_VIEWS(V) \
    V(gpu, gpu, \
      "id, id AS ugpu, gpu, name, vendor, model, architecture, uuid, pci_bdf, machine_id, " \
      "arg_set_id") \
    V(gpu_counter_group, gpu_counter_group, "*")
/* clang-format on */

#endif
