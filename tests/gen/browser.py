"""Recordings of a browser and of a Java heap with one known fault among noise, as text of Perfetto's packets."""

VSYNC_US = 16667
MILLISECOND = 1000


class Packets:
    """Processes, threads, and what happens on them, in microseconds."""

    def __init__(self):
        self.lines, self.last = [], 10

    def track(self, what, parent=None):
        self.last += 1
        above = f'parent_uuid: {parent} ' if parent else ''
        self.lines.append(f'packet {{ trusted_packet_sequence_id: 1 timestamp: 1 track_descriptor {{ uuid: {self.last} {above}{what} }} }}')
        return self.last

    def process(self, pid, name, threads):
        own = self.track(f'process {{ pid: {pid} process_name: "{name}" }}')
        return own, {t: self.track(f'thread {{ pid: {pid} tid: {pid + i} thread_name: "{t}" }}') for i, t in enumerate(threads)}

    def event(self, at, track, kind, rest=''):
        self.lines.append(f'packet {{ trusted_packet_sequence_id: 1 timestamp: {at * 1000 + 1000000000} '
                          f'track_event {{ type: TYPE_{kind} track_uuid: {track} {rest}}} }}')

    def slice(self, track, at, dur, name, inside=(), category='toplevel', rest=''):
        self.event(at, track, 'SLICE_BEGIN', f'categories: "{category}" name: "{name}" {rest}')
        open_until = []
        for begin, inner, inner_name in inside:
            while open_until and open_until[-1] <= begin:
                self.event(open_until.pop(), track, 'SLICE_END')
            self.event(begin, track, 'SLICE_BEGIN', f'categories: "{category}" name: "{inner_name}" ')
            open_until.append(begin + inner)
        while open_until:
            self.event(open_until.pop(), track, 'SLICE_END')
        self.event(at + dur, track, 'SLICE_END')

    def text(self):
        return '# proto-file: trace.proto\n' + '\n'.join(self.lines) + '\n'


