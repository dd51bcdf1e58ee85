import type { JsonSchema } from '../field.js';

/**
 * Examples of models, set on their schemas, so that pages, events and everything else that contains a model show them
 * too.
 */
export class ModelExamples {
  private readonly values = new Map<string, object>();

  /** Keeps the first example of a model. @returns whether this is the example that the model shows. */
  add(model: string, value: object): boolean {
    const known = this.values.get(model);
    if (known === undefined) this.values.set(model, value);
    return known === undefined || JSON.stringify(known) === JSON.stringify(value);
  }

  /** Adds them to the schemas, by the names of the models. */
  describe(schemas: Record<string, JsonSchema>): void {
    for (const [model, value] of this.values) schemas[model]!['examples'] = [value];
  }
}
