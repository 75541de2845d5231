// Speaks the RPC protocol of Trace Processor as a page does: requests by fetch() and over a websocket, messages by hand.
// What came of it is written into the page as JSON, and posted to where the page is from.
'use strict';

const APPEND = 1, FINALIZE = 2, QUERY = 3, STATUS = 10, RESET = 11;
const ARGUMENTS = {[APPEND]: 101, [QUERY]: 103, [RESET]: 107};
const RESULTS = {[APPEND]: 201, [QUERY]: 203, [STATUS]: 210, [FINALIZE]: 212};
const PATIENCE_MS = 120000;

function concatenate(...parts) {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
  return all;
}

function varint(number) {
  const bytes = [];
  for (; number >= 0x80; number = Math.floor(number / 0x80)) bytes.push(number % 0x80 | 0x80);
  return Uint8Array.from([...bytes, number]);
}

// A field of a message: a number, text, or bytes.
function field(id, value) {
  if (typeof value === 'number') return concatenate(varint(id * 8), varint(value));
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  return concatenate(varint(id * 8 + 2), varint(bytes.length), bytes);
}

// The number at `at`, as a BigInt of 64 bits with its sign, and where it ends; null if it is not all there.
function readVarint(bytes, at) {
  let value = 0n;
  for (let shift = 0n; at < bytes.length; shift += 7n) {
    const byte = bytes[at++];
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return [BigInt.asIntN(64, value), at];
  }
  return null;
}

// The fields of a message: id -> values, each a BigInt or bytes.
function parse(bytes) {
  const FIXED = {1: 8, 5: 4};
  const fields = new Map();
  for (let at = 0; at < bytes.length;) {
    const [tag, start] = readVarint(bytes, at);
    const type = Number(tag & 7n);
    let value, end;
    if (type === 0) {
      [value, end] = readVarint(bytes, start);
    } else {
      const [size, from] = type === 2 ? readVarint(bytes, start) : [FIXED[type], start];
      end = from + Number(size);
      if (!(end <= bytes.length)) throw Error('a message that is cut or broken');
      value = bytes.subarray(from, end);
    }
    const id = Number(tag >> 3n);
    fields.set(id, [...(fields.get(id) ?? []), value]);
    at = end;
  }
  return fields;
}

const text = (fields, id) => new TextDecoder().decode(fields.get(id)?.[0] ?? new Uint8Array());
const isLast = (result) => (result.get(3) ?? []).some((batch) => parse(batch).get(6)?.[0] === 1n);

// The values of a batch of cells, in their order. Integers keep all their digits in JSON.
function cells(batch) {
  const [kinds, numbers, reals, texts] = [1, 2, 3, 5].map((id) => concatenate(...(batch.get(id) ?? [])));
  const blobs = batch.get(4) ?? [];
  const view = new DataView(reals.buffer);
  const strings = new TextDecoder().decode(texts).split('\0');
  let number = 0, real = 0, string = 0, blob = 0;
  const take = {
    1: () => null,
    2: () => {
      const [value, end] = readVarint(numbers, number);
      number = end;
      return JSON.rawJSON(value.toString());
    },
    3: () => view.getFloat64(8 * real++, true),
    4: () => strings[string++],
    5: () => Array.from(blobs[blob++], (byte) => byte.toString(16).padStart(2, '0')).join(''),
  };
  return Array.from(kinds, (kind) => take[kind]());
}

// Columns and rows of the messages that answer a query.
function table(results) {
  const error = results.map((result) => text(result, 2)).join('');
  if (error) return {error};
  const columns = results.flatMap((result) => (result.get(1) ?? []).map((name) => new TextDecoder().decode(name)));
  const values = results.flatMap((result) => (result.get(3) ?? []).flatMap((batch) => cells(parse(batch))));
  const rows = [];
  for (let at = 0; at < values.length; at += columns.length) rows.push(values.slice(at, at + columns.length));
  return {columns, rows};
}

function status(bytes) {
  const fields = parse(bytes);
  return {trace: text(fields, 1), api: Number(fields.get(3)?.[0] ?? 0n)};
}

