import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { OauthGrant } from './grant.js';

const STATES = `select id, suspended, expires_at as "expiresAt", last_used_at as "lastUsedAt" from directory.grant_states($1)`;
const END = `select directory.end_oauth_grants($1, $2)`;

/** State of a grant in the directory. */
export interface GrantState {
  id: string;
  /** Whether the partner is suspended. */
  suspended: boolean;
  /** Latest expiry of an unused code or refresh token; null if there is none. */
  expiresAt: string | null;
  lastUsedAt: string | null;
}

/** Grants to partners. */
@Injectable()
export class GrantsRepository extends ResourceRepository<OauthGrant> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, OauthGrant);
  }

  /** Grants of a member or of the whole tenant, oldest first. */
  ofMember(membershipId: string | null): Promise<OauthGrant[]> {
    return this.all((add) => (membershipId === null ? 'true' : `t.membership_id = ${add(membershipId)}`));
  }

  states(ids: readonly string[]): Promise<GrantState[]> {
    return this.database.read<GrantState>(statement(STATES, [[...ids]]));
  }

  /** The statement that revokes all access tokens of grants. */
  end(ids: readonly string[], at: string): Statement {
    return statement(END, [[...ids], at]);
  }
}
