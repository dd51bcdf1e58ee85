import { type Kind, text } from '#libs/http/field.js';

/** A known IETF language tag, such as `en` or `de-AT`. */
export const locale = (): Kind => {
  const kind = text({ min: 2, max: 35 });
  return {
    ...kind,
    check: (value: unknown) => {
      const faults = kind.check(value);
      if (faults.length > 0 || isLocale(String(value))) return faults;
      return [{ code: 'unknown_locale', detail: 'The value must be a language tag such as en or de-AT.' }];
    },
  };
};

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag)[0] === tag;
  } catch {
    return false;
  }
}

/** An IANA time zone. */
export const timeZone = (): Kind => {
  const kind = text({ min: 1, max: 60 });
  return {
    ...kind,
    check: (value: unknown) => {
      const faults = kind.check(value);
      if (faults.length > 0 || isTimeZone(String(value))) return faults;
      return [{ code: 'unknown_timezone', detail: 'The value must be an IANA time zone such as Europe/Berlin.' }];
    },
  };
};

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return !/^[+-]/.test(name);
  } catch {
    return false;
  }
}
