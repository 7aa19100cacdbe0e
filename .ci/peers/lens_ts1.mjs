// Version 1 of the official TypeScript SDK, measured; see lens.mjs.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { measureAll } from './lens.mjs';

const newClient = () => Object.assign(new Client({ name: 'ts1', version: '1' }), { middle: [undefined] });
await measureAll('@modelcontextprotocol/sdk/client/index.js', newClient, options => new StdioClientTransport(options));
