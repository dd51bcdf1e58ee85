import { createHash } from 'node:crypto';
import {
  accessSync,
  appendFileSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

const KEY_BYTES = 32;

/** What a process has done when the compiled form of its script is made. */
type Stage = 'started' | 'worked';
const STAGES: readonly Stage[] = ['worked', 'started'];

/**
 * Leaves what V8 has compiled until now to the processes that start later, if these find nothing yet, or only that of one that
 * had started, and this one has worked. Stops the process for up to half a second.
 */
export type KeepCompiled = (stage: Stage) => void;

/** An app that has been loaded. */
export interface LoadedApp<E> {
  exports: E;
  keepCompiled: KeepCompiled;
}

/** The compiled form of a script. */
interface Compiled {
  bytes: Buffer;
  stage: Stage;
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
 * functions that a start and the work after it call, where an earlier process that could write has left it. That is half of
 * the time that loading takes, and more than that of what a process does in its first second; what Node would keep by itself
 * (`module.enableCompileCache`) has none of the functions that are compiled when they are first called. Without a script, or
 * where stack traces are to name the sources, the app is loaded as Node does it.
 */
export async function loadApp<E>(folder: string): Promise<LoadedApp<E>> {
  const file = join(folder, 'run.cjs');
  const url = pathToFileURL(file).href;
  if (!existsSync(file) || process.sourceMapsEnabled)
    return { exports: (await import(pathToFileURL(join(folder, 'run.js')).href)) as E, keepCompiled: () => undefined };
  const path = join(folder, 'run.compiled'); // who can write there could change the script itself
  const { script, stage } = compile(file, url, path);
  const module = { exports: {} as E };
  const wrapper = script.runInThisContext() as Wrapper<E>;
  wrapper(module.exports as object, createRequire(url), module, url, (specifier) => import.meta.resolve(specifier));
  let kept = stage;
  const keepCompiled: KeepCompiled = (now) => {
    if (kept === now || kept === 'worked' || !isWritable(folder)) return;
    write(path, file, now, script.createCachedData());
    kept = now;
  };
  return { exports: module.exports, keepCompiled };
}

/** Apart from what lives as long as the process: what was read is as large as the script. */
function compile(file: string, url: string, path: string): { script: Script; stage: Stage | null } {
  const { text, found } = readBoth(file, path);
  const script = new Script(text, { filename: url, ...(found ? { cachedData: found.bytes } : {}) });
  return { script, stage: script.cachedDataRejected === true ? null : (found?.stage ?? null) };
}

/**
 * What must stand before what V8 has compiled of a script: V8 tells its own versions and settings from each other, but
 * scripts by their lengths alone, and takes what is damaged as it is.
 */
function keyOf(file: string, stage: Stage, length: number, checksum: number): Buffer {
  const { size, mtimeMs } = statSync(file);
  return createHash('sha256').update(`${size} ${mtimeMs} ${stage} ${length} ${checksum}`).digest();
}

/** The text of a script and its compiled form, one after the other in the same memory: what is new to a process takes it longest. */
function readBoth(file: string, path: string): { text: string; found: Compiled | null } {
  const memory = Buffer.allocUnsafeSlow(Math.max(sizeOf(file), sizeOf(path)));
  const text = readInto(memory, file).toString('latin1');
  return { text, found: readCompiled(memory, path, file) };
}

function readCompiled(memory: Buffer, path: string, file: string): Compiled | null {
  try {
    const all = readInto(memory, path);
    const [key, bytes] = [all.subarray(0, KEY_BYTES), all.subarray(KEY_BYTES)];
    const checksum = crc32(bytes);
    const stage = STAGES.find((each) => keyOf(file, each, bytes.length, checksum).equals(key));
    return stage ? { bytes, stage } : null;
  } catch {
    return null;
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false; // as in a container
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function readInto(memory: Buffer, path: string): Buffer {
  const descriptor = openSync(path, 'r');
  try {
    let [length, count] = [0, 1];
    for (; count > 0; length += count) count = readSync(descriptor, memory, length, memory.length - length, null);
    return memory.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}

/** Whole or not at all. Where nothing can be written, starts take longer and are no different. */
function write(path: string, file: string, stage: Stage, compiled: Buffer): void {
  const part = `${path}.${process.pid}`;
  try {
    writeFileSync(part, keyOf(file, stage, compiled.length, crc32(compiled)), { mode: 0o600 });
    appendFileSync(part, compiled);
    renameSync(part, path);
  } catch {
    rmSync(part, { force: true }); // of a full disk
  }
}
