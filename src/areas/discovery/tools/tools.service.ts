import { Injectable } from '@nestjs/common';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { entryRefusal } from '#libs/http/entry.js';
import type { JsonSchema } from '#libs/http/field.js';
import { Clock } from '#libs/kernel/clock.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { pageOfAll } from '#libs/resource/lists/page-of-all.js';
import { type KnownOperation, OperationCatalogue } from '../operations/operation-catalogue.js';
import { checkKnown } from '../operations/operations.service.js';
import type { Tool, ToolList, ToolQuery } from './tool.dto.js';
import { inputSchemaOf, speaksJson } from './tool-schema.js';

/**
 * Operations as tools for AI agents. Reads are offered to every caller who may make them. Writes are offered only if a
 * scope of the credential names them (`deals:write`, `deals:*`), because a key with `*` was not created with an agent
 * in mind. Operations that return secrets, need no credential or do not use JSON are not offered.
 */
@Injectable()
export class ToolsService {
  private readonly schemas = new Map<string, JsonSchema>();
  private tools: Promise<ReadonlyMap<string, KnownOperation>> | null = null;

  constructor(
    private readonly catalogue: OperationCatalogue,
    private readonly cursors: Cursors,
    private readonly clock: Clock,
  ) {}

  async list({ area, ...page }: ToolQuery): Promise<ToolList> {
    const known = [...(await this.byName()).values()];
    const areas = new Set([...(await this.catalogue.all()).values()].map((each) => each.area));
    for (const each of area ?? []) checkKnown('area', each, areas);
    const offered = known.filter((each) => (area?.includes(each.area) ?? true) && this.refusalOf(each) === null);
    const { data, page: info } = pageOfAll(offered, page, this.cursors, ['discovery.tools', area]);
    return { data: await Promise.all(data.map((each) => this.toolOf(each))), page: info };
  }

  /** The operation of a tool, whether or not the caller may use it; undefined for an unknown name. */
  async find(name: string): Promise<KnownOperation | undefined> {
    return (await this.byName()).get(name);
  }

  /** Names of all tools, whether or not the caller may use them. */
  async names(): Promise<Iterable<string>> {
    return (await this.byName()).keys();
  }

  /** Why a tool is not offered to the caller, as a sentence; null when it is. */
  refusalOf({ route, method }: KnownOperation): string | null {
    const principal = currentPrincipal();
    const refusal = entryRefusal(principal, route, this.clock.nowMs());
    if (refusal) return refusal.detail;
    if (method === 'get' || principal.permissions.isNamed(route.permission)) return null;
    return route.permission === 'any'
      ? 'Agents may not call this operation.'
      : `An agent may only write with a key whose scopes name ${route.permission}, which this key does not.`;
  }

  async schemaOf(operation: KnownOperation): Promise<JsonSchema> {
    let schema = this.schemas.get(operation.id);
    if (!schema) this.schemas.set(operation.id, (schema = inputSchemaOf(operation, await this.catalogue.document())));
    return schema;
  }

  private async toolOf(known: KnownOperation): Promise<Tool> {
    const { id, operation, method } = known;
    const { summary = id, description = summary } = operation;
    return {
      name: toolNameOf(id),
      operation: id,
      description: description === summary ? `${summary}.` : `${summary}. ${description}`,
      readOnly: method === 'get',
      inputSchema: await this.schemaOf(known),
    };
  }

  private byName(): Promise<ReadonlyMap<string, KnownOperation>> {
    return (this.tools ??= this.catalogue
      .all()
      .then((all) => new Map([...all.values()].filter(isTool).map((each) => [toolNameOf(each.id), each]))));
  }
}

/** Letters, digits and underscores, which all models accept in names. */
function toolNameOf(operationId: string): string {
  return operationId.replaceAll('.', '_');
}

function isTool(operation: KnownOperation): boolean {
  const { permission, dialect, secretAnswer } = operation.route;
  return permission !== 'public' && !dialect && !secretAnswer && speaksJson(operation);
}
