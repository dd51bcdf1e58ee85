import { Injectable } from '@nestjs/common';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Deleted } from '#libs/resource/types/record.dto.js';
import { MEMBER, mustExist } from '#libs/resource/access/references.js';
import type { Place } from '#libs/resource/access/record-subjects.js';
import { TimelineKit } from '../timeline-kit.js';
import { TimelineService } from '../timeline.service.js';
import { type CreateWatcher, WatcherView } from './watcher.dto.js';
import type { Watcher } from './watcher.entity.js';
import { WatchersRepository } from './watchers.repository.js';

/** Watchers of records, including archived ones. */
@Injectable()
export class WatchersService extends TimelineService<Watcher, WatcherView> {
  constructor(
    kit: TimelineKit,
    protected override readonly repository: WatchersRepository,
  ) {
    super(
      {
        type: 'core.watcher',
        noun: 'watcher',
        collection: 'watchers',
        view: WatcherView,
        events: { created: 'A member started watching a record.', deleted: 'A member stopped watching a record.' },
      },
      kit,
      repository,
    );
  }

  /** @throws Problem 400 when no member is given or the member is unknown; 409 `duplicate`. */
  async create(place: Place, input: CreateWatcher): Promise<WatcherView> {
    const subject = await this.kit.subjects.atFor(place, 'watchers:write');
    return this.unit(async (transaction) => {
      const member = input.membershipId ?? currentPrincipal().membershipId;
      if (member === null)
        throw Problem.validation([
          {
            pointer: '/membershipId',
            code: 'required',
            detail: 'The caller does not act for a member, so a membership is required.',
          },
        ]);
      transaction.write(mustExist(MEMBER, '/membershipId', [member]));
      return this.add(transaction, subject, { ...this.stamp(subject), id: member });
    });
  }

  async remove(place: Place, membershipId: string): Promise<Deleted> {
    const subject = await this.kit.subjects.atFor(place, 'watchers:write');
    return this.unit(async (transaction) => {
      const row = await this.lock(transaction, subject, membershipId);
      return this.erase(transaction, subject, row, this.repository.erase(row));
    });
  }

  protected present(row: Watcher): WatcherView {
    return { ...this.base(row), membershipId: row.id };
  }
}
