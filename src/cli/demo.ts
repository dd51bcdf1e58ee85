import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseKey } from '#libs/auth/api-key.js';
import { type CredentialRecord, credentialStatus } from '#libs/auth/credential-register.js';
import type { CredentialTerms } from '#libs/auth/new-credential.js';
import { PLANS } from '#libs/auth/plans.js';
import type { TenantRecord } from '#libs/auth/tenant-directory.js';
import { makeDataDir } from '#libs/config/data-dir.js';
import { OperatorError } from '#libs/config/operator-error.js';
import type { Settings } from '#libs/config/settings.js';
import type { MasterKeys } from '#libs/sealing/master-keys.js';
import { OWNER } from '#src/start/demo-people.js';
import { type DirectoryAccess, openDirectory } from './directory-access.js';
import { scimTerms } from './scim.js';
import { DEFAULT_CURRENCY } from './values.js';

/** Credentials of the demo tenant, stored in `DATA_DIR/demo.json` (mode 0600) so that every start can print them. */
export interface DemoCredentials {
  tenantSlug: string;
  apiKey: string;
  scimToken: string;
}

/** The demo tenant, and whether this start has created it. */
export interface EnsuredDemo {
  demo: DemoCredentials;
  isNew: boolean;
}

const SLUG = 'demo';
const KEY_NAME = 'Demo key of npm start';
const TOKEN_NAME = 'Demo SCIM token of npm start';
const OWN_NAMES: readonly string[] = [KEY_NAME, TOKEN_NAME];
const KEY_TERMS: CredentialTerms = {
  kind: 'api_key',
  name: KEY_NAME,
  scopes: ['*'],
  allowProtected: true,
  allowedCidrs: [],
  expiresAt: null,
  memberId: null,
};

/**
 * The credentials of the demo tenant, which is created on the first start. If credentials are missing or invalid (file
 * lost, database replaced, key revoked, start interrupted), new ones are created and the ones created here earlier are
 * revoked. Keys created by users stay.
 * @param tell is called with one line if new credentials replace earlier ones.
 * @throws OperatorError when the database or the data folder cannot be used.
 */
export async function ensureDemo(
  settings: Pick<Settings, 'DATA_DIR'>,
  systemUrl: string,
  masterKeys: MasterKeys,
  tell: (line: string) => void,
): Promise<EnsuredDemo> {
  const path = join(makeDataDir(settings), 'demo.json');
  const kept = read(path);
  return openDirectory(systemUrl, masterKeys, 'platform', async (access) => {
    const tenant = await access.tenants.find(SLUG);
    if (!tenant) return { demo: keep(path, await makeTenant(access)), isNew: true };
    const all = await access.credentials.list(tenant);
    const fault = faultOf(kept, all, path);
    if (kept && fault === null) return { demo: kept, isNew: false };
    const renewed = keep(path, await renew(access, tenant, all));
    tell(`${fault}; a new API key and a new SCIM token replace the ones of earlier starts`);
    return { demo: renewed, isNew: false };
  });
}

/** An interrupted start leaves a tenant with unknown credentials; the next start renews them. */
async function makeTenant({ tenants, register, credentials }: DirectoryAccess): Promise<DemoCredentials> {
  const limits = PLANS.business;
  const wanted = {
    slug: SLUG,
    name: 'Demo',
    plan: 'business' as const,
    ownerEmail: OWNER.email,
    ownerName: OWNER.name,
    currency: DEFAULT_CURRENCY,
    limits,
    general: {},
  };
  const { apiKey } = await register.create(wanted, KEY_NAME);
  const token = await credentials.create(await tenants.get(SLUG), scimTerms(TOKEN_NAME));
  return { tenantSlug: SLUG, apiKey: apiKey.text, scimToken: token.text };
}

async function renew(
  { credentials }: DirectoryAccess,
  tenant: TenantRecord,
  all: readonly CredentialRecord[],
): Promise<DemoCredentials> {
  const outdated = all.filter(({ name, revokedAt }) => revokedAt === null && OWN_NAMES.includes(name));
  const ids = outdated.map(({ id }) => id);
  const [key, token] = await credentials.replace(tenant, ids, [KEY_TERMS, scimTerms(TOKEN_NAME)]);
  return { tenantSlug: SLUG, apiKey: key!.text, scimToken: token!.text };
}

/** Why the stored credentials cannot be used; null if they can. */
function faultOf(kept: DemoCredentials | null, all: readonly CredentialRecord[], path: string): string | null {
  if (!kept) return `${path} has no credentials of the tenant ${SLUG}`;
  const faults = [
    ['API key', statusOf(kept.apiKey, 'api_key', all)],
    ['SCIM token', statusOf(kept.scimToken, 'scim_token', all)],
  ].filter(([, status]) => status !== 'active');
  const parts = faults.map(([what, status]) => `the demo ${what} is ${status}`);
  return parts.length === 0 ? null : parts.join(', ').replace('the', 'The');
}

/** The status of the credential with this text. */
function statusOf(text: string, kind: CredentialTerms['kind'], all: readonly CredentialRecord[]): string {
  const presented = parseKey(text);
  const record = all.find(({ keyId }) => keyId === presented?.keyId);
  if (presented?.kind !== kind || record?.kind !== kind) return 'unknown';
  return credentialStatus(record, now());
}

function now(): string {
  return new Date().toISOString();
}

/** Null when the file is missing or invalid. */
function read(path: string): DemoCredentials | null {
  try {
    const { tenantSlug, apiKey, scimToken } = JSON.parse(readFileSync(path, 'utf8')) as Partial<DemoCredentials>;
    if (tenantSlug !== SLUG || typeof apiKey !== 'string' || typeof scimToken !== 'string') return null;
    return { tenantSlug, apiKey, scimToken };
  } catch {
    return null;
  }
}

/** Written to a temporary file and renamed, so that the file is never incomplete. */
function keep(path: string, demo: DemoCredentials): DemoCredentials {
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, path);
    return demo;
  } catch (error) {
    rmSync(draft, { force: true });
    throw new OperatorError(`The demo credentials cannot be written to ${path}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