class Browser:
    """A browser whose threads have short tasks, and on which a page is scrolled."""

    def __init__(self, rng, seconds):
        self.rng, self.end, self.p = rng, seconds * 1000000, Packets()
        self.browser, threads = self.p.process(100, 'Browser', ['CrBrowserMain', 'NetworkService'])
        self.renderer, more = self.p.process(200, 'Renderer', ['CrRendererMain', 'Compositor', 'ThreadPoolForegroundWorker'])
        self.gpu, most = self.p.process(300, 'GPU Process', ['CrGpuMain', 'VizCompositorThread'])
        self.threads = {**threads, **more, **most}
        self.busy = {}  # of a thread, the times of its faults

    def tasks(self, thread, names, fault=None):
        """Tasks up to the end; `fault` is the name of what takes 30 to 44 ms now and then."""
        at, due, found = self.rng.randrange(3000), self.rng.randrange(150000, 250000), []
        while at < self.end - 100000:
            dur, name = self.rng.randrange(200, 5000), self.rng.choice(names)
            if fault and at > due:
                dur, name, due = self.rng.randrange(32000, 44000), fault, at + self.rng.randrange(150000, 300000)
                found.append((at, at + dur))
            inner = dur - self.rng.randrange(20, 60)
            self.p.slice(self.threads[thread], at, dur, 'ThreadControllerImpl::RunTask', [(at + 10, inner, name)])
            at += dur + int(self.rng.expovariate(1 / 4000)) + 50
        self.busy[thread] = found

    def noise(self, but=()):
        for thread, names in (('CrBrowserMain', ['Paint toolbar', 'UpdateTabStrip', 'Receive mojo message']), ('NetworkService', ['Read', 'Resolve']),
                              ('CrRendererMain', ['UpdateLayoutTree', 'Paint', 'FunctionCall']), ('Compositor', ['BeginImplFrame', 'Draw']),
                              ('ThreadPoolForegroundWorker', ['Raster', 'Decode']), ('CrGpuMain', ['Flush', 'DoEndRaster']),
                              ('VizCompositorThread', ['DrawAndSwap', 'BeginFrame'])):
            if thread not in but:
                self.tasks(thread, names)
        for _ in range(5):
            self.interaction(self.rng.randrange(self.end // 2), self.rng.randrange(30, 130) * MILLISECOND)

    def interaction(self, at, dur):
        self.p.slice(self.p.track('name: "Web Interactions"', self.renderer), at, dur, 'Web Interaction', category='interactions',
                     rest='[perfetto.protos.web_content_interaction] { type: INTERACTION_CLICK_TAP } ')

    def page(self, at, first, largest):
        for name, dur in (('FirstContentfulPaint', first), ('LargestContentfulPaint', largest)):
            self.p.slice(self.p.track('name: "Loads"', self.browser), at, dur, 'PageLoadMetrics.NavigationTo' + name, category='loading',
                         rest='[perfetto.protos.page_load] { navigation_id: 5 url: "https://shop.test/" } ')

    def scroll(self, busy, stage):
        """Each VSync an input, whose frame is late where `stage` has to wait for what is busy."""
        for n in range(self.end // VSYNC_US - 20):
            at = 100000 + n * VSYNC_US + self.rng.randrange(800)
            stages, t = [], at
            for name, least, most in (('GenerationToBrowserMain', 200, 900), ('BrowserMainToRendererCompositor', 300, 900),
                                      ('RendererCompositorQueueingDelay', 300, 900), ('RendererCompositorToMain', 200, 700),
                                      ('RendererMainProcessing', 300, 900), ('EndActivateToSubmitCompositorFrame', 300, 900)):
                begin, t = t, t + self.rng.randrange(least, most)
                if name == stage:
                    t = max([t] + [end + self.rng.randrange(50, 300) for start, end in busy if start <= t < end])
                stages.append((begin, t - begin, name))
            shown = (t // VSYNC_US + 2) * VSYNC_US
            stages += [(t, shown - t, 'SubmitCompositorFrameToPresentationCompositorFrame'),
                       (t + 90, shown - t - 100, 'SwapEndToPresentationCompositorFrame')]
            kind = 'GESTURE_SCROLL_UPDATE' if n else 'FIRST_GESTURE_SCROLL_UPDATE'
            self.p.slice(self.p.track('name: "EventLatency"', self.renderer), at, shown - at, 'EventLatency', stages, 'cc',
                         f'[perfetto.protos.event_latency] {{ event_type: {kind} event_latency_id: {n + 1} vsync_interval_ms: 16.667 }} ')


def healthy_browser(rng, seconds):
    b = Browser(rng, seconds)
    b.noise()
    b.page(50000, 300000, 900000)
    b.scroll([], None)
    return b.p.text(), []


def scroll_jank_of_browser(rng, seconds):
    b = Browser(rng, seconds)
    b.noise(['CrBrowserMain'])
    b.tasks('CrBrowserMain', ['Paint toolbar', 'UpdateTabStrip'], 'SnapshotTabs')
    b.scroll(b.busy['CrBrowserMain'], 'GenerationToBrowserMain')
    return b.p.text(), ['CrBrowserMain', 'SnapshotTabs']


def scroll_jank_of_page(rng, seconds):
    b = Browser(rng, seconds)
    b.noise(['CrRendererMain'])
    b.tasks('CrRendererMain', ['UpdateLayoutTree', 'Paint'], 'touchmove')
    b.scroll(b.busy['CrRendererMain'], 'RendererCompositorToMain')
    return b.p.text(), ['CrRendererMain', 'touchmove']


def late_input(rng, seconds):
    """After a tap the page builds a list in pieces; the next paint is behind the last."""
    b = Browser(rng, seconds)
    b.noise(['CrRendererMain'])
    at = rng.randrange(3000)
    taps = sorted(rng.randrange(200000, b.end - 700000) for _ in range(2))
    while at < b.end - 100000:
        if taps and at > taps[0]:
            begin = at
            for _ in range(rng.randrange(9, 13)):
                dur = rng.randrange(36000, 46000)
                b.p.slice(b.threads['CrRendererMain'], at, dur, 'ThreadControllerImpl::RunTask', [(at + 10, dur - 50, 'buildList')])
                at += dur + rng.randrange(100, 900)
            b.interaction(begin - 2000, at - begin + 9000)
            del taps[0]
        dur = rng.randrange(200, 5000)
        b.p.slice(b.threads['CrRendererMain'], at, dur, 'ThreadControllerImpl::RunTask', [(at + 10, dur - 50, rng.choice(['Paint', 'UpdateLayoutTree']))])
        at += dur + rng.randrange(100, 8000)
    return b.p.text(), ['CrRendererMain', 'buildList']


def largest_paint(rng, seconds):
    """A page shows its picture when its scripts have run, each less than a long task."""
    b = Browser(rng, max(seconds, 7))
    b.noise(['CrRendererMain'])
    at, done = 60000, 60000 + rng.randrange(3200000, 5000000)
    while at < b.end - 100000:
        dur, name = rng.randrange(200, 5000), 'Paint'
        if at < done and rng.random() < 0.85:
            dur, name = rng.randrange(20000, 46000), 'hydrate'
        b.p.slice(b.threads['CrRendererMain'], at, dur, 'ThreadControllerImpl::RunTask', [(at + 10, dur - 50, name)])
        at += dur + rng.randrange(100, 8000)
    b.page(50000, 700000, done)
    return b.p.text(), ['CrRendererMain', 'hydrate']


# ---- heaps ----

class Heap:
    """One dump of a process."""

    def __init__(self, rng):
        self.rng, self.types, self.fields, self.objects, self.roots = rng, {}, {}, [], []

    def add(self, cls, size, fields=()):
        """An object, whose fields are (name, number of an object)."""
        number = len(self.objects) + 1
        kind = self.types.setdefault(cls, len(self.types) + 1)
        names = ''.join(f'reference_field_id: {self.fields.setdefault(f, len(self.fields) + 1)} ' for f, _ in fields)
        held = ''.join(f'reference_object_id: {o} ' for _, o in fields)
        self.objects.append(f'objects {{ id: {number} type_id: {kind} self_size: {size} {names}{held}}}')
        return number

    def text(self, at, pid):
        roots = ' '.join(f'object_ids: {r}' for r in self.roots)
        return '\n'.join(
            [f'packet {{ timestamp: {at} trusted_packet_sequence_id: 2 [com.android.art.tracing.heap_graph] {{ pid: {pid} index: 0',
             f'roots {{ root_type: ROOT_JAVA_FRAME {roots} }}', *self.objects] +
            [f'field_names {{ iid: {i} str: "java.lang.Object {n}" }}' for n, i in self.fields.items()] +
            [f'types {{ id: {i} class_name: "{n}" }}' for n, i in self.types.items()] + ['} }', ''])


def dump_heap(rng, entries):
    """An app's heap whose cache has as many entries: what takes the room are arrays of bytes."""
    h = Heap(rng)
    strings = [h.add('java.lang.String', 24, [('java.lang.String.value', h.add('byte[]', rng.randrange(16, 400)))]) for _ in range(400)]
    views = [h.add('android.widget.TextView', 900, [('android.widget.TextView.mText', rng.choice(strings))]) for _ in range(60)]
    rows = [h.add('com.acme.shop.Row', 48, [('com.acme.shop.Row.view', v)]) for v in views]
    pictures = [h.add('com.acme.shop.Picture', 40, [('com.acme.shop.Picture.pixels', h.add('byte[]', rng.randrange(4000, 12000)))])
                for _ in range(entries)]
    nodes = [h.add('java.util.HashMap$Node', 32, [('java.util.HashMap$Node.value', p)]) for p in pictures]
    table = h.add('java.util.HashMap$Node[]', 4 * entries + 16, [(f'[{i}]', n) for i, n in enumerate(nodes)])
    cache = h.add('com.acme.shop.PictureCache', 24, [('com.acme.shop.PictureCache.kept', h.add('java.util.HashMap', 48, [('java.util.HashMap.table', table)]))])
    h.roots += [h.add('com.acme.shop.MainActivity', 400, [('com.acme.shop.MainActivity.cache', cache)] +
                      [(f'com.acme.shop.MainActivity.row{i}', r) for i, r in enumerate(rows)]), *strings]
    return h


def dumps(rng, seconds, before, after):
    name = 'packet { timestamp: 1 trusted_packet_sequence_id: 2 incremental_state_cleared: true process_tree ' \
           '{ processes { pid: 500 ppid: 1 cmdline: "com.acme.shop" uid: 10100 } } }\n'
    return '# proto-file: trace.proto\n' + name + dump_heap(rng, before).text(1000000000, 500) + \
        dump_heap(rng, after).text(1000000000 + seconds * 1000000000, 500)


def healthy_heap(rng, seconds):
    kept = rng.randrange(100, 150)
    return dumps(rng, seconds, kept, kept + rng.randrange(-5, 5)), []


def java_heap(rng, seconds):
    before = rng.randrange(60, 120)
    return dumps(rng, seconds, before, before * rng.randrange(5, 8)), ['com.acme.shop.Picture', r'PictureCache\.kept']
