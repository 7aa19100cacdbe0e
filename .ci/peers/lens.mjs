// What a TypeScript client does with the faults of a server: the TypeScript
// columns of session/check/compat.
//
//   node lens_ts1.mjs|lens_ts2.mjs CASES -- CMD ARGS…
//
// CASES is a file of cases, {"fault", "in"}. For each of them the server CMD ARGS
// FAULT is started, and asked for what the fault is in; what came of it is printed
// on stdout, all as one JSON object.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [file, , command, ...args] = process.argv.slice(2);
const cases = JSON.parse(readFileSync(file, 'utf8'));
const environment = Object.fromEntries(Object.entries(process.env));

const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));
const patience = { timeout: 60_000 }; // for what must come
const grace = 20_000; // for what perhaps never comes

// watch keeps how a promise stands.
function watch(promise) {
  const w = { state: 'open' };
  w.settled = promise.then(
    () => (w.state = 'kept'),
    e => ((w.state = 'broken'), (w.error = e.message)),
  );
  return w;
}

// The request is given up once an answer to a later one came, or nothing did.
async function measure({ fault, in: where }, newClient, newTransport) {
  let closed = false;
  const errors = [];
  const probe = where === 'server/discover';
  const client = newClient(probe);
  client.onerror = e => errors.push(e.message);
  client.onclose = () => (closed = true);
  const connected = watch(client.connect(newTransport({ command, args: [...args, fault], env: environment, stderr: 'ignore' }), probe ? { timeout: 3_000 } : patience));
  await connected.settled;
  if (connected.state === 'broken') {
    await client.close().catch(() => {});
    return { call: 'broken', alive: false, errors: errors.length, message: connected.error };
  }
  const call = watch(where === 'tools/call' ? client.callTool({ name: 'echo', arguments: {} }, ...client.middle, patience) : client.listTools(undefined, patience));
  const after = watch(probe ? client.listTools(undefined, patience) : client.ping(patience));
  await Promise.race([after.settled, sleep(grace)]);
  await Promise.race([call.settled, sleep(after.state === 'open' ? 0 : 2_000)]);
  const found = { call: call.state, alive: !closed && after.state === 'kept', closed, errors: errors.length, message: call.error ?? errors[0] };
  await client.close().catch(() => {});
  return found;
}

// measureAll measures all cases, a few at a time.
export async function measureAll(pkg, newClient, newTransport) {
  const results = {};
  const waiting = [...cases];
  const worker = async () => {
    for (let c; (c = waiting.shift()); ) results[c.fault] = await measure(c, newClient, newTransport);
  };
  await Promise.all(Array.from({ length: 12 }, worker));
  console.log(JSON.stringify({ version: version(pkg), results }));
  process.exit(0); // whatever a server left behind
}

// version is the one of the SDK that is installed.
function version(pkg) {
  const found = createRequire(import.meta.url).resolve(pkg);
  const root = found.slice(0, found.indexOf(pkg.split('/').slice(0, 2).join('/'))) + pkg.split('/').slice(0, 2).join('/');
  return JSON.parse(readFileSync(root + '/package.json', 'utf8')).version;
}
