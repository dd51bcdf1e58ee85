import { cut } from './cut.js';
import { Problem } from './problem.js';

const MAX_DEPTH = 32;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

const malformed = (detail: string): Problem => new Problem('malformed_json', detail);

/**
 * Parses a JSON body and refuses ambiguous input: invalid UTF-8, duplicate keys, `__proto__` and nesting deeper than 32
 * levels.
 * @throws Problem 400 `malformed_json`.
 */
export function parseStrictJson(bytes: Buffer): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw malformed('The body is not valid UTF-8.');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw malformed(`The body is not well-formed JSON: ${cut((error as Error).message, 200)}.`);
  }
  refuseAmbiguity(text);
  return value;
}

/** Scans text that is known to be well-formed JSON. Keys are the strings directly before a colon. */
function refuseAmbiguity(text: string): void {
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const start = at;
        let escaped = false;
        for (at++; text.charCodeAt(at) !== QUOTE; at++) {
          if (text.charCodeAt(at) === BACKSLASH) {
            escaped = true;
            at++;
          }
        }
        const keys = open.at(-1);
        if (keys && isKey(text, at + 1)) {
          const key = escaped ? (JSON.parse(text.slice(start, at + 1)) as string) : text.slice(start + 1, at);
          if (key === '__proto__') throw malformed('The member name "__proto__" is not accepted.');
          if (keys.has(key)) throw malformed(`The member ${JSON.stringify(cut(key, 100))} occurs twice.`);
          keys.add(key);
        }
        break;
      }
      case 0x7b: // {
      case 0x5b: // [
        if (open.length === MAX_DEPTH) throw malformed(`The body is nested deeper than ${MAX_DEPTH} levels.`);
        open.push(text.charCodeAt(at) === 0x7b ? new Set() : null);
        break;
      case 0x7d: // }
      case 0x5d: // ]
        open.pop();
    }
  }
}

function isKey(text: string, from: number): boolean {
  let at = from;
  while (text.charCodeAt(at) <= 0x20) at++;
  return text.charCodeAt(at) === 0x3a; // :
}
