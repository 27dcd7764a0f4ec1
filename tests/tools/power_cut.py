"""power_cut.py LOG BEFORE OUT WHOLE STATUS KEPT COUNT COMMAND...: what a power cut may leave of recorded runs into OUT.

LOG is of `strace -f -y -xx` and has the calls that change files. BEFORE is a copy of OUT before them, which was on the
disk. For COUNT moments, or for each if COUNT is 0, OUT becomes what a pessimistic file system may have kept: what was
flushed, and anything of the rest. A name may be there or not, and the bytes of its file may be missing, zero, or there in
part. Then

* the state must be whole, by SQLite's own check;
* an output that COMMAND --dry-run calls up to date must have the bytes of the undisturbed run, in WHOLE;
* outputs that KEPT lists, a line each, must not be converted again;
* COMMAND must work, and make the tree of WHOLE.

STATUS is the --status file of the undisturbed run: it tells which files an output has. Prints what is wrong, and how many
moments there were. SEED in the environment chooses other moments."""

import hashlib
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys

# ---- the file system: what there is, and what is on the disk ----


class File:
    def __init__(self, data=b'', likeness=None):
        self.data = bytearray(data)
        self.flushed = bytes(data)
        self.writes = []  # since it was flushed: (offset, bytes), or (size, None) for a change of its size
        self.at = 0
        self.likeness = likeness  # a file with its time and permissions

    def write(self, offset, data):
        self.data.extend(bytes(max(0, offset + len(data) - len(self.data))))
        self.data[offset:offset + len(data)] = data
        self.writes.append((offset, data))

    def resize(self, size):
        del self.data[size:]
        self.data.extend(bytes(size - len(self.data)))
        self.writes.append((size, None))

    def flush(self):
        self.flushed, self.writes = bytes(self.data), []


class Folder:
    def __init__(self):
        self.names, self.flushed = {}, {}


class Disk:
    """A path is absolute; what lies outside of the top is not there."""

    def __init__(self, top):
        self.top, self.root, self.changes = top, Folder(), []  # changes of names that are not flushed
        self.root.names['out'] = self.root.flushed['out'] = Folder()
        self.open = {}  # (process, descriptor): File or Folder

    def place(self, path):
        """Returns the folder and the name of a path; (None, None) if it is elsewhere."""
        path = os.path.normpath(path)
        if path == self.top:
            return self.root, 'out'
        if not path.startswith(self.top + '/'):
            return None, None
        folder = self.root.names['out']
        *above, name = path[len(self.top) + 1:].split('/')
        for part in above:
            folder = folder.names[part]
        return folder, name

    def find(self, path):
        folder, name = self.place(path)
        return folder.names.get(name) if folder else None

    def change(self, *changes):
        """Changes names, (folder, name, file or None) each: all of it is on the disk one day, or nothing."""
        for folder, name, file in changes:
            if file is None:
                folder.names.pop(name, None)
            else:
                folder.names[name] = file
        self.changes.append(changes)

    def flush_folder(self, folder):
        for change in [c for c in self.changes if any(f is folder for f, _, _ in c)]:
            self.keep(change)
            self.changes.remove(change)

    def keep(self, change):
        for folder, name, file in change:
            if file is None:
                folder.flushed.pop(name, None)
            else:
                folder.flushed[name] = file

    def flush_all(self):
        for change in self.changes:
            self.keep(change)
        self.changes = []
        for file in self.files(self.root.names):
            file.flush()
        for file in self.open.values():
            if isinstance(file, File):
                file.flush()

    def files(self, names):
        for member in names.values():
            if isinstance(member, Folder):
                yield from self.files(member.names)
            else:
                yield member


# ---- the calls ----


def unquote(text):
    return re.sub(rb'\\x([0-9a-f]{2})', lambda m: bytes([int(m[1], 16)]), text.encode())


def read_calls(path):
    """Yields (process, name, words, result, its path), in the order in which the calls ended."""
    begun = {}
    with open(path, encoding='ascii') as lines:
        for line in lines:
            process, line = line.split(None, 1)
            if line.rstrip().endswith('<unfinished ...>'):
                begun[process] = line.rsplit('<unfinished ...>', 1)[0]
                continue
            resumed = re.match(r'<\.\.\. \w+ resumed>', line)
            if resumed:
                line = begun.pop(process, '') + line[resumed.end():]
            call = re.match(r'(\w+)\((.*)\) += (-?\d+)(?:<([^>]*)>)?', line)
            if call and int(call[3]) >= 0:
                words = re.findall(r'"[^"]*"|[^, ][^,]*', call[2])
                yield process, call[1], words, int(call[3]), unquote(call[4] or '').decode()


