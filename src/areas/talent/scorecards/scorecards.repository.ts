import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Scorecard } from './scorecard.entity.js';

const INTERVIEW = `select application_id as "applicationId" from data.talent_interviews
  where tenant_id = $1 and id = $2 and deleted_at is null`;
const OF_APPLICATIONS = `select id from data.talent_scorecards where tenant_id = $1 and application_id = any($2::uuid[])
  order by id`;

@Injectable()
export class ScorecardsRepository extends ResourceRepository<Scorecard> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Scorecard);
  }

  /** The application that an interview is about; null when there is no such interview. */
  async applicationOfInterview(interviewId: string): Promise<string | null> {
    const query = statement(INTERVIEW, [currentTenant().id, interviewId]);
    const [row] = await this.database.read<{ applicationId: string }>(query);
    return row?.applicationId ?? null;
  }

  async idsOfApplications(applicationIds: string[]): Promise<string[]> {
    const query = statement(OF_APPLICATIONS, [currentTenant().id, applicationIds]);
    return (await this.database.read<{ id: string }>(query)).map(({ id }) => id);
  }
}
