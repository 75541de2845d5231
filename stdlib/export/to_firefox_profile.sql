-- Callstacks for profiler.firefox.com: its "processed" format, with tables of columns and of
-- indexes into each other for each thread.

INCLUDE PERFETTO MODULE callstacks.stack_profile;

-- Whatever decided when they were taken: a profile of page faults or switches is one, too.
CREATE PERFETTO TABLE _firefox_callstacks AS
SELECT s.ts, t.utid, s.callsite_id
FROM stack_sample AS s
JOIN stack_sample_task_context AS t ON t.id = s.task_context_id
WHERE t.utid IS NOT NULL AND s.callsite_id IS NOT NULL
ORDER BY s.ts;

-- The functions that a thread was seen in; `stack` is the index of one with all that called it. One
-- without a name is called by its address in the file. `category` is one of meta.categories.
CREATE PERFETTO TABLE _firefox_stacks AS
WITH RECURSIVE seen(utid, callsite_id) AS (
  SELECT utid, callsite_id FROM _firefox_callstacks
  UNION
  SELECT utid, c.parent_id
  FROM seen
  JOIN stack_profile_callsite AS c ON c.id = seen.callsite_id
  WHERE c.parent_id IS NOT NULL
),
named AS (
  SELECT seen.utid, f.id, f.parent_id, f.callsite_id,
    coalesce(nullif(f.name, ''), printf('0x%x', frame.rel_pc)) AS name,
    coalesce(m.name, '') AS mapping_name, f.line_number,
    f.is_leaf_function_in_callsite_frame AS is_leaf
  FROM seen
  JOIN _callstack_spc_forest AS f USING (callsite_id)
  JOIN stack_profile_callsite AS c ON c.id = seen.callsite_id
  JOIN stack_profile_frame AS frame ON frame.id = c.frame_id
  LEFT JOIN stack_profile_mapping AS m ON m.id = f.mapping_id
)
-- The kernel and its modules are named in brackets, as are a few things of processes.
SELECT *, iif(mapping_name GLOB '*.ko' OR (mapping_name GLOB '[[]*' AND mapping_name NOT IN
    ('[vdso]', '[vsyscall]', '[heap]', '[stack]', '[unknown]') AND
    mapping_name NOT GLOB '[[]anon*'), 1, 0) AS category,
  row_number() OVER (PARTITION BY utid ORDER BY id) - 1 AS stack,
  dense_rank() OVER (PARTITION BY utid ORDER BY name, mapping_name) - 1 AS func
FROM named;

CREATE PERFETTO TABLE _firefox_funcs AS
SELECT DISTINCT utid, func, name, mapping_name
FROM _firefox_stacks;

CREATE PERFETTO TABLE _firefox_strings AS
SELECT utid, text, row_number() OVER (PARTITION BY utid ORDER BY text) - 1 AS string
FROM (
  SELECT utid, name AS text FROM _firefox_funcs
  UNION
  SELECT utid, mapping_name FROM _firefox_funcs
);

CREATE PERFETTO TABLE _firefox_resources AS
SELECT utid, mapping_name, string, row_number() OVER (PARTITION BY utid ORDER BY string) - 1
  AS resource
FROM (SELECT DISTINCT utid, mapping_name FROM _firefox_funcs WHERE mapping_name <> '') AS used
JOIN _firefox_strings AS s USING (utid)
WHERE s.text = mapping_name;

CREATE PERFETTO FUNCTION _firefox_samples(utid JOINID(thread.id)) RETURNS STRING AS
SELECT json_object('stack', json_group_array(stack), 'time', json_group_array(ms),
  'weight', NULL, 'weightType', 'samples', 'length', count(*))
FROM (
  SELECT k.stack, (s.ts - trace_start()) / 1e6 AS ms
  FROM _firefox_callstacks AS s
  JOIN _firefox_stacks AS k ON k.utid = s.utid AND k.callsite_id = s.callsite_id AND k.is_leaf
  WHERE s.utid = $utid
  ORDER BY s.ts
);

CREATE PERFETTO FUNCTION _firefox_stack_table(utid JOINID(thread.id)) RETURNS STRING AS
SELECT json_object('frame', json_group_array(stack), 'prefix', json_group_array(prefix),
  'category', json_group_array(category), 'subcategory', json_group_array(0), 'length', count(*))
FROM (
  SELECT k.stack, k.category, parent.stack AS prefix
  FROM _firefox_stacks AS k
  LEFT JOIN _firefox_stacks AS parent ON parent.utid = k.utid AND parent.id = k.parent_id
  WHERE k.utid = $utid
  ORDER BY k.stack
);

