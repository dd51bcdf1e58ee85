import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Offer } from './offer.entity.js';

const OPEN = `select id from data.talent_offers where tenant_id = $1 and application_id = $2
  and status in ('draft', 'pending_approval', 'approved', 'sent')`;
const OF_APPLICATIONS = `select id from data.talent_offers where tenant_id = $1 and application_id = any($2::uuid[])
  order by id`;

@Injectable()
export class OffersRepository extends ResourceRepository<Offer> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Offer);
  }

  /** The offer of an application that has not been answered; null when there is none. */
  async idOfOpen(applicationId: string): Promise<string | null> {
    const [row] = await this.database.read<{ id: string }>(statement(OPEN, [currentTenant().id, applicationId]));
    return row?.id ?? null;
  }

  async idsOfApplications(applicationIds: string[]): Promise<string[]> {
    const query = statement(OF_APPLICATIONS, [currentTenant().id, applicationIds]);
    return (await this.database.read<{ id: string }>(query)).map(({ id }) => id);
  }
}