class Recording:
    def __init__(self, disk, log):
        self.disk, self.calls, self.forks, self.cwd = disk, list(read_calls(log)), {}, os.getcwd()

    def path(self, words, at):
        """The path of words[at], below the folder of words[at - 1] if that is one."""
        name = unquote(words[at][1:-1]).decode()
        above = re.search(r'<([^>]*)>', words[at - 1]) if at > 0 else None
        own = re.fullmatch(r'/proc/self/fd/(\d+)', name)
        if own:
            return int(own[1])
        return os.path.join(unquote(above[1]).decode() if above else self.cwd, name)

    def of_descriptor(self, process, word):
        number, place = re.match(r'\d+', word), re.search(r'<([^>]*)>', word)
        if place and not unquote(place[1]).decode().startswith(self.disk.top):
            return None
        while number and process:
            if (process, int(number[0])) in self.disk.open:
                return self.disk.open[process, int(number[0])]
            process = self.forks.get(process)
        return None

    def carry_out(self, process, name, words, result, result_path):
        disk = self.disk
        if name in ('clone', 'clone3', 'fork', 'vfork'):
            self.forks[str(result)] = process
        elif name in ('open', 'openat', 'creat'):
            self.open(process, words[1 if name == 'openat' else 0:], result, result_path,
                      self.path(words, 1 if name == 'openat' else 0))
        elif name in ('mkdir', 'mkdirat'):
            folder, last = disk.place(self.path(words, len(words) - 2))
            if folder:
                disk.change((folder, last, Folder()))
        elif name in ('unlink', 'unlinkat', 'rmdir'):
            folder, last = disk.place(self.path(words, 1 if name == 'unlinkat' else 0))
            if folder:
                disk.change((folder, last, None))
        elif name in ('rename', 'renameat', 'renameat2', 'link', 'linkat'):
            self.rename(process, name, words)
        elif name == 'syncfs' and self.of_descriptor(process, words[0]):
            disk.flush_all()
        else:
            self.change_file(name, words, result, self.of_descriptor(process, words[0]))

    def open(self, process, words, result, result_path, path):
        disk, flags = self.disk, words[1]
        if 'O_TMPFILE' in flags:
            disk.open[process, result] = File()
            return
        file = disk.find(path) if isinstance(path, str) else None
        if file is None and 'O_CREAT' in flags:
            folder, last = disk.place(path)
            if not folder:
                disk.open.pop((process, result), None)
                return
            file = File()
            disk.change((folder, last, file))
        disk.open[process, result] = file
        if isinstance(file, File):
            file.at = None if 'O_APPEND' in flags else 0
            if 'O_TRUNC' in flags:
                file.resize(0)

    def rename(self, process, name, words):
        disk, at = self.disk, 1 if name.endswith(('at', 'at2')) else 0
        old, new = self.path(words, at), self.path(words, 2 * at + 1)
        to_folder, to_name = disk.place(new)
        if not to_folder:
            return
        if isinstance(old, int):
            file = self.of_descriptor(process, str(old))
            disk.change((to_folder, to_name, file))
            return
        from_folder, from_name = disk.place(old)
        file = from_folder.names[from_name]
        if name.startswith('link'):
            disk.change((to_folder, to_name, file))
        elif 'RENAME_EXCHANGE' in words[-1] or words[-1] == '0x2':
            disk.change((from_folder, from_name, to_folder.names[to_name]), (to_folder, to_name, file))
        else:
            disk.change((from_folder, from_name, None), (to_folder, to_name, file))

    def change_file(self, name, words, result, file):
        if isinstance(file, Folder):
            if name in ('fsync', 'fdatasync'):
                self.disk.flush_folder(file)
        elif file is None:
            pass
        elif name in ('write', 'pwrite64'):
            data = unquote(words[1][1:-1])[:result]
            assert len(data) == result, 'strace -s is too small'
            offset = int(words[3]) if name == 'pwrite64' else len(file.data) if file.at is None else file.at
            file.write(offset, data)
            if name == 'write' and file.at is not None:
                file.at += result
        elif name == 'lseek':
            file.at = result if file.at is not None else None
        elif name == 'ftruncate':
            file.resize(int(words[1]))
        elif name in ('fsync', 'fdatasync'):
            file.flush()
        else:
            raise AssertionError('what does ' + name + ' do?')


