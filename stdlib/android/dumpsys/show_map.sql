-- Memory maps of processes in a bug report.

-- Columns with commas between, so that what is mapped ends at its first blank.
CREATE PERFETTO TABLE _show_maps AS
SELECT id, regexp_replace_simple(trim(line), ' +', ',') AS line, section
FROM android_dumpstate
WHERE section GLOB 'SHOW MAP*';

-- Where the maps of a process begin, "SHOW MAP PID (NAME) (COMMAND)". Those after the last heading
-- are left out: they end at the next one.
CREATE PERFETTO TABLE _show_maps_process AS
SELECT *, CAST(replace(str_split(section, ' ', 2), ':', '') AS INTEGER) AS pid,
  trim(str_split(section, ' ', 3)) AS process_name, lead(id) OVER (ORDER BY id) AS next_id
FROM (
  SELECT min(id) AS id, line, section
  FROM _show_maps
  WHERE line GLOB 'virtual*shared*shared*private*private*Anon*Shmem*File*Shared*Private*'
  GROUP BY section
);

CREATE PERFETTO VIEW _show_maps_process_boundary AS
SELECT m.id, m.line, m.section, p.process_name, p.pid
FROM _show_maps AS m
JOIN _show_maps_process AS p ON m.id BETWEEN p.id AND p.next_id;

-- The number in a column, from 0 on.
CREATE PERFETTO MACRO _show_map_number(column Expr) RETURNS Expr AS
CAST(str_split(m.line, ',', $column) AS INTEGER);

-- One row per process and mapped file or region.
CREATE PERFETTO TABLE android_dumpsys_show_map(
  -- Name of the process.
  process_name STRING,
  -- Pid of the process.
  pid JOINID(process.pid),
  -- Virtual size in kB.
  vss_kb LONG,
  -- Resident pages in kB.
  rss_kb LONG,
  -- Resident pages in kB, shared ones divided by how many processes share them.
  pss_kb LONG,
  -- Resident unmodified pages in kB that others map, too.
  shared_clean_kb LONG,
  -- Resident modified pages in kB that others map, too.
  shared_dirty_kb LONG,
  -- Resident unmodified pages in kB that only this process maps.
  private_clean_kb LONG,
  -- Resident modified pages in kB that only this process maps.
  private_dirty_kb LONG,
  -- Swapped out pages in kB.
  swap_kb LONG,
  -- Swapped out pages in kB, shared ones divided by how many processes share them.
  swap_pss_kb LONG,
  -- Anonymous transparent huge pages in kB.
  anon_huge_pages_kb LONG,
  -- Shared memory in kB that is mapped by huge pages.
  shmem_pmd_mapped_kb LONG,
  -- Page cache in kB that is mapped by huge pages.
  file_pmd_mapped_kb LONG,
  -- Pages of hugetlbfs in kB that others map, too.
  shared_huge_tlb_kb LONG,
  -- Pages of hugetlbfs in kB that only this process maps.
  private_hugetlb_kb LONG,
  -- Pages in kB that are locked in memory.
  locked_kb LONG,
  -- How many mappings of the object the row sums up.
  mapping_count LONG,
  -- The mapped file or the name of the region, up to the first blank.
  mapped_object STRING
) AS
SELECT m.process_name, m.pid, _show_map_number!(0) AS vss_kb, _show_map_number!(1) AS rss_kb,
  _show_map_number!(2) AS pss_kb, _show_map_number!(3) AS shared_clean_kb,
  _show_map_number!(4) AS shared_dirty_kb, _show_map_number!(5) AS private_clean_kb,
  _show_map_number!(6) AS private_dirty_kb, _show_map_number!(7) AS swap_kb,
  _show_map_number!(8) AS swap_pss_kb, _show_map_number!(9) AS anon_huge_pages_kb,
  _show_map_number!(10) AS shmem_pmd_mapped_kb, _show_map_number!(11) AS file_pmd_mapped_kb,
  _show_map_number!(12) AS shared_huge_tlb_kb, _show_map_number!(13) AS private_hugetlb_kb,
  _show_map_number!(14) AS locked_kb, _show_map_number!(15) AS mapping_count,
  str_split(m.line, ',', 16) AS mapped_object
FROM _show_maps_process_boundary AS m
WHERE m.line GLOB '[0-9]*' AND str_split(m.line, ',', 16) <> 'TOTAL';
