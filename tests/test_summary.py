#!/usr/bin/env python3
"""Structured queries by each source and operator, and trace summaries.

Usage: test_summary.py TPTUI TRACE
"""
import os
import subprocess
import sys
import tempfile

tptui, trace = sys.argv[1:]
failures = []
folder = tempfile.TemporaryDirectory()


def expect(what, got, want):
    if got != want:
        failures.append(what)
        print('--- %s\n  expected %r\n  got      %r' % (what, want, got))


def run(*args, spec=None, **options):
    path = os.path.join(folder.name, 'spec.textproto')
    if spec is not None:
        with open(path, 'w') as f:
            f.write(spec)
    p = subprocess.run([tptui, *[path if a == 'SPEC' else a for a in args]], capture_output=True, timeout=60,
                       stdin=subprocess.DEVNULL)
    return p.returncode, p.stdout.decode(errors='replace'), p.stderr.decode()


def query(what, text, rows, others=''):
    spec = 'query { id: "q" %s } %s' % (text, others)
    status, out, err = run('query', trace, '--structured-query-id', 'q', '--summary-spec', 'SPEC', spec=spec)
    expect('status of %s: %s' % (what, err), status, 0)
    expect(what, out.split('\n')[:-1], rows)
    status, sql, err = run('query', trace, '--structured-query-id', 'q', '--summary-spec', 'SPEC', '--print-sql', spec=spec)
    expect('the SQL of %s by itself: %s' % (what, err), run('query', trace, sql)[1].split('\n')[:-1], rows)


def refused(what, text, part, others=''):
    spec = 'query { id: "q" %s } %s' % (text, others)
    status, out, err = run('query', trace, '--structured-query-id', 'q', '--summary-spec', 'SPEC', spec=spec)
    expect('status of ' + what, (status, out), (2, ''))
    expect('%s: %r in %r' % (what, part, err), part in err, True)


def values(names, *rows):
    """A source of these rows."""
    return 'sql { sql: "SELECT column1 AS %s FROM (VALUES %s)" }' % (
        ', '.join('%s%s' % ('' if i == 0 else 'column%d AS ' % (i + 1), n) for i, n in enumerate(names.split())),
        ', '.join('(%s)' % r for r in rows))


ABC = values('a b c', "1, 'x', 0.5", "2, 'y', 1.5", "3, 'x', 2.5", "4, NULL, 3.5")
INTERVALS = values('id ts dur', '1, 0, 10', '2, 20, 10', '3, 40, 10')

# Sources.
query('table', 'table { table_name: "slice" } select_columns { column_name_or_expression: "name" }',
      ['name', 'outer', 'inner'])
query('table of a module', 'table { table_name: "thread_slice" } referenced_modules: "slices.with_context" '
      'select_columns { column_name: "name" alias: "n" }', ['n', 'outer', 'inner'])
query('sql', ABC, ['a,b,c', '1,x,0.5', '2,y,1.5', '3,x,2.5', '4,,3.5'])
query('sql with columns', 'sql { sql: "SELECT 1 AS a, 2 AS b" column_names: "b" column_names: "a" }', ['b,a', '2,1'])
query('statements before', 'sql { sql: "; CREATE PERFETTO TABLE z AS SELECT 7 AS x; SELECT x FROM z; -- end" }', ['x', '7'])
query('preamble', 'sql { preamble: "CREATE PERFETTO TABLE z AS SELECT 7 AS x" sql: "SELECT x FROM z" }', ['x', '7'])
query('dependencies', 'sql { sql: "SELECT * FROM $one JOIN $two USING (a) WHERE \'$one\' != \'\'" '
      'dependencies { alias: "one" query { sql { sql: "SELECT 1 AS a" } } } '
      'dependencies { alias: "two" query { sql { sql: "SELECT 1 AS a, 5 AS b" } } } }', ['a,b', '1,5'])
query('simple_slices', 'simple_slices { slice_name_glob: "in*" thread_name_glob: "w*" }',
      ['id,ts,dur,slice_name,thread_name,process_name,track_name', '1,2500,500,inner,worker,,'])
