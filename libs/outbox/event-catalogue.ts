import { Injectable } from '@nestjs/common';

/** A JSON Schema (2020-12). */
export type JsonSchema = Record<string, unknown>;

/** One version of one event type, as it is published. */
export interface EventType {
  /** `{area}.{entity}.{past_verb}`. */
  type: string;
  version: number;
  description: string;
  /** Schema of the event's `data`. */
  data: JsonSchema;
  example: Record<string, unknown>;
  subjectType: string;
  deprecated: boolean;
}

/**
 * Every event type that the platform can emit. Filled at start by the modules that emit them; feeds the event-schema
 * route, the `webhooks` section of the OpenAPI document and the check of subscriptions.
 */
@Injectable()
export class EventCatalogue {
  private readonly types = new Map<string, EventType>();

  /** @throws Error when the type and version are there already. */
  add(type: EventType): void {
    const key = `${type.type}.v${type.version}`;
    if (this.types.has(key)) throw new Error(`The event type ${key} is declared twice.`);
    this.types.set(key, type);
  }

  /** All versions of all types, by name. */
  all(): EventType[] {
    return [...this.types.values()].sort((a, b) =>
      a.type < b.type ? -1 : a.type > b.type ? 1 : a.version - b.version,
    );
  }

  /** Newest version of a type. @throws Error for an unknown one: nothing undeclared is ever emitted. */
  newest(type: string): EventType {
    const found = this.all().filter((known) => known.type === type);
    if (found.length === 0) throw new Error(`The event type ${type} is not declared.`);
    return found.at(-1)!;
  }

  /** Whether a subscription pattern (`sales.deal.won`, `sales.deal.*`, `sales.*`, `*`) can match any event. */
  matchesAny(pattern: string): boolean {
    return this.all().some(({ type }) => matches(pattern, type));
  }
}

/** Whether a subscription pattern covers an event type. A `*` stands for the rest of the name after a dot. */
export function matches(pattern: string, type: string): boolean {
  if (pattern === '*' || pattern === type) return true;
  return pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1));
}
