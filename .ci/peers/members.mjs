// What a TypeScript client does with messages whose members are wrong: the columns of
// session/check/compat/members.txt.
//
//   node members_ts1.mjs|members_ts2.mjs CASES
//
// CASES is {"healthy": {era: {method: result}}, "cases": [{"era", "method", "kind",
// "text"}]}; kind is result, notification or request. Each text is given to a client
// as the result of the method, or as params of the server's. Printed is a list with
// null for each case that the client takes, and the reason for each that it refuses.
import { readFileSync } from 'node:fs';

const { healthy, cases } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const turn = () => new Promise(resolve => setImmediate(resolve));

// calls are the requests that have a result to judge.
const calls = {
  ping: c => c.ping(),
  'tools/list': c => c.listTools(),
  'tools/call': c => c.callTool({ name: 'a', arguments: {} }, ...c.middle),
  'resources/list': c => c.listResources(),
  'resources/templates/list': c => c.listResourceTemplates(),
  'resources/read': c => c.readResource({ uri: 'file:///a' }),
  'resources/subscribe': c => c.subscribeResource({ uri: 'file:///a' }),
  'resources/unsubscribe': c => c.unsubscribeResource({ uri: 'file:///a' }),
  'logging/setLevel': c => c.setLoggingLevel('info'),
  'prompts/list': c => c.listPrompts(),
  'prompts/get': c => c.getPrompt({ name: 'a' }),
  'completion/complete': c => c.complete({ ref: { type: 'ref/prompt', name: 'a' }, argument: { name: 'a', value: '' } }),
};

// A fake server that answers every request, and gives what is wrong once.
class Fake {
  constructor(read, { era, method, kind, text }) {
    Object.assign(this, { read, era, method, kind, text, refused: null, rounds: 0 });
  }
  async start() {}
  async close() {}
  setProtocolVersion() {}
  async send(m) {
    if (m.method === undefined) {
      this.answered = true;
      if (m.error && !m.error.message.startsWith('heard')) this.refused ??= m.error.message;
      return;
    }
    if (m.id === undefined) return;
    const again = m.method === 'tools/call' && this.rounds++ > 0;
    const wrong = this.kind === 'result' && m.method === this.method && !again;
    const result = wrong ? this.text : m.method === 'tools/call' && again ? healthy[this.era].done : (healthy[this.era][m.method] ?? '{}');
    this.say(`{"jsonrpc":"2.0","id":${JSON.stringify(m.id)},"result":${result}}`);
  }
  // say delivers a line, as the SDK's own transport would read it.
  say(line) {
    let message;
    try {
      message = this.read(line);
    } catch (e) {
      this.refused ??= `unreadable: ${e.message}`;
      return;
    }
    this.onmessage?.(message);
  }
}

async function measure(sdk, k) {
  const server = new Fake(sdk.read, k);
  const client = sdk.client(k.era);
  let heard = false;
  const errors = [];
  client.onerror = e => errors.push(e.message);
  const connected = client.connect(server).then(() => true, e => ((server.refused ??= e.message), false));
  for (let i = 0; i < 20 && server.refused === null; i++) await Promise.race([connected, turn()]);
  if (server.refused !== null) return server.refused;
  if (k.kind === 'notification') {
    sdk.listen(client, k.method, () => (heard = true));
    server.say(`{"jsonrpc":"2.0","method":${JSON.stringify(k.method)},"params":${k.text}}`);
    for (let i = 0; i < 5 && !heard; i++) await turn();
    return heard ? null : server.refused ?? errors[0] ?? 'not heard';
  }
  if (k.kind === 'request') {
    sdk.answer(client);
    server.say(`{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(k.method)},"params":${k.text}}`);
    for (let i = 0; i < 20 && !server.answered; i++) await turn();
    return server.answered ? server.refused : server.refused ?? errors[0] ?? 'no answer';
  }
  if (k.method === 'initialize' || k.method === 'server/discover') return null;
  const call = calls[k.method];
  if (!call) return 'not measured';
  sdk.answer(client);
  let settled = false;
  call(client).then(
    () => (settled = true),
    e => ((settled = true), (server.refused ??= e.message)),
  );
  for (let i = 0; i < 200 && !settled && server.refused === null; i++) await turn();
  return settled || server.refused ? server.refused : (errors[0] ?? 'open');
}

// answers are what a program says to a server's requests.
export const answers = {
  'sampling/createMessage': () => ({ model: 'm', role: 'assistant', content: { type: 'text', text: 'a' } }),
  'elicitation/create': () => ({ action: 'decline' }),
  'roots/list': () => ({ roots: [] }),
};
export const capabilities = { roots: {}, sampling: { tools: {} }, elicitation: { form: {}, url: {} } };

export async function measureAll(sdk) {
  const out = [];
  for (const k of cases) out.push(sdk.eras.includes(k.era) ? await measure(sdk, k) : 'not measured');
  const text = JSON.stringify(out.map(e => (e === null ? null : e.slice(0, 80))));
  process.stdout.write(text, () => process.exit(0)); // The timeouts of calls that stay open keep the process alive.
}
