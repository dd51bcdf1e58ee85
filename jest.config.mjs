/** Suites are loaded by Node itself, and the app once per worker: see docs/adr/0026. */
export default {
  testEnvironment: '<rootDir>/test/jest/environment.mjs',
  runtime: '<rootDir>/test/jest/runtime.mjs',
  transform: {},
  roots: ['<rootDir>/test', '<rootDir>/libs', '<rootDir>/src'],
  testMatch: ['**/*.spec.ts'],
  globalSetup: '<rootDir>/test/global-setup.mjs',
  globalTeardown: '<rootDir>/test/global-teardown.mjs',
  testSequencer: '<rootDir>/test/longest-first.mjs',
  // For what goes over every table or operation on a busy machine; no test measures time by it.
  testTimeout: 180_000,
  maxWorkers: 2,
  // What belongs to a suite stays in memory after it: a worker that has grown is replaced before the next suite.
  workerIdleMemoryLimit: '1GB',
};
