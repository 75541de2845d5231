#!/usr/bin/env python3
"""Estimates power with curves of a device that nobody has, and without any.

Usage: test_wattson.py TPTUI TRACE

TRACE is rows/wattson.textproto: CPU 0 of the device "Toy" has a policy of its own, whose power depends on CPU 1's
frequency, too.
"""
import csv
import io
import os
import subprocess
import sys
import tempfile

tptui, trace = map(os.path.abspath, sys.argv[1:])
failures = []
CURVES = {
    'cpu_1d': 'device,policy,freq_khz,static,active,idle0,idle1\nToy,1,2000,10,200,20,2\n\n',
    # The columns may stand in any order.
    'cpu_2d': 'policy,device,freq_khz,dep_policy,dep_freq,static,active,idle0,idle1,interconnect\n'
              '0,Toy,1000,1,1500,3,50,7.5,0.5,0\n0,Toy,1000,1,2000,5,100,15,1,0\n',
    'tpu': 'device,cluster,requests,freq,active\nToy,0,0,0,0\nToy,2,0,500,30\nToy,2,1,500,40\n',
}
WINDOW = '(SELECT 1000000 AS ts, 4000000 AS dur, 7 AS period_id)'


def expect(what, got, want):
    if got != want:
        failures.append(what)
        print('--- %s\n  expected %r\n  got      %r' % (what, want, got))


def write_curves(folder, **changed):
    os.makedirs(os.path.join(folder, 'Toy'))
    for name, text in (CURVES | changed).items():
        with open(os.path.join(folder, 'Toy', name + '.csv'), 'w') as f:
            f.write(text)
    return folder


def run(sql, *options, home):
    p = subprocess.run([tptui, 'query', '--format', 'csv', *options, trace, sql], capture_output=True, timeout=60,
                       stdin=subprocess.DEVNULL, env=dict(os.environ, XDG_CONFIG_HOME=home))
    return list(csv.reader(io.StringIO(p.stdout.decode())))[1:], p.stderr.decode()


def numbers(rows):
    return [tuple(float(v) if v else None for v in row) for row in rows]


def check_estimates(options, home):
    """Each time by hand: CPU 0 awake at 100 while 1 is at 2000, asleep at 1, and so on."""
    module = 'INCLUDE PERFETTO MODULE wattson.aggregation; '
    got, _ = run(module + 'SELECT name FROM _wattson_device', *options, home=home)
    expect('device', got, [['Toy']])
    got, _ = run(module + 'SELECT ts, dur, cpu0_mw, cpu1_mw, cpu2_mw, dsu_scu_mw, tpu_mw FROM _system_state_mw', *options, home=home)
    expect('states', numbers(got), [
        (1e6, 1e6, 100, 200, 0, 15, 0),
        (2e6, 0.5e6, 1, 200, 0, 10, 30),
        (2.5e6, 0.5e6, 1, 200, 0, 10, 40),
        (3e6, 0.5e6, 100, 200, 0, 15, 40),
        (3.5e6, 0.5e6, 100, 200, 0, 15, 30),
        # CPU 1 sleeps, so that the least of the curve's other frequencies counts for CPU 0.
        (4e6, 1e6, 50, 20, 0, 13, 0),
    ])
    got, _ = run('INCLUDE PERFETTO MODULE wattson.cpu.estimates; '
                 'SELECT ts, dur, idle_0, idle_1, cpus_on_mask, policy_cpus_on_mask, static_1d, dep_freq_0, dep_policy_0, '
                 'dep_freq_1, cpu0_mw, cpu1_mw, static_mw FROM _all_stats JOIN (SELECT ts, config_hash, policy_cpus_on_mask, '
                 'static_1d FROM _w_independent_cpus_calc) USING (ts) JOIN (SELECT config_hash, dep_freq_0, dep_policy_0, '
                 'dep_freq_1 FROM _w_dependent_cpus_unique) USING (config_hash) JOIN _unique_estimates_mw USING (config_hash) '
                 'ORDER BY ts', *options, home=home)
    expect('configurations', numbers(got), [
        (1e6, 1e6, -1, -1, 3, 3, 10, 2000, 1, None, 100, 200, 15),
        (2e6, 1e6, 1, -1, 2, 2, 10, 2000, 1, None, 1, 200, 10),
        (3e6, 1e6, -1, -1, 3, 3, 10, 2000, 1, None, 100, 200, 15),
        (4e6, 1e6, -1, 0, 3, 3, 10, 1500, 1, None, 50, 20, 13),
    ])
    got, _ = run(module + 'SELECT subsystem, breakdown_type, component_id, parent_id, estimated_mw, estimated_mws '
                 'FROM wattson_rails_aggregation!(%s) WHERE estimated_mw > 0' % WINDOW, *options, home=home)
    expect('rails', got, [
        ['CPU', 'CORE', '0', '0', '62.75', '0.251'],
        ['CPU', 'CORE', '1', '1', '155.0', '0.62'],
        ['CPU', 'POLICY', '0', '', '62.75', '0.251'],
        ['CPU', 'POLICY', '1', '', '155.0', '0.62'],
        ['CPU', 'DSU', '', '', '13.25', '0.053'],
        ['TPU', 'TOTAL', '', '', '17.5', '0.07'],
        ['CPU', 'TOTAL', '', '', '231.0', '0.924'],
    ])
    got, _ = run(module + 'SELECT thread_name, period_id, period_dur, estimated_mws, idle_transitions_mws, total_mws '
                 'FROM wattson_threads_aggregation!(%s) ORDER BY estimated_mws DESC' % WINDOW, *options, home=home)
    # From 3.0 to 3.1 ms CPU 0 wakes for main, which pays for that.
    expect('threads', [(row[0], *(round(float(v), 9) for v in row[1:])) for row in got], [
        ('worker', 7, 4e6, 0.6, 0, 0.6),
        ('main', 7, 4e6, 0.24, 0.01, 0.25),
        ('swapper', 7, 4e6, 0.011, -0.01, 0.001),
    ])


