import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant, type TenantFacts } from '#libs/tenancy/scope.js';
import type { LinkPurpose } from './link-purposes.js';
import { PublicLink } from './public-link.js';

const ADD_TOKEN = `select directory.add_public_link($1, $2)`;
const FIND = `select link_id as "linkId", id, slug, plan, currency, epoch::text as epoch
  from directory.find_public_link($1)`;
// One statement checks and counts, so concurrent requests cannot exceed max_uses.
const USE = `update data.public_links set uses = uses + 1, last_used_at = $4
  where tenant_id = $1 and id = $2 and purpose = $3 and revoked_at is null and expires_at > $4
    and (max_uses is null or uses < max_uses) returning target_id as "targetId"`;
// Whoever used a link up has the page open, and may still answer.
const ANSWER = `update data.public_links set last_used_at = $4
  where tenant_id = $1 and id = $2 and purpose = $3 and revoked_at is null and expires_at > $4
  returning target_id as "targetId"`;

const NEWEST = `select id from data.public_links where tenant_id = $1 and purpose = $2 and target_id = $3
  order by created_at desc, id desc limit 1`;

/** The link of a token, with its tenant. */
export interface PlacedLink {
  linkId: string;
  tenant: TenantFacts;
}

@Injectable()
export class PublicLinksRepository extends ResourceRepository<PublicLink> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, PublicLink);
  }

  /** The newest link to a record for a purpose; null if there is none. */
  async newestOf(purpose: LinkPurpose, targetId: string): Promise<PublicLink | null> {
    const query = statement(NEWEST, [currentTenant().id, purpose, targetId]);
    const [row] = await this.database.read<{ id: string }>(query);
    return row ? this.find(row.id) : null;
  }

  addToken(linkId: string, tokenHash: Buffer): Statement {
    return statement(ADD_TOKEN, [linkId, tokenHash]);
  }

  /** Runs outside any tenant. Null for an unknown token or a tenant that is not served. */
  async byToken(tokenHash: Buffer): Promise<PlacedLink | null> {
    const [row] = await this.database.systemRead<TenantFacts & { linkId: string }>(statement(FIND, [tokenHash]));
    if (!row) return null;
    const { linkId, ...tenant } = row;
    return { linkId, tenant };
  }

  /**
   * Notes that a link was opened, which counts as a use, or that somebody answered through its page.
   * @returns the id of its target; null if the link is not valid for the purpose.
   */
  async use(
    transaction: Transaction,
    { id, purpose, isAnswer }: { id: string; purpose: LinkPurpose; isAnswer: boolean },
    at: string,
  ): Promise<string | null> {
    const values = [currentTenant().id, id, purpose, at];
    const [row] = await transaction.query<{ targetId: string }>(statement(isAnswer ? ANSWER : USE, values));
    return row?.targetId ?? null;
  }
}
