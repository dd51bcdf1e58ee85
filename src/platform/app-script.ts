import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

const KEY_BYTES = 32;

/** An app that has been loaded. */
export interface LoadedApp<E> {
  exports: E;
  /** Leaves what V8 has compiled of it until now to the processes that start later. */
  keepCompiled: () => void;
}

/** What the build wraps the script of an app in (`scripts/bundle.mjs`): what a CommonJS module has, and `import.meta`. */
type Wrapper<E> = (
  exports: object,
  require: NodeJS.Require,
  module: { exports: E },
  url: string,
  resolve: (specifier: string) => string,
) => void;

/**
 * Loads the app of a folder of the build: the script into which all its modules were joined, with V8's compiled form of the
 * functions that a start calls, where the first process that could write has left it. That is half of the time that loading
 * takes; what Node would keep by itself (`module.enableCompileCache`) has none of the functions that are compiled when they
 * are first called. Without a script, or where stack traces are to name the sources, the app is loaded as Node does it.
 */
export async function loadApp<E>(folder: string): Promise<LoadedApp<E>> {
  const file = join(folder, 'run.cjs');
  const url = pathToFileURL(file).href;
  if (!existsSync(file) || process.sourceMapsEnabled)
    return { exports: (await import(pathToFileURL(join(folder, 'run.js')).href)) as E, keepCompiled: () => undefined };
  const kept = join(folder, 'run.compiled'); // who can write there could change the script itself
  const { script, isNew } = compile(file, url, kept);
  const module = { exports: {} as E };
  const wrapper = script.runInThisContext() as Wrapper<E>;
  wrapper(module.exports as object, createRequire(url), module, url, (specifier) => import.meta.resolve(specifier));
  return { exports: module.exports, keepCompiled: () => isNew && write(kept, file, script.createCachedData()) };
}

/** Apart from what lives as long as the process: what was read is as large as the script. */
function compile(file: string, url: string, kept: string): { script: Script; isNew: boolean } {
  const found = read(kept, file);
  const script = new Script(readFileSync(file, 'latin1'), {
    filename: url,
    ...(found ? { cachedData: found } : {}),
  });
  return { script, isNew: !found || script.cachedDataRejected === true };
}

/**
 * What must stand before what V8 has compiled of a script: V8 tells its own versions and settings from each other, but
 * scripts by their lengths alone, and takes what is damaged as it is.
 */
function keyOf(file: string, compiled: Buffer): Buffer {
  const { size, mtimeMs } = statSync(file);
  return createHash('sha256')
    .update(`${size} ${mtimeMs} ${compiled.length} ${crc32(compiled)}`)
    .digest();
}

function read(path: string, file: string): Buffer | null {
  try {
    const bytes = readFileSync(path);
    const compiled = bytes.subarray(KEY_BYTES);
    return keyOf(file, compiled).equals(bytes.subarray(0, KEY_BYTES)) ? compiled : null;
  } catch {
    return null;
  }
}

/** Whole or not at all. Where nothing can be written, starts take longer and are no different. */
function write(path: string, file: string, compiled: Buffer): void {
  const part = `${path}.${process.pid}`;
  try {
    writeFileSync(part, keyOf(file, compiled), { mode: 0o600 });
    appendFileSync(part, compiled);
    renameSync(part, path);
  } catch {
    rmSync(part, { force: true }); // of a full disk; elsewhere nothing can be written, as in a container
  }
}
