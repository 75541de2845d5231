// Drives `tptui serve mcp` with the official client of the Model Context Protocol, of each revision that it speaks.
//
// Usage: node mcp_client.mjs TPTUI TRACE, in a folder with the packages; scripts/mcp-client.sh runs it.
import assert from 'node:assert';
import { dirname } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [program, trace] = process.argv.slice(2);
const endless = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n';

async function speak(mode, revision) {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StdioClientTransport({
    command: program, args: ['serve', 'mcp', '--root', dirname(trace), '--no-cache'] }));
  assert.equal(client.getNegotiatedProtocolVersion(), revision);
  assert.equal(client.getServerVersion().name, 'tptui');
  const names = (await client.listTools()).tools.map((t) => t.name);
  assert.deepEqual(names.sort(), ['compare', 'explain', 'metrics', 'open', 'query', 'schema', 'timeline']);
  const { resources } = await client.listResources();
  const { contents } = await client.readResource({ uri: resources[0].uri });
  assert.ok(contents[0].text.length > 100);
  await assert.rejects(client.readResource({ uri: 'tptui://docs/none' }));
  await assert.rejects(client.callTool({ name: 'nothing', arguments: {} }), /no tool/);

  const call = async (name, args, options) => (await client.callTool({ name, arguments: { trace, ...args } }, options)).content[0].text;
  assert.match(await call('explain', { limit: 1 }), /What is wrong/);
  assert.equal(await call('query', { sql: 'SELECT 7 AS x' }), 'x\n7\n');
  assert.equal((await client.callTool({ name: 'query', arguments: { trace, sql: 'SELEC 7' } })).isError, true);

  // Two at a time, of which the first is cancelled.
  const stop = new AbortController();
  const long = call('query', { sql: endless, seconds: 100 }, { signal: stop.signal });
  const behind = call('query', { sql: 'SELECT 8 AS x' });
  setTimeout(() => stop.abort(), 300);
  await assert.rejects(long);
  assert.equal(await behind, 'x\n8\n');
  await client.close();
}

await speak('auto', '2026-07-28');
await speak('legacy', '2025-11-25');
