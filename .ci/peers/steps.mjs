// What the clients of both TypeScript SDKs do alike: the steps of a plan.
//
//   node ts1.mjs|ts2.mjs ERA PLAN -- CMD ARGS… | URL
//
// starts the server CMD, or connects to the URL, does what the file PLAN says, closes,
// and prints all answers on stdout as one JSON object. A path /sse is of the old
// HTTP+SSE.
import { readFileSync } from 'node:fs';

const [era, file, , command, ...args] = process.argv.slice(2);
export const plan = JSON.parse(readFileSync(file, 'utf8'));
export { era };

// transportOf returns the transport to the server, one of the SDK's three.
export function transportOf(Stdio, HTTP, SSE) {
  if (/^https?:/.test(command)) return new (command.endsWith('/sse') ? SSE : HTTP)(new URL(command));
  // The server gets all of our environment, not the few names the SDKs pass on.
  return new Stdio({ command, args, env: Object.fromEntries(Object.entries(process.env)) });
}

// answersFor are the handlers of what servers ask their clients, by method.
export const answersFor = {
  'sampling/createMessage': () => plan.sampling,
  'elicitation/create': () => plan.elicitation,
  'roots/list': () => ({ roots: plan.roots }),
};
export const capabilities = { roots: { listChanged: true }, sampling: {}, elicitation: {} };

const heard = { logs: [], errors: [] };
let progress = []; // of the call at hand, as it came

// logged takes a log message of the server.
export const logged = params => heard.logs.push(params.data);

const missed = []; // what the plan waits for and did not come

// until waits for what the step wants.
async function until(step, come) {
  for (const deadline = Date.now() + 60_000; !come() && Date.now() < deadline; )
    await pause(5);
  if (!come()) missed.push(`${step.do} ${step.name}: neither all progress nor all logs`);
}

const failure = e => ({ failed: e.constructor.name, code: e.code, message: e.message });
const settle = promise => promise.then(v => v ?? null, failure);

const message = step => (step.big ? { message: 'é☕'.repeat(step.big) } : step.args ?? {});

// call makes one call of a tool. Answers as long as the big ones are compared by
// the client itself: what it prints stays short.
async function call(client, step, options = {}) {
  progress = [];
  if (step.progress) options.onprogress = () => {}; // asks for it
  const sent = message(step);
  const answer = await settle(client.callTool({ name: step.name, arguments: sent, _meta: step.meta }, ...client.middle, options));
  if (step.logs || step.progress) await until(step, () => heard.logs.length >= (step.logs ?? 0) && progress.length >= (step.progress ?? 0));
  if (step.big) return { echoed: answer.content?.[0]?.text?.endsWith(sent.message) ?? answer };
  return step.progress ? { answer, progress } : answer;
}

// cancel gives up a call that the server works at. Where nothing says that it does,
// it may be done before: what came of it is not reported then.
async function cancel(client, step) {
  const give = new AbortController();
  let begun = false;
  let early = false;
  const answer = call(client, { name: step.name, args: step.args }, {
    signal: give.signal,
    ...(step.begun && { onprogress: () => (begun = true) }),
  }).finally(() => (early = !give.signal.aborted));
  if (step.begun) await until(step, () => begun || early);
  else await client.callTool({ name: 'echo', arguments: { message: 'after' } }, ...client.middle); // the call before this one is sent then
  if (step.begun && early) missed.push(`${step.name} was to be given up, and came to its end`);
  give.abort('enough');
  const given = await answer;
  return step.begun ? given : null;
}

// held makes a call, and does another step again and again until the call is answered: what
// is held keeps nothing else from passing.
async function held(client, step) {
  let answered = false;
  let passed = false;
  const answer = call(client, step).finally(() => (answered = true));
  while (!answered) {
    await steps[step.meanwhile](client, {});
    passed ||= !answered;
    await pause(20);
  }
  return { answer: await answer, passed };
}

// repeat makes a call again and again until its answer has a text, and returns the answers
// that differ from the one before.
async function repeat(client, step) {
  const answers = [];
  for (;;) {
    const answer = await call(client, step);
    if (JSON.stringify(answer) !== JSON.stringify(answers.at(-1))) answers.push(answer);
    if (JSON.stringify(answer).includes(step.has)) return answers;
    await pause(10);
  }
}

const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

async function list(get, key) {
  const all = [];
  let cursor;
  do {
    const page = await get(cursor ? { cursor } : undefined);
    all.push(...page[key]);
    cursor = page.nextCursor;
  } while (cursor);
  return all;
}

const steps = {
  tools: c => list(p => c.listTools(p), 'tools'),
  resources: c => list(p => c.listResources(p), 'resources'),
  templates: c => list(p => c.listResourceTemplates(p), 'resourceTemplates'),
  prompts: c => list(p => c.listPrompts(p), 'prompts'),
  call,
  cancel,
  held,
  repeat,
  parallel: (c, s) => Promise.all(Array.from({ length: s.n }, (_, i) => call(c, { name: s.name, args: { ...s.args, message: `#${i}` } }))),
  read: (c, s) => c.readResource({ uri: s.uri }),
  prompt: (c, s) => c.getPrompt({ name: s.name, arguments: s.args }),
  complete: (c, s) => c.complete(s.args),
  level: (c, s) => c.setLoggingLevel(s.level),
  ping: c => c.ping(),
  subscribe: (c, s) => c.subscribeResource({ uri: s.uri }),
  unsubscribe: (c, s) => c.unsubscribeResource({ uri: s.uri }),
};

// play does the plan. client.middle are arguments of callTool between its
// parameters and its options.
export async function play(client, transport) {
  client.onerror = e => e.message.includes('progress notification for an unknown token') || heard.errors.push(e.message);
  await client.connect(transport);
  // Both SDKs drop a progress that comes in one read with its answer, and report it
  // as an error: what is compared is taken before that.
  const onmessage = transport.onmessage;
  transport.onmessage = (m, ...rest) => {
    if (m.method === 'notifications/progress') progress.push(m.params);
    onmessage(m, ...rest);
  };
  const answers = [{ server: client.getServerVersion(), capabilities: client.getServerCapabilities(), instructions: client.getInstructions() }];
  for (const step of plan.steps) {
    const answer = await settle(steps[step.do](client, step));
    if (plan.strict && (answer?.failed || answer?.isError)) {
      missed.push(`${step.do}: ${answer.message ?? answer.content?.[0]?.text}`);
      break;
    }
    answers.push({ step: step.do, name: step.name, answer });
  }
  const begin = performance.now();
  await transport.terminateSession?.();
  await client.close();
  const closing = performance.now() - begin;
  if (missed.length > 0) throw new Error(missed.join('; '));
  console.log(JSON.stringify({ closing, answers: { answers, ...heard } }));
}
