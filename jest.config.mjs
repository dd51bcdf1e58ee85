/** Native ESM under Jest: see docs/adr and `setupFiles`, which must load Nest before any CommonJS package that requires it. */
export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { module: { type: 'es6' }, sourceMaps: 'inline' }] },
  moduleNameMapper: {
    '^#libs/(.*)\\.js$': '<rootDir>/libs/$1.ts',
    '^#src/(.*)\\.js$': '<rootDir>/src/$1.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  roots: ['<rootDir>/test', '<rootDir>/libs', '<rootDir>/src'],
  testMatch: ['**/*.spec.ts'],
  globalSetup: '<rootDir>/test/global-setup.mjs',
  globalTeardown: '<rootDir>/test/global-teardown.mjs',
  testSequencer: '<rootDir>/test/longest-first.mjs',
  setupFiles: ['<rootDir>/test/setup-nest.ts'],
  // For what goes over every table or operation on a busy machine; no test measures time by it.
  testTimeout: 180_000,
  maxWorkers: 2,
  // Modules of a suite stay in memory after it (VM modules): a worker that has grown is replaced before the next suite.
  workerIdleMemoryLimit: '1GB',
};
