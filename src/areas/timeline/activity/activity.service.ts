import { Injectable } from '@nestjs/common';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import type { Place } from '#libs/resource/access/record-subjects.js';
import { RecordSubjects } from '#libs/resource/access/record-subjects.js';
import type { ActivityEntry } from './activity.dto.js';
import { ActivityRepository } from './activity.repository.js';

/** Activity of records. */
@Injectable()
export class ActivityService {
  constructor(
    private readonly subjects: RecordSubjects,
    private readonly repository: ActivityRepository,
  ) {}

  /** @throws Problem 404 for a record that the caller cannot see. */
  async list(place: Place, query: Record<string, unknown>): Promise<Page<ActivityEntry>> {
    const { object, id } = await this.subjects.at(place);
    return this.repository.page(object, id, query);
  }
}
