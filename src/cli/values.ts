import { withoutUnseen } from '#libs/kernel/line.js';
import '#src/areas/areas.js';
import { isScope } from '#libs/auth/permissions.js';
import { isPlan, type Plan, PLAN_NAMES, PLANS } from '#libs/auth/plans.js';
import type { RateLimits } from '#libs/auth/principal.js';
import { textFault } from '#libs/http/text-check.js';
import { isUuid } from '#libs/kernel/id.js';
import { isCurrency } from '#libs/kernel/money.js';
import { networkOf } from '#libs/kernel/network.js';
import { type GivenOptions, UsageError } from './command.js';

const SLUG = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const EMAIL =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:\d{2})$/;
/** Default currency of a tenant. */
export const DEFAULT_CURRENCY = 'USD';
const NAME_LENGTH = 200;
const MAX_URI = 500;
const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);
/** Maximum of a PostgreSQL integer. */
const LARGEST_LIMIT = 2_147_483_647;

/** The text of an option; null when it was not given. */
export function textOf(given: GivenOptions, option: string): string | null {
  const value = given[option];
  return typeof value === 'string' ? value : null;
}

/** The text of a required option. */
export function required(given: GivenOptions, option: string): string {
  const value = textOf(given, option);
  if (value === null) throw new UsageError(`--${option} is missing`);
  return value;
}

/** @throws UsageError for an invalid slug. */
export function slugOf(given: GivenOptions, option: string): string {
  const slug = required(given, option);
  if (!SLUG.test(slug))
    throw new UsageError(
      `--${option} must be 1 to 63 lower-case letters, digits and hyphens, with no hyphen first or last, not "${slug}"`,
    );
  return slug;
}

/** @throws UsageError for a name that is empty, longer than `max` characters or not plain text. */
export function nameOf(given: GivenOptions, option: string, max = NAME_LENGTH): string {
  const name = required(given, option).trim();
  if (textFault({ min: 1, max, pattern: /\S/ }, name))
    throw new UsageError(`--${option} must be 1 to ${max} characters of plain text`);
  return withoutUnseen(name);
}

/** @throws UsageError for an unknown plan. */
export function planOf(given: GivenOptions): Plan {
  const plan = required(given, 'plan');
  if (!isPlan(plan)) throw new UsageError(`--plan must be one of ${PLAN_NAMES.join(', ')}, not "${plan}"`);
  return plan;
}

/** The ISO 4217 code of an option; null when it was not given. @throws UsageError for an unknown currency. */
export function currencyOf(given: GivenOptions, option: string): string | null {
  const code = textOf(given, option);
  if (code !== null && !isCurrency(code))
    throw new UsageError(`--${option} must be an ISO 4217 code in capitals, such as EUR, not "${code}"`);
  return code;
}

/** The given limits, otherwise those of the plan. @throws UsageError for an invalid number. */
export function limitsOf(given: GivenOptions, plan: Plan): RateLimits {
  return {
    read: integerOf(given, 'reads-per-minute', 1, LARGEST_LIMIT) ?? PLANS[plan].read,
    write: integerOf(given, 'writes-per-minute', 1, LARGEST_LIMIT) ?? PLANS[plan].write,
  };
}

/** A whole number within bounds; null when the option was not given. @throws UsageError */
export function integerOf(given: GivenOptions, option: string, min: number, max: number): number | null {
  const text = textOf(given, option);
  if (text === null) return null;
  const number = Number(text);
  if (!/^\d{1,15}$/.test(text) || number < min || number > max)
    throw new UsageError(`--${option} must be a whole number from ${min} to ${max}, not "${text}"`);
  return number;
}

/**
 * Null when the option was not given. @throws UsageError for an invalid e-mail address (RFC 5321 without quoted or
 * literal forms).
 */
export function emailOf(given: GivenOptions, option: string): string | null {
  const email = textOf(given, option);
  if (email === null) return null;
  if (email.length > 254 || email.indexOf('@') > 64 || !EMAIL.test(email))
    throw new UsageError(`--${option} must be an e-mail address, not "${email}"`);
  return email;
}

/** Distinct scopes. @throws UsageError when there are none or one is unknown. */
export function scopesOf(given: GivenOptions, option: string): string[] {
  const scopes = listOf(given, option);
  if (scopes.length === 0) throw new UsageError(`--${option} needs at least one scope`);
  const unknown = scopes.filter((scope) => !isScope(scope));
  if (unknown.length > 0)
    throw new UsageError(
      `Unknown ${unknown.length === 1 ? 'scope' : 'scopes'} ${unknown.map((scope) => `"${scope}"`).join(', ')}; ` +
        'docs/reference/permissions.md lists the permissions; wildcards such as deals:*, *:read and * are scopes too',
    );
  return scopes;
}

/** Networks; empty when the option was not given. @throws UsageError for an invalid network. */
export function networksOf(given: GivenOptions, option: string): string[] {
  const networks = listOf(given, option);
  if (textOf(given, option) !== null && networks.length === 0)
    throw new UsageError(`--${option} needs at least one network`);
  for (const network of networks)
    if (!network.includes('/') || networkOf(network) === null)
      throw new UsageError(`--${option} must be networks such as 10.0.0.0/8, not "${network}"`);
  return networks;
}

/**
 * Redirect URIs without duplicates: https, or http on this machine for local apps.
 * @throws UsageError
 */
export function redirectUrisOf(given: GivenOptions, option: string): string[] {
  const value = given[option];
  const uris = Array.isArray(value) ? (value as string[]) : [];
  for (const uri of uris)
    if (!isRedirectUri(uri))
      throw new UsageError(
        `--${option} must be an https address, or http on 127.0.0.1, [::1] or localhost, without a fragment, user or wildcard, not "${uri}"`,
      );
  return [...new Set(uris)];
}

function isRedirectUri(text: string): boolean {
  const url = URL.parse(text);
  if (!url || text.length > MAX_URI || !/^[\x21-\x7e]+$/.test(text) || /[#*\\;,'"<>]/.test(text)) return false;
  if (url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname));
}

/** A future instant as RFC 3339 in UTC; null when the option was not given. @throws UsageError */
export function futureInstantOf(given: GivenOptions, option: string, nowMs: number): string | null {
  const text = textOf(given, option);
  if (text === null) return null;
  const ms = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  // Date.parse accepts the 30th of February as the 2nd of March.
  const isReal =
    !Number.isNaN(ms) && new Date(`${text.slice(0, 10)}T00:00:00Z`).toISOString().startsWith(text.slice(0, 10));
  if (!isReal) throw new UsageError(`--${option} must be an instant such as 2027-06-30T00:00:00Z, not "${text}"`);
  if (ms <= nowMs) throw new UsageError(`--${option} must be in the future, not "${text}"`);
  return new Date(ms).toISOString();
}

/** @throws UsageError for an invalid id. */
export function idOf(given: GivenOptions, option: string): string {
  const id = required(given, option);
  if (!isUuid(id))
    throw new UsageError(`--${option} must be an id such as 019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20, not "${id}"`);
  return id;
}

function listOf(given: GivenOptions, option: string): string[] {
  const parts = (textOf(given, option) ?? '').split(',').map((part) => part.trim());
  return [...new Set(parts.filter((part) => part !== ''))];
}
