import { Injectable } from '@nestjs/common';
import { PERMISSIONS } from '#libs/auth/permissions.js';
import { inlineSchemaOf } from '#libs/http/schema.js';
import { checkLifecycle } from '#libs/kernel/lifecycle.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import type { ResourceDefinition } from './definition.js';

const STANDARD_ACTIONS = ['archive', 'unarchive', 'delete', 'restore'];
const PERMISSION_NAMES: ReadonlySet<string> = new Set(Object.keys(PERMISSIONS));

/** Every resource of the process: checks its life cycle when the process starts and declares its events. */
@Injectable()
export class ResourceRegistry {
  private readonly definitions = new Map<string, ResourceDefinition>();

  constructor(private readonly events: EventCatalogue) {}

  /** @throws Error when the life cycle is not sound or the type is there already. */
  add(definition: ResourceDefinition, handlers: string[]): void {
    const { type, lifecycle, noun, view, example } = definition;
    if (this.definitions.has(type)) throw new Error(`The type ${type} is declared twice.`);
    this.definitions.set(type, definition);
    checkLifecycle(type, lifecycle, {
      permissions: PERMISSION_NAMES,
      handlers: new Set([...handlers, ...STANDARD_ACTIONS.filter((action) => action in lifecycle.transitions)]),
    });
    const data = inlineSchemaOf(view);
    const verbs = new Map([
      ['created', `A ${noun} was made.`],
      ['updated', `Fields of a ${noun} changed.`],
    ]);
    for (const { event, happened } of Object.values(lifecycle.transitions))
      if (!verbs.has(event)) verbs.set(event, happened);
    for (const [verb, description] of verbs)
      this.events.add({
        type: `${type}.${verb}`,
        version: 1,
        description,
        data,
        example,
        subjectType: type,
        deprecated: false,
      });
  }

  all(): ResourceDefinition[] {
    return [...this.definitions.values()];
  }
}
