import { isObject } from '#libs/kernel/is-object.js';
import { personalDataIn } from './find.js';
import type { Finding, Looking } from './kinds.js';
import { wordsOf } from './labels.js';
import { Masking } from './mask.js';

/**
 * Finds personal data in a JSON value, including member names and numbers. Field names count as labels: a date in
 * `dateOfBirth` is a date of birth.
 */
export function scan(value: unknown, looking: Looking): Finding[] {
  const findings: Finding[] = [];
  const masking = new Masking(looking);
  const note = (text: string, label: string | null, where: string) => {
    const counts = new Map<Finding['kind'], number>();
    for (const { kind } of personalDataIn(text, label, looking)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    for (const [kind, count] of counts) findings.push({ kind, count, where });
  };
  const walk = (part: unknown, label: string | null, where: string): void => {
    if (typeof part === 'string' || typeof part === 'number') note(String(part), label, where);
    else if (Array.isArray(part)) part.forEach((item, index) => walk(item, label, `${where}/${index}`));
    else if (isObject(part))
      for (const [name, member] of Object.entries(part)) {
        const place = `${where}/${masking.mask(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
        note(name, null, place);
        walk(member, wordsOf(name), place);
      }
  };
  walk(value, null, '');
  return findings;
}
