import { Injectable } from '@nestjs/common';
import type { ToolSpec } from '#libs/ai/provider.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import type { JsonSchema } from '#libs/http/field.js';
import { inlineSchemaOf } from '#libs/http/schema.js';
import type { ResourceDefinition } from '#libs/resource/types/definition.js';
import { withArticle } from '#libs/resource/types/standard-actions.js';
import { listQuery } from '#libs/resource/lists/list-query.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { type Tool, TOOLS } from '../agents/agent.tools.js';
import type { AiJob } from '../jobs/job.js';
import { Requesters } from '../tools/requesters.js';

/** Maximum number of records that one search shows to a model. */
export const MAX_ITEMS = 20;
/** Members of request bodies that do not describe the record itself. */
const LEFT_OUT = ['customFields', 'externalRefs', 'tags'];
const REASON = { type: 'string', maxLength: 2_000, description: 'Why, in a sentence for the person who decides.' };
const ID = { type: 'string', format: 'uuid', description: 'Id of the record.' };

/** A tool that the model of a job may request. */
export interface OfferedTool extends Tool {
  key: string;
  verb: 'search' | 'get' | 'create' | 'update';
  /** Type key of the records, e.g. `sales.deal`. */
  object: string;
  spec: ToolSpec;
}

/**
 * The tools of jobs: those of the agent that the requester may use too. They are fixed before the model reads anything,
 * so records cannot add tools.
 */
@Injectable()
export class OfferedTools {
  private readonly known = new Map<string, OfferedTool>();

  constructor(
    private readonly registry: ResourceRegistry,
    private readonly requesters: Requesters,
  ) {}

  /** By the name that the model uses. @throws Problem 401 if the requester's credential is no longer valid. */
  async of(job: AiJob): Promise<ReadonlyMap<string, OfferedTool>> {
    if (job.tools.length === 0) return new Map();
    const { permissions } = await this.requesters.as(job, () => Promise.resolve(currentPrincipal()));
    const tools = job.tools.map((key) => this.tool(key)).filter((tool) => tool !== null);
    return new Map(tools.filter(({ permission }) => permissions.has(permission)).map((tool) => [tool.spec.name, tool]));
  }

  private tool(key: string): OfferedTool | null {
    let tool = this.known.get(key) ?? null;
    if (!tool) {
      tool = this.make(key);
      if (tool) this.known.set(key, tool);
    }
    return tool;
  }

  private make(key: string): OfferedTool | null {
    const tool = TOOLS.get(key);
    const [collection, verb] = key.split('.') as [string, OfferedTool['verb']];
    const definition = this.registry
      .all()
      .find((each) => each.collection === collection && tool?.operation.startsWith(`${each.area}.`));
    if (!tool || !definition) return null;
    const { description, parameters } = formOf(verb, definition);
    const spec = { name: key.replaceAll('.', '__'), description, parameters };
    return { ...tool, key, verb, object: definition.type, spec };
  }
}

function formOf(
  verb: OfferedTool['verb'],
  definition: ResourceDefinition,
): { description: string; parameters: object } {
  const { noun, collection } = definition;
  switch (verb) {
    case 'search':
      return { description: `Finds ${collection}.`, parameters: object(searchFields(definition), []) };
    case 'get':
      return { description: `Reads one ${noun}.`, parameters: object({ id: ID }, ['id']) };
    case 'create':
      return {
        description: `Proposes a new ${noun}.`,
        parameters: object({ record: bodyOf(definition.create), reason: REASON }, ['record', 'reason']),
      };
    case 'update':
      return {
        description: `Proposes to change fields of ${withArticle(noun)}.`,
        parameters: object({ id: ID, changes: bodyOf(definition.update), reason: REASON }, ['id', 'changes', 'reason']),
      };
  }
}

function object(properties: object, required: string[]): object {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** List parameters that compare with a single value: providers accept no other names. */
function searchFields({ type, list }: ResourceDefinition): object {
  const { properties } = inlineSchemaOf(listQuery(`Search of ${type}`, list)) as {
    properties: Record<string, JsonSchema>;
  };
  const plain = Object.entries(properties).filter(
    ([name]) => /^[a-zA-Z]\w*$/.test(name) && !['cursor', 'limit', 'includeArchived', 'includeDeleted'].includes(name),
  );
  const limit = { type: 'integer', minimum: 1, maximum: MAX_ITEMS, description: 'Largest number of records.' };
  return { ...Object.fromEntries(plain.map(([name, schema]) => [name, withoutExamples(schema)])), limit };
}

function bodyOf(model: ResourceDefinition['create']): object {
  const { properties, ...schema } = inlineSchemaOf(model) as { properties: Record<string, JsonSchema> };
  const own = Object.entries(properties).filter(([name]) => !LEFT_OUT.includes(name));
  return { ...schema, properties: Object.fromEntries(own.map(([name, each]) => [name, withoutExamples(each)])) };
}

function withoutExamples({ examples: _, ...schema }: JsonSchema): object {
  return schema;
}
