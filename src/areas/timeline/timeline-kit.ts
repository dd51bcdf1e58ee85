import { Injectable } from '@nestjs/common';
import { brokenReference, brokenUnique } from '#libs/database/failures.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { Commits } from '#libs/resource/commits.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { TimelineSubjects } from './timeline-subjects.js';

/** What the services of a timeline are made of. */
@Injectable()
export class TimelineKit {
  constructor(
    readonly subjects: TimelineSubjects,
    readonly commits: Commits,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** One transaction; what it names and does not exist is a 400, what is there already a 409. */
  async unit<T>(noun: string, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.database.transaction(work);
    } catch (error) {
      const pointer = brokenReference(error);
      if (pointer !== null) throw unknownReference(pointer);
      if (brokenUnique(error)) throw new Problem('duplicate', `The record has this ${noun} already.`);
      throw error;
    }
  }

  now(): string {
    return (currentScope().stampedAt ??= this.clock.now().toISOString());
  }
}

/** 400 for a member of the body that names what does not exist. */
export function unknownReference(pointer: string): Problem {
  return Problem.validation([{ pointer, code: 'unknown_reference', detail: 'There is no such record.' }]);
}
