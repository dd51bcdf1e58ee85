import { toMajor } from '#libs/kernel/money.js';

/** Dates and amounts in the language of the reader. */
export interface Formats {
  /** @param minor minor units of the currency */
  money: (minor: number, currency: string) => string;
  /** @param date `YYYY-MM-DD` */
  date: (date: string) => string;
  /** @param instant in UTC, shown in the time zone */
  time: (instant: string) => string;
}

/** @param locale language tag; English if this machine does not know it */
export function formatsOf({ locale, timezone }: { locale: string; timezone: string }): Formats {
  const known = Intl.NumberFormat.supportedLocalesOf(isTag(locale) ? locale : 'en')[0] ?? 'en';
  return {
    money: (minor, currency) =>
      new Intl.NumberFormat(known, { style: 'currency', currency }).format(toMajor(minor, currency)),
    date: (date) => new Intl.DateTimeFormat(known, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(date)),
    time: (instant) =>
      new Intl.DateTimeFormat(known, {
        ...{
          year: 'numeric',
          month: 'long',
          day: 'numeric',
          hour: 'numeric',
          minute: '2-digit',
          timeZoneName: 'short',
        },
        timeZone: timezone,
      }).format(new Date(instant)),
  };
}

function isTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}
