import type { Reference } from './parts.js';

/** Examples that many operations show, each once in the document. */
export class SharedExamples {
  /** `components.examples`. */
  readonly examples: Record<string, { summary: string; value: object }> = {};
  private readonly known = new Map<string, string>();

  /** A reference to the example of a model; different ones of one model get names of their own. */
  of(model: string, value: object): Record<string, Reference> {
    const key = `${model} ${JSON.stringify(value)}`;
    let name = this.known.get(key);
    if (name === undefined) {
      const others = Object.keys(this.examples).filter((each) => each.replace(/\d+$/, '') === model).length;
      name = others === 0 ? model : `${model}${others + 1}`;
      this.known.set(key, name);
      this.examples[name] = { summary: model, value };
    }
    return { example: { $ref: `#/components/examples/${name}` } };
  }
}