query('a quote in a glob', 'simple_slices { slice_name_glob: "o\'" } select_columns { column_name: "id" }', ['id'])
query('inner_query', 'inner_query { %s } filters { column_name: "a" op: EQUAL int64_rhs: 2 }' % ABC, ['a,b,c', '2,y,1.5'])
query('inner_query_id', 'inner_query_id: "other" limit: 1', ['a,b,c', '1,x,0.5'], 'query { id: "other" %s }' % ABC)
query('inner_query_id twice', 'experimental_join { left_query { inner_query_id: "other" } right_query { inner_query_id: "other" } '
      'equality_columns { left_column: "a" right_column: "a" } } select_columns { column_name_or_expression: "count(*)" '
      'alias: "n" }', ['n', '4'], 'query { id: "other" %s }' % ABC)
query('interval_intersect', 'interval_intersect { base { %s } interval_intersect { %s } } '
      'select_columns { column_name: "ts" } select_columns { column_name: "dur" } select_columns { column_name: "id_0" } '
      'select_columns { column_name: "id_1" }' % (INTERVALS, values('id ts dur', '7, 5, 20', '8, 45, 1')),
      ['ts,dur,id_0,id_1', '5,5,1,7', '20,5,2,7', '45,1,3,8'])
query('interval_intersect by columns', 'interval_intersect { base { %s } interval_intersect { %s } partition_columns: "p" } '
      'select_columns { column_name: "ts" } select_columns { column_name: "dur" } select_columns { column_name: "p" }' % (
          values('id ts dur p', '1, 0, 10, 1', '2, 0, 10, 2'), values('id ts dur p', '7, 5, 20, 2')), ['ts,dur,p', '5,5,2'])
query('interval_intersect of three', 'interval_intersect { base { %s } interval_intersect { %s } interval_intersect { %s } } '
      'select_columns { column_name: "ts" } select_columns { column_name: "dur" } select_columns { column_name: "ts_2" }' % (
          INTERVALS, values('id ts dur', '7, 5, 20'), values('id ts dur', '9, 22, 1')), ['ts,dur,ts_2', '22,1,22'])
JOIN = 'left_query { %s } right_query { %s }' % (values('a b', "1, 'l'", "2, 'm'"), values('k v', '2, 5'))
query('join', 'experimental_join { %s equality_columns { left_column: "a" right_column: "k" } }' % JOIN, ['a,b,k,v', '2,m,2,5'])
query('left join', 'experimental_join { type: LEFT %s equality_columns { left_column: "a" right_column: "k" } }' % JOIN,
      ['a,b,k,v', '1,l,,', '2,m,2,5'])
query('freeform join', 'experimental_join { %s freeform_condition { left_query_alias: "x" right_query_alias: "y" '
      'sql_expression: "x.a < y.k" } }' % JOIN, ['a,b,k,v', '1,l,2,5'])
query('union', 'experimental_union { queries { %s } queries { %s } }' % (values('a', '1', '2'), values('a', '2', '3')),
      ['a', '1', '2', '3'])
query('union all', 'experimental_union { queries { %s } queries { %s } use_union_all: true }' % (
    values('a', '1', '2'), values('a', '2')), ['a', '1', '2', '2'])
ADD = 'core_query { %s } input_query { %s }' % (values('a', '1', '2'), values('k v', '2, 5'))
query('add columns', 'experimental_add_columns { %s input_columns { column_name_or_expression: "v" } '
      'equality_columns { left_column: "a" right_column: "k" } }' % ADD, ['a,v', '1,', '2,5'])
query('add columns by a condition', 'experimental_add_columns { %s input_columns { column_name_or_expression: "v" alias: "w" } '
      'freeform_condition { left_query_alias: "core" right_query_alias: "input" sql_expression: "core.a < input.k" } }' % ADD,
      ['a,w', '1,5', '2,'])
query('create slices', 'experimental_create_slices { starts_query { %s } ends_query { %s } ends_ts_column: "t" }' % (
    values('ts', '10', '30'), values('t', '15', '40')) + ' select_columns { column_name: "ts" } select_columns '
    '{ column_name: "dur" }', ['ts,dur', '10,5', '30,10'])
query('a range', 'experimental_time_range { mode: STATIC ts: 5 dur: 7 }', ['id,ts,dur', '0,5,7'])
query("the trace's range", 'experimental_time_range { mode: DYNAMIC }', ['id,ts,dur', '0,2000,2000'])
FILTER = 'experimental_filter_to_intervals { base { %s } intervals { %s } %%s }' % (
    values('id ts dur n', "1, 0, 10, 'a'", "2, 20, 10, 'b'", "3, 40, 10, 'c'"),
    values('id ts dur', '1, 5, 10', '2, 8, 14'))
