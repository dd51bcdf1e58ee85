import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { sourceMaps } from '../native-typescript.mjs';

const require = createRequire(import.meta.url);
let suites = 0;

/** Loads suites through Node's own modules, so that a worker loads, compiles and optimises the app once: see docs/adr/0026. */
export default class NativeRuntime {
  suite = (suites += 1);

  unstable_shouldLoadAsEsm() {
    return true;
  }

  unstable_importModule(path) {
    return import(`${pathToFileURL(path).href}?suite=${this.suite}`);
  }

  /** Jest's own: its test framework, which keeps what a suite has declared and so is loaded anew for each. */
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
  teardown() {}
}
