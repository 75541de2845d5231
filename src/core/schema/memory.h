/* What memory is used for: heaps, their objects and allocations, mappings.
 * How to read it: core/schema/schema.h. */
#ifndef TPTUI_CORE_SCHEMA_MEMORY_H
#define TPTUI_CORE_SCHEMA_MEMORY_H

/* clang-format off */
#define COLUMNS_heap_graph(C, T) \
    C(T, ts, TIMESTAMP, COLUMN_IN_BOUNDS, "When it was taken, ns of trace time.") \
    C(T, upid, JOINID(process.upid), 0, "Process whose heap it is.") \
    C(T, dump_reason, STR, COLUMN_NULLABLE, "Why it was dumped.") \
    C(T, heap_size, I64, COLUMN_NULLABLE, "Bytes in the heap.") \
    C(T, truncated, BOOL(U32), 0, "1 where data of the dump were lost.")

#define COLUMNS_heap_graph_class(C, T) \
    C(T, name, STR, 0, "Name; perhaps obfuscated.") \
    C(T, deobfuscated_name, STR, COLUMN_NULLABLE, "Name as in the source.") \
    C(T, location, STR, COLUMN_NULLABLE, "File (dex, apk) that it was loaded from.") \
    C(T, superclass_id, JOINID(heap_graph_class.id), COLUMN_NULLABLE, "Class that it extends.") \
    C(T, classloader_id, ROWID(heap_graph_object.id), COLUMN_NULLABLE, "Object that loaded it: heap_graph_object.id.") \
    C(T, kind, STR, 0, "Kind of class: KIND_NORMAL, KIND_ARRAY, KIND_WEAK_REFERENCE, ...")

#define COLUMNS_heap_graph_object(C, T) \
    C(T, upid, JOINID(process.id), 0, "Process whose heap it is in.") \
    C(T, graph_sample_ts, TIMESTAMP, COLUMN_IN_BOUNDS, "Time of the dump, ns of trace time.") \
    C(T, self_size, I64, 0, "Bytes of the object alone.") \
    C(T, native_size, I64, 0, "Bytes outside of the heap that it holds.") \
    C(T, reference_set_id, JOINID(heap_graph_reference.reference_set_id), COLUMN_NULLABLE, \
      "What it refers to: rows of heap_graph_reference.") \
    C(T, reachable, BOOL(I32), 0, "1 where a chain of references leads to it from a root.") \
    C(T, heap_type, STR, COLUMN_NULLABLE, \
      "Heap that it is in: HEAP_TYPE_APP, HEAP_TYPE_ZYGOTE or HEAP_TYPE_BOOT_IMAGE.") \
    C(T, type_id, JOINID(heap_graph_class.id), 0, "Class of the object.") \
    C(T, root_type, STR, COLUMN_NULLABLE, "Why it is a root; NULL: it is none.") \
    C(T, root_distance, I32, COLUMN_HIDDEN, \
      "References from the nearest root; -1: not reachable.") \
    C(T, object_data_id, ROWID(heap_graph_object_data.id), COLUMN_NULLABLE, "What it holds: heap_graph_object_data.id.")

#define COLUMNS_heap_graph_object_data(C, T) \
    C(T, field_set_id, JOINID(heap_graph_primitive.field_set_id), COLUMN_NULLABLE, \
      "Fields that are no objects: rows of heap_graph_primitive.") \
    C(T, value_string, STR, COLUMN_NULLABLE, "Text, where it is a string.") \
    C(T, array_element_type, STR, COLUMN_NULLABLE, "Type of an array's elements.") \
    C(T, array_element_count, U32, COLUMN_NULLABLE, "Number of an array's elements.") \
    C(T, array_data_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, "Number of the array's bytes.") \
    C(T, array_data_hash, I64, COLUMN_NULLABLE, "Hash of the array's bytes, to find equal ones.")

