import { addressSpelling, domainOfAddress } from '#libs/kernel/domain.js';
import { isVisible, oneLineOf } from '#libs/kernel/line.js';
import { cut } from '#libs/kernel/cut.js';
import { uuidv7 } from '#libs/kernel/id.js';
import type { Resource } from '#libs/scim-language/resource.js';
import { invalidValue } from '#libs/scim-language/scim-error.js';
import { refuseLines, refuseLong, refuseLongKeys, refuseUnseen } from '../text-limits.js';

const ADDRESS = /^[^\s@]{1,64}@[^\s@]{1,255}$/;
/** Column size of a membership. */
const MAX_NAME = 200;

/** User fields that the membership shares. */
export interface MemberFields {
  name: string;
  title: string | null;
}

/** The display name, else the composed name, else the user name. */
export function memberFieldsOf(resource: Resource): MemberFields {
  const { formatted, givenName, familyName } = (resource['name'] ?? {}) as Record<string, string | undefined>;
  const parts = [givenName, familyName].filter((each) => each !== undefined).join(' ');
  const { displayName, userName, title } = resource as Record<string, string | undefined>;
  const names = [displayName, formatted, parts, userName];
  return {
    name: shortened(names.find((each) => each !== undefined && isVisible(each)) ?? userName!), // every user has one
    title: title !== undefined && isVisible(title) ? shortened(title) : null,
  };
}

/**
 * The contact address: the primary one, else a work address, else any, else a user name that is an address. Null if
 * none.
 */
export function addressOf(resource: Resource): string | null {
  const emails = (resource['emails'] ?? []) as { value?: string; type?: string; primary?: boolean }[];
  const chosen = emails.find(({ primary }) => primary) ?? emails.find(({ type }) => type === 'work') ?? emails[0];
  const given = [chosen?.value, resource['userName'] as string].filter((each) => each !== undefined);
  return given.map(addressSpelling).find((each) => ADDRESS.test(each)) ?? null;
}

/** Placeholder for a required membership address that the provider has not sent; not deliverable. */
export function noAddress(): string {
  return `${uuidv7()}@users.invalid`;
}

/**
 * Rejects invalid users.
 * @param domains allowed domains of the address; empty for any.
 * @throws ScimError `invalidValue`.
 */
export function refuseUser(resource: Resource, domains: readonly string[]): void {
  refuseLongKeys(resource, ['userName', 'externalId', 'displayName']);
  const { formatted, givenName, familyName } = (resource['name'] ?? {}) as Record<string, string | undefined>;
  const { userName, displayName, title } = resource as Record<string, string | undefined>;
  refuseLines([userName, displayName, title, formatted, givenName, familyName]);
  refuseUnseen(userName!); // required by the schema
  for (const { value } of (resource['emails'] ?? []) as { value?: string }[]) refuseLong(value, 'An e-mail address');
  if (domains.length === 0) return;
  const address = addressOf(resource);
  if (address === null || !domains.map(domainOfAddress).includes(domainOfAddress(address)))
    throw invalidValue(`The address of the user has to be in one of these domains: ${domains.join(', ')}.`);
}

function shortened(text: string): string {
  return cut(oneLineOf(text), MAX_NAME);
}
