-- Instructions of ARM's instruction traces (ETM).

-- The instructions of a chunk, as callstacks.symbolize takes them.
CREATE PERFETTO FUNCTION _linux_perf_etm_metadata(chunk_id LONG)
RETURNS TABLE(file_name STRING, rel_pc LONG, mapping_id LONG, address LONG) AS
SELECT file.name AS file_name,
  instruction.address - mapping.start + mapping.exact_offset + elf.load_bias AS rel_pc,
  element.mapping_id, instruction.address
FROM __intrinsic_etm_decode_chunk($chunk_id) AS element,
  __intrinsic_etm_iterate_instruction_range(element.instruction_range) AS instruction
JOIN stack_profile_mapping AS mapping ON mapping.id = element.mapping_id
JOIN __intrinsic_elf_file AS elf ON elf.build_id = mapping.build_id
JOIN __intrinsic_file AS file ON file.id = elf.file_id;