#define COLUMNS_heap_graph_primitive(C, T) \
    C(T, field_set_id, JOINID(heap_graph_object_data.field_set_id), COLUMN_SORTED | COLUMN_SET_ID, \
      "Object's set of fields.") \
    C(T, field_name, STR, 0, "Name of the field, with that of its class.") \
    C(T, field_type, STR, 0, "Type: boolean, byte, char, short, int, long, float or double.") \
    C(T, bool_value, U32, COLUMN_NULLABLE, "Value of a boolean.") \
    C(T, byte_value, I64, COLUMN_NULLABLE, "Value of a byte.") \
    C(T, char_value, I64, COLUMN_NULLABLE, "Value of a char.") \
    C(T, short_value, I64, COLUMN_NULLABLE, "Value of a short.") \
    C(T, int_value, I64, COLUMN_NULLABLE, "Value of an int.") \
    C(T, long_value, I64, COLUMN_NULLABLE, "Value of a long.") \
    C(T, float_value, F64, COLUMN_NULLABLE, "Value of a float.") \
    C(T, double_value, F64, COLUMN_NULLABLE, "Value of a double.")

#define COLUMNS_heap_graph_reference(C, T) \
    C(T, reference_set_id, JOINID(heap_graph_object.reference_set_id), COLUMN_SORTED | COLUMN_SET_ID, \
      "Set of references of its owner.") \
    C(T, owner_id, JOINID(heap_graph_object.id), 0, "Object that refers.") \
    C(T, owned_id, JOINID(heap_graph_object.id), COLUMN_NULLABLE, \
      "Object that is referred to; NULL: a null field.") \
    C(T, field_name, STR, COLUMN_NULLABLE, "Field that refers, with the name of its class.") \
    C(T, field_type_name, STR, COLUMN_NULLABLE, "Type of the field.") \
    C(T, deobfuscated_field_name, STR, COLUMN_NULLABLE, "Name of the field as in the source.")

#define COLUMNS_heap_graph_thread_callsite(C, T) \
    C(T, heap_graph_id, JOINID(heap_graph.id), 0, "Dump.") \
    C(T, utid, JOINID(thread.id), 0, "Thread.") \
    C(T, callsite_id, JOINID(stack_profile_callsite.id), COLUMN_NULLABLE, \
      "Innermost frame of its stack.")

#define COLUMNS_heap_graph_java_oome_details(C, T) \
    C(T, heap_graph_id, JOINID(heap_graph.id), 0, "Dump.") \
    C(T, allocation_size_bytes, I64, 0, "Bytes that were asked for.") \
    C(T, total_bytes_free, I64, 0, "Bytes that were free.") \
    C(T, free_bytes_until_oom, I64, 0, "Bytes that the heap could have grown by.") \
    C(T, error_msg, STR, COLUMN_NULLABLE, "Message of the error.")

#define COLUMNS_heap_profile(C, T) \
    C(T, ts, TIMESTAMP, 0, "Start of what it counts, ns of trace time.") \
    C(T, ts_end, TIMESTAMP, 0, "Time of the dump, ns of trace time.") \
    C(T, dur, DURATION, 0, "Duration, ns.") \
    C(T, upid, JOINID(process.upid), 0, "Process.") \
    C(T, heap_name, STR, COLUMN_NULLABLE, "Heap: libc.malloc, ...")

#define COLUMNS_heap_profile_allocation(C, T) \
    C(T, ts, TIMESTAMP, COLUMN_IN_BOUNDS, "Time of the dump, ns of trace time.") \
    C(T, upid, ROWID(process.id), 0, "Process: process.id.") \
    C(T, heap_name, STR, 0, "Heap: libc.malloc, ...") \
    C(T, callsite_id, JOINID(stack_profile_callsite.id), 0, \
      "Innermost frame of the stack that allocated.") \
    C(T, count, I64, 0, "Allocations since the last dump; negative: frees.") \
    C(T, size, I64, 0, "Bytes allocated since the last dump; negative: freed.")

#define COLUMNS_memory_snapshot(C, T) \
    C(T, timestamp, TIMESTAMP, 0, "When it was taken, ns of trace time.") \
    C(T, track_id, JOINID(track.id), 0, "Track that shows it.") \
    C(T, detail_level, STR, 0, "How much was told: background, light or detailed.")

#define COLUMNS_process_memory_snapshot(C, T) \
    C(T, snapshot_id, JOINID(memory_snapshot.id), 0, "Snapshot.") \
    C(T, upid, JOINID(process.id), 0, "Process.")

