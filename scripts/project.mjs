// Shared by the npm scripts before dependencies are installed or built. Plain JavaScript for Node 20.19 and newer.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the project. */
export const root = fileURLToPath(new URL('..', import.meta.url));

const PACKAGE = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const PINNED_NODE = join(root, 'node_modules/node/bin/node');
/** Major version of the pinned Node, the oldest on which the project runs. */
const OLDEST_NODE = Number.parseInt(PACKAGE.devDependencies.node, 10);
const STAMP = join(root, 'dist/.sources');
const SOURCES = [
  'src',
  'libs',
  'ormconfig.ts',
  'package.json',
  'nest-cli.json',
  '.swcrc',
  'tsconfig.json',
  'scripts/bundle.mjs',
];

/** An expected failure, reported by its message only. */
class ScriptError extends Error {}

/** Ends a script with a message. */
export function fail(message) {
  throw new ScriptError(message);
}

/** Runs a script; an expected failure is reported as one line on stderr with exit code 1. */
export async function main(work) {
  process.chdir(root);
  try {
    checkNode();
    process.exitCode = await work(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

/** The scripts themselves, and npm, run on the Node that package.json names under `engines`. */
function checkNode() {
  const [, ...oldest] = /^>=(\d+)\.(\d+)$/.exec(PACKAGE.engines.node).map(Number);
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return;
  throw new ScriptError(`Node ${oldest.join('.')} or newer is needed, this is ${process.versions.node}`);
}

/**
 * Runs a program in the project root, forwards signals to it and waits until it exits.
 * @returns its exit code; 128 + signal number if a signal ended it.
 */
export function run(file, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: root, stdio: 'inherit', ...options });
    const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => [signal, () => child.kill(signal)]);
    for (const [signal, forward] of forwarded) process.on(signal, forward);
    const stopWatching = whenParentEnds(() => child.kill('SIGTERM'));
    const done = () => {
      stopWatching();
      for (const [signal, forward] of forwarded) process.off(signal, forward);
    };
    child.once('error', (error) => {
      done();
      reject(new ScriptError(`${file} cannot be run: ${error.message}`));
    });
    child.once('exit', (code, signal) => {
      done();
      resolve(code ?? { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }[signal] ?? 137);
    });
  });
}

/** npm may be killed without notice; the parent process id then changes. */
function whenParentEnds(act) {
  if (!process.env.npm_lifecycle_event) return () => undefined;
  const parent = process.ppid;
  const timer = setInterval(() => process.ppid !== parent && act(), 500);
  return () => clearInterval(timer);
}

/** Installs the dependencies if some are missing or differ from package-lock.json. */
export async function ensureInstalled() {
  if (isInstalled()) return;
  process.stderr.write(
    'Installing the dependencies. This takes a minute or two and prints nothing until it is done ...\n',
  );
  const npm = process.env.npm_execpath;
  const [file, ...args] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  // Output of npm goes to stderr: stdout belongs to the calling script.
  const flags = ['--include=dev', '--no-audit', '--no-fund'];
  const code = await run(file, [...args, 'ci', ...flags], { stdio: ['ignore', 2, 2] });
  if (code !== 0) throw new ScriptError('The dependencies cannot be installed: npm ci failed (see above)');
}

function isInstalled() {
  const wanted = packagesOf('package-lock.json');
  const present = packagesOf('node_modules/.package-lock.json');
  return Object.entries(wanted).every(
    ([path, { version, optional, devOptional }]) =>
      path === '' || optional || devOptional || present[path]?.version === version,
  );
}

function packagesOf(lockFile) {
  try {
    return JSON.parse(readFileSync(join(root, lockFile), 'utf8')).packages;
  } catch {
    return {};
  }
}

/** The Node of the project: the pinned one, otherwise the current one if it is recent enough. */
export function findNode() {
  if (existsSync(PINNED_NODE)) {
    if (realpathSync(process.execPath) === realpathSync(PINNED_NODE)) return process.execPath;
    if (spawnSync(PINNED_NODE, ['--version']).status === 0) return PINNED_NODE;
  }
  if (Number(process.versions.node.split('.')[0]) >= OLDEST_NODE) return process.execPath;
  throw new ScriptError(
    `Node ${OLDEST_NODE} is needed and npm has not installed its own (this is ${process.version}): ` +
      `allow npm to run install scripts and run npm ci, or use Node ${OLDEST_NODE} or newer`,
  );
}

/** Builds `dist` if it is not up to date with the sources. */
export async function ensureBuilt() {
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sourcesDigest()) return;
  process.stderr.write('Building. This takes up to a minute ...\n');
  const code = await build({ stdio: ['ignore', 2, 2] });
  if (code !== 0) throw new ScriptError('The build failed (see above)');
}

/** Empties `dist`, and compiles the sources and copies the SQL files to it. @returns the exit code of the compiler. */
export async function compile(options = {}) {
  const nest = createRequire(join(root, 'package.json')).resolve('@nestjs/cli/bin/nest.js');
  const code = await run(findNode(), [nest, 'build'], options);
  if (code !== 0) return code;
  const filter = (path) => statSync(path).isDirectory() || path.endsWith('.sql');
  cpSync(join(root, 'src/database'), join(root, 'dist/src/database'), { recursive: true, filter });
  return code;
}

/** Compiles the sources, bundles the apps and records a hash of the sources. @returns the exit code of the compiler. */
export async function build(options = {}) {
  const digest = sourcesDigest();
  const code = await compile(options);
  if (code !== 0) return code;
  const { bundle } = await import('./bundle.mjs'); // imported late: dependencies may be missing when this file is loaded
  try {
    await bundle(root);
  } catch (error) {
    process.stderr.write(`The apps cannot be bundled: ${error.message}\n`);
    return 1;
  }
  writeFileSync(STAMP, digest);
  return 0;
}

/** SHA-256 over the names and contents of everything that the build reads. */
function sourcesDigest() {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    const path = join(root, source);
    if (!existsSync(path)) continue;
    const files = statSync(path).isDirectory() ? filesIn(path) : [path];
    for (const file of files)
      hash
        .update(`${file.slice(root.length)}\0`)
        .update(readFileSync(file))
        .update('\0');
  }
  return hash.digest('hex');
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}
