// A server with version 2 of the official TypeScript SDK, in both eras. It has what
// the Go server of the tests has.
//
//   node server.mjs [lingering|deaf|http]
//
// lingering: it does not end with its input, as servers do that hold a timer; deaf:
// nor at SIGTERM; http: it serves Streamable HTTP, at a URL that it prints on stderr.
import { randomUUID } from 'node:crypto';
import { serve } from '@hono/node-server';
import { McpServer, ResourceTemplate, WebStandardStreamableHTTPServerTransport, completable, createMcpHandler, inputRequired, isLegacyRequest } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const [how] = process.argv.slice(2);
if (how === 'lingering' || how === 'deaf') setInterval(() => {}, 1_000);
if (how === 'deaf') process.on('SIGTERM', () => {});

const text = s => ({ content: [{ type: 'text', text: s }] });

function tea() {
  const server = new McpServer({ name: 'tea', version: '2' }, { capabilities: { logging: {} }, instructions: 'Call echo.' });

  server.registerTool('echo', { inputSchema: z.object({ message: z.string() }) }, ({ message }) => text(message));
  server.registerTool('fail', { inputSchema: z.object({}) }, () => {
    throw new Error('out of tea');
  });
  server.registerTool('work', { inputSchema: z.object({}) }, async (_, ctx) => {
    for (let progress = 1; progress <= 3; progress++) {
      console.error('step', progress);
      const progressToken = ctx.mcpReq._meta?.progressToken;
      if (progressToken !== undefined) await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 3 } });
      await ctx.mcpReq.log('info', `step ${progress}`);
    }
    return text('done');
  });
  server.registerTool('wait', { inputSchema: z.object({}) }, async (_, ctx) => {
    const { progressToken } = ctx.mcpReq._meta ?? {};
    if (progressToken !== undefined) await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    await new Promise(resolve => ctx.mcpReq.signal.addEventListener('abort', resolve, { once: true }));
    return text('given up');
  });

  // What the server asks is a request of its own in the legacy era: the SDK sees to it.
  const asking = (name, request) =>
    server.registerTool(name, { inputSchema: z.object({}) }, (_, ctx) => {
      const answer = ctx.mcpReq.inputResponses?.[name];
      return answer ? text(JSON.stringify(answer)) : inputRequired({ inputRequests: { [name]: request() }, requestState: `${name} ☕` });
    });
  asking('roots', () => inputRequired.listRoots());
  asking('elicit', () => inputRequired.elicit({ message: 'How many?', requestedSchema: { type: 'object', properties: { cups: { type: 'integer' }, name: { type: 'string' } } } }));
  asking('sample', () => inputRequired.createMessage({ maxTokens: 10, messages: [{ role: 'user', content: { type: 'text', text: 'Tea?' } }] }));

  server.registerResource('menu', 'tea://menu', {}, uri => ({ contents: [{ uri: uri.href, text: 'Assam\r\nDarjeeling\u2028Ceylon <&>' }] }));
  server.registerResource('pot', new ResourceTemplate('tea://pot/{n}', { list: undefined }), {}, (uri, { n }) => ({ contents: [{ uri: uri.href, text: `pot ${n}` }] }));
  server.registerPrompt('offer', { argsSchema: z.object({ guest: completable(z.string(), v => ['Ada', 'Alan'].filter(n => n.startsWith(v))) }) }, ({ guest }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Tea, ${guest}?` } }],
  }));
  return server;
}

// serveHTTP serves the legacy era with sessions.
function serveHTTP() {
  const modern = createMcpHandler(tea, { legacy: 'reject' });
  const sessions = new Map();
  const legacy = async request => {
    let transport = sessions.get(request.headers.get('mcp-session-id'));
    if (!transport) {
      transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, onsessioninitialized: id => sessions.set(id, transport), onsessionclosed: id => sessions.delete(id) });
      await tea().connect(transport);
    }
    return transport.handleRequest(request);
  };
  const fetch = async request => ((await isLegacyRequest(request)) ? legacy(request) : modern.fetch(request));
  serve({ fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => console.error(`listening on http://127.0.0.1:${port}`));
}

console.error('tea ready: ☕');
if (how === 'http') serveHTTP();
else serveStdio(tea);
