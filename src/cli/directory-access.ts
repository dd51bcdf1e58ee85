import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CredentialRegister } from '#libs/auth/credential-register.js';
import { TenantDirectory } from '#libs/auth/tenant-directory.js';
import { OperatorError } from '#libs/config/operator-error.js';
import type { Settings } from '#libs/config/settings.js';
import { dataSource, type EntityClass } from '#libs/database/data-source.js';
import { Database } from '#libs/database/database.js';
import { type Clock, SystemClock } from '#libs/kernel/clock.js';
import { MemberRegister } from '#libs/members/member-register.js';
import { PRIVATE_SIGNING_KEYS, SigningKeys } from '#libs/proof/signing-keys.js';
import { INSTALLATION_KEYS } from '#libs/sealing/installation-keys.js';
import { loadMasterKeys } from '#libs/sealing/master-key-files.js';
import { assertMasterKeys, MasterKeyRotation } from '#libs/sealing/master-key-rotation.js';
import type { MasterKeys } from '#libs/sealing/master-keys.js';
import { DATA_KEYS, Sealer } from '#libs/sealing/sealer.js';
import { DataKeyRotation } from '#libs/tenants/data-key-rotation.js';
import { TenantRegister } from '#libs/tenants/tenant-register.js';
import { SetAsideRegister } from '#libs/webhooks/relay/set-aside-register.js';
import { connectionUrls } from '#src/database/urls.js';
import { withDatabase } from '#src/start/database.js';
import { explained } from './database-failure.js';

/** The services available to a command that works on tenants. */
export interface DirectoryAccess {
  database: Database;
  clock: Clock;
  tenants: TenantDirectory;
  register: TenantRegister;
  credentials: CredentialRegister;
  members: MemberRegister;
  setAside: SetAsideRegister;
  signingKeys: SigningKeys;
  dataKeys: DataKeyRotation;
  masterKeys: MasterKeys;
}

/** All keys that are wrapped with the master key. */
const WRAPPED_KEYS = [DATA_KEYS, PRIVATE_SIGNING_KEYS, INSTALLATION_KEYS];

/** The rotation to the first of these keys. */
export function rotationTo(masterKeys: MasterKeys, database: Database): MasterKeyRotation {
  return new MasterKeyRotation(database, masterKeys, WRAPPED_KEYS);
}

/** Actor name of the CLI in audit logs and records. */
export const OPERATOR = 'operator CLI';

/**
 * Runs a command on the platform's database as the `system` role. Uses the first of: `DATABASE_SYSTEM_URL`,
 * `DATABASE_URL`, the platform running on `DATA_DIR`, an embedded server started for the duration of the command.
 * @param work also receives the superuser's URL; null when only `DATABASE_SYSTEM_URL` is set.
 * @throws OperatorError when the database cannot be used.
 */
export async function withDirectory<T>(
  settings: Settings,
  work: (access: DirectoryAccess, adminUrl: string | null) => Promise<T>,
  entities: EntityClass[] = [],
): Promise<T> {
  const run = (adminUrl: string | null): Promise<T> => {
    const { systemUrl } = connectionUrls(settings, adminUrl);
    return openDirectory(systemUrl, loadMasterKeys(settings), OPERATOR, (access) => work(access, adminUrl), entities);
  };
  if (settings.DATABASE_SYSTEM_URL === null || settings.DATABASE_URL !== null) return withDatabase(settings, run);
  // A key generated here would encrypt data that the platform cannot decrypt.
  if (!settings.MASTER_KEY && !existsSync(join(settings.DATA_DIR, 'master.key')))
    throw new OperatorError('With DATABASE_SYSTEM_URL the platform’s MASTER_KEY must be set too');
  return run(null);
}

/**
 * Opens the directory on a separate connection for the duration of `work`.
 * @param actorName the actor in the audit log.
 * @throws OperatorError when the database cannot be used.
 */
export async function openDirectory<T>(
  systemUrl: string,
  masterKeys: MasterKeys,
  actorName: string,
  work: (access: DirectoryAccess) => Promise<T>,
  entities: EntityClass[] = [],
): Promise<T> {
  const source = dataSource({ url: systemUrl, entities, poolSize: 2, applicationName: 'platform-cli' });
  try {
    await source.initialize();
    const database = new Database(source);
    await assertMasterKeys(database, masterKeys);
    const sealer = new Sealer(database, masterKeys);
    const clock = new SystemClock();
    return await work({
      database,
      clock,
      tenants: new TenantDirectory(database, clock, actorName),
      register: new TenantRegister(database, sealer, clock, actorName),
      credentials: new CredentialRegister(database, clock, actorName),
      members: new MemberRegister(database, clock, actorName),
      setAside: new SetAsideRegister(database, clock, actorName),
      signingKeys: new SigningKeys(database, masterKeys),
      dataKeys: new DataKeyRotation(database, sealer, clock, actorName),
      masterKeys,
    });
  } catch (error) {
    throw explained(error, systemUrl);
  } finally {
    if (source.isInitialized) await source.destroy();
  }
}
