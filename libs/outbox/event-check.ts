import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { EventCatalogue } from './event-catalogue.js';
import { eventSchema } from './event-schema.js';

/** Validates events against their published schemas. Each schema is compiled once, which takes a few milliseconds. */
export class EventCheck {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false });
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor(private readonly events: EventCatalogue) {
    formats.default(this.ajv);
  }

  /**
   * Faults of an event, as receivers get it, against the schema of its type and version; null if there are none or
   * this process does not have the schema. Contains positions, not values.
   */
  faultOf(event: { type: string; schemaVersion: number; [member: string]: unknown }): string | null {
    const declared = this.events.find(event.type, event.schemaVersion);
    if (!declared) return null;
    const key = `${event.type} v${event.schemaVersion}`;
    let validate = this.compiled.get(key);
    if (!validate) this.compiled.set(key, (validate = this.ajv.compile(eventSchema(declared))));
    if (validate(event)) return null;
    return validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`).join('; ');
  }
}
