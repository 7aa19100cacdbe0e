// A client with version 1 of the official TypeScript SDK; see steps.mjs.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as types from '@modelcontextprotocol/sdk/types.js';
import { answersFor, capabilities, logged, play, transportOf } from './steps.mjs';

const client = new Client({ name: 'ts1', version: '1' }, { capabilities });
client.setRequestHandler(types.CreateMessageRequestSchema, answersFor['sampling/createMessage']);
client.setRequestHandler(types.ElicitRequestSchema, answersFor['elicitation/create']);
client.setRequestHandler(types.ListRootsRequestSchema, answersFor['roots/list']);
client.setNotificationHandler(types.LoggingMessageNotificationSchema, n => logged(n.params));
client.middle = [undefined];
await play(client, transportOf(StdioClientTransport, StreamableHTTPClientTransport, SSEClientTransport));
