import { createHash } from 'node:crypto';
import type { ModelPrice } from '#libs/ai/price.js';
import type { Completion, ModelCall } from '#libs/ai/provider.js';

/**
 * `sending`: recorded, and perhaps sent. `done`: answered. `refused`: not answered and not charged. `in_doubt`:
 * unknown; the maximum cost is booked.
 */
export type CallState = 'sending' | 'done' | 'refused' | 'in_doubt';

/** That a tool was used; not what for. */
export interface ToolUse {
  /** Key, e.g. `deals.search`; null for one that does not exist. */
  key: string | null;
  /** `done`, a status of a proposed action, or the code of a problem. */
  outcome: string;
  at: string;
  durationMs: number;
}

/** A request to a model, as it is kept. Its id is its idempotency key and the key of its booking. */
export interface Call {
  id: string;
  jobId: string;
  reservationId: string;
  /** Of the job: 1, and one more for each retry that a person asked for. */
  attempt: number;
  /** Place in the conversation, from 1. */
  step: number;
  state: CallState;
  provider: string;
  model: string;
  /** SHA-256 of what is asked, hex. */
  requestHash: string;
  maxOutputTokens: number;
  /** Micros per 1,000 tokens, as in force when it was written. */
  inputPrice: number;
  outputPrice: number;
  cachedPrice: number;
  worstMicros: number;
  costMicros: number;
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  /** How often it was sent. */
  tries: number;
  finish: Completion['finish'] | null;
  fault: string | null;
  providerRequestId: string | null;
  /** {@link Completion} as JSON, sealed; null before there is one, and when the job is over. */
  answer: string | null;
  /** What the tools that it asked for answered, as JSON, sealed. */
  results: string | null;
  /** Which tools these were. */
  tools: ToolUse[];
  sentAt: string;
  finishedAt: string | null;
  latencyMs: number | null;
}

/** What a model is asked, without what belongs to one attempt at it. */
export type Question = Omit<ModelCall, 'maxOutputTokens' | 'idempotencyKey' | 'timeoutMs'>;

/** Tells whether a question is the very same again. What the offline provider works on says nothing that the words do not. */
export function hashOf({ task: _, ...question }: Question): string {
  return createHash('sha256').update(JSON.stringify(question)).digest('hex');
}

export function priceOf({ sentAt, inputPrice, outputPrice, cachedPrice }: Call): ModelPrice {
  return {
    from: sentAt,
    inputMicrosPer1k: inputPrice,
    outputMicrosPer1k: outputPrice,
    cachedMicrosPer1k: cachedPrice,
  };
}

/** Where the answer to a call is sealed, and what its tools answered. */
export const answerPlace = (callId: string): string => `data.ai_calls|answer|${callId}`;
export const resultsPlace = (callId: string): string => `data.ai_calls|results|${callId}`;
