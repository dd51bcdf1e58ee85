import { coveredBy } from '#libs/auth/permissions.js';
import type { Agent } from '../agents/agent.js';
import { type Tool, TOOLS } from '../agents/agent.tools.js';
import type { ModelClass } from '#libs/http/field.js';
import { bodyViolations } from '#libs/http/validation.js';
import { Problem } from '#libs/kernel/problem.js';
import { operationPrefix } from '#libs/resource/types/definition.js';
import type { Resource, ResourceRegistry } from '#libs/resource/resource-registry.js';

/** A tool with the record type that it applies to. */
export interface FoundTool extends Tool {
  resource: Resource;
  verb: 'list' | 'get' | 'create' | 'update';
}

/** The tool with a key such as `deals.update`. @throws Problem 403 `tool_not_granted` if there is none. */
export function toolOf(registry: ResourceRegistry, key: string): FoundTool {
  const tool = TOOLS.get(key);
  const [verb, prefix] = tool
    ? [
        tool.operation.slice(tool.operation.lastIndexOf('.') + 1),
        tool.operation.slice(0, tool.operation.lastIndexOf('.')),
      ]
    : ['', ''];
  const definition = registry.all().find((each) => operationPrefix(each) === prefix);
  if (!tool || !definition) throw new Problem('tool_not_granted', `There is no tool ${key}.`);
  return { ...tool, resource: registry.ofType(definition.type)!, verb: verb as FoundTool['verb'] };
}

/**
 * @throws Problem 403 `tool_not_granted` for a tool that the agent does not have, or that exceeds its grants.
 */
export function refuseUngranted(agent: Pick<Agent, 'tools' | 'grants'>, key: string, { permission }: Tool): void {
  if (!agent.tools.includes(key)) throw new Problem('tool_not_granted', `The agent does not have the tool ${key}.`);
  if (!(coveredBy(agent.grants) as readonly string[]).includes(permission))
    throw new Problem('tool_not_granted', `The agent is not granted ${permission}.`);
}

/** @throws Problem 400 with every violation of a model in `value`, below `pointer`. */
export function refuseUnfit(model: ModelClass, value: unknown, pointer: string): void {
  const faults = bodyViolations(model, value);
  if (faults.length > 0)
    throw Problem.validation(faults.map((fault) => ({ ...fault, pointer: `${pointer}${fault.pointer}` })));
}
