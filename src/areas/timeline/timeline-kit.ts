import { Injectable } from '@nestjs/common';
import { brokenReference, brokenUnique } from '#libs/database/failures.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { RecordSubjects } from '#libs/resource/access/record-subjects.js';

/** Dependencies of the timeline services. */
@Injectable()
export class TimelineKit {
  constructor(
    readonly subjects: RecordSubjects,
    readonly resources: ResourceKit,
  ) {}

  /** One transaction; unknown references become 400, duplicates 409. */
  async unit<T>(noun: string, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.resources.database.transaction(work);
    } catch (error) {
      const pointer = brokenReference(error);
      if (pointer !== null) throw Problem.unknownReference(pointer);
      if (brokenUnique(error)) throw new Problem('duplicate', `The record already has this ${noun}.`);
      throw error;
    }
  }

  now(): string {
    return this.resources.now();
  }
}
