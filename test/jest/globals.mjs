/** Resolves `import … from '@jest/globals'` to the object provided by `environment.mjs`. */
export const jest = globalThis.jest;
