import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/resource.repository.js';
import { Deal } from './deal.entity.js';

@Injectable()
export class DealsRepository extends ResourceRepository<Deal> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Deal);
  }
}
