import fc, { type Arbitrary } from 'fast-check';

/** Manipulates the text of a body before it is sent. */
export type Distortion = (text: string) => string | Uint8Array;

const TOKENS = [
  '1e400', '-1e400', '-0', '0.1e-400', '9223372036854775808', '1E+2', '00', '+1', '.5', '1.', '0x10', 'NaN', 'Infinity',
  'undefined', 'tru', "'x'", '"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"\\x41"', '"\t"', '"', '[', '{', ']', '',
]; // prettier-ignore

const MEMBERS = [
  '__proto__',
  '\\u005f_proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  '\\ud800',
  'a/b~c',
];
const MEMBER_VALUES = ['{"polluted":true}', '{"prototype":{"polluted":true}}', 'null', '1', '[]'];

/** Inserts `members` at the beginning of the outermost object. */
const begin = (text: string, members: string): string =>
  text.replace(/^\{(\s*\})?/, (_, end?: string) => (end ? `{${members}}` : `{${members},`));

const nested = (depth: number, open: string, middle: string, close: string): string =>
  open.repeat(depth) + middle + close.repeat(depth);

const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

/** JSON that no library would produce, which requires raw text. */
export const distortion: Arbitrary<Distortion> = fc.oneof(
  fc
    .tuple(fc.constantFrom(...MEMBERS), fc.constantFrom(...MEMBER_VALUES))
    .map(([name, value]) => named(`"${name}":${value}`)),
  fc.constantFrom(...TOKENS).map(
    (token): Distortion =>
      (text) =>
        text.replace(/:("[^"\\]*"|[\d.]+|true|false|null)/, () => `:${token}`),
  ),
  fc.constantFrom(...TOKENS).map((token) => named(`"name":${token}`)),
  fc.double({ min: 0, max: 1, noNaN: true }).map(
    (part): Distortion =>
      (text) =>
        text.slice(0, text.length * part),
  ),
  fc.constantFrom<Distortion>(
    (text) => begin(text, /"(?:[^"\\]|\\.)*":/.exec(text)?.[0].concat('null') ?? '"a":1,"a":2'),
    (text) => begin(text, `"name":${nested(33, '[', '', ']')}`),
    (text) => begin(text, `"recurring":${nested(2_000, '{"recurring":', '1', '}')}`),
    () => nested(100_000, '[', '', ']'),
    () => '['.repeat(200_000),
    () => nested(50_000, '{"a":', '1', '}'),
    (text) => `\ufeff${text}`,
    (text) => bytes([0xef, 0xbb, 0xbf], text),
    (text) => Buffer.from(text, 'utf16le'),
    (text) => bytes(text.slice(0, 1), '"name":"', [0xc3, 0x28, 0xed, 0xa0, 0x80, 0xff], '"}'),
    () => bytes([0]),
    (text) => `${text}${text}`,
    (text) => `${text}\0`,
    (text) => `${' \n'.repeat(20_000)}${text}`,
    (text) => `${text}// comment`,
    (text) => begin(text, `"${'k'.repeat(100_000)}":1`),
    (text) => begin(text, Array.from({ length: 5_000 }, (_, i) => `"k${i}":${i}`).join(',')),
    (text) => `[${text}]`,
    (text) => begin(text, `"name":"${'x'.repeat(2 * 1_048_576)}"`),
    () => '',
    () => 'null',
    () => '"text"',
    () => '-0',
  ),
);

function named(member: string): Distortion {
  return (text) => begin(text, member);
}