#define COLUMNS_memory_snapshot_node(C, T) \
    C(T, process_snapshot_id, JOINID(process_memory_snapshot.id), 0, "Process in its snapshot.") \
    C(T, parent_node_id, JOINID(memory_snapshot_node.id), COLUMN_NULLABLE, \
      "Node above; NULL at the top.") \
    C(T, path, STR, 0, "Names from the top, separated by slashes.") \
    C(T, size, I64, 0, "Bytes.") \
    C(T, effective_size, I64, 0, "Bytes, shared ones divided among their owners.") \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE, "Arguments, joins args.")

#define COLUMNS_memory_snapshot_edge(C, T) \
    C(T, source_node_id, JOINID(memory_snapshot_node.id), 0, "Node that uses the memory.") \
    C(T, target_node_id, JOINID(memory_snapshot_node.id), 0, "Node that is used.") \
    C(T, importance, U32, 0, "The most important user counts as the owner.")

#define COLUMNS_profiler_smaps(C, T) \
    C(T, upid, ROWID(process.id), 0, "Process: process.id.") \
    C(T, ts, TIMESTAMP, COLUMN_IN_BOUNDS, "When it was taken, ns of trace time.") \
    C(T, path, STR, 0, "File or name of the mapping.") \
    C(T, path_trimmed, STR, 0, "The same without what differs between installs.") \
    C(T, aggregate_count, U32, 0, "Mappings that the row sums up.") \
    C(T, is_deleted, U32, 0, "1 where the file was deleted.") \
    C(T, size_kb, I64, 0, "Size, KiB.") \
    C(T, private_dirty_kb, I64, 0, "Private and changed, KiB.") \
    C(T, swap_kb, I64, 0, "Swapped out, KiB.") \
    C(T, file_name, STR, 0, "File that is mapped.") \
    C(T, start_address, I64, 0, "First address.") \
    C(T, module_timestamp, I64, 0, "Time of the module's build.") \
    C(T, module_debugid, STR, 0, "Build id of the module.") \
    C(T, module_debug_path, STR, 0, "File of its debug symbols.") \
    C(T, protection_flags, I64, 0, "Read, write and execute bits.") \
    C(T, private_clean_resident_kb, I64, 0, "Private, unchanged, in memory, KiB.") \
    C(T, shared_dirty_resident_kb, I64, 0, "Shared, changed, in memory, KiB.") \
    C(T, shared_clean_resident_kb, I64, 0, "Shared, unchanged, in memory, KiB.") \
    C(T, locked_kb, I64, 0, "Locked in memory, KiB.") \
    C(T, proportional_resident_kb, I64, 0, \
      "In memory, shared pages divided among their users, KiB.") \
    C(T, rss_kb, I64, 0, "In memory, KiB.") \
    C(T, anonymous_kb, I64, 0, "Without a file behind it, KiB.") \
    C(T, pss_dirty_kb, I64, 0, "Changed, shared pages divided among their users, KiB.") \
    C(T, swap_pss_kb, I64, 0, "Swapped out, shared pages divided among their users, KiB.")

#define COLUMNS_vulkan_memory_allocations(C, T) \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE, "Arguments, joins args.") \
    C(T, source, STR, 0, "What the memory is of: driver, device memory, buffer, image.") \
    C(T, operation, STR, 0, "Create, destroy, bind, ...") \
    C(T, timestamp, I64, 0, "When it happened, ns of trace time.") \
    C(T, upid, ROWID(process.id), COLUMN_NULLABLE, "Process: process.id.") \
    C(T, device, I64, COLUMN_NULLABLE, "Handle of the device.") \
    C(T, device_memory, I64, COLUMN_NULLABLE, "Handle of the device's memory.") \
    C(T, memory_type, U32, COLUMN_NULLABLE, "Number of the memory's type.") \
    C(T, heap, U32, COLUMN_NULLABLE, "Number of the heap.") \
    C(T, function_name, STR, COLUMN_NULLABLE, "Function of Vulkan that was called.") \
    C(T, object_handle, I64, COLUMN_NULLABLE, "Handle of the object.") \
    C(T, memory_address, I64, COLUMN_NULLABLE, "Address.") \
    C(T, memory_size, I64, COLUMN_NULLABLE, "Bytes.") \
    C(T, scope, STR, 0, "How long it lives: command, object, cache, device or instance.")

