// Lets Node itself load the sources, for what runs outside Jest's module system: `import` this, or `node --import` it.
// Node removes types and compiles nothing, so the files loaded this way may hold no decorators.
import { registerHooks } from 'node:module';

const root = new URL('../', import.meta.url).href;

registerHooks({
  resolve(specifier, context, nextResolve) {
    const own = /^#(libs\/.*)\.js$/.exec(specifier);
    if (own) return nextResolve(`${root}${own[1]}.ts`, context);
    const isNeighbour = specifier.startsWith('./') && context.parentURL?.startsWith(`${root}libs/`);
    return nextResolve(isNeighbour ? specifier.replace(/\.js$/, '.ts') : specifier, context);
  },
});
