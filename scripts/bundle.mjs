// Joins the modules of the two apps, with those of their dependencies, into a few files of `dist`: a process that starts
// finds, reads and links ten files instead of 2,700, which is half of the time that its start takes (ADR 28).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/** What the apps' entry files run. Their script is put beside them, as `run.cjs`; everything else in `dist` stays as it was compiled. */
const APPS = ['dist/src/api/run', 'dist/src/worker/run'];
/** A function of what a CommonJS module is given, and of what `import.meta` has, so that it can be loaded with what V8 has kept of it (`src/platform/app-script.ts`). */
const WRAPPER = { banner: '(function(exports,require,module,__url,__resolve){', footer: '})' };

/**
 * What esbuild calls for each function and class that it names anew or may have. It would define a property for each function
 * each time one is made, which took 4 % of a create, and nobody reads the names of those: only classes are named here.
 */
const NAME = 'var __name=(target,value)=>__defProp(target,"name",{value,configurable:true});';
const NAME_OF_NONE = 'var __name=(target)=>target;';
const NAME_OF_CLASSES = NAME.replace('__name', '__Name');
/** How a class asks for its name. What is put in its place is as long, so that the source maps hold. */
const CLASS = 'static{__name(this,';
const NAMED_CLASS = CLASS.replace('__name', '__Name');

/** Optional dependencies that are not installed (drivers of other databases, say) stay as they are: asking for one fails when it is used. */
const leaveMissing = {
  name: 'leave-missing',
  setup({ onResolve, resolve }) {
    const missing = new Map();
    onResolve({ filter: /^[^./#]/ }, async ({ path, pluginData, importer, resolveDir, kind }) => {
      if (pluginData === leaveMissing || kind === 'entry-point') return;
      if (!missing.has(path)) {
        const { errors } = await resolve(path, { importer, resolveDir, kind, pluginData: leaveMissing });
        missing.set(path, errors.length > 0);
      }
      if (missing.get(path)) return { path, external: true };
    });
  },
};

/** Bundles the apps that have been compiled. @throws Error with esbuild's messages when it cannot be done. */
export async function bundle(root) {
  for (const app of APPS) {
    const outfile = join(root, `${app}.cjs`);
    await build({
      absWorkingDir: root,
      entryPoints: [`${app}.js`],
      bundle: true,
      outfile,
      platform: 'node',
      format: 'cjs',
      target: 'node24',
      supported: { 'dynamic-import': false }, // becomes `require`: a script that is loaded by itself has no `import()`
      charset: 'ascii', // one byte for each character, in memory too
      minifyWhitespace: true,
      keepNames: true, // of classes: they stand in messages and in the published schemas
      define: { 'import.meta.url': '__url', 'import.meta.resolve': '__resolve' },
      banner: { js: WRAPPER.banner },
      footer: { js: WRAPPER.footer },
      sourcemap: 'linked',
      sourcesContent: false,
      legalComments: 'none',
      logLevel: 'warning',
      plugins: [leaveMissing],
    });
    nameClassesOnly(outfile);
  }
}

function nameClassesOnly(path) {
  const text = readFileSync(path, 'utf8');
  if (!text.includes(NAME)) throw new Error('esbuild names functions in another way than expected');
  writeFileSync(path, text.replace(NAME, NAME_OF_NONE + NAME_OF_CLASSES).replaceAll(CLASS, NAMED_CLASS));
}
