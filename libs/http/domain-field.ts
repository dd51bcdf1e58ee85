import { domainOf } from '#libs/kernel/domain.js';
import { spelled, text, type Kind } from './field.js';

/** An internet domain, also an internationalised one. Is kept in ASCII and lower case. */
export function domainName(): Kind {
  const kind = text({ min: 3, max: 253 });
  const check = (value: unknown) => {
    const faults = kind.check(value);
    if (faults.length > 0 || domainOf(value as string) !== null) return faults;
    return [{ code: 'invalid_format', detail: 'The text must be a domain such as acme.example or münchen.example.' }];
  };
  return spelled({ ...kind, check }, (value) => domainOf(value) ?? value);
}