# ---- what may be left ----


def left_bytes(file, way, chance):
    """The bytes of a file of which not all is on the disk."""
    if not file.writes or way == 'all':
        return bytes(file.data)
    if way == 'nothing':
        return file.flushed
    if way == 'names':  # the size is there, and blocks that were never written
        return (file.flushed + bytes(max(0, len(file.data) - len(file.flushed))))[:len(file.data)]
    if way == 'empty':
        return file.flushed[:len(file.data)]
    kept = bytearray(file.flushed)
    for offset, data in file.writes:
        if chance.random() < 0.5:
            continue
        if data is None:
            del kept[offset:]
            kept.extend(bytes(offset - len(kept)))
            continue
        part = len(data) if chance.random() < 0.7 else chance.randrange(len(data) + 1) // 512 * 512
        kept.extend(bytes(max(0, offset + part - len(kept))))
        kept[offset:offset + part] = data[:part]
    if chance.random() < 0.3:
        kept.extend(bytes(max(0, len(file.data) - len(kept))))
    return bytes(kept)


def left_tree(disk, way, chance):
    """Returns {path: (bytes or None for a folder, likeness)}."""
    names = {}  # of folders, by identity
    folders = [disk.root]
    for folder in folders:
        names[id(folder)] = dict(folder.flushed)
        seen = list(folder.flushed.values()) + list(folder.names.values())
        folders.extend(f for f in {id(s): s for s in seen if isinstance(s, Folder)}.values()
                       if all(f is not known for known in folders))
    for change in disk.changes:
        if way == 'nothing' or (way == 'some' and chance.random() < 0.5):
            continue
        for folder, name, file in change:
            if file is None:
                names.setdefault(id(folder), {}).pop(name, None)
            else:
                names.setdefault(id(folder), {})[name] = file
    tree = {}

    def walk(folder, path):
        for name, member in names.get(id(folder), {}).items():
            if isinstance(member, Folder):
                tree[path + name] = (None, None)
                walk(member, path + name + '/')
            elif name.endswith('-shm'):
                tree[path + name] = (bytes(chance.randrange(256) for _ in range(64)) * 512, None)
            else:
                tree[path + name] = (left_bytes(member, way, chance), member.likeness)

    walk(disk.root, '')
    return tree


def build(tree, out, boot):
    shutil.rmtree(out, ignore_errors=True)
    for path, (data, likeness) in tree.items():
        place = out + path[len('out'):]
        if data is None:
            os.makedirs(place, exist_ok=True)
            continue
        with open(place, 'wb') as file:
            file.write(data.replace(boot, b'0' * len(boot)) if '/journals/' in path else data)
        if likeness:
            os.utime(place, ns=(likeness.st_atime_ns, likeness.st_mtime_ns))


# ---- the checks ----


def state_problem(out):
    """What SQLite says of a copy of the state; None if it is whole, or not there."""
    if not os.path.exists(out + '/.cellpipe/state.db'):
        return None
    shutil.rmtree('state', ignore_errors=True)
    os.mkdir('state')
    for end in ('', '-wal', '-journal'):
        if os.path.exists(out + '/.cellpipe/state.db' + end):
            shutil.copy(out + '/.cellpipe/state.db' + end, 'state')
    state = sqlite3.connect('state/state.db')
    try:
        said = state.execute('PRAGMA integrity_check').fetchall()
    except sqlite3.DatabaseError as error:
        said = [(str(error),)]
    finally:
        state.close()
    return None if said == [('ok',)] else 'the state: %s' % said[0][0]


def members(folder):
    found = set()
    for place, folders, files in os.walk(folder):
        if place == folder and '.cellpipe' in folders:
            folders.remove('.cellpipe')
        found |= {os.path.relpath(os.path.join(place, name), folder) for name in folders + files}
    return found


def is_equal(one, other):
    with open(one, 'rb') as a, open(other, 'rb') as b:
        return a.read() == b.read()


