import { isIP } from 'node:net';

/** Longest URL of an outbound call, characters, as given and as normalised. */
export const MAX_URL_LENGTH = 2_048;

/** Why the form of a URL is refused. */
export type UrlFaultCode =
  | 'invalid_url'
  | 'url_too_long'
  | 'scheme_not_allowed'
  | 'userinfo_not_allowed'
  | 'fragment_not_allowed'
  | 'host_not_allowed'
  | 'address_not_allowed'
  | 'port_not_allowed';

/** One refused trait of a URL; `detail` is a sentence for the caller. */
export interface UrlFault {
  code: UrlFaultCode;
  detail: string;
}

/**
 * A URL taken apart by the rules of outbound calls.
 *
 * `host` has no brackets; `path` has the query. `faults` are refused everywhere; `privateOnly` are the traits (http, IP literal, `localhost`,
 * any port) that are accepted when every address of the host lies in the operator's networks.
 */
export interface Target {
  readonly url: URL;
  readonly origin: string;
  readonly host: string;
  readonly path: string;
  readonly faults: readonly UrlFault[];
  readonly privateOnly: readonly UrlFault[];
}

/** Names that only mean something inside a network; `.local` covers `.cluster.local`. */
const RESERVED_SUFFIXES = ['.local', '.internal', '.localhost'];
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * Reads a URL once, for the check when it is stored and for every call: both judge the same parsed form, which is also
 * the one that is connected to. What the WHATWG parser would silently drop or change (white space, control characters,
 * backslashes, missing slashes) is refused. Null with one fault when it is no URL at all.
 * `Source:` WHATWG URL.
 */
export function readTarget(text: string): Target | { readonly url: null; readonly faults: readonly UrlFault[] } {
  const url = /[\u0000-\u0020\u007f-\u00a0\\]/.test(text) || !text.isWellFormed() ? null : URL.parse(text);
  if (url === null || !/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || url.hostname === '')
    return { url: null, faults: [{ code: 'invalid_url', detail: 'It is not an absolute URL.' }] };

  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const authority = /^[^:]+:\/\/([^/?#]*)/.exec(text)?.[1] ?? '';
  const faults: UrlFault[] = [];
  const privateOnly: UrlFault[] = [];

  if (text.length > MAX_URL_LENGTH || url.href.length > MAX_URL_LENGTH)
    faults.push({ code: 'url_too_long', detail: `The URL has more than ${MAX_URL_LENGTH} characters.` });
  if (url.protocol !== 'https:')
    (url.protocol === 'http:' ? privateOnly : faults).push({
      code: 'scheme_not_allowed',
      detail: 'The URL must begin with https://.',
    });
  if (authority.includes('@'))
    faults.push({ code: 'userinfo_not_allowed', detail: 'The URL must not contain a user name or password.' });
  if (text.includes('#')) faults.push({ code: 'fragment_not_allowed', detail: 'The URL must not contain a fragment.' });

  if (isIP(host) !== 0)
    privateOnly.push({ code: 'address_not_allowed', detail: 'The host must be a name, not an IP address.' });
  else if (host === 'localhost')
    privateOnly.push({ code: 'host_not_allowed', detail: 'The host must be a name of the public DNS.' });
  else if (!isPublicName(host))
    faults.push({ code: 'host_not_allowed', detail: 'The host must be a name of the public DNS.' });

  const port = url.port === '' ? 443 : Number(url.port);
  if (port !== 443 && port <= 1023)
    privateOnly.push({ code: 'port_not_allowed', detail: 'The port must be 443 or above 1023.' });

  return { url, origin: url.origin, host, path: url.pathname + url.search, faults, privateOnly };
}

/** A dot at the end is refused too: it makes another name for TLS and the `Host` header than for DNS. */
function isPublicName(host: string): boolean {
  const labels = host.split('.');
  return (
    host.length <= 253 &&
    labels.length > 1 &&
    labels.every((label) => LABEL.test(label)) &&
    !RESERVED_SUFFIXES.some((suffix) => host.endsWith(suffix))
  );
}
