// A client with version 2 of the official TypeScript SDK; see steps.mjs. The era is
// legacy, modern (nothing else), or auto, which probes the server first.
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { answersFor, capabilities, era, logged, play, transportOf } from './steps.mjs';

const mode = era === 'modern' ? { pin: '2026-07-28' } : era;
const client = new Client({ name: 'ts2', version: '1' }, { capabilities, versionNegotiation: { mode } });
for (const [method, answer] of Object.entries(answersFor)) client.setRequestHandler(method, answer);
client.setNotificationHandler('notifications/message', n => logged(n.params));
client.middle = [];
await play(client, transportOf(StdioClientTransport, StreamableHTTPClientTransport, SSEClientTransport));