def problem_of(out, whole, files, kept, command):
    problem = state_problem(out)
    if problem:
        return problem
    dry = subprocess.run(command[:2] + ['--dry-run'] + command[2:], capture_output=True, text=True)
    if dry.returncode != 0:
        return 'a dry run ends with %d: %s' % (dry.returncode, dry.stderr.strip())
    for line in dry.stdout.splitlines():
        deed = re.fullmatch(r'(\w+) +(.*) -> (.*?) \((.*)\)', line)
        if not deed:
            continue
        output = os.path.relpath(deed[3], out)
        if deed[1] == 'convert' and output in kept:
            return 'a dry run converts %s again: %s' % (output, deed[4])
        if deed[4] != 'up to date':
            continue
        for name in files[output]:
            if not os.path.exists(out + '/' + name) or not is_equal(out + '/' + name, whole + '/' + name):
                return '%s counts as up to date, and is not what was written' % name
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        return 'the next run ends with %d: %s' % (run.returncode, run.stderr.strip())
    if members(out) != members(whole):
        return 'another tree: %s' % sorted(members(out) ^ members(whole))[:3]
    for name in members(whole):
        if os.path.isfile(whole + '/' + name) and not is_equal(out + '/' + name, whole + '/' + name):
            return 'the next run leaves %s as it is' % name
    return None


def load(disk, before):
    """Puts a folder that is on the disk in."""
    if not os.path.isdir(before):
        disk.root.names.clear()
        disk.root.flushed.clear()
        return
    for place, folders, files in os.walk(before):
        folder = disk.find(disk.top + place[len(before):])
        for name in folders:
            folder.names[name] = folder.flushed[name] = Folder()
        for name in files:
            with open(os.path.join(place, name), 'rb') as file:
                data = file.read()
            folder.names[name] = folder.flushed[name] = File(data, os.stat(os.path.join(place, name)))


def main(log, before, out, whole, status, kept, count, *command):
    out = os.path.abspath(out)
    with open('/proc/sys/kernel/random/boot_id', 'rb') as file:
        boot = file.read().strip()
    with open(status, encoding='utf-8') as lines:
        records = [r for r in map(json.loads, lines) if r.get('outputs')]
    files = {r['out']: [o['path'] for o in r['outputs']] for r in records}
    with open(kept, encoding='utf-8') as lines:
        kept = set(lines.read().split('\n')) - {''}
    times = {}  # of what a run has made, by its bytes: its record has them
    for name in members(out):
        if os.path.isfile(out + '/' + name):
            with open(out + '/' + name, 'rb') as file:
                times.setdefault(file.read(), os.stat(out + '/' + name))
    disk = Disk(out)
    load(disk, before)
    recording = Recording(disk, log)
    chance = random.Random(int(os.environ.get('SEED', 1)))
    states, known = [], set()
    for number, call in enumerate([None] + recording.calls):
        if call:
            recording.carry_out(*call)
        for way in ('all', 'nothing', 'names', 'empty', 'some', 'some', 'some'):
            for file in list(disk.files(disk.root.names)):
                if file.likeness is None and bytes(file.data) in times:
                    file.likeness = times[bytes(file.data)]
            tree = left_tree(disk, way, chance)
            mark = hashlib.sha256(repr(sorted((p, d[0]) for p, d in tree.items() if not p.endswith('-shm'))).encode())
            if mark.digest() not in known:
                known.add(mark.digest())
                states.append((number, way, tree))
    made = {name for name in members(whole) if os.path.isfile(whole + '/' + name)}
    for name in made:  # else the model is wrong, and the test with it
        file = disk.find(out + '/' + name)
        assert file and bytes(file.data) == open(whole + '/' + name, 'rb').read(), 'the calls do not make ' + name
    chosen = states if int(count) == 0 else chance.sample(states, min(int(count), len(states)))
    bad = 0
    for number, way, tree in chosen:
        build(tree, out, boot)
        problem = problem_of(out, whole, files, kept, list(command))
        if problem:
            bad += 1
            print('FAILED: power cut after call %d (%s), %s kept: %s' %
                  (number, ' '.join([recording.calls[number - 1][1], recording.calls[number - 1][4]]) if number else '',
                   way, problem))
    print('%d of %d states of the disk, %d bad' % (len(chosen), len(states), bad))
    return bad > 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
