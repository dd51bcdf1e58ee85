import type { ScimError } from './scim-error.js';

/** Maximum length of a filter or path, in characters. */
export const MAX_TEXT = 16_384;

export type Token =
  | { kind: '(' | ')' | '[' | ']' | 'end' }
  /** A name, an operator, a number or a keyword. */
  | { kind: 'word'; text: string }
  | { kind: 'string'; value: string };

const WORD = new Set('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$:.-+');
const BLANK = new Set(' \t\r\n');

/** Whether PostgreSQL can store a text: it contains no NUL and no lone surrogate. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Tokenizes a filter or path in a single pass, so the time is linear in its length. */
export class Tokens {
  private at = 0;
  private next: Token | null = null;

  constructor(
    private readonly text: string,
    readonly fail: (detail: string) => ScimError,
  ) {
    if (text.length > MAX_TEXT) throw fail(`It has more than ${MAX_TEXT} characters.`);
  }

  peek(): Token {
    return (this.next ??= this.read());
  }

  take(): Token {
    const token = this.peek();
    this.next = null;
    return token;
  }

  /** Takes a word that is one of `words`, ignoring case; null when the next token is something else. */
  takeWord<W extends string>(words: readonly W[]): W | null {
    const token = this.peek();
    if (token.kind !== 'word') return null;
    const word = words.find((each) => each === token.text.toLowerCase());
    if (word !== undefined) this.take();
    return word ?? null;
  }

  expect(kind: Token['kind']): void {
    if (this.take().kind !== kind)
      throw this.fail(kind === 'end' ? 'Unexpected text after the end.' : `A "${kind}" is missing.`);
  }

  private read(): Token {
    while (BLANK.has(this.text[this.at]!)) this.at++;
    const character = this.text[this.at];
    if (character === undefined) return { kind: 'end' };
    if (character === '(' || character === ')' || character === '[' || character === ']') {
      this.at++;
      return { kind: character };
    }
    if (character === '"') return this.readString();
    const start = this.at;
    while (WORD.has(this.text[this.at]!)) this.at++;
    if (this.at === start) throw this.fail(`Unexpected character at position ${start + 1}.`);
    return { kind: 'word', text: this.text.slice(start, this.at) };
  }

  private readString(): Token {
    const start = this.at++;
    while (this.text[this.at] !== '"') {
      if (this.at >= this.text.length) throw this.fail(`The string at position ${start + 1} is not terminated.`);
      this.at += this.text[this.at] === '\\' ? 2 : 1;
    }
    this.at++;
    let value: unknown;
    try {
      value = JSON.parse(this.text.slice(start, this.at));
    } catch {
      throw this.fail(`The string at position ${start + 1} is not a valid JSON string.`);
    }
    if (typeof value !== 'string' || !isStorable(value))
      throw this.fail(`The string at position ${start + 1} contains characters that are not allowed.`);
    return { kind: 'string', value };
  }
}
