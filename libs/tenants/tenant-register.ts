import { factsOf, type TenantRecord } from '#libs/auth/tenant-directory.js';
import { OperatorError } from '#libs/config/operator-error.js';
import { type IssuedCredential, newCredential } from '#libs/auth/new-credential.js';
import type { Database } from '#libs/database/database.js';
import type { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { Commits } from '#libs/resource/records/commits.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Sealer } from '#libs/sealing/sealer.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import { factsOfNew, isSlugTaken, type NewTenant, TenantFounding } from './tenant-founding.js';
import type { TenantView } from './tenant.dto.js';
import { TenantLife } from './tenant-life.js';
import { TenantReader } from './tenant-reader.js';
import { declareTenantEvents, TenantRecords } from './tenant-records.js';

/** Creates and changes tenants for the operator. Changes are audited under the system actor `actorName`. */
export class TenantRegister {
  private readonly founding: TenantFounding;
  private readonly life: TenantLife;

  constructor(
    database: Database,
    sealer: Sealer,
    private readonly clock: Clock,
    private readonly actorName: string,
  ) {
    const events = new EventCatalogue();
    declareTenantEvents(events);
    const records = new TenantRecords(new Commits(events), events);
    this.founding = new TenantFounding(database, sealer, records, clock);
    this.life = new TenantLife(database, new TenantReader(database), records, clock);
  }

  /**
   * Creates a tenant with an API key that has all scopes and allows protected operations.
   * @throws OperatorError when the slug is taken; nothing is created then.
   */
  async create(wanted: NewTenant, keyName: string): Promise<{ tenantId: string; apiKey: IssuedCredential }> {
    const facts = factsOfNew(wanted);
    const terms = {
      kind: 'api_key' as const,
      name: keyName,
      scopes: ['*'],
      allowProtected: true,
      allowedCidrs: [],
      expiresAt: null,
      memberId: null,
    };
    const key = newCredential(facts.id, terms, {
      at: this.clock.now().toISOString(),
      by: { type: 'system', id: null, name: this.actorName },
    });
    try {
      await runAsSystem(facts, this.actorName, uuidv7(), () => this.founding.found(wanted, { ...key, name: keyName }));
    } catch (error) {
      if (isSlugTaken(error)) throw new OperatorError(`The slug "${wanted.slug}" is taken`);
      throw error;
    }
    return { tenantId: facts.id, apiKey: key.issued };
  }

  /** Changes a tenant as {@link TenantLife} does. @throws OperatorError when its state does not allow the change. */
  async change(tenant: TenantRecord, change: (life: TenantLife) => Promise<TenantView>): Promise<TenantView> {
    try {
      return await runAsSystem(factsOf(tenant), this.actorName, uuidv7(), () => change(this.life));
    } catch (error) {
      if (error instanceof Problem) throw new OperatorError(error.detail);
      throw error;
    }
  }
}
