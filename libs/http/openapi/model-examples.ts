import type { JsonSchema } from '../field.js';

/** Examples of models, set on their schemas, so that everything that contains a model shows them. */
export class ModelExamples {
  private readonly values = new Map<string, object>();

  /** Keeps the first example of a model. @returns whether this example was kept or equals the kept one. */
  add(model: string, value: object): boolean {
    const known = this.values.get(model);
    if (known === undefined) this.values.set(model, value);
    return known === undefined || JSON.stringify(known) === JSON.stringify(value);
  }

  /** Adds the examples to the schemas, by model name. */
  describe(schemas: Record<string, JsonSchema>): void {
    for (const [model, value] of this.values) schemas[model]!['examples'] = [value];
  }
}
