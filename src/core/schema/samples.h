/* Samples of call stacks, what they are made of, and traces of instructions.
 * How to read it: core/schema/schema.h. */
#ifndef TPTUI_CORE_SCHEMA_SAMPLES_H
#define TPTUI_CORE_SCHEMA_SAMPLES_H

/* clang-format off */
#define COLUMNS_profiler_session(C, T) \
    C(T, source, STR, 0, "What sampled: linux.perf, chrome, ...") \
    C(T, timebase_unit, STR, COLUMN_NULLABLE, "Unit of what is counted between samples.") \
    C(T, cmdline, STR, COLUMN_NULLABLE, "Command line of the recorder.")

#define COLUMNS_profiler_sample(C, T) \
    C(T, ts, TIMESTAMP, COLUMN_SORTED | COLUMN_IN_BOUNDS, "When it was taken, ns of trace time.") \
    C(T, source, STR, 0, "What sampled: linux.perf, chrome, instruments, ...") \
    C(T, task_context_id, JOINID(profiler_task_context.id), COLUMN_NULLABLE, \
      "Thread that was sampled.") \
    C(T, execution_context_id, JOINID(profiler_execution_context.id), COLUMN_NULLABLE, \
      "CPU and mode that it ran in.") \
    C(T, callsite_id, JOINID(stack_profile_callsite.id), COLUMN_NULLABLE, \
      "Innermost frame of the stack.") \
    C(T, unwind_error, STR, COLUMN_NULLABLE, "Why the stack is incomplete; NULL: it is not.") \
    C(T, session_id, JOINID(profiler_session.id), COLUMN_NULLABLE, "Recording.") \
    C(T, counter_set_id, ROWID(profiler_counter_set.counter_set_id), COLUMN_NULLABLE, \
      "Counters at that moment: rows of __intrinsic_profiler_counter_set.")

#define COLUMNS_profiler_task_context(C, T) \
    C(T, upid, JOINID(process.id), COLUMN_NULLABLE, "Process.") \
    C(T, utid, JOINID(thread.id), COLUMN_NULLABLE, \
      "Thread; NULL where only the process is known.") \
    C(T, async_context_id, JOINID(profiler_async_context.id), COLUMN_NULLABLE, \
      "Asynchronous task that it ran for.")

#define COLUMNS_profiler_execution_context(C, T) \
    C(T, ucpu, JOINID(cpu.id), COLUMN_NULLABLE, "CPU, joins cpu.") \
    C(T, cpu_mode, STR, COLUMN_NULLABLE, "user, kernel, hypervisor, ...")

#define COLUMNS_profiler_async_context(C, T) \
    C(T, name, STR, COLUMN_NULLABLE, "Name.") \
    C(T, kind, STR, COLUMN_NULLABLE, "Kind of task.") \
    C(T, parent_id, JOINID(profiler_async_context.id), COLUMN_NULLABLE, "Task that started it.")

#define COLUMNS_profiler_counter_set(C, T) \
    C(T, counter_set_id, U32, COLUMN_SORTED | COLUMN_SET_ID, "Set that it belongs to.") \
    C(T, counter_id, JOINID(counter.id), 0, "Value of the counter.")

#define COLUMNS_stack_profile_callsite(C, T) \
    C(T, depth, U32, 0, "How many callers it has.") \
    C(T, parent_id, JOINID(stack_profile_callsite.id), COLUMN_NULLABLE, \
      "Its caller; NULL for the outermost frame.") \
    C(T, frame_id, JOINID(stack_profile_frame.id), 0, "Function.")

#define COLUMNS_stack_profile_frame(C, T) \
    C(T, name, STR, 0, "Name of the function as the trace has it; perhaps mangled.") \
    C(T, mapping, JOINID(stack_profile_mapping.id), 0, "Mapping that its code is in.") \
    C(T, rel_pc, I64, 0, "Address in the mapping's file, its load bias added.") \
    C(T, symbol_set_id, ROWID(stack_profile_symbol.symbol_set_id), COLUMN_NULLABLE, \
      "Its functions in source, inlined ones too: rows of stack_profile_symbol.") \
    C(T, deobfuscated_name, STR, COLUMN_NULLABLE, "Name as in the source.") \
    C(T, type, STR, COLUMN_NULLABLE, "Kind of code: native, kernel, jit, ...; NULL: not known.")

