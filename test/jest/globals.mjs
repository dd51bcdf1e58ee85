/** What `import … from '@jest/globals'` means in a suite: the object that `environment.mjs` has put in place. */
export const jest = globalThis.jest;
