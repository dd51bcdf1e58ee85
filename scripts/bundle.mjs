// Joins the modules of the two apps, with those of their dependencies, into a few files of `dist`: a process that starts
// finds, reads and links ten files instead of 2,700, which is half of the time that its start takes (ADR 28).
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';

/** Loaded by the apps' entry files, and replaced in place; everything else in `dist` stays as it was compiled, they as `unbundled.js`. */
const APPS = ['dist/src/api/run.js', 'dist/src/worker/run.js'];
/** CommonJS packages ask for built-in modules by `require`, which modules do not have. */
const REQUIRE = `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`;

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
  for (const app of APPS) copyFileSync(join(root, app), join(root, app, '../unbundled.js'));
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: APPS,
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    outbase: 'dist',
    outdir: 'dist',
    chunkNames: 'chunks/[name]-[hash]',
    platform: 'node',
    format: 'esm',
    target: 'node24',
    minifyWhitespace: true,
    keepNames: true, // of classes: they stand in messages and in the published schemas
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'warning',
    banner: { js: REQUIRE },
    plugins: [leaveMissing],
    metafile: true,
  });
  const scripts = Object.keys(metafile.outputs).filter((path) => path.endsWith('.js'));
  const helpers = scripts.filter((path) => readFileSync(join(root, path), 'utf8').includes(NAME));
  if (helpers.length !== 1) throw new Error(`esbuild names functions in another way than expected: ${helpers.length}`);
  for (const path of scripts) nameClassesOnly(root, path, helpers[0]);
}

function nameClassesOnly(root, path, helper) {
  const text = readFileSync(join(root, path), 'utf8');
  if (path !== helper && !text.includes(CLASS)) return;
  const end = text.lastIndexOf('//# sourceMappingURL=');
  const named = text
    .slice(0, end)
    .replace(NAME, NAME_OF_NONE + NAME_OF_CLASSES)
    .replaceAll(CLASS, NAMED_CLASS);
  const shared = path === helper ? 'export{__Name};' : `import{__Name}from"./${relative(dirname(path), helper)}";`;
  writeFileSync(join(root, path), `${named}${shared}\n${text.slice(end)}`);
}
