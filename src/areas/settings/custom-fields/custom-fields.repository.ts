import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/resource.repository.js';
import { CustomField } from './custom-field.entity.js';

@Injectable()
export class CustomFieldsRepository extends ResourceRepository<CustomField> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, CustomField);
  }
}
