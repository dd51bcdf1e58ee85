import { createRequire, flushCompileCache } from 'node:module';
import { pathToFileURL } from 'node:url';
import { sourceMaps } from '../native-typescript.mjs';

const require = createRequire(import.meta.url);
let suites = 0;

/**
 * Loads suites as native Node modules, so that a worker loads, compiles and optimises the app only once, see
 * docs/adr/0026.
 */
export default class NativeRuntime {
  suite = (suites += 1);

  unstable_shouldLoadAsEsm() {
    return true;
  }

  /** Areas come first, as in every process: their code reads all permissions when it is loaded. */
  async unstable_importModule(path) {
    await import('../../src/areas/areas.ts');
    return import(`${pathToFileURL(path).href}?suite=${this.suite}`);
  }

  /** Jest's test framework keeps the declarations of a suite, so it is loaded again for each. */
  requireInternalModule(path) {
    delete require.cache[path];
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
    return require(path);
  }

  requireModule(path) {
    return require(path);
  }

  getSourceMaps() {
    return sourceMaps;
  }

  setGlobalsForRuntime() {}
  enterTestCode() {}
  leaveTestCode() {}
  getAllCoverageInfoCopy() {}

  /** Jest ends its workers by a signal, which Node's code cache does not wait for. */
  teardown() {
    flushCompileCache();
  }
}