// Requests and answers over a websocket.
class Connection {
  static open(url) {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url);
      socket.binaryType = 'arraybuffer';
      socket.onopen = () => resolve(new Connection(socket));
      socket.onclose = (event) => reject(Error('closed: ' + event.code));
    });
  }

  constructor(socket) {
    this.socket = socket;
    this.sequence = 0;
    this.buffer = new Uint8Array();
    this.messages = [];
    this.wake = () => {};
    socket.onmessage = (event) => this.receive(new Uint8Array(event.data));
    socket.onclose = () => this.wake();
  }

  receive(data) {
    this.buffer = concatenate(this.buffer, data);
    for (;;) {
      const head = this.buffer.length ? readVarint(this.buffer, 1) : null;
      if (!head || this.buffer.length < head[1] + Number(head[0])) break;
      const end = head[1] + Number(head[0]);
      this.messages.push(parse(this.buffer.subarray(head[1], end)));
      this.buffer = this.buffer.slice(end);
    }
    this.wake();
  }

  async message() {
    while (!this.messages.length) {
      if (this.socket.readyState !== WebSocket.OPEN) throw Error('closed before the answer');
      await new Promise((resolve) => this.wake = resolve);
    }
    return this.messages.shift();
  }

  request(method, args) {
    const body = [field(1, ++this.sequence), field(2, method)];
    if (args) body.push(field(ARGUMENTS[method], args));
    this.socket.send(field(1, concatenate(...body)));
  }

  // The result of one answer, or the whole of it where the method has none.
  async answer(method) {
    const message = await this.message();
    if (message.get(3)?.[0] !== BigInt(method)) throw Error('not the answer to ' + method);
    return method in RESULTS ? parse(message.get(RESULTS[method])[0]) : message;
  }

  call(method, args) {
    this.request(method, args);
    return this.answer(method);
  }

  async query(sql) {
    this.request(QUERY, field(1, sql));
    return this.rows();
  }

  // What answers a query that was sent.
  async rows() {
    const results = [];
    do results.push(await this.answer(QUERY));
    while (!isLast(results.at(-1)));
    return {...table(results), messages: results.length};
  }
}

async function overFetch(server, queries) {
  const response = await fetch(`http://${server}/status`, {method: 'post', cache: 'no-cache'});
  const answer = {status: status(new Uint8Array(await response.arrayBuffer())), queries: []};
  for (const sql of queries) {
    // A content type that makes the browser ask for leave first.
    const rows = await fetch(`http://${server}/query`, {
      method: 'POST',
      headers: {'Content-Type': 'application/x-protobuf'},
      body: field(1, sql),
    });
    // QueryResult messages one behind the other: together one, whose batches are those of all.
    const result = parse(new Uint8Array(await rows.arrayBuffer()));
    if (!isLast(result)) throw Error('a result without its end');
    answer.queries.push(table([result]));
  }
  return answer;
}

async function overWebsocket(server, queries, upload) {
  const connection = await Connection.open(`ws://${server}/websocket`);
  const answer = {queries: []};
  for (const sql of queries) answer.queries.push(await connection.query(sql));
  if (upload) {
    const data = new Uint8Array(await (await fetch(upload)).arrayBuffer());
    await connection.call(RESET);
    for (let at = 0; at < data.length; at += 1 << 20) {
      const error = text(await connection.call(APPEND, data.subarray(at, at + (1 << 20))), 2);
      if (error) throw Error(error);
    }
    const end = await connection.call(FINALIZE);
    answer.uploaded = {size: data.length, error: text(end, 1), queries: []};
    for (const sql of queries) answer.uploaded.queries.push(await connection.query(sql));
  }
  connection.socket.close();
  return answer;
}

