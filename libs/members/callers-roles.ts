import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { systemRoles } from './role-book.js';
import type { CallersRole } from './session.dto.js';

const CUSTOM = `select id, key, name from data.roles where tenant_id = $1 and id = any($2::uuid[]) order by name, id`;

/** The roles of a caller, as shown to the caller. */
@Injectable()
export class CallersRoles {
  constructor(private readonly database: Database) {}

  /** System roles come first. */
  async named(ids: readonly string[]): Promise<CallersRole[]> {
    const system = systemRoles()
      .filter(({ id }) => ids.includes(id))
      .map(({ id, key, name }) => ({ id, key, name }));
    if (system.length === ids.length) return system;
    const custom = await this.database.read<CallersRole>(statement(CUSTOM, [currentTenant().id, [...ids]]));
    return [...system, ...custom];
  }
}
