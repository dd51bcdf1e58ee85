/** ISO 4217 codes whose minor unit is not 1/100. All other three-letter codes in use have two decimals. */
const EXPONENTS: Record<string, number> = {
  BHD: 3, BIF: 0, CLF: 4, CLP: 0, DJF: 0, GNF: 0, IQD: 3, ISK: 0, JOD: 3, JPY: 0, KMF: 0, KRW: 0, KWD: 3, LYD: 3,
  OMR: 3, PYG: 0, RWF: 0, TND: 3, UGX: 0, UYI: 0, UYW: 4, VND: 0, VUV: 0, XAF: 0, XOF: 0, XPF: 0,
}; // prettier-ignore

const CURRENCIES = new Set(
  (
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF ' +
    'CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD ' +
    'HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD ' +
    'MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN ' +
    'PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD ' +
    'TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG'
  ).split(' '),
);

/** Largest amount in minor units that JSON can represent exactly. */
export const MAX_MINOR = Number.MAX_SAFE_INTEGER;

/** Whether the text is an ISO 4217 code in use. */
export function isCurrency(code: string): boolean {
  return CURRENCIES.has(code);
}

/** Number of decimals of a currency. `Source:` ISO 4217. */
export function exponentOf(currency: string): number {
  return EXPONENTS[currency] ?? 2;
}

/**
 * An exact amount in minor units for an amount in major units. Shifts the decimal text of the number instead of
 * multiplying. Null if the amount has more decimals than the currency or exceeds the exact range.
 */
export function toMinor(major: number, currency: string): number | null {
  const exponent = exponentOf(currency);
  const [coefficient = '', power = '0'] = String(major).split('e');
  const [whole = '', fraction = ''] = coefficient.replace('-', '').split('.');
  const shift = Number(power) + exponent - fraction.length;
  const digits = whole + fraction;
  const minor = shift >= 0 ? digits + '0'.repeat(Math.min(shift, 400)) : digits.slice(0, shift) || '0';
  if (shift < 0 && /[1-9]/.test(digits.slice(shift))) return null;
  const number = Number(minor) * (coefficient.startsWith('-') ? -1 : 1);
  return Number.isSafeInteger(number) ? number : null;
}

/** An amount as text: `1250.00 EUR`. */
export function amountText(minor: number, currency: string): string {
  return `${decimalText(minor, currency)} ${currency}`;
}

/** An amount in major units as text with all decimals of the currency: `1250.00`. */
export function decimalText(minor: number, currency: string): string {
  const exponent = exponentOf(currency);
  const digits = String(Math.abs(minor)).padStart(exponent + 1, '0');
  const whole = digits.slice(0, digits.length - exponent);
  return `${minor < 0 ? '-' : ''}${whole}${exponent > 0 ? `.${digits.slice(-exponent)}` : ''}`;
}

/** The amount in major units, as the closest JSON number. */
export function toMajor(minor: number, currency: string): number {
  return minor / 10 ** exponentOf(currency); // IEEE division rounds to the closest number, as reading the decimal would
}
