import { type CredentialRecord, credentialStatus } from '#libs/auth/credential-register.js';
import { OVERLAP_HOURS } from '#libs/auth/new-credential.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import type { MemberRecord } from '#libs/members/member-register.js';
import { type CommandRun, type GivenOptions, UsageError } from './command.js';
import { withDirectory } from './directory-access.js';
import { tableOf } from './table-text.js';
import { emailOf, futureInstantOf, idOf, integerOf, nameOf, networksOf, scopesOf, slugOf } from './values.js';

const HOUR_SECONDS = 3_600;
const PROTECTED_DAYS = 90;
const PROTECTED_WARNING =
  'It may carry out protected operations, such as granting privileged roles and storing secrets, without the second factor that a person needs. Keep it like a password and revoke it when you no longer need it.';

/** `apikey create` */
export const createApiKey: CommandRun = async (given, { settings }) => {
  const slug = slugOf(given, 'tenant');
  const allowProtected = given['allow-protected'] === true;
  const terms = {
    kind: 'api_key' as const,
    name: nameOf(given, 'name'),
    scopes: scopesOf(given, 'scopes'),
    allowProtected,
    allowedCidrs: networksOf(given, 'allow-cidr'),
    expiresAt: allowProtected ? protectedExpiryOf(given) : futureInstantOf(given, 'expires-at', Date.now()),
  };
  const email = emailOf(given, 'member');
  if (allowProtected && email !== null && terms.scopes.some((scope) => scope.includes('*')))
    throw new UsageError('--scopes must name each permission for a key with --member and --allow-protected');
  const { id, text } = await withDirectory(settings(), async ({ tenants, members, credentials }) => {
    const tenant = await tenants.get(slug);
    const memberId = email === null ? null : (await members.get(tenant, email)).id;
    return credentials.create(tenant, { ...terms, memberId });
  });
  return {
    json: { id, apiKey: text, ...(allowProtected && { allowProtected, expiresAt: terms.expiresAt }) },
    text: [
      `Created the API key "${terms.name}" (${id}) of the tenant ${slug} with the scopes ${terms.scopes.join(', ')}.`,
      ...(email === null ? [] : [`It acts for the member ${email}.`]),
      ...(allowProtected ? [PROTECTED_WARNING] : []),
      `It ${terms.expiresAt === null ? 'does not expire' : `expires at ${terms.expiresAt}`} and is shown only once: ${text}`,
    ].join('\n'),
  };
};

/** Keys for protected operations must be short-lived. */
function protectedExpiryOf(given: GivenOptions): string {
  const nowMs = Date.now();
  const latest = new Date(nowMs + PROTECTED_DAYS * DAY_MS).toISOString();
  const expiresAt = futureInstantOf(given, 'expires-at', nowMs) ?? latest;
  if (expiresAt > latest)
    throw new UsageError(`--expires-at must be within ${PROTECTED_DAYS} days for a key with --allow-protected`);
  return expiresAt;
}

/** `apikey list` */
export const listCredentials: CommandRun = async (given, { settings }) => {
  const slug = slugOf(given, 'tenant');
  const at = new Date().toISOString();
  const { all, members } = await withDirectory(settings(), async (directory) => {
    const tenant = await directory.tenants.get(slug);
    return { all: await directory.credentials.list(tenant), members: await directory.members.list(tenant) };
  });
  const byId = new Map(members.map((member) => [member.id, member]));
  const memberOf = ({ memberId }: CredentialRecord) => (memberId === null ? undefined : byId.get(memberId));
  return {
    json: { data: all.map((credential) => show(credential, memberOf(credential), at)) },
    text: tableOf(
      ['ID', 'KIND', 'STATUS', 'EXPIRES', 'LAST USED', 'MEMBER', 'NAME', 'SCOPES'],
      all.map((credential) => [
        credential.id,
        credential.kind,
        credentialStatus(credential, at),
        credential.expiresAt ?? 'never',
        credential.lastUsedAt ?? 'never',
        memberOf(credential)?.email ?? 'none',
        credential.name,
        credential.scopes.join(','),
      ]),
    ),
  };
};

/** `apikey rotate` */
export const rotateApiKey: CommandRun = async (given, { settings }) => {
  const slug = slugOf(given, 'tenant');
  const previousId = idOf(given, 'id');
  const overlap =
    integerOf(given, 'overlap-seconds', 0, OVERLAP_HOURS.longest * HOUR_SECONDS) ?? OVERLAP_HOURS.usual * HOUR_SECONDS;
  const { id, text, expiresAt, previousExpiresAt } = await withDirectory(settings(), async ({ tenants, credentials }) =>
    credentials.rotate(await tenants.get(slug), previousId, overlap),
  );
  return {
    json: { id, apiKey: text, expiresAt, previousId, previousExpiresAt },
    text: [
      `The key ${previousId} of the tenant ${slug} is valid until ${previousExpiresAt}.`,
      `The key ${id} replaces it and is shown only once: ${text}`,
    ].join('\n'),
  };
};

/** `apikey revoke` */
export const revokeCredential: CommandRun = async (given, { settings }) => {
  const slug = slugOf(given, 'tenant');
  const id = idOf(given, 'id');
  const revokedAt = await withDirectory(settings(), async ({ tenants, credentials }) =>
    credentials.revoke(await tenants.get(slug), id),
  );
  return { json: { id, revokedAt }, text: `The credential ${id} of the tenant ${slug} was revoked at ${revokedAt}.` };
};

function show(credential: CredentialRecord, member: MemberRecord | undefined, at: string): object {
  const { id, kind, name, keyId, scopes, allowProtected, allowedCidrs, lineageId } = credential;
  const { createdAt, expiresAt, revokedAt, lastUsedAt } = credential;
  const status = credentialStatus(credential, at);
  return {
    id,
    kind,
    name,
    status,
    keyId,
    scopes,
    allowProtected,
    allowedCidrs,
    lineageId,
    member: member ? { id: member.id, email: member.email, name: member.name } : null,
    createdAt,
    expiresAt,
    revokedAt,
    lastUsedAt,
  };
}
