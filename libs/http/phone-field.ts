import { isPhone, phoneSpelling } from '#libs/kernel/phone.js';
import { spelled, text, type Kind } from './field.js';

/** A telephone number in any usual form, also in other digits than ASCII. Is kept in ASCII digits, blanks and hyphens. */
export function phoneNumber(): Kind {
  const kind = text({ min: 3, max: 40 });
  const check = (value: unknown) => {
    const faults = kind.check(value);
    if (faults.length > 0 || isPhone(value as string)) return faults;
    const detail = 'The text must be a telephone number such as +49 30 1234567 or (555) 123-4567 ext. 89.';
    return [{ code: 'invalid_format', detail }];
  };
  return spelled({ ...kind, check }, phoneSpelling);
}
