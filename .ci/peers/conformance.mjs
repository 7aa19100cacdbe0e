// The official conformance suite, as its own command line.
//
//   node conformance.mjs server|client …
//
// The suite wants Node.js 22 for globSync, which it uses to rate repositories only.
import fs from 'node:fs';
import { register } from 'node:module';

if (!fs.globSync) {
  const globbing = 'export * from "node:fs"; export const globSync = () => [];';
  const resolve = `(name, context, next) => name === 'fs' && context.parentURL.includes('/conformance/')
    ? { url: 'data:text/javascript,' + encodeURIComponent(${JSON.stringify(globbing)}), shortCircuit: true } : next(name, context)`;
  register('data:text/javascript,' + encodeURIComponent(`export const resolve = ${resolve};`));
}
await import(new URL('node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url));