query('filter to intervals', FILTER % 'select_columns: "n" select_columns: "ts"',
      ['ts,dur,n,original_ts', '5,5,a,0', '20,2,b,20'])
query('filter to intervals, whole', FILTER % 'clip_to_intervals: false', ['id,ts,dur,n', '1,0,10,a', '2,20,10,b'])
query('filter to intervals by columns', 'experimental_filter_to_intervals { base { %s } intervals { %s } '
      'partition_columns: "p" clip_to_intervals: false }' % (
          values('id ts dur p', '1, 0, 10, 1', '2, 0, 10, 2'), values('id ts dur p', '1, 5, 10, 2', '2, 6, 10, 2')),
      ['id,ts,dur,p', '2,0,10,2'])
query('counter intervals', 'experimental_counter_intervals { input_query { %s } } select_columns { column_name: "ts" } '
      'select_columns { column_name: "dur" } select_columns { column_name: "value" } select_columns { column_name: '
      '"delta_value" }' % values('id ts track_id value', '0, 2000, 1, 1.0', '1, 2500, 1, 3.0'),
      ['ts,dur,value,delta_value', '2000,500,1.0,', '2500,1500,3.0,2.0'])
query('filter in', 'experimental_filter_in { base { %s } match_values { %s } base_column: "b" match_column: "m" }' % (
    ABC, values('m', "'y'", "'z'")), ['a,b,c', '2,y,1.5'])

# Filters.
for op, value, rows in (('EQUAL', 'string_rhs: "x"', '1 3'), ('NOT_EQUAL', 'string_rhs: "x"', '2'),
                        ('EQUAL', 'string_rhs: "x" string_rhs: "y"', '1 2 3'), ('LESS_THAN', 'string_rhs: "y"', '1 3'),
                        ('GLOB', 'string_rhs: "[y-z]"', '2'), ('IS_NULL', '', '4'), ('IS_NOT_NULL', '', '1 2 3'),
                        ('EQUAL', 'string_rhs: "it\'s"', '')):
    query('%s %s' % (op, value), ABC + ' filters { column_name: "b" op: %s %s } select_columns { column_name: "a" }' % (op, value),
          ['a'] + rows.split())
for op, value, rows in (('LESS_THAN_EQUAL', 'double_rhs: 1.5', '1 2'), ('GREATER_THAN', 'double_rhs: 1.5', '3 4'),
                        ('GREATER_THAN_EQUAL', 'int64_rhs: 3', '4'), ('EQUAL', 'double_rhs: [0.5, 3.5]', '1 4')):
    query('%s %s' % (op, value), ABC + ' filters { column_name: "c" op: %s %s } select_columns { column_name: "a" }' % (op, value),
          ['a'] + rows.split())
query('two filters, one with two values', ABC + ' filters { column_name: "a" op: EQUAL int64_rhs: [1, 2] } filters { column_name: "b" '
      'op: EQUAL string_rhs: "y" } select_columns { column_name: "a" }', ['a', '2'])
query('filter groups', ABC + ' experimental_filter_group { op: OR filters { column_name: "a" op: EQUAL int64_rhs: 1 } '
      'groups { op: AND sql_expressions: "a > 1" filters { column_name: "b" op: EQUAL string_rhs: "x" } } '
      'sql_expressions: "b IS NULL" } select_columns { column_name: "a" }', ['a', '1', '3', '4'])

# Groups, order, limits.
query('group by', ABC + ' group_by { column_names: "b" aggregates { op: COUNT result_column_name: "n" } '
      'aggregates { column_name: "a" op: SUM result_column_name: "s" } aggregates { column_name: "a" op: MIN result_column_name: "lo" } '
      'aggregates { column_name: "a" op: MAX result_column_name: "hi" } aggregates { column_name: "c" op: MEAN result_column_name: "m" } } '
      'order_by { ordering_specs { column_name: "b" direction: DESC } }',
      ['b,n,s,lo,hi,m', 'y,1,2,2,2,1.5', 'x,2,4,1,3,1.5', ',1,4,4,4,3.5'])
