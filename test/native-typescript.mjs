// Lets Node itself load the sources, compiled by SWC and kept by their content: `import` this, or `node --import` it.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { enableCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync, version } from '@swc/core';

const root = new URL('../', import.meta.url).href;
const tests = `${root}test/`;
const harness = `${tests}harness/`;

/** What is kept between processes: compiled sources, and Node's own code cache of all modules. */
const kept = fileURLToPath(new URL('node_modules/.cache/platform/', root));
const compiled = join(kept, `sources-${digestOf(version, readFileSync(new URL('.swcrc', root)))}`);
mkdirSync(compiled, { recursive: true });
enableCompileCache(join(kept, 'code'));

/** By the address of each module that was compiled: its source map as a `data:` URL. */
export const sourceMaps = new Map();

registerHooks({
  resolve(specifier, context, nextResolve) {
    const own = /^#((?:libs|src)\/.*)\.js$/.exec(specifier);
    if (own) return nextResolve(`${root}${own[1]}.ts`, context);
    const parent = context.parentURL ?? '';
    if (specifier === '@jest/globals') return nextResolve(`${root}test/jest/globals.mjs`, context);
    const isSource = /^\.{1,2}\/.*\.js$/.test(specifier) && /\.ts(\?|$)/.test(parent);
    const resolved = nextResolve(isSource ? specifier.replace(/\.js$/, '.ts') : specifier, context);
    // Like the app, the harness stays loaded; other test modules are reloaded for each suite, under its number.
    const suite = /\?suite=\d+$/.exec(parent)?.[0];
    const stays = !resolved.url.startsWith(tests) || resolved.url.startsWith(harness);
    return suite && !stays ? { ...resolved, url: resolved.url + suite } : resolved;
  },
  load(url, context, nextLoad) {
    if (!/\.ts(\?|$)/.test(url) || !url.startsWith(root)) return nextLoad(url, context);
    const { code, map } = compile(fileURLToPath(url));
    sourceMaps.set(url, `data:application/json;base64,${Buffer.from(map).toString('base64')}`);
    return { format: 'module', source: code, shortCircuit: true };
  },
});

/** Code and source map of a file. They are kept under a digest of its name and content; another version is another file. */
function compile(filename) {
  const source = readFileSync(filename, 'utf8');
  const path = join(compiled, `${digestOf(filename, source)}.json`);
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    const { code, map } = transformSync(source, { filename, sourceMaps: true });
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, JSON.stringify({ code, map }));
    renameSync(draft, path); // other processes read whole files only
    return { code, map };
  }
}

function digestOf(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex').slice(0, 32);
}
