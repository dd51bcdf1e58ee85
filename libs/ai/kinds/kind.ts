import type { ModelMessage, ModelTask } from '../provider.js';

/** A change that a job proposes. It is applied only after a member with the permission for it has accepted it. */
export interface ProposedWrite {
  /** Key of a tool, e.g. `deals.update`. */
  operation: string;
  /** The record to change; null for a new one. */
  target: { object: string; id: string } | null;
  /** Body of the operation. */
  params: Record<string, unknown>;
  reason: string;
}

/** The prompt for a model. */
export interface RenderedPrompt {
  system: string;
  messages: ModelMessage[];
  /** JSON Schema of the response to this task; null for plain text. */
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
  /** JSON Schema of the response, if it is the same for every task; null for plain text. */
  outputSchema: object | null;
  /** Member of `input` that a bare `prompt` is stored in. */
  promptMember: string;
  /** Types and number of the records that it accepts. */
  targets: { objects: readonly string[] | 'any'; min: number; max: number };
  /** The task as text. `instructions` are those of an agent or of a stored prompt. */
  render(task: ModelTask, instructions: string | null): RenderedPrompt;
  /** Changes proposed by a response that matches the schema. */
  proposals(output: unknown, task: ModelTask): ProposedWrite[];
}

export interface JsonObjectSchema {
  type: 'object';
  description?: string;
  properties: Record<string, object>;
  required: readonly string[];
  additionalProperties: false;
}
