import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/resource.repository.js';
import { ProjectTemplate } from './project-template.entity.js';

@Injectable()
export class ProjectTemplatesRepository extends ResourceRepository<ProjectTemplate> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, ProjectTemplate);
  }
}
