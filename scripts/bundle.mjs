// Bundles each app: at startup a process then resolves, reads and links a few files instead of 2,700, which saves a third
// of the startup time (ADR 28). What a process imports on demand stays in files of its own.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, stop } from 'esbuild';

/** The apps, with the parts of areas that each loads. */
const APPS = {
  api: /(\.entities|\.room|(?<!-(records|metrics|worker))\.module)\.js$/,
  worker: /(\.entities|\.room|-(records|metrics|worker)\.module)\.js$/,
};
const MANIFEST = /\.manifest\.js$/;

/** Optional dependencies that are not installed (such as other database drivers) stay imports and fail when used. */
const leaveMissing = {
  name: 'leave-missing',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^./#]/ }, async ({ path, pluginData, ...from }) => {
      if (pluginData === leaveMissing || from.kind === 'entry-point') return;
      const { errors } = await resolve(path, { ...from, pluginData: leaveMissing });
      if (errors.length > 0) return { path, external: true };
    });
  },
};

/** Puts the parts of all areas that an app loads into one file: in one each they would be several hundred. */
const areaParts = (root, isLoaded) => ({
  name: 'area-parts',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^\./ }, ({ path, importer, resolveDir, kind }) => {
      if (kind !== 'dynamic-import' || !MANIFEST.test(importer)) return;
      return isLoaded.test(path)
        ? { path: 'areas', namespace: 'parts' }
        : { path: join(resolveDir, path), external: true };
    });
    onLoad({ filter: /.*/, namespace: 'parts' }, () => {
      const areas = join(root, 'dist/src/areas');
      const manifests = readdirSync(areas, { recursive: true }).filter((file) => MANIFEST.test(file));
      const files = manifests
        .sort()
        .flatMap((manifest) =>
          [...readFileSync(join(areas, manifest), 'utf8').matchAll(/import\('([^']+)'\)/g)]
            .filter(([, path]) => isLoaded.test(path))
            .map(([, path]) => join(areas, dirname(manifest), path)),
        );
      return { contents: files.map((file) => `export * from ${JSON.stringify(file)};\n`).join(''), resolveDir: root };
    });
  },
});

/** Bundles the compiled apps in place. @throws Error with the messages of esbuild on failure. */
export async function bundle(root) {
  try {
    await Promise.all(
      Object.entries(APPS).map(([app, isLoaded]) => bundleOne(root, `dist/src/${app}`, areaParts(root, isLoaded))),
    );
  } finally {
    await stop(); // its process would otherwise stay as long as that of `npm start`
  }
}

/** The apps share no files, so that the modules of each are evaluated in its own order. */
function bundleOne(root, folder, parts) {
  return build({
    absWorkingDir: root,
    entryPoints: [`${folder}/main.js`],
    outdir: folder,
    chunkNames: 'chunks/[name]-[hash]',
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    keepNames: true, // class names appear in messages and in the published schemas
    // Globals that CommonJS dependencies expect.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    sourcemap: 'linked',
    sourcesContent: false,
    // A process keeps the source of all that it runs; comments and indentation would double it.
    legalComments: 'none',
    minifyWhitespace: true,
    lineLimit: 200,
    logLevel: 'warning',
    plugins: [parts, leaveMissing],
    // Loaded only if telemetry is exported, so they must not become part of the bundle.
    external: ['@opentelemetry/sdk-*', '@opentelemetry/exporter-*', '@opentelemetry/resources'],
  });
}
