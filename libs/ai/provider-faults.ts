import type { FetchFailure } from '#libs/outbound/guarded-fetch.js';
import { ProviderError, type ProviderFault } from './provider.js';

/** Error that the client libraries throw for a status other than 2xx. */
interface StatusError {
  status: number;
  headers?: Headers;
  code?: unknown;
  type?: unknown;
}

const MAX_RETRY_AFTER_MS = 3_600_000;
/** Rejected by the gateway before the model was called. */
const NOT_RUN = new Set([503, 529]);
const REFUSED_ADDRESS = new Set(['blocked_url', 'blocked_address', 'invalid_request']);

/**
 * Classifies an error of a client library, or the failure of the underlying call. The library's text is omitted,
 * because providers quote keys and prompts in it.
 */
export function asProviderError(error: unknown, failure: FetchFailure | null, signal: AbortSignal): ProviderError {
  if (error instanceof ProviderError) return error;
  if (failure) return ofFailure(failure, signal);
  if (isStatusError(error)) return ofStatus(error);
  if (signal.aborted) return new ProviderError('aborted', 'The call was ended before it was sent.', false, false);
  return invalidAnswer('The answer of the provider cannot be read.');
}

/** An invalid response. The work is done and most likely charged for. */
export function invalidAnswer(message: string): ProviderError {
  return new ProviderError('provider_answer_invalid', message, false, true);
}

function ofFailure({ error, wasSent }: FetchFailure, signal: AbortSignal): ProviderError {
  if (error === null) return invalidAnswer('The answer of the provider is larger than it may be.');
  if (signal.aborted || error === 'aborted')
    return new ProviderError('aborted', 'The call was ended before the answer was there.', false, wasSent);
  if (REFUSED_ADDRESS.has(error))
    return new ProviderError(
      'provider_address_refused',
      'Calls to the address of the provider are not let out.',
      false,
      false,
    );
  if (error === 'timeout' || error === 'connect_timeout')
    return new ProviderError('provider_timeout', 'The provider did not answer in time.', true, wasSent);
  return new ProviderError('provider_unavailable', `The provider could not be reached (${error}).`, true, wasSent);
}

function ofStatus(error: StatusError): ProviderError {
  const { status } = error;
  const code = codeOf(error);
  const message = `The provider answered ${status}${code === null ? '' : ` (${code})`}.`;
  const made = (fault: ProviderFault, isTransient: boolean, mayHaveRun: boolean) =>
    new ProviderError(fault, message, isTransient, mayHaveRun, isTransient ? retryAfterMs(error.headers) : null);
  if (status === 401 || status === 403) return made('provider_credentials_refused', false, false);
  // An exhausted quota does not recover after a short wait.
  if (status === 429) return made('provider_rate_limited', code !== 'insufficient_quota', false);
  if (status === 529) return made('provider_rate_limited', true, false);
  if (status === 408) return made('provider_timeout', true, true);
  // The same request is already in progress.
  if (status === 409) return made('provider_unavailable', true, true);
  if (status >= 500) return made('provider_unavailable', true, !NOT_RUN.has(status));
  return made('provider_request_refused', false, false);
}

function isStatusError(error: unknown): error is StatusError {
  return error instanceof Error && 'status' in error && typeof error.status === 'number';
}

/** The provider's error code, if it is a single word. */
function codeOf({ code, type }: StatusError): string | null {
  const words = [code, type].filter((word) => typeof word === 'string' && /^[a-z][a-z0-9_.-]{0,63}$/i.test(word));
  return (words[0] as string | undefined) ?? null;
}

/** `Retry-After` in seconds or as a date. `Source:` RFC 9110 section 10.2.3. */
function retryAfterMs(headers: Headers | undefined): number | null {
  const value = headers?.get('retry-after');
  if (!value) return null;
  const ms = /^\d{1,9}(\.\d{1,3})?$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(Math.ceil(ms), 0), MAX_RETRY_AFTER_MS) : null;
}
