// Version 2 of the official TypeScript SDK, measured; see lens.mjs. It asks with
// server/discover where that is what is measured.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { measureAll } from './lens.mjs';

const newClient = probe => Object.assign(new Client({ name: 'ts2', version: '1' }, { versionNegotiation: { mode: probe ? 'auto' : 'legacy' } }), { middle: [] });
await measureAll('@modelcontextprotocol/client', newClient, options => new StdioClientTransport(options));