#define MEMORY_TABLES(T) \
    T(heap_graph, "__intrinsic_heap_graph", "Dumps of Java heaps.", "android.java_hprof") \
    T(heap_graph_class, "__intrinsic_heap_graph_class", \
      "Classes of the objects of Java heaps.", "android.java_hprof") \
    T(heap_graph_object, "__intrinsic_heap_graph_object", \
      "Objects of Java heaps.", "android.java_hprof") \
    T(heap_graph_object_data, "__intrinsic_heap_graph_object_data", \
      "What objects of Java heaps hold: fields, texts, arrays.", "android.java_hprof") \
    T(heap_graph_primitive, "__intrinsic_heap_graph_primitive", \
      "Fields of objects that are no objects themselves.", "android.java_hprof") \
    T(heap_graph_reference, "__intrinsic_heap_graph_reference", \
      "References from object to object of Java heaps.", "android.java_hprof") \
    T(heap_graph_thread_callsite, "__intrinsic_heap_graph_thread_callsite", \
      "Stacks of the threads at a heap dump.", "android.java_hprof") \
    T(heap_graph_java_oome_details, "__intrinsic_heap_graph_java_oome_details", \
      "Why a heap ran out of memory, where that led to its dump.", "android.java_hprof") \
    T(heap_profile, "__intrinsic_heap_profile", "Dumps of allocations.", "android.heapprofd") \
    T(heap_profile_allocation, "__intrinsic_heap_profile_allocation", \
      "Memory that was allocated and freed, by call stack.", "android.heapprofd") \
    T(memory_snapshot, "__intrinsic_memory_snapshot", \
      "Moments at which Chrome's processes told of their memory.", \
      "org.chromium.memory_instrumentation") \
    T(process_memory_snapshot, "__intrinsic_process_memory_snapshot", \
      "Processes of a snapshot.", "org.chromium.memory_instrumentation") \
    T(memory_snapshot_node, "__intrinsic_memory_snapshot_node", \
      "What a process uses memory for, as a tree.", "org.chromium.memory_instrumentation") \
    T(memory_snapshot_edge, "__intrinsic_memory_snapshot_edge", \
      "Nodes that share memory.", "org.chromium.memory_instrumentation") \
    T(profiler_smaps, "__intrinsic_profiler_smaps", \
      "Mappings of processes, as /proc/PID/smaps shows them.", "android.java_hprof (dump_smaps)") \
    T(vulkan_memory_allocations, "__intrinsic_vulkan_memory_allocations", \
      "What Vulkan drivers did with memory.", "vulkan.memory_tracker")

#define MEMORY_VIEWS(V) \
    V(heap_graph, heap_graph, "*") \
    V(heap_graph_class, heap_graph_class, "*") \
    V(heap_graph_object, heap_graph_object, "*") \
    V(heap_graph_object_data, heap_graph_object_data, "*") \
    V(heap_graph_primitive, heap_graph_primitive, "*") \
    V(heap_graph_reference, heap_graph_reference, "*") \
    V(heap_graph_thread_callsite, heap_graph_thread_callsite, "*") \
    V(heap_profile, heap_profile, "*") \
    V(heap_profile_allocation, heap_profile_allocation, "*") \
    V(memory_snapshot, memory_snapshot, "*") \
    V(process_memory_snapshot, process_memory_snapshot, "*") \
    V(memory_snapshot_node, memory_snapshot_node, "*") \
    V(memory_snapshot_edge, memory_snapshot_edge, "*") \
    V(profiler_smaps, profiler_smaps, "*") \
    V(process_memory_mappings, profiler_smaps, \
      "id, upid, ts, path, aggregate_count, is_deleted, size_kb, rss_kb, anonymous_kb, " \
      "swap_kb, shared_clean_resident_kb AS shared_clean_kb, shared_dirty_resident_kb AS " \
      "shared_dirty_kb, private_clean_resident_kb AS private_clean_kb, private_dirty_kb, " \
      "locked_kb, proportional_resident_kb AS pss_kb, pss_dirty_kb, swap_pss_kb") \
    V(vulkan_memory_allocations, vulkan_memory_allocations, "*")
/* clang-format on */

#endif