#define COLUMNS_stack_profile_mapping(C, T) \
    C(T, build_id, STR, 0, "Build id of the file, hex.") \
    C(T, exact_offset, I64, 0, "Offset in the file of the mapping's first byte.") \
    C(T, start_offset, I64, 0, "Offset in the file of the segment.") \
    C(T, start, I64, 0, "First address.") \
    C(T, end, I64, 0, "Address behind the last.") \
    C(T, load_bias, I64, 0, "Virtual address less offset in the file, as the file asks for.") \
    C(T, name, STR, 0, "Path of the file.")

#define COLUMNS_stack_profile_symbol(C, T) \
    C(T, symbol_set_id, U32, COLUMN_SORTED | COLUMN_SET_ID, \
      "Set that it belongs to, innermost first.") \
    C(T, name, STR, 0, "Name of the function.") \
    C(T, source_file, STR, COLUMN_NULLABLE, "File of the source.") \
    C(T, line_number, U32, COLUMN_NULLABLE, "Line in it.") \
    C(T, inlined, U32, COLUMN_NULLABLE, "1 where it was inlined into the next.")

#define COLUMNS_chrome_stack_sample_extras(C, T) \
    C(T, profiler_sample_id, JOINID(profiler_sample.id), 0, "Sample.") \
    C(T, process_priority, I32, 0, "Priority of the process.")

#define COLUMNS_aggregate_profile(C, T) \
    C(T, scope, STR, 0, "Profile that it is part of.") \
    C(T, name, STR, 0, "Name of the kind of value.") \
    C(T, sample_type_type, STR, 0, "What is measured: cpu, space.") \
    C(T, sample_type_unit, STR, 0, "Its unit: nanoseconds, bytes.")

#define COLUMNS_aggregate_sample(C, T) \
    C(T, aggregate_profile_id, JOINID(aggregate_profile.id), 0, "Profile.") \
    C(T, callsite_id, JOINID(stack_profile_callsite.id), 0, "Innermost frame of the stack.") \
    C(T, value, F64, 0, "Sum, in the profile's unit.")

#define COLUMNS_mmap_record(C, T) \
    C(T, ts, TIMESTAMP, 0, "When it happened, ns of trace time.") \
    C(T, upid, ROWID(process.id), COLUMN_NULLABLE, "Process: process.id; NULL: the kernel.") \
    C(T, mapping_id, JOINID(stack_profile_mapping.id), 0, "Mapping.") \
    C(T, file_id, JOINID(file.id), COLUMN_NULLABLE, "The file itself, where the trace has it.")

#define COLUMNS_spe_record(C, T) \
    C(T, ts, TIMESTAMP, COLUMN_SORTED, "When it was taken, ns of trace time.") \
    C(T, utid, JOINID(thread.id), COLUMN_NULLABLE, "Thread that ran it.") \
    C(T, exception_level, STR, 0, "Exception level: EL0, EL1, ...") \
    C(T, instruction_frame_id, JOINID(stack_profile_frame.id), COLUMN_NULLABLE, \
      "Place in the code.") \
    C(T, operation, STR, 0, "What was done: load, store, branch, ...") \
    C(T, data_virtual_address, I64, 0, "Virtual address of the data.") \
    C(T, data_physical_address, I64, 0, "Physical address of the data.") \
    C(T, total_latency, U32, 0, "Cycles from start to end.") \
    C(T, issue_latency, U32, 0, "Cycles until it was issued.") \
    C(T, translation_latency, U32, 0, "Cycles for translating the address.") \
    C(T, events_bitmask, I64, 0, "What happened: cache misses, mispredictions, a bit each.") \
    C(T, data_source, STR, 0, "Where the data came from.")

#define COLUMNS_etm_v4_configuration(C, T) \
    C(T, set_id, U32, COLUMN_SORTED | COLUMN_SET_ID, "Configurations of one session share it.") \
    C(T, cpu, U32, 0, "Number of the CPU.") \
    C(T, cs_trace_stream_id, U32, COLUMN_FOREIGN, "Stream of the CPU in the trace.") \
    C(T, core_profile, STR, 0, "Profile of the core.") \
    C(T, arch_version, STR, 0, "Version of the architecture.") \
    C(T, major_version, U32, 0, "Version of the unit, before the dot.") \
    C(T, minor_version, U32, 0, "Version of the unit, behind the dot.") \
    C(T, max_speculation_depth, U32, 0, "Speculated instructions at once.") \
    C(T, bool_flags, I64, 0, "Abilities, a bit each.") \
    C(T, registers, STR, COLUMN_HIDDEN, "Registers of the unit: TRCCONFIGR=0x840 and the like.")

