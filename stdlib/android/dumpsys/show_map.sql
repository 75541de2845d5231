-- Memory maps of processes in a bug report ("SHOW MAP PID: NAME").

-- Columns of numbers with spaces between, headings and sums left out.
CREATE PERFETTO TABLE _show_map_rows AS
SELECT regexp_extract(section, '^SHOW MAP \d+: *(.*?) *$') AS process_name,
  CAST(regexp_extract(section, '^SHOW MAP (\d+)') AS INTEGER) AS pid,
  '[' || regexp_replace_simple(regexp_extract(line, '^ *((\d+ +){15}\d+) '), ' +', ',') || ']'
    AS numbers,
  regexp_extract(line, '^ *(?:\d+ +){16}(.*?) *$') AS mapped_object
FROM android_dumpstate
WHERE section GLOB 'SHOW MAP *' AND regexp('^ *(\d+ +){16}', line);

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
  -- The mapped file or the name of the region.
  mapped_object STRING
) AS
SELECT process_name, pid, numbers ->> 0 AS vss_kb, numbers ->> 1 AS rss_kb, numbers ->> 2 AS pss_kb,
  numbers ->> 3 AS shared_clean_kb, numbers ->> 4 AS shared_dirty_kb,
  numbers ->> 5 AS private_clean_kb, numbers ->> 6 AS private_dirty_kb, numbers ->> 7 AS swap_kb,
  numbers ->> 8 AS swap_pss_kb, numbers ->> 9 AS anon_huge_pages_kb,
  numbers ->> 10 AS shmem_pmd_mapped_kb, numbers ->> 11 AS file_pmd_mapped_kb,
  numbers ->> 12 AS shared_huge_tlb_kb, numbers ->> 13 AS private_hugetlb_kb,
  numbers ->> 14 AS locked_kb, numbers ->> 15 AS mapping_count, mapped_object
FROM _show_map_rows
WHERE mapped_object <> 'TOTAL';