def main():
    with tempfile.TemporaryDirectory() as home:
        rows, said = run('INCLUDE PERFETTO MODULE wattson.aggregation; SELECT * FROM _estimates_w_tasks_attribution', home=home)
        expect('without curves', rows, [])
        expect('it says why', 'it needs power curves of devices: --wattson-curves DIR' in said, True)
        folder = write_curves(os.path.join(home, 'curves'))
        check_estimates(['--wattson-curves', folder], home)
        wrong = write_curves(os.path.join(home, 'wrong'), cpu_1d='device,policy,freq_khz,active,idle0,idle1\nToy,1,2000,1,1,1\n')
        _, said = run('SELECT * FROM __intrinsic_wattson_curves_cpu_1d', '--wattson-curves', wrong, home=home)
        expect('no column', 'Toy/cpu_1d.csv: expected a column static, found none' in said, True)
        wrong = write_curves(os.path.join(home, 'text'), tpu=CURVES['tpu'] + 'Toy,1,1,high,40\n')
        _, said = run('SELECT * FROM __intrinsic_wattson_curves_tpu', '--wattson-curves', wrong, home=home)
        expect('no number', 'Toy/tpu.csv, line 5: expected a number for freq, found high' in said, True)
        _, said = run('SELECT * FROM __intrinsic_wattson_curves_gpu', '--wattson-curves', folder, home=home)
        expect('a file that is not there', 'it needs power curves' in said, True)
        other = write_curves(os.path.join(home, 'other'), cpu_1d=CURVES['cpu_1d'].replace('Toy', 'Tea'), cpu_2d=CURVES['cpu_2d'].replace('Toy', 'Car'))
        for name in '_estimates_w_tasks_attribution', '_system_state_mw', '_wattson_device':
            rows, said = run('INCLUDE PERFETTO MODULE wattson.aggregation; SELECT * FROM ' + name, '--wattson-curves', other, home=home)
            expect(name + ' with curves of other devices', rows, [])
            expect(name + ' says whose are missing', 'it needs power curves of the device Toy, there are those of Car, Tea' in said, True)
        write_curves(os.path.join(home, 'tptui', 'wattson'))
        check_estimates([], home)
    return len(failures) > 0


sys.exit(main())
