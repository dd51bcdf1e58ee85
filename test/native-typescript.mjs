// Lets Node itself load the sources, compiled by SWC in memory: `import` this, or `node --import` it.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

const root = new URL('../', import.meta.url).href;
const tests = `${root}test/`;
const harness = `${tests}harness/`;

/** By the address of each module that was compiled: its source map as a `data:` URL. */
export const sourceMaps = new Map();

registerHooks({
  resolve(specifier, context, nextResolve) {
    const own = /^#((?:libs|src)\/.*)\.js$/.exec(specifier);
    if (own) return nextResolve(`${root}${own[1]}.ts`, context);
    const parent = context.parentURL ?? '';
    if (specifier === '@jest/globals') return nextResolve(`${root}test/jest/globals.mjs`, context);
    const compiled = /^\.{1,2}\/.*\.js$/.test(specifier) && /\.ts(\?|$)/.test(parent);
    const resolved = nextResolve(compiled ? specifier.replace(/\.js$/, '.ts') : specifier, context);
    // Like the app, the harness stays loaded; other test modules are reloaded for each suite, under its number.
    const suite = /\?suite=\d+$/.exec(parent)?.[0];
    const stays = !resolved.url.startsWith(tests) || resolved.url.startsWith(harness);
    return suite && !stays ? { ...resolved, url: resolved.url + suite } : resolved;
  },
  load(url, context, nextLoad) {
    if (!/\.ts(\?|$)/.test(url) || !url.startsWith(root)) return nextLoad(url, context);
    const filename = fileURLToPath(url);
    const { code, map } = transformSync(readFileSync(filename, 'utf8'), { filename, sourceMaps: true });
    sourceMaps.set(url, `data:application/json;base64,${Buffer.from(map).toString('base64')}`);
    return { format: 'module', source: code, shortCircuit: true };
  },
});