query('aggregates over all', ABC + ' group_by { aggregates { column_name: "b" op: COUNT result_column_name: "n" } aggregates { '
      'column_name: "b" op: COUNT_DISTINCT result_column_name: "d" } aggregates { column_name: "a" op: MEDIAN result_column_name: "m" } '
      'aggregates { column_name: "a" op: PERCENTILE percentile: 100 result_column_name: "p" } aggregates { op: CUSTOM '
      'custom_sql_expression: "sum(a) * 10" result_column_name: "t" } }', ['n,d,m,p,t', '3,2,2.5,4.0,100'])
query('weighted mean', values('v dur', '10, 1', '20, 3') + ' group_by { aggregates { column_name: "v" op: DURATION_WEIGHTED_MEAN '
      'result_column_name: "m" } }', ['m', '17.5'])
query('grouped columns by other names', ABC + ' group_by { column_names: "b" aggregates { op: COUNT result_column_name: "n" } } '
      'select_columns { column_name: "n" alias: "rows" } order_by { ordering_specs { column_name: "rows" direction: ASC } }',
      ['rows', '1', '1', '2'])
query('limit and offset', ABC + ' select_columns { column_name: "a" } order_by { ordering_specs { column_name: "a" direction: DESC } } '
      'limit: 2 offset: 1', ['a', '3', '2'])

# What is wrong is named.
for what, text, part in (
        ('no source', '', 'query q: the source'), ('an empty table', 'table { }', 'query q: table.table_name is missing'),
        ('sql without statement', 'sql { sql: "-- x" }', 'sql.sql'), ('join without condition', 'experimental_join { %s }' % JOIN,
                                                                     'equality_columns or freeform_condition'),
        ('half a join', 'experimental_join { left_query { %s } }' % ABC, 'experimental_join.right_query'),
        ('a reserved partition', 'interval_intersect { base { %s } interval_intersect { %s } partition_columns: "TS" }' % (
            INTERVALS, INTERVALS), '"TS" cannot be one'),
        ('one partition twice', 'interval_intersect { base { %s } interval_intersect { %s } partition_columns: "p" partition_columns: "P" }' % (
            INTERVALS, INTERVALS), 'P stands there twice'),
        ('a union of one', 'experimental_union { queries { %s } }' % ABC, 'at least two'),
        ('no operator', ABC + ' filters { column_name: "a" int64_rhs: 1 }', 'filters.op'),
        ('no value', ABC + ' filters { column_name: "a" op: EQUAL }', 'no value to compare a with'),
        ('offset alone', ABC + ' offset: 1', 'offset: needs a limit'), ('negative limit', ABC + ' limit: -1', 'limit: -1'),
        ('no such percentile', ABC + ' group_by { aggregates { column_name: "a" op: PERCENTILE result_column_name: "p" } }',
         'aggregates.percentile'),
        ('no aggregate', ABC + ' group_by { aggregates { column_name: "a" result_column_name: "p" } }', 'aggregates.op'),
        ('an empty group', ABC + ' experimental_filter_group { op: AND }', 'without conditions'),
        ('a group of no kind', ABC + ' experimental_filter_group { sql_expressions: "1" }', 'neither AND nor OR'),
        ('no such id', 'inner_query_id: "nothing"', 'no query of the id nothing'),
        ('itself', 'inner_query_id: "q"', 'a cycle'),
        ('a range without end', 'experimental_time_range { mode: STATIC ts: 1 }', 'experimental_time_range.dur is missing')):
    refused(what, text, part)
refused('a cycle of two', 'inner_query_id: "other"', 'a cycle', 'query { id: "other" inner_query_id: "q" }')
refused('an id twice', ABC, 'two of this id', 'query { id: "q" %s }' % ABC)
refused('a query without id', ABC, 'id is missing', 'query { %s }' % ABC)
refused('text that is no spec', 'tabel { }', 'tabel')
status, _, err = run('query', trace, '--structured-query-id', 'q', '--summary-spec', 'SPEC', spec='query { id: "q" %s }' % (
    'table { table_name: "no_table" }'))
expect('a table that is not there: ' + err, (status, 'no_table' in err), (1, True))


# Summaries.
def summary(what, spec, want, *args):
    status, out, err = run('summarize', trace, 'SPEC', *(args or ('--metrics-v2', 'all')), spec=spec)
    expect('status of %s: %s' % (what, err), status, 0)
    got = '\n'.join(line for line in out.split('\n'))
    for part in want:
        expect('%s: %s' % (what, part), ' '.join(part.split()) in ' '.join(got.split()), True)
    return out


