import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Prompt } from './prompt.entity.js';

const BY_KEY = `select id from data.ai_prompts
  where tenant_id = $1 and key = $2 and deleted_at is null and archived_at is null`;

@Injectable()
export class PromptsRepository extends ResourceRepository<Prompt> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Prompt);
  }

  /** Id of the prompt that jobs name by a key; null when there is none that they can use. */
  async idOfKey(key: string): Promise<string | null> {
    const [row] = await this.database.read<{ id: string }>(statement(BY_KEY, [currentTenant().id, key]));
    return row?.id ?? null;
  }
}