// What the Perfetto UI does while it loads a trace: nothing waits for an answer, and none of the questions may fail. They are
// for what every panel shows first, and for the objects in `list`, lines of a module and what to select from.
async function loadAsUi(server, upload, list) {
  const reachable = status(new Uint8Array(await (await fetch(`http://${server}/status`, {method: 'post', cache: 'no-cache'})).arrayBuffer()));
  const data = new Uint8Array(await (await fetch(upload)).arrayBuffer());
  const objects = (await (await fetch(list)).text()).split('\n').filter((line) => line && line[0] !== '#').map((line) => line.split('\t'));
  const questions = [
    'SELECT start_ts, end_ts FROM trace_bounds',
    'SELECT name, coalesce(str_value, int_value) AS value FROM metadata',
    'SELECT * FROM ftrace_event LIMIT 1',
    'SELECT name, severity, value FROM stats WHERE severity = \'error\' AND value > 0',
    'SELECT id, name, type, parent_id FROM track',
    'SELECT utid, tid, upid, pid, thread.name FROM thread LEFT JOIN process USING (upid)',
    'SELECT min(ts), max(ts) FROM slice',
    'SELECT cpu, count(*) AS n FROM sched GROUP BY cpu',
    ...objects.flatMap(([module, object]) => [`INCLUDE PERFETTO MODULE ${module}`, `SELECT * FROM ${object} LIMIT 10`]),
  ];
  const connection = await Connection.open(`ws://${server}/websocket`);
  const pieces = [];
  for (let at = 0; at < data.length; at += 1 << 20) pieces.push(data.subarray(at, at + (1 << 20)));
  connection.request(RESET, concatenate(field(1, 1), field(2, 1), field(3, 0), field(4, 0)));
  for (const piece of pieces) connection.request(APPEND, piece);
  connection.request(FINALIZE);
  for (const sql of questions) connection.request(QUERY, field(1, sql));
  await connection.answer(RESET);
  const failures = [];
  for (const _ of pieces) failures.push(text(await connection.answer(APPEND), 2));
  failures.push(text(await connection.answer(FINALIZE), 1));
  for (const sql of questions) {
    const {error} = await connection.rows();
    if (error) failures.push(`${sql}: ${error}`);
  }
  connection.socket.close();
  return {reachable, asked: questions.length, failures: failures.filter((failure) => failure)};
}

// Requests that browsers send from any page, whose answers the page may not read: each would change something.
async function unasked(server) {
  const url = (path) => `http://${server}/${path}`;
  const body = field(1, 'CREATE PERFETTO TABLE planted AS SELECT 1 AS x');
  const ended = (element) => new Promise((resolve) => {
    element.onload = element.onerror = resolve;
    document.body.append(element);
  });
  const element = (name, attributes) => Object.assign(document.createElement(name), attributes);
  await fetch(url('query'), {method: 'POST', mode: 'no-cors', body});
  await fetch(url('query'), {method: 'POST', mode: 'no-cors', body: new Blob([body], {type: 'text/plain'})});
  for (const path of ['enable_metatrace', 'notify_eof', 'restore_initial_tables', 'parse']) {
    await fetch(url(path), {mode: 'no-cors'}).catch(() => {});
    await ended(element('img', {src: url(path)}));
    await ended(element('script', {src: url(path)}));
    await ended(element('link', {rel: 'stylesheet', href: url(path)}));
    await ended(element('iframe', {src: url(path)}));
    navigator.sendBeacon(url(path), body);
    for (const enctype of ['text/plain', 'multipart/form-data', 'application/x-www-form-urlencoded']) {
      const frame = element('iframe', {name: `frame ${path} ${enctype}`});
      document.body.append(frame);
      const form = element('form', {method: 'post', action: url(path), enctype, target: frame.name});
      form.append(element('input', {name: 'trace', value: 'nonsense'}));
      document.body.append(form);
      const loaded = new Promise((resolve) => frame.onload = resolve);
      form.submit();
      await loaded;
    }
  }
  return 'sent';
}

async function attempt(what) {
  const late = new Promise((_, reject) => setTimeout(() => reject(Error('no answer')), PATIENCE_MS));
  return Promise.race([what, late]).catch((error) => ({refused: String(error)}));
}

async function main() {
  const parameters = new URLSearchParams(location.search);
  const server = parameters.get('server');
  const queries = parameters.getAll('sql');
  const outcome = {
    fetch: await attempt(overFetch(server, queries)),
    websocket: await attempt(overWebsocket(server, queries, parameters.get('upload'))),
    loading: parameters.has('loading') ? await attempt(loadAsUi(server, parameters.get('upload'), parameters.get('loading'))) : null,
    unasked: parameters.has('foreign') ? await attempt(unasked(server)) : null,
  };
  const shown = document.getElementById('outcome');
  shown.textContent = JSON.stringify(outcome, null, 1);
  await fetch('outcome', {method: 'POST', body: shown.textContent});
}

main();
