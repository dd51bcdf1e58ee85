import { ModernFakeTimers } from '@jest/fake-timers';
import fc from 'fast-check';
import { ModuleMocker } from 'jest-mock';

// A run depends on the code alone. `FUZZ_SEED=<n> npm test -- <suite>` tries other cases of its properties.
fc.configureGlobal({ seed: Number(process.env.FUZZ_SEED ?? 1) });

/**
 * Uses the worker process itself as the environment of a suite instead of a `vm` context, see docs/adr/0026. Changes
 * that a suite makes to the process are reverted afterwards.
 */
export default class ProcessEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    const { console, process } = globalThis;
    this.before = { console, exit: process.exit, environment: { ...process.env } };
    globalThis.jest = jestObject(this.moduleMocker, this.fakeTimersModern);
  }

  setup() {}

  teardown() {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    const { console, exit, environment } = this.before;
    globalThis.console = console;
    process.exit = exit;
    for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
    Object.assign(process.env, environment);
  }

  /** There is none; Jest only checks whether it exists. */
  getVmContext() {
    return null;
  }
}

/** The part of Jest's object that works here. Modules are native and cannot be mocked. */
function jestObject(mocker, timers) {
  return {
    fn: mocker.fn.bind(mocker),
    spyOn: mocker.spyOn.bind(mocker),
    restoreAllMocks: () => mocker.restoreAllMocks(),
    useFakeTimers: (options) => timers.useFakeTimers(options),
    useRealTimers: () => timers.useRealTimers(),
    advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
    advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
  };
}
