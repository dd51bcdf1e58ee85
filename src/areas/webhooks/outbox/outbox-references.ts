import { Injectable } from '@nestjs/common';
import { guarded } from '#libs/access/guard.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Violation } from '#libs/kernel/problem.js';
import { DELIVERY_ABOUT, disclosing } from '#libs/resource/access/disclosure.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { OutboxCommand } from './outbox-command.dto.js';

const ENDPOINTS = `select id, deleted_at is not null as deleted from data.webhook_endpoints
  where tenant_id = $1 and id = any($2::uuid[])`;
const SUBJECT = `select 1 as found from data.webhook_deliveries t where tenant_id = $1 and subject_id = $2`;
const ENTRIES = `select id from data.webhook_deliveries where tenant_id = $1 and id = any($2::uuid[])`;

/** Checks that everything referenced by a command exists. A command without a target is an error. */
@Injectable()
export class OutboxReferences {
  constructor(
    private readonly database: Database,
    private readonly registry: ResourceRegistry,
  ) {}

  /** Unknown references in the body of a command. A deleted endpoint can be referenced, but not tested. */
  async violations({ endpointId, filter, action, ids: entryIds = [] }: OutboxCommand): Promise<Violation[]> {
    const { destinationId, subjectId } = filter ?? {};
    const ids = [endpointId, destinationId].filter((each) => each !== undefined);
    const rows = ids.length > 0 ? await this.endpoints(ids) : [];
    const known = new Map(rows.map(({ id, deleted }) => [id, deleted]));
    const isTest = action === undefined || action === 'publish_test';
    const unknown: string[] = [];
    if (endpointId !== undefined && (known.get(endpointId) ?? true) && (isTest || !known.has(endpointId)))
      unknown.push('/endpointId');
    if (destinationId !== undefined && !known.has(destinationId)) unknown.push('/filter/destinationId');
    if (subjectId !== undefined && !(await this.isSubject(subjectId))) unknown.push('/filter/subjectId');
    const entries = new Set(entryIds.length > 0 ? await this.entries(entryIds) : []);
    unknown.push(...entryIds.flatMap((id, index) => (entries.has(id) ? [] : [`/ids/${index}`])));
    return unknown.map((pointer) => ({
      pointer,
      code: 'unknown_reference',
      detail: 'The referenced object does not exist.',
    }));
  }

  private async entries(ids: readonly string[]): Promise<string[]> {
    const rows = await this.database.read<{ id: string }>(statement(ENTRIES, [currentTenant().id, ids]));
    return rows.map(({ id }) => id);
  }

  private endpoints(ids: string[]): Promise<{ id: string; deleted: boolean }[]> {
    return this.database.read(statement(ENDPOINTS, [currentTenant().id, ids]));
  }

  private async isSubject(id: string): Promise<boolean> {
    const guard = disclosing(this.registry, DELIVERY_ABOUT);
    const rows = await this.database.read(guarded(SUBJECT, [currentTenant().id, id], guard, ' limit 1'));
    return rows.length > 0;
  }
}
