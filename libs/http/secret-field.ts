import { type Kind, text } from './field.js';

/** Name of a secret, as other objects refer to it. */
export function secretName(): Kind {
  return text({
    min: 1,
    max: 100,
    pattern: /^[A-Z0-9_./-]+$/,
    form: 'capital letters, digits and the characters _ . / -',
  });
}