#define COLUMNS_etm_v4_session(C, T) \
    C(T, configuration_id, JOINID(etm_v4_configuration.id), 0, "How it was set up.") \
    C(T, start_ts, I64, COLUMN_NULLABLE, "Start, ns of trace time; NULL: not known.")

#define COLUMNS_etm_v4_chunk(C, T) \
    C(T, session_id, JOINID(etm_v4_session.id), 0, "Recording that it belongs to.") \
    C(T, chunk_set_id, U32, COLUMN_SORTED | COLUMN_SET_ID, "Chunks of one session share it.") \
    C(T, size, I64, 0, "Bytes.") \
    C(T, data, STR, COLUMN_HIDDEN, "The bytes, as they were recorded.")

#define COLUMNS_file(C, T) \
    C(T, name, STR, 0, "Path.") \
    C(T, size, I64, 0, "Bytes.") \
    C(T, trace_type, STR, 0, "Kind of file.")

#define COLUMNS_elf_file(C, T) \
    C(T, file_id, JOINID(file.id), 0, "The file.") \
    C(T, load_bias, I64, 0, "Virtual address less offset in the file, as the file asks for.") \
    C(T, build_id, STR, COLUMN_NULLABLE, "Build id, hex.")

#define SAMPLES_TABLES(T) \
    T(profiler_session, "__intrinsic_profiler_session", \
      "Recordings of samples.", "linux.perf or org.chromium.sampler_profiler") \
    T(profiler_sample, "__intrinsic_profiler_sample", \
      "Samples of call stacks from every source.", "linux.perf or org.chromium.sampler_profiler") \
    T(profiler_task_context, "__intrinsic_profiler_task_context", \
      "Threads, processes and asynchronous tasks of samples.", \
      "linux.perf or org.chromium.sampler_profiler") \
    T(profiler_execution_context, "__intrinsic_profiler_execution_context", \
      "CPUs and modes of samples.", "linux.perf") \
    T(profiler_async_context, "__intrinsic_profiler_async_context", \
      "Asynchronous tasks of samples.", "") \
    T(profiler_counter_set, "__intrinsic_profiler_counter_set", \
      "Counters that were read with a sample.", "linux.perf") \
    T(stack_profile_callsite, "__intrinsic_stack_profile_callsite", \
      "Call stacks, as trees of frames: each row is a frame and its callers.", \
      "linux.perf or android.heapprofd") \
    T(stack_profile_frame, "__intrinsic_stack_profile_frame", \
      "Functions, or places in code, of call stacks.", "linux.perf or android.heapprofd") \
    T(stack_profile_mapping, "__intrinsic_stack_profile_mapping", \
      "Files that code was mapped from.", "linux.perf or android.heapprofd") \
    T(stack_profile_symbol, "__intrinsic_stack_profile_symbol", \
      "Functions of a frame in the source.", "symbols put into the trace after recording") \
    T(chrome_stack_sample_extras, "__intrinsic_chrome_stack_sample_extras", \
      "What samples of Chrome say besides.", "org.chromium.sampler_profiler") \
    T(aggregate_profile, "__intrinsic_aggregate_profile", \
      "Profiles of summed up samples: one kind of value of a pprof.", "") \
    T(aggregate_sample, "__intrinsic_aggregate_sample", "Sums of an aggregate profile.", "") \
    T(mmap_record, "__intrinsic_mmap_record", "When files of code were mapped.", "linux.perf") \
    T(spe_record, "__intrinsic_spe_record", \
      "Sampled operations of Arm's statistical profiling.", "a recording of perf with arm_spe") \
    T(etm_v4_configuration, "__intrinsic_etm_v4_configuration", \
      "Set up of Arm's instruction trace, for each CPU.", "a recording of perf with cs_etm") \
    T(etm_v4_session, "__intrinsic_etm_v4_session", \
      "Recordings of instructions of one CPU.", "a recording of perf with cs_etm") \
    T(etm_v4_chunk, "__intrinsic_etm_v4_chunk", \
      "Pieces of recorded instructions.", "a recording of perf with cs_etm") \
    T(file, "__intrinsic_file", "Files that the trace holds.", "") \
    T(elf_file, "__intrinsic_elf_file", "Programs and libraries that the trace holds.", "")

#define SAMPLES_VIEWS(V) \
    V(stack_profile_callsite, stack_profile_callsite, "*") \
    V(stack_profile_frame, stack_profile_frame, "*") \
    V(stack_profile_mapping, stack_profile_mapping, "*") \
    V(stack_profile_symbol, stack_profile_symbol, "*")
/* clang-format on */

#endif
