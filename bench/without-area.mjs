// Starts the API, not bundled, without some of its areas: `node bench/without-area.mjs talent`. Their modules are empty ones
// and nothing that only they import is loaded, as if nobody had written them.
import { registerHooks } from 'node:module';

const left = new Set(process.argv.slice(2));
const AREA = /\/dist\/src\/areas\/([a-z-]+)\/\1\.module\.js$/;

registerHooks({
  load(url, context, next) {
    const area = AREA.exec(url)?.[1];
    if (!left.has(area)) return next(url, context);
    const name = area.replaceAll(/(?:^|-)([a-z])/g, (_, letter) => letter.toUpperCase());
    return { format: 'module', shortCircuit: true, source: `export class ${name}Module {}` };
  },
});
const { runApi } = await import('../dist/src/api/run.js');
void runApi(() => undefined);
