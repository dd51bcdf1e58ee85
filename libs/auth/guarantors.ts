import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Problem } from '#libs/kernel/problem.js';
import { type Actor, currentScope } from '#libs/tenancy/scope.js';
import { asCredential } from './as-credential.js';
import { asMember } from './as-member.js';
import { Authorities } from './authority.js';
import { Credentials } from './credentials.js';
import { currentPrincipal } from './current-principal.js';
import type { Principal } from './principal.js';

/**
 * Who ordered something that is done later: a member, an API key through all its rotations, or the access token of a
 * partner, which counts as long as the consent behind it.
 */
export interface Guarantor {
  type: 'member' | 'api_key' | 'token';
  /** Id of the membership, lineage of the key, or key id of the token. */
  id: string;
}

const NEWEST_KEY = `select key_id as "keyId" from directory.api_keys($1)`;

/** The guarantor of what the caller orders; null where an automation acts. */
export function guarantorOfCaller(): Guarantor | null {
  return currentScope().actor.type === 'automation' ? null : guarantorOf(currentPrincipal());
}

/** The guarantor of what the holder of a credential orders. */
export function guarantorOf({ kind, membershipId, lineageId, keyId }: Principal): Guarantor {
  if (kind === 'session') return { type: 'member', id: membershipId! }; // a session with a tenant has one
  return kind === 'api_key' ? { type: 'api_key', id: lineageId } : { type: 'token', id: keyId };
}

/** Asks again for the rights of those who have ordered something. */
@Injectable()
export class Guarantors {
  constructor(
    private readonly database: Database,
    private readonly authorities: Authorities,
    private readonly credentials: Credentials,
  ) {}

  /**
   * Runs checks in the tenant in scope, inside the open transaction if there is one, with the present rights of a
   * guarantor. They must only read.
   * @throws Problem 401 or 403 if the guarantor can no longer act, and as the checks.
   */
  async check({ type, id }: Guarantor, grounds: string, checks: () => Promise<void>): Promise<void> {
    if (type === 'member') {
      const isActive = await asMember(this.authorities, id, () => checks().then(() => true));
      if (!isActive) throw new Problem('permission_denied', 'The member who ordered this is not active.');
      return;
    }
    const keyId = type === 'api_key' ? await this.newestOf(id) : id;
    await asCredential(this.credentials, { keyId, warrant: { grounds, allowedBy: [] } }, checks);
  }

  /**
   * As {@link check}, for work that writes. Audit entries and events name the actor who ordered it, and the grounds.
   * @throws Problem 401 or 403 if the guarantor can no longer act, and as the work.
   */
  async act<T>(
    guarantor: Guarantor,
    { grounds, actor }: { grounds: string; actor: Actor },
    work: () => Promise<T>,
  ): Promise<T> {
    let done: T | undefined;
    await this.check(guarantor, grounds, async () => {
      const scope = currentScope();
      scope.actor = actor;
      scope.warrant = { grounds, allowedBy: [] };
      done = await work();
    });
    return done as T; // the check has run the work
  }

  /** Key id of the newest secret of an API key. */
  private async newestOf(lineageId: string): Promise<string> {
    const [key] = await this.database.read<{ keyId: string }>(statement(NEWEST_KEY, [lineageId]));
    return key?.keyId ?? '';
  }
}
