import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { fold } from '#libs/kernel/fold.js';
import { Problem } from '#libs/kernel/problem.js';
import { MasterKeys } from '#libs/sealing/master-keys.js';
import { currentTenant, type TenantFacts } from '#libs/tenancy/scope.js';

/** Groups of mails that a recipient can end. Mails that belong to business, such as invoices, are in none. */
export const SUPPRESSION_GROUPS = ['candidates', 'notifications'] as const;
export type SuppressionGroup = (typeof SUPPRESSION_GROUPS)[number];

const PURPOSE = 'unsubscribe';
const ADD = `insert into data.mail_suppressions (tenant_id, address_hash, kind_group, created_at)
  values ($1, $2, $3, now()) on conflict do nothing`;
const LIFT = `delete from data.mail_suppressions where tenant_id = $1 and address_hash = $2 and kind_group = $3`;
const FIND = `select 1 from data.mail_suppressions where tenant_id = $1 and address_hash = $2 and kind_group = $3`;
const TENANT = `select id, slug, plan, currency, epoch::text as epoch from directory.find_tenant($1)`;

/** An address, as its hash in a tenant, and the group of mails that it no longer gets. */
export interface Suppression {
  addressHash: string;
  group: SuppressionGroup;
}

/** Addresses to which a tenant no longer sends a group of mails. Only hashes of them are kept. */
@Injectable()
export class Suppressions {
  /** Their keys change with the master key; links of accepted former keys work. */
  private readonly tokens: Cursors;

  constructor(
    private readonly database: Database,
    masterKeys: MasterKeys,
  ) {
    this.tokens = new Cursors(...masterKeys.derived(PURPOSE));
  }

  /** The statement that ends mails of a group to an address of the tenant in scope; harmless if repeated. */
  suppress({ addressHash, group }: Suppression): Statement {
    return statement(ADD, [currentTenant().id, addressHash, group]);
  }

  /** The statement that allows mails of a group to an address again. */
  lift(address: string, group: SuppressionGroup): Statement {
    return statement(LIFT, [currentTenant().id, hashOf(address), group]);
  }

  isSuppressed(address: string, group: SuppressionGroup): Promise<boolean> {
    return this.has({ addressHash: hashOf(address), group });
  }

  async has({ addressHash, group }: Suppression): Promise<boolean> {
    const query = statement(FIND, [currentTenant().id, addressHash, group]);
    return (await this.database.read(query)).length > 0;
  }

  /** The token of the link that ends mails of a group to an address. It does not expire and reveals nothing. */
  tokenOf(address: string, group: SuppressionGroup): string {
    return this.tokens.write([currentTenant().slug, hashOf(address), group], PURPOSE);
  }

  /** What a token stands for, with its tenant; null for a token that was not made here. Runs outside any tenant. */
  async byToken(token: string): Promise<(Suppression & { tenant: TenantFacts }) | null> {
    try {
      const [slug, addressHash, group] = this.tokens.read(token, PURPOSE) as [string, string, SuppressionGroup]; // as written
      const [tenant] = await this.database.systemRead<TenantFacts>(statement(TENANT, [slug]));
      return tenant ? { tenant, addressHash, group } : null;
    } catch (error) {
      if (error instanceof Problem && error.code === 'cursor_invalid') return null;
      throw error;
    }
  }
}

/** Differs between tenants. */
function hashOf(address: string): string {
  return hash('sha256', `${currentTenant().id}|${fold(address)}`, 'hex');
}