-- Each stack has a frame of its own, whose index is the same.
CREATE PERFETTO FUNCTION _firefox_frame_table(utid JOINID(thread.id)) RETURNS STRING AS
SELECT json_object('address', json_group_array(-1), 'inlineDepth', json_group_array(0),
  'category', json_group_array(category), 'subcategory', json_group_array(0),
  'func', json_group_array(func), 'nativeSymbol', json_group_array(NULL),
  'innerWindowID', json_group_array(0), 'implementation', json_group_array(NULL),
  'line', json_group_array(line_number), 'column', json_group_array(NULL), 'length', count(*))
FROM (
  SELECT func, category, line_number FROM _firefox_stacks WHERE utid = $utid ORDER BY stack
);

CREATE PERFETTO FUNCTION _firefox_func_table(utid JOINID(thread.id)) RETURNS STRING AS
SELECT json_object('name', json_group_array(string), 'isJS', json_group_array(json('false')),
  'relevantForJS', json_group_array(json('false')), 'resource', json_group_array(resource),
  'fileName', json_group_array(NULL), 'lineNumber', json_group_array(NULL),
  'columnNumber', json_group_array(NULL), 'length', count(*))
FROM (
  SELECT s.string, coalesce(r.resource, -1) AS resource
  FROM _firefox_funcs AS f
  JOIN _firefox_strings AS s ON s.utid = f.utid AND s.text = f.name
  LEFT JOIN _firefox_resources AS r ON r.utid = f.utid AND r.mapping_name = f.mapping_name
  WHERE f.utid = $utid
  ORDER BY f.func
);

-- Type 1 is a library.
CREATE PERFETTO FUNCTION _firefox_resource_table(utid JOINID(thread.id)) RETURNS STRING AS
SELECT json_object('lib', json_group_array(NULL), 'name', json_group_array(string),
  'host', json_group_array(NULL), 'type', json_group_array(1), 'length', count(*))
FROM (SELECT string FROM _firefox_resources WHERE utid = $utid ORDER BY resource);

CREATE PERFETTO FUNCTION _firefox_strings_of(utid JOINID(thread.id)) RETURNS STRING AS
SELECT json_group_array(text)
FROM (SELECT text FROM _firefox_strings WHERE utid = $utid ORDER BY string);

CREATE PERFETTO FUNCTION _firefox_thread(utid JOINID(thread.id)) RETURNS STRING AS
SELECT json_object('name', coalesce(thread.name, ''), 'processType', 'default',
  'processName', process.name, 'processStartupTime', 0, 'processShutdownTime', NULL,
  'registerTime', 0, 'unregisterTime', NULL, 'pausedRanges', json_array(),
  'isMainThread', json(iif(thread.is_main_thread, 'true', 'false')),
  'pid', CAST(coalesce(process.pid, 0) AS TEXT), 'tid', thread.tid,
  'samples', json(_firefox_samples($utid)),
  'markers', json('{"data":[],"name":[],"startTime":[],"endTime":[],"phase":[],"category":[],'
    || '"length":0}'),
  'stackTable', json(_firefox_stack_table($utid)),
  'frameTable', json(_firefox_frame_table($utid)),
  'funcTable', json(_firefox_func_table($utid)),
  'resourceTable', json(_firefox_resource_table($utid)),
  'nativeSymbols', json('{"libIndex":[],"address":[],"name":[],"functionSize":[],"length":0}'),
  'stringArray', json(_firefox_strings_of($utid)))
FROM thread
LEFT JOIN process USING (upid)
WHERE thread.utid = $utid;

-- All samples as one JSON text.
CREATE PERFETTO FUNCTION export_to_firefox_profile() RETURNS STRING AS
SELECT json_object('meta', json_object(
    'version', 27, 'preprocessedProfileVersion', 48, 'product', 'Perfetto trace',
    'startTime', 0, 'interval', 1, 'processType', 0, 'stackwalk', 1, 'debug', json('false'),
    'symbolicated', json('true'), 'markerSchema', json_array(),
    'extensions', json('{"id":[],"name":[],"baseURL":[],"length":0}'),
    'categories', json('[{"name":"Other","color":"grey","subcategories":["Other"]},'
      || '{"name":"Kernel","color":"orange","subcategories":["Other"]}]')),
  'libs', json_array(), 'pages', json_array(), 'threads', json((
    SELECT json_group_array(json(_firefox_thread(utid)))
    FROM (SELECT DISTINCT utid FROM _firefox_stacks ORDER BY utid)
  )));
