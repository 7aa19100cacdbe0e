// Version 1 of the official TypeScript SDK, measured; see members.mjs.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { deserializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import * as types from '@modelcontextprotocol/sdk/types.js';
import { answers, capabilities, measureAll } from './members.mjs';

const schemas = Object.values(types).filter(s => s?.shape?.method?.value !== undefined);
const schemaOf = method => schemas.find(s => s.shape.method.value === method);

await measureAll({
  eras: ['legacy'],
  read: deserializeMessage,
  client: () => Object.assign(new Client({ name: 'ts1', version: '1' }, { capabilities }), { middle: [undefined] }),
  listen: (client, method, heard) => schemaOf(method) && client.setNotificationHandler(schemaOf(method), heard),
  answer: client => Object.entries(answers).forEach(([method, f]) => client.setRequestHandler(schemaOf(method), f)),
});
