import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { FEEDBACK_TYPE, type FeedbackView } from './feedback.dto.js';

const COLUMNS = `id, '${FEEDBACK_TYPE}' as object, job_id as "jobId", version, rating, comment,
  corrected_output as "correctedOutput", created_at as "createdAt", created_by as "createdBy", updated_at as "updatedAt"`;
const OF_JOB = `select ${COLUMNS} from data.ai_feedback where tenant_id = $1 and job_id = $2 order by created_at, id`;
const OF_PERSON = `select ${COLUMNS} from data.ai_feedback where tenant_id = $1 and job_id = $2 and person = $3 for update`;
const SAVE = `insert into data.ai_feedback (tenant_id, id, job_id, person, rating, comment, corrected_output, version,
    created_at, created_by, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
  on conflict (tenant_id, id) do update set rating = excluded.rating, comment = excluded.comment,
    corrected_output = excluded.corrected_output, version = excluded.version, updated_at = excluded.updated_at`;
@Injectable()
export class FeedbackRepository {
  constructor(private readonly database: Database) {}

  /** What people said about a job, oldest first. */
  ofJob(jobId: string): Promise<FeedbackView[]> {
    return this.database.read<FeedbackView>(statement(OF_JOB, [currentTenant().id, jobId]));
  }

  /** What one person said about a job, locked; null when they have said nothing yet. */
  async lock(transaction: Transaction, jobId: string, person: string): Promise<FeedbackView | null> {
    const [row] = await transaction.query<FeedbackView>(statement(OF_PERSON, [currentTenant().id, jobId, person]));
    return row ?? null;
  }

  save(row: FeedbackView, person: string): Statement {
    const { id, jobId, rating, comment, correctedOutput, version, createdAt, createdBy, updatedAt } = row;
    const texts = [rating, comment, correctedOutput, version, createdAt, JSON.stringify(createdBy), updatedAt];
    return statement(SAVE, [currentTenant().id, id, jobId, person, ...texts]);
  }
}
