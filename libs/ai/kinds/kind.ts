import type { ModelMessage, ModelTask } from '../provider.js';

/** A change that a job proposes. It is made only after somebody with the right to make it has accepted it. */
export interface ProposedWrite {
  /** Key of a tool, e.g. `deals.update`. */
  operation: string;
  /** The record to change; null for a new one. */
  target: { object: string; id: string } | null;
  /** Body of the operation. */
  params: Record<string, unknown>;
  reason: string;
}

/** What a model is told. */
export interface RenderedPrompt {
  system: string;
  messages: ModelMessage[];
  /** JSON Schema of the answer to this task; null for plain text. */
  outputSchema: object | null;
}

/** A kind of job. */
export interface JobKind {
  /** E.g. `text.summarize`. */
  key: string;
  title: string;
  description: string;
  /** JSON Schema (draft 2020-12) of `input`. */
  inputSchema: JsonObjectSchema;
  /** JSON Schema of the answer, if it is the same for every task; null for plain text. */
  outputSchema: object | null;
  /** Member of `input` that a bare `prompt` stands for. */
  promptMember: string;
  /** Types of the records that it is given, and how many of them. */
  targets: { objects: readonly string[] | 'any'; min: number; max: number };
  /** The task in words. `instructions` are those of an agent or of a stored prompt. */
  render(task: ModelTask, instructions: string | null): RenderedPrompt;
  /** What an answer that fits the schema suggests to change. */
  proposals(output: unknown, task: ModelTask): ProposedWrite[];
}

export interface JsonObjectSchema {
  type: 'object';
  description?: string;
  properties: Record<string, object>;
  required: readonly string[];
  additionalProperties: false;
}
