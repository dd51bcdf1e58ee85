import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { Feedback, feedbacks, type ShownFeedback } from './feedback.js';

@Injectable()
export class FeedbackRepository extends ResourceRepository<Feedback> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Feedback);
  }

  /** All feedback about a job, oldest first. */
  async ofJob(jobId: string): Promise<ShownFeedback[]> {
    const rows = await this.all((add) => `t.job_id = ${add(jobId)}`);
    return rows.map((row) => ({ ...row, object: feedbacks.type }));
  }

  /** Feedback of one person about a job, locked; undefined if there is none. */
  async lockOf(transaction: Transaction, jobId: string, person: string): Promise<Feedback | undefined> {
    const [row] = await this.lockAll(transaction, (add) => `t.job_id = ${add(jobId)} and t.person = ${add(person)}`);
    return row;
  }
}
