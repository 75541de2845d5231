#!/usr/bin/env python3
"""Writes what a static program is linked of, as SPDX 2.3.

Usage: gen_sbom.py VERSION SECONDS OUTPUT MAP...

The linker's maps name the members of libraries that went in; dpkg knows whose they are.
"""
import datetime
import hashlib
import json
import pathlib
import re
import subprocess
import sys


def linked_libraries(linker_map):
    """Files of libraries of which at least one member is in the program."""
    text = pathlib.Path(linker_map).read_text(encoding='utf8', errors='replace')
    included = text.split('Archive member included')[1].split('\nDiscarded input sections')[0]
    return {str(pathlib.Path(found).resolve()) for found in re.findall(r'^(/\S+\.a)\(', included, re.M)}


def package_of(library):
    """The package's name with its architecture. Files that moved to /usr are known by their former names, too."""
    for path in (library, library.removeprefix('/usr')):
        done = subprocess.run(['dpkg', '-S', path], capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout.rsplit(': ', 1)[0].split(',')[0].strip()
    sys.exit('%s: of no package' % library)


def licences_of(package):
    """The short names of the package's machine-readable copyright file."""
    path = pathlib.Path('/usr/share/doc', package.split(':')[0], 'copyright')
    text = path.read_text(encoding='utf8', errors='replace') if path.exists() else ''
    return sorted(set(re.findall(r'^License: *(\S.*)$', text, re.M)))


def query(package, field):
    return subprocess.run(['dpkg-query', '-W', '-f', '${%s}' % field, package], capture_output=True, text=True, check=True).stdout


def main():
    version, seconds, output, *maps = sys.argv[1:]
    packages = sorted({package_of(library) for m in maps for library in linked_libraries(m)})
    entries = [{'SPDXID': 'SPDXRef-tptui', 'name': 'tptui', 'versionInfo': version, 'downloadLocation': 'NOASSERTION',
                'licenseConcluded': 'Apache-2.0', 'licenseDeclared': 'Apache-2.0', 'filesAnalyzed': False}]
    for package in packages:
        licences = licences_of(package)
        entries.append({
            'SPDXID': 'SPDXRef-' + re.sub(r'[^A-Za-z0-9.-]', '-', package), 'name': query(package, 'source:Package'),
            'versionInfo': query(package, 'source:Version'), 'downloadLocation': 'NOASSERTION', 'filesAnalyzed': False,
            'licenseConcluded': 'NOASSERTION', 'licenseDeclared': 'NOASSERTION',
            'licenseComments': 'Of %s: %s' % (package, ', '.join(licences) or 'see its copyright file')})
    created = datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%SZ')
    names = hashlib.sha256(json.dumps(entries).encode()).hexdigest()
    document = {
        'spdxVersion': 'SPDX-2.3', 'dataLicense': 'CC0-1.0', 'SPDXID': 'SPDXRef-DOCUMENT', 'name': 'tptui-' + version,
        'documentNamespace': 'urn:tptui:%s:%s' % (version, names),
        'creationInfo': {'created': created, 'creators': ['Tool: gen_sbom.py']},
        'packages': entries,
        'relationships': [{'spdxElementId': 'SPDXRef-DOCUMENT', 'relationshipType': 'DESCRIBES', 'relatedSpdxElement': 'SPDXRef-tptui'}] +
                         [{'spdxElementId': 'SPDXRef-tptui', 'relationshipType': 'STATIC_LINK', 'relatedSpdxElement': e['SPDXID']}
                          for e in entries[1:]]}
    pathlib.Path(output).write_text(json.dumps(document, indent=1) + '\n', encoding='utf8')


main()
