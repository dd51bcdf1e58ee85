import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/resource.repository.js';
import { Milestone } from './milestone.entity.js';

@Injectable()
export class MilestonesRepository extends ResourceRepository<Milestone> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Milestone);
  }
}
