import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/resource.repository.js';
import { Endpoint } from './endpoint.entity.js';

@Injectable()
export class EndpointsRepository extends ResourceRepository<Endpoint> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Endpoint);
  }
}
