#!/usr/bin/env python3
"""Installs a build below a folder, packs its sources, and looks at what is there: test_install.py BUILD"""
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

build = os.path.abspath(sys.argv[1])
failures = []


def expect(what, got, want):
    if got != want:
        failures.append(what)
        print('--- %s\n  expected %r\n  got      %r' % (what, want, got))


with tempfile.TemporaryDirectory() as folder:
    done = subprocess.run(['meson', 'install', '-C', build, '--no-rebuild', '--destdir', folder, '--quiet'], capture_output=True, text=True)
    expect('meson install', (done.returncode, done.stderr), (0, ''))
    prefix = pathlib.Path(folder, 'usr/local')
    files = sorted(str(p.relative_to(prefix)) for p in prefix.rglob('*') if not p.is_dir())
    expect('what is installed', files, [
        'bin/tptui', 'bin/trace_processor_shell', 'share/applications/tptui.desktop', 'share/bash-completion/completions/tptui',
        'share/fish/vendor_completions.d/tptui.fish', 'share/man/man1/tptui.1',
        'share/man/man1/trace_processor_shell.1', 'share/mime/packages/tptui.xml',
        'share/zsh/site-functions/_tptui'])
    shell = subprocess.run([prefix / 'bin/trace_processor_shell', '--version'], capture_output=True, text=True)
    expect('the link is the shell', shell.stdout.splitlines()[1:], ['Trace Processor RPC API version: 14'])
    types = {line.split('"')[1] for line in open(prefix / 'share/mime/packages/tptui.xml', encoding='utf8') if '<mime-type' in line}
    entry = open(prefix / 'share/applications/tptui.desktop', encoding='utf8').read()
    opened = set(entry.split('MimeType=')[1].split('\n')[0].strip(';').split(';'))
    expect('the menu entry opens the types that are declared', opened, types)

# The tarball of what is committed, where there is a repository.
source = pathlib.Path(__file__).resolve().parent.parent
if (source / '.git').exists():
    done = subprocess.run(['meson', 'dist', '-C', build, '--no-tests', '--formats', 'gztar', '--allow-dirty'], capture_output=True, text=True)
    expect('meson dist: %s' % done.stdout[-500:], done.returncode, 0)
    made = sorted(pathlib.Path(build, 'meson-dist').glob('tptui-*.tar.gz'))
    with tarfile.open(made[-1]) as tar:
        packed = {name.split('/', 1)[1] for name in tar.getnames() if '/' in name}
    committed = subprocess.run(['git', '-C', source, 'ls-tree', '-r', '--name-only', 'HEAD'], capture_output=True, text=True).stdout.split('\n')
    expect('all that is committed is in it', sorted(set(committed) - {''} - packed), [])

print('ok' if not failures else '%d failed' % len(failures))
sys.exit(bool(failures))
