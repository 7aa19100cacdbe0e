// Version 2 of the official TypeScript SDK, measured; see members.mjs.
import { Client, deserializeMessage } from '@modelcontextprotocol/client';
import { answers, capabilities, measureAll } from './members.mjs';

await measureAll({
  eras: ['legacy', 'modern'],
  read: deserializeMessage,
  client: era => {
    const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy';
    return Object.assign(new Client({ name: 'ts2', version: '1' }, { capabilities, versionNegotiation: { mode } }), { middle: [] });
  },
  listen: (client, method, heard) => {
    try {
      client.setNotificationHandler(method, heard);
    } catch {
      // It knows no such notification.
    }
  },
  answer: client => Object.entries(answers).forEach(([method, f]) => client.setRequestHandler(method, f)),
});
