-- setup
INCLUDE PERFETTO MODULE graphs.*;
INCLUDE PERFETTO MODULE intervals.*;
INCLUDE PERFETTO MODULE counters.intervals;
INCLUDE PERFETTO MODULE std.trees.table_conversion;
INCLUDE PERFETTO MODULE slices.with_context;
CREATE PERFETTO TABLE n AS
WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c LIMIT 1000000)
SELECT i AS id, i * 10 AS ts, 15 + i % 7 AS dur, i * 7919 % 1000003 AS mixed, i % 100 AS part,
  printf('%06d', i * 7919 % 1000003) AS text, i * 7919 % 1000003 * 0.5 AS real,
  iif(i > 0, i - 1 - i % 3 * (i > 2), NULL) AS parent FROM c;
CREATE PERFETTO TABLE edges AS
SELECT id AS source_node_id, (id * 7919 + 1) % 1000003 AS dest_node_id FROM n
UNION ALL SELECT id, id + 1 FROM n;
CREATE TABLE plain AS SELECT * FROM n;
CREATE TABLE long AS SELECT CAST(replace(hex(zeroblob(20000000)), '0', 'a') AS TEXT) AS t;
-- plain join
SELECT count(*) FROM plain a, plain b WHERE a.ts + b.ts < 0
-- recursive cte
WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c
-- recursive cte distinct
WITH RECURSIVE c(i) AS (SELECT 1 UNION SELECT i * 7919 % 1000003 FROM c UNION SELECT i + 1 FROM c) SELECT count(*) FROM c
-- insert into a table
CREATE TEMP TABLE w AS SELECT a.*, b.id AS other FROM plain a, plain b
-- update in a transaction
BEGIN; UPDATE plain SET text = text || 'x'; ROLLBACK
-- sqlite sorter
SELECT * FROM plain ORDER BY mixed * 2, text LIMIT 1 OFFSET 999999
-- sqlite sorter of long rows
SELECT a.id + b.id AS x, a.text || b.text || a.text || b.text AS y FROM plain a, plain b WHERE b.id < 10 ORDER BY x * 7919 % 10007, y LIMIT 1 OFFSET 3000000
-- sqlite distinct
SELECT count(*) FROM (SELECT DISTINCT a.mixed * 3 + b.id AS x FROM plain a, plain b WHERE b.id < 5)
-- sqlite automatic index
SELECT count(*) FROM (SELECT mixed * 2 AS x FROM plain) a JOIN (SELECT mixed * 2 AS x FROM plain) b USING (x)
-- sqlite index
CREATE INDEX plain_index ON plain(text, mixed); DROP INDEX plain_index
-- sqlite window
SELECT sum(x) FROM (SELECT sum(mixed) OVER (PARTITION BY part ORDER BY ts ROWS BETWEEN 10 PRECEDING AND 10 FOLLOWING) AS x FROM plain)
-- group by
SELECT count(*) FROM (SELECT text, count(*), max(real) FROM plain GROUP BY text)
-- except
SELECT count(*) FROM (SELECT mixed FROM plain EXCEPT SELECT mixed * 2 FROM plain)
-- group_concat
SELECT length(group_concat(a.text)) FROM plain a, plain b WHERE b.id < 100
-- json_group_array
SELECT length(json_group_array(a.text)) FROM plain a, plain b WHERE b.id < 20
-- json_group_object
SELECT length(json_group_object(a.text, a.real)) FROM plain a, plain b WHERE b.id < 10
-- replace
SELECT length(replace(t, 'a', 'bcd')) FROM long
-- replace nested
SELECT length(replace(replace(replace(replace(t, 'a', 'aaaa'), 'a', 'aab'), 'ab', 'ba'), 'bb', 'a')) FROM long
-- instr
SELECT instr(t || t, substr(t, 1, 500000) || 'b') FROM long
-- like
SELECT t LIKE '%a%a%a%a%a%b' FROM long
-- glob
SELECT t GLOB '*a*a*a*a*a*b' FROM long
-- like in a row
SELECT count(*) FROM n WHERE printf('%0500d', id) LIKE '%0%0%0%0%1%x'
-- glob in a row
SELECT count(*) FROM n WHERE printf('%0500d', id) GLOB '*0*0*0*0*1*x'
-- glob push-down
SELECT count(*) FROM n WHERE text GLOB '*0*1*2*3*'
-- regexp
SELECT t REGEXP '(a+)+b' FROM long
-- regexp alternatives
SELECT regexp_extract(t, '(a|aa|aaa)*?(a|b)*c') FROM long
-- regexp of every row
SELECT count(*) FROM n WHERE printf('%0500d', id) REGEXP '(0+)+x'
-- regexp_replace
SELECT length(regexp_replace_simple(t, 'a(?=a*$)', 'bcd')) FROM long
-- regexp_replace linear
SELECT length(regexp_replace_simple(t, 'a', 'bcd')) FROM long
-- hex
SELECT length(hex(t || t || t || t || t)) FROM long
-- quote
SELECT length(quote(replace(t, 'a', char(39)))) FROM long
-- upper lower
SELECT length(upper(lower(upper(t || t || t || t || t)))) FROM long
-- trim
SELECT length(trim(t || t || t, 'bcdefghijklmnopqrstuvwxyza')) FROM long
-- substr of characters
SELECT unicode(substr(t || t || t || t, 150000000)) FROM long
-- printf wide
SELECT max(length(printf('%100000d', id))) FROM n
-- printf quoted
SELECT length(printf('%Q%w%q', t, t, t)) FROM long
-- zeroblob
SELECT hex(zeroblob(400000000)) = ''
-- randomblob
SELECT length(randomblob(900000000))
-- concatenation
SELECT length(t || t || t || t || t || t || t || t || t || t || t || t || t || t || t || t || t || t || t || t) FROM long
-- compare
SELECT max(a.t || a.t || 'a' < a.t || a.t || 'b') FROM long a, long b, n
-- json
SELECT json_valid('[' || substr(replace(substr(t, 1, 10000000), 'a', '1,'), 1, 19999999) || ']') FROM long
-- json_each
SELECT count(*) FROM long, json_each('[' || substr(replace(substr(t, 1, 2000000), 'a', '1,'), 1, 3999999) || ']')
-- json_extract
SELECT json_extract('[' || substr(replace(substr(t, 1, 10000000), 'a', '1,'), 1, 19999999) || ']', '$[9999998]') FROM long
-- json_set
SELECT length(json_set(x, '$[4000000]', 1)) FROM (SELECT '[' || substr(replace(substr(t, 1, 4000000), 'a', '1,'), 1, 7999999) || ']' AS x FROM long)
-- json_patch
SELECT length(json_patch(x, x)) FROM (SELECT json_group_object(text, 1) AS x FROM n WHERE id < 30000)
-- json_quote
SELECT length(json_quote(replace(t, 'a', char(10)))) FROM long
-- json_tree
SELECT count(*) FROM json_tree((SELECT json_group_object(text, json_array(id, real)) FROM n))
-- reverse
SELECT length(reverse(t || t || t || t || t)) FROM long
-- base64
SELECT length(base64_decode(base64_encode(CAST(t || t || t AS BLOB)))) FROM long
-- str_split
SELECT str_split(t, 'a', 30000000) FROM long
-- str_split of rows
SELECT max(str_split(t, 'a', id + 1000000)) FROM long, n
-- hash
SELECT hash(t, t, t, t, t) FROM long
-- strip_hex
SELECT length(__intrinsic_strip_hex(replace(t, 'aa', 'a9z'), 1)) FROM long
-- zstd_compress
SELECT length(__intrinsic_zstd_compress(randomblob(100000000)))
-- demangle
SELECT demangle('_Z' || substr(t, 1, 1000000)) FROM long
-- concat_ws
SELECT length(concat_ws(t, t, t, t, t, t)) FROM long
-- parse of a huge statement
SELECT count(*) FROM (WITH a AS (SELECT 1 AS x UNION ALL SELECT 2), b AS (SELECT a.x FROM a, a t, a u), c AS (SELECT b.x FROM b, b t, b u), d AS (SELECT c.x FROM c, c t, c u) SELECT d.x FROM d, d t)
-- views within views
WITH a AS (SELECT 1 AS x UNION SELECT 2), b AS (SELECT * FROM a UNION ALL SELECT * FROM a UNION ALL SELECT * FROM a), c AS (SELECT * FROM b UNION ALL SELECT * FROM b UNION ALL SELECT * FROM b), d AS (SELECT * FROM c UNION ALL SELECT * FROM c UNION ALL SELECT * FROM c), e AS (SELECT * FROM d UNION ALL SELECT * FROM d UNION ALL SELECT * FROM d), f AS (SELECT * FROM e UNION ALL SELECT * FROM e) SELECT count(*) FROM f
-- many joins
SELECT count(*) FROM slice a JOIN slice b USING (id) JOIN slice c USING (id) JOIN slice d USING (id) JOIN slice e USING (id) JOIN slice f USING (id) JOIN slice g USING (id) JOIN slice h USING (id) JOIN slice i USING (id) JOIN slice j USING (id) JOIN slice k USING (id) JOIN slice l USING (id) JOIN slice m USING (id) JOIN slice o USING (id) JOIN slice p USING (id) JOIN slice q USING (id)
-- perfetto table
CREATE PERFETTO TABLE made AS SELECT a.id, a.text || b.id AS t, a.real FROM n a, n b WHERE b.id < 10
-- perfetto table of numbers
CREATE PERFETTO TABLE made AS SELECT a.ts + b.ts AS ts, a.dur, a.real, a.mixed FROM n a, n b WHERE b.id < 20; DROP TABLE made
-- perfetto view
SELECT count(*), max(a.name) FROM thread_slice a JOIN thread_slice b USING (utid)
-- perfetto index
CREATE PERFETTO INDEX made_index ON n(mixed); DROP PERFETTO INDEX made_index ON n; SELECT count(*) FROM n a JOIN n b ON a.real = b.real
-- order by number
SELECT id FROM n ORDER BY mixed DESC LIMIT 1 OFFSET 900000
-- order by text
SELECT id FROM n ORDER BY text LIMIT 1 OFFSET 900000
-- order by real
SELECT id FROM n ORDER BY real, text LIMIT 1 OFFSET 900000
-- order by several
SELECT id FROM n ORDER BY part, text, real LIMIT 1 OFFSET 900000
-- distinct of a column
SELECT count(*) FROM (SELECT DISTINCT text FROM n)
-- distinct of columns
SELECT count(*) FROM (SELECT DISTINCT text, real, mixed FROM n)
-- count distinct
SELECT count(DISTINCT a.text), count(DISTINCT a.mixed + b.id) FROM n a, n b WHERE b.id < 4
-- filter without rows
SELECT count(*) FROM n a, n b WHERE b.text = 'none' || a.id % 2
-- limit offset
SELECT * FROM n WHERE mixed > 1000 LIMIT 1 OFFSET 999000
-- join by index
SELECT count(*) FROM n a JOIN n b ON a.text = b.text JOIN n c ON c.real = b.real
-- in subquery
SELECT count(*) FROM n WHERE text IN (SELECT text FROM n WHERE mixed % 2)
-- sql function
CREATE OR REPLACE PERFETTO FUNCTION f(x LONG) RETURNS LONG AS SELECT count(*) FROM n WHERE mixed < $x; SELECT sum(f(id)) FROM n
-- recursive function
CREATE OR REPLACE PERFETTO FUNCTION f(x LONG) RETURNS LONG AS SELECT iif($x < 1, 1, f($x - 1) + f($x - 1)); SELECT f(40)
-- table function
CREATE OR REPLACE PERFETTO FUNCTION g(x LONG) RETURNS TABLE(n LONG) AS SELECT id AS n FROM n WHERE mixed > $x; SELECT sum(b.n) FROM n a, g(a.id) b
-- percentile
SELECT percentile(mixed, 50) FROM n
-- percentile of more
SELECT percentile(a.mixed * b.id, 50), median(a.mixed) FROM n a, n b WHERE b.id < 8
-- percentile by group
SELECT part, percentile(mixed, 50) FROM n GROUP BY part
-- value_at_max_ts
SELECT value_at_max_ts(ts, text) FROM (SELECT ts, text FROM n ORDER BY mixed)
-- last_non_null
SELECT count(x) FROM (SELECT last_non_null(text) OVER (ORDER BY ts ROWS BETWEEN 100000 PRECEDING AND CURRENT ROW) AS x FROM n)
-- internal_layout
SELECT max(x) FROM (SELECT internal_layout(ts, 1000000) OVER (ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS x FROM n)
-- ordered aggregate
SELECT length(group_concat(text, ',' ORDER BY mixed)) FROM n
-- span_join
DROP TABLE IF EXISTS j; DROP VIEW IF EXISTS r; CREATE VIEW r AS SELECT ts + 3 AS ts, 7 AS dur, id AS other FROM n; DROP VIEW IF EXISTS l; CREATE VIEW l AS SELECT ts, 10 AS dur, text FROM n; CREATE VIRTUAL TABLE j USING span_join(l, r); SELECT count(*) FROM j
-- span_outer_join partitioned
DROP TABLE IF EXISTS j; DROP VIEW IF EXISTS r; CREATE VIEW r AS SELECT ts + 3 AS ts, 7 AS dur, part, id AS other FROM n; DROP VIEW IF EXISTS l; CREATE VIEW l AS SELECT ts, 10 AS dur, part, text FROM n; CREATE VIRTUAL TABLE j USING span_outer_join(l PARTITIONED part, r PARTITIONED part); SELECT count(*) FROM j
-- interval_intersect
SELECT count(*) FROM _interval_intersect!((n, n), ())
-- interval_intersect partitioned
SELECT count(*) FROM _interval_intersect!((n, n), (part))
-- interval_intersect by text
SELECT count(*) FROM _interval_intersect!(((SELECT id, ts, dur, text FROM n), (SELECT id, ts, dur, text FROM n)), (text))
-- interval_intersect of unsorted
SELECT count(*) FROM _interval_intersect!(((SELECT id, mixed AS ts, 1 AS dur FROM n), (SELECT id, mixed AS ts, 3 AS dur FROM n)), ())
-- interval_self_intersect
SELECT count(*) FROM interval_self_intersect!((SELECT id, ts, dur FROM n))
-- intervals_overlap_count
SELECT count(*) FROM intervals_overlap_count!(n, ts, dur)
-- interval_merge_overlapping
SELECT count(*) FROM interval_merge_overlapping!(n, 0)
-- interval_create
SELECT count(*) FROM __intrinsic_table_ptr(__intrinsic_interval_create((SELECT __intrinsic_timestamp_set_agg(ts) FROM n), (SELECT __intrinsic_timestamp_set_agg(ts + 5) FROM n)))
-- counter_leading_intervals
SELECT count(*) FROM counter_leading_intervals!((SELECT id, ts, part AS track_id, real AS value FROM n))
-- graph bfs
SELECT count(*) FROM graph_reachable_bfs!(edges, (SELECT 1 AS node_id))
-- graph dfs
SELECT count(*) FROM graph_reachable_dfs!(edges, (SELECT id AS node_id FROM n))
-- graph_next_sibling
SELECT count(*) FROM graph_next_sibling!((SELECT id AS node_id, parent AS node_parent_id, mixed AS sort_key FROM n))
-- graph weight bounded
SELECT count(*) FROM graph_reachable_weight_bounded_dfs!((SELECT *, 1 AS edge_weight FROM edges), (SELECT id AS root_node_id, 10 AS root_target_weight FROM n), 1)
-- graph dominator tree
SELECT count(*) FROM graph_dominator_tree!(edges, 0)
-- graph_scan
SELECT count(*) FROM _graph_scan!(edges, (SELECT 1 AS id, 0 AS d), (d), (SELECT id, d + 1 AS d FROM $table))
-- graph_aggregating_scan
SELECT count(*) FROM _graph_aggregating_scan!((SELECT id AS source_node_id, id + 1 + id % 3 AS dest_node_id FROM n), (SELECT id, 1 AS d FROM n WHERE id % 10 = 0), (d), (SELECT id, sum(d) % 7 AS d FROM $table GROUP BY id))
-- tree partition
SELECT count(*) FROM tree_structural_partition_by_group!((SELECT id, parent AS parent_id, part AS group_key FROM n))
-- tree to table
SELECT count(*) FROM _tree_to_table!(_tree_from_table!((SELECT id, parent AS parent_id, part, real FROM n), (part, real)), (part, real))
-- tree dominator summary
SELECT count(*) FROM __intrinsic_table_ptr((SELECT __intrinsic_tree_dominator_summary(__intrinsic_tree_from_table('id', id, 'parent_id', parent, 'self_size', mixed, 'native_size', part, 'self_count', 1)) FROM n))
-- critical path
SELECT count(*) FROM __intrinsic_table_ptr(__intrinsic_critical_path_walk((SELECT __intrinsic_wakeup_graph_agg(id, 0, ts, 5, 5, id - 1, id - 1) FROM n), (SELECT __intrinsic_array_agg(id) FROM n)))
-- array and rows
SELECT __intrinsic_array_agg(id) IS NULL, __intrinsic_row_dataframe_agg('a', id, 'b', text) IS NULL FROM n
-- slice mipmap
DROP TABLE IF EXISTS m; CREATE VIRTUAL TABLE m USING __intrinsic_slice_mipmap((SELECT id, mixed AS ts, 1 AS dur, part AS depth FROM n)); SELECT count(*) FROM m(0, 1000000, 1)
-- counter mipmap
DROP TABLE IF EXISTS m; CREATE VIRTUAL TABLE m USING __intrinsic_counter_mipmap((SELECT mixed AS ts, real AS value FROM n)); SELECT count(*) FROM m(0, 1000000, 1)
-- window table
DROP TABLE IF EXISTS w; CREATE VIRTUAL TABLE w USING __intrinsic_window(0, 1000000000000000, 1); SELECT count(*) FROM w
-- flamegraph
DROP TABLE IF EXISTS fg; CREATE VIRTUAL TABLE fg USING __intrinsic_flamegraph((SELECT id, iif(id % 64 = 0, NULL, id - 1) AS parent_id, text AS name, 1 AS v FROM n)); SELECT count(*) FROM fg(__intrinsic_flamegraph_config('value', 'v', 'view', 'TOP_DOWN'))
-- flamegraph bottom up
DROP TABLE IF EXISTS fg; CREATE VIRTUAL TABLE fg USING __intrinsic_flamegraph((SELECT id, iif(id % 64 = 0, NULL, id - 1) AS parent_id, text AS name, 1 AS v FROM n)); SELECT count(*) FROM fg(__intrinsic_flamegraph_config('value', 'v', 'view', 'BOTTOM_UP'))
-- flamegraph filters
DROP TABLE IF EXISTS fg; CREATE VIRTUAL TABLE fg USING __intrinsic_flamegraph((SELECT id, iif(id % 64 = 0, NULL, id - 1) AS parent_id, text AS name, 1 AS v FROM n)); SELECT count(*) FROM fg(__intrinsic_flamegraph_config('value', 'v', 'view', 'PIVOT', 'view_pattern', '1.*2', 'filter', 'SHOW_STACK', '9', ''))
-- slice layout
SELECT count(*) FROM experimental_slice_layout((SELECT group_concat(id) FROM track))
-- flat slice
SELECT count(*) FROM experimental_flat_slice(0, 1 << 62)
-- ancestors
SELECT count(*) FROM slice s, ancestor_slice(s.id) JOIN n
-- descendants
SELECT count(*) FROM slice s, descendant_slice(s.id) JOIN n
-- flows
SELECT count(*) FROM slice s, following_flow(s.id) JOIN n
-- args
SELECT count(*), max(display_value) FROM args a JOIN n
-- extract_arg
SELECT count(extract_arg(s.arg_set_id, 'args.fd')), count(__intrinsic_arg_set_to_json(s.arg_set_id)) FROM slice s, n WHERE n.id < 10
-- to_ftrace
SELECT max(length(to_ftrace(e.id))) FROM ftrace_event e, n WHERE n.id < 10
-- repeated field
SELECT length(RepeatedField(a.text)) FROM n a, n b WHERE b.id < 5
-- profile
SELECT length(EXPERIMENTAL_PROFILE(cat_stacks(text, part, 'c'), 'a', 'b', mixed)) FROM (SELECT text, 'p' || part AS part, mixed FROM n)
-- protobuf builder
SELECT length(TraceConfig('buffers', (SELECT RepeatedField(TraceConfig_BufferConfig('size_kb', mixed)) FROM n)))
-- symbolize
SELECT count(*) FROM __intrinsic_table_ptr((SELECT __intrinsic_symbolize(__intrinsic_symbolize_agg('/proc/self/exe', mixed, id, ts)) FROM n))
-- experimental_flamegraph
SELECT count(*) FROM experimental_flamegraph('perf', NULL, '>=0', NULL, (SELECT group_concat(upid) FROM process), NULL)
-- stdlib objects
SELECT count(*) FROM __intrinsic_stdlib_objects, n
-- sqlite_schema join
SELECT count(*) FROM sqlite_master a, sqlite_master b, sqlite_master c, pragma_table_info(a.name)
-- includes
INCLUDE PERFETTO MODULE *; SELECT count(*) FROM sched_previous_runnable_on_thread
-- columns: sums by name
SELECT name, count(*), sum(dur), avg(dur), max(dur) FROM slice GROUP BY name
-- columns: groups of one row
SELECT ts, dur, count(*) FROM slice GROUP BY 1, 2 ORDER BY 3 LIMIT 1
-- columns: distinct
SELECT count(DISTINCT dur), count(DISTINCT ts), count(DISTINCT name) FROM slice
-- columns: order
SELECT id FROM slice ORDER BY name, dur DESC LIMIT 1 OFFSET 900000
-- columns: window
SELECT count(*) FROM (SELECT sum(dur) OVER (PARTITION BY track_id, name ORDER BY ts) AS a, lag(dur) OVER (PARTITION BY track_id, name ORDER BY ts) AS b FROM slice)
-- columns: percentile
SELECT name, percentile(dur, 95) FROM slice GROUP BY name
-- columns: args
SELECT extract_arg(arg_set_id, 'args[0]') AS a, count(*), sum(dur) FROM slice GROUP BY 1
-- columns: join
SELECT t.name, count(*), sum(s.dur) FROM sched s JOIN thread t USING (utid) LEFT JOIN process p USING (upid) GROUP BY s.utid
-- columns: table
CREATE OR REPLACE PERFETTO TABLE of_columns AS SELECT id, ts + dur AS ts_end, name || ' ' || depth AS n FROM slice
-- columns: window over a join, arranged
SELECT max(g) FROM (SELECT c.ts - lag(c.ts) OVER (PARTITION BY p.name ORDER BY c.depth) AS g FROM slice c JOIN slice p ON p.id = c.parent_id WHERE p.dur >= 0)
-- columns: union
SELECT max(n) FROM (SELECT sum(d) OVER (ORDER BY ts) AS n FROM (SELECT ts, 1 AS d FROM slice UNION ALL SELECT ts + dur, -1 FROM slice))
-- columns: exists
SELECT name, count(*) FROM slice s WHERE NOT EXISTS (SELECT 1 FROM slice c WHERE c.parent_id = s.id) GROUP BY name
-- columns: value by key
SELECT name, sum(dur - coalesce((SELECT sum(c.dur) FROM slice c WHERE c.parent_id = s.id AND c.name = s.name), 0)) FROM slice s GROUP BY name
-- columns: parts
SELECT max(a), max(b), max(c) FROM (SELECT avg(dur) OVER (PARTITION BY track_id ORDER BY ts ROWS BETWEEN 99 PRECEDING AND CURRENT ROW) AS a, ntile(100) OVER (PARTITION BY track_id ORDER BY ts) AS b, cume_dist() OVER (PARTITION BY track_id ORDER BY ts) AS c FROM slice)
