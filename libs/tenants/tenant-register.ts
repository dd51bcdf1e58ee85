import { OperatorError } from '#libs/config/operator-error.js';
import { type IssuedCredential, newCredential } from '#libs/auth/new-credential.js';
import type { Database } from '#libs/database/database.js';
import type { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { Commits } from '#libs/resource/records/commits.js';
import type { Sealer } from '#libs/sealing/sealer.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import { factsOfNew, isSlugTaken, type NewTenant, TenantFounding } from './tenant-founding.js';
import { declareTenantEvents, TenantRecords } from './tenant-records.js';

/** What the operator makes of tenants. Changes are audited in the name of the system actor `actorName`. */
export class TenantRegister {
  private readonly founding: TenantFounding;

  constructor(
    database: Database,
    sealer: Sealer,
    private readonly clock: Clock,
    private readonly actorName: string,
  ) {
    const events = new EventCatalogue();
    declareTenantEvents(events);
    this.founding = new TenantFounding(database, sealer, new TenantRecords(new Commits(events), events), clock);
  }

  /**
   * Founds a tenant with an API key that has all scopes and may do protected operations.
   * @throws OperatorError when the slug is taken; nothing is made then.
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
}
