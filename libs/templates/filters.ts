import { civilDateAt } from '#libs/kernel/civil-time.js';
import { exponentOf, isCurrency } from '#libs/kernel/money.js';

/** How values are written. */
export interface Conventions {
  locale: string;
  timeZone: string;
  currency: string;
}

const STYLES = ['short', 'medium', 'long', 'full'] as const;
const CIVIL = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]{5,18}(Z|[+-]\d{2}:\d{2})$/;
const MAX_DIGITS = 10;

/** Parts of a date by the letter that stands for them behind `%`. */
const PARTS: Record<string, Intl.DateTimeFormatOptions> = {
  A: { weekday: 'long' },
  B: { month: 'long' },
  H: { hour: '2-digit', hourCycle: 'h23' },
  M: { minute: '2-digit' },
  Y: { year: 'numeric' },
  a: { weekday: 'short' },
  b: { month: 'short' },
  d: { day: '2-digit' },
  e: { day: 'numeric' },
  m: { month: '2-digit' },
  y: { year: '2-digit' },
};

/**
 * The filters of the language for amounts, dates and numbers. A value that they cannot format stays as it is, and
 * `warn` is told.
 */
export function formattingFilters({ locale, timeZone, currency }: Conventions, warn: (warning: string) => void) {
  const numberFormat = kept((options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options));
  const dateFormat = kept((options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options));
  const unchanged = (value: unknown, filter: string, needs: string) => {
    warn(`The filter \`${filter}\` needs ${needs}.`);
    return value;
  };
  return {
    /** An amount in minor units: `{{ invoice.totalMinor | money: invoice.currency }}`. */
    money(value: unknown, code: unknown = currency): unknown {
      if (value === null || value === undefined) return '';
      if (!Number.isSafeInteger(value)) return unchanged(value, 'money', 'a whole number of minor units');
      if (typeof code !== 'string' || !isCurrency(code)) return unchanged(value, 'money', 'a currency such as EUR');
      const digits = exponentOf(code);
      const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits };
      const format = numberFormat({ style: 'currency', currency: code, ...fraction });
      return format.format(decimalOf(value as number, digits)); // a safe integer
    },

    /** A date or an instant: `{{ invoice.dueDate | date: 'long' }}`, `{{ today | date: '%d.%m.%Y' }}`. */
    date(value: unknown, format: unknown = 'medium'): unknown {
      if (value === null || value === undefined) return '';
      const text = typeof value === 'string' ? value : '';
      const isCivil = CIVIL.test(text);
      const ms = isCivil || INSTANT.test(text) ? Date.parse(text) : NaN;
      if (Number.isNaN(ms)) return unchanged(value, 'date', 'a date or an instant');
      const zone = isCivil ? 'UTC' : timeZone;
      if (format === 'iso') return isCivil ? text : civilDateAt(ms, timeZone);
      const dateStyle = STYLES.find((style) => style === format);
      if (dateStyle) return dateFormat({ dateStyle, timeZone: zone }).format(ms);
      if (typeof format !== 'string' || !format.includes('%'))
        return unchanged(value, 'date', `one of ${STYLES.join(', ')}, iso, or a pattern such as '%d.%m.%Y'`);
      return format.replaceAll(/%(.)/g, (whole, letter: string) => {
        const part = PARTS[letter];
        return part
          ? partOf(dateFormat({ ...part, timeZone: zone }), ms, Object.keys(part)[0]!)
          : letter === '%'
            ? '%'
            : whole;
      });
    },

    /** A number with so many decimals: `{{ deal.probability | number: 1 }}`. */
    number(value: unknown, digits?: unknown): unknown {
      if (value === null || value === undefined) return '';
      if (typeof value !== 'number') return unchanged(value, 'number', 'a number');
      if (digits === undefined) return numberFormat({ maximumFractionDigits: MAX_DIGITS }).format(value);
      if (!Number.isInteger(digits) || Number(digits) < 0 || Number(digits) > MAX_DIGITS)
        return unchanged(value, 'number', `0 to ${MAX_DIGITS} decimals`);
      const fraction = { minimumFractionDigits: Number(digits), maximumFractionDigits: Number(digits) };
      return numberFormat(fraction).format(value);
    },
  };
}

/** Makes a format once for the same options, because that takes longer than formatting. */
function kept<O extends object, F>(make: (options: O) => F): (options: O) => F {
  const known = new Map<string, F>();
  return (options) => {
    const key = JSON.stringify(options);
    let format = known.get(key);
    if (!format) known.set(key, (format = make(options)));
    return format;
  };
}

/** Minor units as a decimal, without loss. */
function decimalOf(minor: number, digits: number): Intl.StringNumericLiteral {
  const text = String(Math.abs(minor)).padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits);
  const decimal = digits > 0 ? `${whole}.${text.slice(-digits)}` : whole;
  return `${minor < 0 ? '-' : ''}${decimal}` as Intl.StringNumericLiteral; // digits and a point
}

/** A part of a date, padded where the format asks for two digits, which locales ignore for minutes. */
function partOf(format: Intl.DateTimeFormat, ms: number, type: string): string {
  const part = format.formatToParts(ms).find((each) => each.type === type)?.value ?? '';
  return type === 'minute' ? part.padStart(2, '0') : part;
}