def no_summary(what, spec, part, *args):
    status, out, err = run('summarize', trace, 'SPEC', *(args or ('--metrics-v2', 'all')), spec=spec)
    expect('status of ' + what, (status, out), (1, ''))
    expect('%s: %r in %r' % (what, part, err), part in err, True)


def metric(id, more, sql="SELECT 'a' AS d, 1 AS v UNION ALL SELECT 'b', 2.5"):
    return 'metric_spec { id: "%s" %s query { sql { sql: "%s" } } }' % (id, more, sql)


D_V = 'dimensions: "d" value: "v"'
summary('a metric', metric('m', D_V), [
    'bundle_id: "m" specs { id: "m" dimensions: "d" value: "v" query {',
    'row { dimension { string_value: "a" } values { double_value: 1.000000 } } '
    'row { dimension { string_value: "b" } values { double_value: 2.500000 } } }'])
summary('one of several', metric('m', D_V) + metric('n', D_V), ['bundle_id: "n"'], '--metrics-v2', 'n')
expect('and not the other', 'id: "m"' in run('summarize', trace, 'SPEC', '--metrics-v2', 'n', spec=metric('m', D_V) + metric('n', D_V))[1], False)
summary('nulls', metric('m', D_V, "SELECT NULL AS d, 1 AS v UNION ALL SELECT 'skipped', NULL"),
        ['row { dimension { null_value { } } values { double_value: 1.000000 } } }'])
summary('types', metric('m', 'value: "v" dimensions_specs { name: "i" type: INT64 } dimensions_specs { name: "r" type: DOUBLE } '
                        'dimensions_specs { name: "t" type: STRING } dimensions_specs { name: "b" type: BOOLEAN }',
                        "SELECT 1 AS v, 2 AS i, 3.5 AS r, 't' AS t, 1 AS b"),
        ['dimension { int64_value: 2 } dimension { double_value: 3.500000 } dimension { string_value: "t" } '
         'dimension { bool_value: true }'])
BUNDLE = 'bundle_id: "g" dimensions: "d" %s'
TWO = "SELECT 'x' AS d, 1 AS v, NULL AS w UNION ALL SELECT 'y', NULL, NULL"
summary('a bundle', metric('m', BUNDLE % 'value: "v"', TWO) + metric('n', BUNDLE % 'value: "w"', TWO), [
    'row { dimension { string_value: "x" } values { double_value: 1.000000 } values { null_value { } } } }'])
no_summary('different dimensions', metric('m', BUNDLE % 'value: "v"', TWO) + metric('n', 'bundle_id: "g" value: "w"', TWO),
           'metric n: dimensions is not that of metric m')
no_summary('different queries', metric('m', 'bundle_id: "g" value: "v"') + metric('n', 'bundle_id: "g" value: "v"', TWO),
           'metric n: query is not that')
no_summary('different uniqueness', metric('m', 'bundle_id: "g" value: "v"') +
           metric('n', 'bundle_id: "g" value: "v" dimension_uniqueness: UNIQUE'), 'dimension_uniqueness')
no_summary('not unique', metric('m', D_V + ' dimension_uniqueness: UNIQUE', "SELECT 'a' AS d, 1 AS v UNION ALL SELECT 'a', 2"),
           'metric bundle m: dimension_uniqueness')
TEMPLATE = 'metric_template_spec { id_prefix: "p" dimensions: "d" %s query { sql { sql: "SELECT 1 AS d, 2 AS v, 3 AS w" } } }'
summary('a template', TEMPLATE % 'value_columns: "v" value_columns: "w"', [
    'bundle_id: "p" specs { id: "p_v" value: "v" dimensions: "d" query {', 'specs { id: "p_w" value: "w"',
    'values { double_value: 2.000000 } values { double_value: 3.000000 }'])
summary('units', TEMPLATE % 'value_column_specs { name: "v" unit: BYTES polarity: LOWER_IS_BETTER } value_column_specs '
        '{ name: "w" custom_unit: "widgets" }', ['value: "v" unit: BYTES polarity: LOWER_IS_BETTER', 'custom_unit: "widgets"'])
summary('no bundle', TEMPLATE % 'value_columns: "v" value_columns: "w" disable_auto_bundling: true',
        ['bundle_id: "p_v"', 'bundle_id: "p_w"'])
