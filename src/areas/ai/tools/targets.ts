import { Injectable } from '@nestjs/common';
import { isClosed } from '#libs/access/limits.js';
import type { ContextRecord } from '#libs/ai/provider.js';
import { callerOrNull, holds } from '#libs/auth/current-principal.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import type { ResourceDefinition } from '#libs/resource/types/definition.js';
import { ResourceRegistry, type Resource } from '#libs/resource/resource-registry.js';
import type { AgentDataScope } from '../agents/agent.parts.js';
import type { JobTarget } from '../jobs/job.parts.js';

/** What a model may see, within what the caller may see. */
export interface DataScope {
  /** Scope of the agent; null without one. */
  agent: AgentDataScope | null;
  /** Whether it may see personal fields that the caller may read. */
  personal: boolean;
}

/** Members of a record that are useless to a model. */
const HIDDEN: ReadonlySet<string> = new Set([
  'allowedActions',
  'archivedAt',
  'createdBy',
  'deletedAt',
  'externalRefs',
  'id',
  'object',
  'updatedBy',
  'version',
]);
const PERSONAL = '.personal:read';

const unknownRecord = (pointer: string): Violation => ({
  pointer,
  code: 'unknown_reference',
  detail: 'There is no such record.',
});

/** Records for models, read as the caller, without fields that no model may see. */
@Injectable()
export class Targets {
  constructor(private readonly registry: ResourceRegistry) {}

  /** @throws Problem 400 for each record that the caller cannot read, or that is outside the scope. */
  async read(targets: readonly JobTarget[], scope: DataScope): Promise<ContextRecord[]> {
    const violations: Violation[] = [];
    const records: ContextRecord[] = [];
    for (const [index, target] of targets.entries()) {
      const found = await this.find(target, scope, `/targets/${index}`);
      if ('code' in found) violations.push(found);
      else records.push(found);
    }
    if (violations.length > 0) throw Problem.validation(violations);
    return records;
  }

  /** A record for a model. `view` is what the API shows the caller. */
  render({ type, restricted = [] }: ResourceDefinition, view: object, scope: DataScope): ContextRecord {
    const kept = restricted.filter(
      ({ permission }) => scope.personal && permission.endsWith(PERSONAL) && holds(permission),
    );
    const shown = new Set(kept.flatMap(({ fields }) => fields));
    const concealed = new Set(restricted.flatMap(({ fields }) => fields).filter((field) => !shown.has(field)));
    const fields = Object.entries(view).filter(
      ([field, value]) => !HIDDEN.has(field) && !concealed.has(field) && !isEmpty(value),
    );
    return { object: type, id: (view as { id: string }).id, fields: Object.fromEntries(fields) };
  }

  /**
   * Whether the scope includes records of an area and a workspace. Records without a workspace belong to the default
   * one.
   */
  isWithin({ area }: Pick<ResourceDefinition, 'area'>, workspaceId: string | null, { agent }: DataScope): boolean {
    if (!agent) return true;
    const { areas, workspaceIds } = agent;
    const place = workspaceId ?? callerOrNull()?.authority.defaultWorkspaceId ?? null;
    return (
      (areas.length === 0 || areas.includes(area)) &&
      (workspaceIds.length === 0 || (place !== null && workspaceIds.includes(place)))
    );
  }

  private async find(target: JobTarget, scope: DataScope, pointer: string): Promise<ContextRecord | Violation> {
    const resource = this.registry.ofType(target.object);
    if (!resource)
      return { pointer: `${pointer}/object`, code: 'unknown_type', detail: 'There is no such type of records.' };
    const view = await readable(resource, target.id);
    if (!view) return unknownRecord(`${pointer}/id`);
    if (!this.isWithin(resource.definition, view.workspaceId, scope))
      return { pointer: `${pointer}/id`, code: 'outside_data_scope', detail: 'The agent may not look at this record.' };
    return this.render(resource.definition, view, scope);
  }
}

/** The record as the API shows it to the caller; null if they cannot read it. */
async function readable({ definition, service }: Resource, id: string) {
  if (isClosed(definition, definition.permissions.read)) return null;
  try {
    return await service.get(id);
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return null;
    throw error;
  }
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
