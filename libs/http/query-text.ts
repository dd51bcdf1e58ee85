import { cut } from '#libs/kernel/cut.js';
import { MAX_VIOLATIONS, type Violation } from '#libs/kernel/problem.js';

const DETAIL = 'The text is not UTF-8 in percent-encoding; a percent sign is written %25.';

/** Whether percent-encoded text stands for UTF-8. */
export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * The parameters in the URL of a request that are not UTF-8 in percent-encoding, as RFC 3986 2.5 has it. The router would
 * take them as they are written, so that a search for `%FF` would find nothing in place of saying so.
 */
export function undecodableParameters(url: string): Violation[] {
  const start = url.search(/[?#]/); // where the router lets the query begin
  if (start < 0 || isUrlText(url.slice(start + 1))) return [];
  return url
    .slice(start + 1)
    .split('&')
    .filter((each) => !isUrlText(each))
    .slice(0, MAX_VIOLATIONS)
    .map((each) => {
      const [name = ''] = each.split('=');
      const parameter = cut(isDecodable(name) ? decodeURIComponent(name) : name, 200);
      return { parameter, code: 'invalid_characters', detail: DETAIL };
    });
}

function isUrlText(text: string): boolean {
  return /^[\x21-\x7e]*$/.test(text) && isDecodable(text);
}