summary('a column of a template', TEMPLATE % 'value_columns: "v" value_columns: "w"', ['id: "p_w"'], '--metrics-v2', 'p_w')
INTERNED = 'interned_dimension_specs { key_column_spec { name: "%s" type: STRING } data_column_specs { name: "x" type: INT64 } ' \
           'query { sql { sql: "SELECT \'a\' AS d, 5 AS x UNION ALL SELECT \'unused\', 6" } } }'
out = summary('interned dimensions', metric('m', D_V + INTERNED % 'd'), [
    'interned_dimension_bundles { interned_dimension_rows { key_dimension_value { string_value: "a" } '
    'interned_dimension_values { int64_value: 5 } } }'])
expect('keys that no row has', 'string_value: "unused"' in out, False)
no_summary('a key that is no dimension', metric('m', D_V + INTERNED % 'e'), 'e is none of')
SHARED = 'query { id: "s" sql { sql: "SELECT \'a\' AS d, 1 AS v" } } query { id: "t" inner_query_id: "s" } '
summary('shared queries', SHARED + 'metric_spec { id: "m" %s query { inner_query_id: "t" } } metric_spec { id: "n" %s query '
        '{ inner_query_id: "s" } }' % (D_V, D_V), ['bundle_id: "m"', 'bundle_id: "n"'])
no_summary('shared queries in a circle', 'query { id: "s" inner_query_id: "t" } query { id: "t" inner_query_id: "s" } '
           'metric_spec { id: "m" %s query { inner_query_id: "t" } }' % D_V, 'a cycle')
META = 'query { id: "meta" sql { sql: "SELECT \'k\' AS key, \'v\' AS value UNION ALL SELECT \'n\', NULL" } }'
expect('metadata', ' '.join(summary('metadata', META, [], '--metadata-query', 'meta').split()),
       'metadata { key: "k" value: "v" }')
no_summary('metadata of other columns', 'query { id: "meta" sql { sql: "SELECT 1 AS x" } }', 'key and value', '--metadata-query', 'meta')
for what, spec, part in (
        ('an unknown metric', '', 'metric m: no spec has it'), ('no id', 'metric_spec { }', 'metric_spec: id is missing'),
        ('the id all', metric('All', D_V), 'cannot have the id all'), ('an id twice', metric('m', D_V) * 2, 'metric m: two specs'),
        ('no query', 'metric_spec { id: "m" value: "v" }', 'metric m: query is missing'),
        ('no such column', metric('m', 'value: "z"'), 'metric bundle m: the query has no column z'),
        ('text as value', metric('m', 'value: "d"'), 'metric bundle m: column d: expected a number, found text'),
        ('a wrong type', metric('m', 'value: "v" dimensions_specs { name: "d" type: INT64 }'), 'column d: expected an integer'),
        ('both kinds of dimensions', metric('m', D_V + ' dimensions_specs { name: "d" type: STRING }'), 'only one of them'),
        ('a template without prefix', 'metric_template_spec { value_columns: "v" }', 'id_prefix is missing'),
        ('both kinds of columns', TEMPLATE % 'value_columns: "v" value_column_specs { name: "w" }', 'value_columns and value_column_specs'),
        ('SQL that fails', metric('m', 'value: "v"', 'SELECT x FROM no_table'), 'metric bundle m')):
    no_summary(what, spec, part, '--metrics-v2', 'all' if what != 'an unknown metric' else 'm')
status, out, err = run('summarize', trace, 'SPEC', '--metrics-v2', 'all', '--output', 'binary', spec=metric('m', D_V))
expect('binary output', (status, out[:1]), (0, '\x1a'))
status, out, err = run('summarize', trace, '--metrics-v2', 'all')
expect("the program's own metrics: " + err, (status, 'bundle_id: "cpu_per_process"' in out), (0, True))
expect('all of them where nothing is asked for', run('summarize', trace)[:2], (0, out))
with open(os.path.join(folder.name, 'after.sql'), 'w') as f:
    f.write('SELECT 1 AS one')
expect('--post-query', run('summarize', trace, '--metrics-v2', 'cpu_per_core_busy_ns', '--post-query',
                           os.path.join(folder.name, 'after.sql'))[:2], (0, 'one\n1\n'))

print('ok' if not failures else '%d failed' % len(failures))
sys.exit(bool(failures))
