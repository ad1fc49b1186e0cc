// Plays steps from standard input with an official client and prints what came
// of each, a JSON line a step.
//
//   node client.mjs MAJOR stdio COMMAND ARGS…
//   node client.mjs MAJOR http URL TOKEN
import { createInterface } from 'node:readline';

const [major, kind, ...rest] = process.argv.slice(2);
const lib = major === '1'
  ? {
      ...(await import('@modelcontextprotocol/sdk/client/index.js')),
      ...(await import('@modelcontextprotocol/sdk/client/stdio.js')),
      ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')),
    }
  : { ...(await import('@modelcontextprotocol/client')), ...(await import('@modelcontextprotocol/client/stdio')) };

const transport = kind === 'stdio'
  ? new lib.StdioClientTransport({ command: rest[0], args: rest.slice(1), env: process.env })
  : new lib.StreamableHTTPClientTransport(new URL(rest[0]), { requestInit: { headers: { Authorization: `Bearer ${rest[1]}` } } });
const client = new lib.Client({ name: 'sdk-test', version: '1' });
await client.connect(transport);
await client.listTools(); // what a client knows of the schemas it checks results with

const play = {
  tools: () => client.listTools(),
  call: (s) => client.callTool({ name: s.name, arguments: s.arguments }),
  resources: () => client.listResources(),
  templates: () => client.listResourceTemplates(),
  read: (s) => client.readResource({ uri: s.uri }),
  prompts: () => client.listPrompts(),
  prompt: (s) => client.getPrompt({ name: s.name, arguments: s.arguments }),
  cancel: (s) => {
    const stop = new AbortController();
    const call = major === '1'
      ? client.callTool({ name: s.name, arguments: s.arguments }, undefined, { signal: stop.signal })
      : client.callTool({ name: s.name, arguments: s.arguments }, { signal: stop.signal });
    setTimeout(() => stop.abort('enough'), 200); // the server has begun by then
    return call;
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const step = JSON.parse(line);
  let out;
  try {
    out = { result: await play[step.do](step) };
  } catch (e) {
    out = { error: String(e?.message ?? e), code: e?.code ?? null };
  }
  console.log(JSON.stringify(out));
}
await client.close();
