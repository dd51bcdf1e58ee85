import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/resource.repository.js';
import { Agent } from './agent.entity.js';

@Injectable()
export class AgentsRepository extends ResourceRepository<Agent> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Agent);
  }
}
