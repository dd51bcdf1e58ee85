import { isIP } from 'node:net';

/** Maximum length of the URL of an outbound call, in characters, as given and as normalized. */
export const MAX_URL_LENGTH = 2_048;

/** Why the form of a URL is rejected. */
export type UrlFaultCode =
  | 'invalid_url'
  | 'url_too_long'
  | 'scheme_not_allowed'
  | 'userinfo_not_allowed'
  | 'fragment_not_allowed'
  | 'host_not_allowed'
  | 'address_not_allowed'
  | 'port_not_allowed';

/** One violation in a URL; `detail` is a sentence for the caller. */
export interface UrlFault {
  code: UrlFaultCode;
  detail: string;
}

/**
 * A URL, parsed by the rules of outbound calls.
 *
 * `host` has no brackets; `path` includes the query. `faults` are always rejected. `privateOnly` are violations (http,
 * IP literal, `localhost`, any port) that are accepted if all addresses of the host are in the operator's networks.
 */
export interface Target {
  readonly url: URL;
  readonly origin: string;
  readonly host: string;
  readonly path: string;
  readonly faults: readonly UrlFault[];
  readonly privateOnly: readonly UrlFault[];
}

/** Names that are only valid inside a network; `.local` covers `.cluster.local`. */
const RESERVED_SUFFIXES = ['.local', '.internal', '.localhost'];
const NOT_HTTPS: UrlFault = { code: 'scheme_not_allowed', detail: 'The URL must begin with https://.' };
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * Parses a URL, both for the check when it is stored and for every call: both use the same parsed form, which is also
 * used for the connection. Input that the WHATWG parser would silently drop or change (white space, control characters,
 * backslashes, missing slashes) is rejected. Null with one violation if the text is not a URL. `Source:` WHATWG URL.
 */
export function readTarget(text: string): Target | { readonly url: null; readonly faults: readonly UrlFault[] } {
  const url = /[\u0000-\u0020\u007f-\u00a0\\]/.test(text) || !text.isWellFormed() ? null : URL.parse(text);
  if (url !== null && !/^https?:$/.test(url.protocol) && url.hostname === '') return { url: null, faults: [NOT_HTTPS] };
  if (url === null || !/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || url.hostname === '')
    return { url: null, faults: [{ code: 'invalid_url', detail: 'It is not an absolute URL.' }] };

  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const authority = /^[^:]+:\/\/([^/?#]*)/.exec(text)?.[1] ?? '';
  const faults: UrlFault[] = [];
  const privateOnly: UrlFault[] = [];

  if (text.length > MAX_URL_LENGTH || url.href.length > MAX_URL_LENGTH)
    faults.push({ code: 'url_too_long', detail: `The URL has more than ${MAX_URL_LENGTH} characters.` });
  if (url.protocol !== 'https:') (url.protocol === 'http:' ? privateOnly : faults).push(NOT_HTTPS);
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

/** A trailing dot is rejected too, because TLS and the `Host` header then use another name than DNS. */
function isPublicName(host: string): boolean {
  const labels = host.split('.');
  return (
    host.length <= 253 &&
    labels.length > 1 &&
    labels.every((label) => LABEL.test(label)) &&
    !RESERVED_SUFFIXES.some((suffix) => host.endsWith(suffix))
  );
}
