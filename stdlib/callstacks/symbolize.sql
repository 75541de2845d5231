-- Functions of addresses, with llvm-symbolizer.

-- Of rows (file_name, rel_pc, mapping_id, address): the path of an ELF file, an address in it, and
-- two columns to join the result by.
CREATE PERFETTO MACRO _callstack_frame_symbolize(
  frames TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT c0 AS function_name, c1 AS file_name, c2 AS line_number, c3 AS mapping_id, c4 AS address
  FROM __intrinsic_table_ptr(__intrinsic_symbolize((
    SELECT __intrinsic_symbolize_agg(f.file_name, f.rel_pc, f.mapping_id, f.address)
    FROM $frames AS f)))
  WHERE __intrinsic_table_ptr_bind(c0, 'function_name')
    AND __intrinsic_table_ptr_bind(c1, 'file_name')
    AND __intrinsic_table_ptr_bind(c2, 'line_number')
    AND __intrinsic_table_ptr_bind(c3, 'mapping_id')
    AND __intrinsic_table_ptr_bind(c4, 'address')
);
