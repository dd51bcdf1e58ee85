import { Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Database, type TenantPart } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import type { Principal } from './principal.js';

const RECORD = `select directory.record_uses($1::uuid[], $2::timestamptz[], $3::text[])`;
// Accurate enough for "inactive since", with only a few dozen writes per member and day.
const RECORD_MEMBERS = `
  update data.memberships m set last_active_at = u.at
  from (select id, max(at) as at from unnest($2::uuid[], $3::timestamptz[]) as u (id, at) group by id) u
  where m.tenant_id = $1 and m.id = u.id
    and (m.last_active_at is null or m.last_active_at < u.at - interval '5 minutes')`;
/** How often uses are written. */
export const USES_WRITTEN_EVERY_MS = 30_000;

/** Who used the credential. */
type User = Pick<Principal, 'credentialId' | 'membershipId'> & { tenant: Principal['tenant'] | null };

/**
 * Records when and from where each credential was last used, in batches of at most one row per credential and half
 * minute. Also records when its member was last active, accurate to five minutes.
 */
@Injectable()
export class CredentialUses implements OnModuleInit, BeforeApplicationShutdown {
  private readonly uses = new Map<string, { user: User; atMs: number; ip: string }>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => void this.flush(), USES_WRITTEN_EVERY_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.flush();
  }

  note(user: User, ip: string): void {
    this.uses.set(user.credentialId, { user, atMs: this.clock.nowMs(), ip });
  }

  /** Never throws: uses that cannot be written now are retried with the next batch. */
  async flush(): Promise<void> {
    const uses = [...this.uses];
    if (uses.length === 0) return;
    this.uses.clear();
    const batch = uses.map(([id, { user, atMs, ip }]) => [id, { user, ip, at: new Date(atMs).toISOString() }] as const);
    try {
      const record = statement(RECORD, [
        batch.map(([id]) => id),
        batch.map(([, { at }]) => at),
        batch.map(([, { ip }]) => ip),
      ]);
      await this.database.severally([{ tenant: null, statements: [record] }, ...membersOf(batch)]);
    } catch {
      for (const [id, use] of uses) if (!this.uses.has(id)) this.uses.set(id, use);
    }
  }
}

/** The statements about the members behind the uses, grouped by tenant. */
function membersOf(batch: readonly (readonly [string, { user: User; at: string }])[]): TenantPart[] {
  const personal = batch.flatMap(([, { user, at }]) =>
    user.tenant && user.membershipId !== null ? [{ tenant: user.tenant, id: user.membershipId, at }] : [],
  );
  return [...Map.groupBy(personal, ({ tenant }) => tenant.id).values()].map((uses) => {
    const { tenant } = uses[0]!;
    const ids = uses.map(({ id }) => id);
    return { tenant, statements: [statement(RECORD_MEMBERS, [tenant.id, ids, uses.map(({ at }) => at)])] };
  });
}
