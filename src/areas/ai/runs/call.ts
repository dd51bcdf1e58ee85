import { createHash } from 'node:crypto';
import type { ModelPrice } from '#libs/ai/price.js';
import type { Completion, ModelCall } from '#libs/ai/provider.js';
import { SealedColumn } from '#libs/sealing/sealed-column.js';

/**
 * `sending`: recorded, and perhaps sent. `done`: response received. `refused`: rejected and not charged. `in_doubt`:
 * unknown; the maximum cost is booked.
 */
export type CallState = 'sending' | 'done' | 'refused' | 'in_doubt';

/** That a tool was used, without its parameters. */
export interface ToolUse {
  /** Key, e.g. `deals.search`; null if the tool does not exist. */
  key: string | null;
  /** `done`, a status of a proposed action, or the code of a problem. */
  outcome: string;
  at: string;
  durationMs: number;
}

/** A request to a model, as stored. Its id is also its idempotency key and the key of its ledger entry. */
export interface Call {
  id: string;
  jobId: string;
  reservationId: string;
  /** 1 for the first attempt of the job, incremented by each retry that a person requests. */
  attempt: number;
  /** Position in the conversation, from 1. */
  step: number;
  state: CallState;
  provider: string;
  model: string;
  /** SHA-256 of the question, hex. */
  requestHash: string;
  maxOutputTokens: number;
  /** Micros per 1,000 tokens, at the price when the call was recorded. */
  inputPrice: number;
  outputPrice: number;
  cachedPrice: number;
  worstMicros: number;
  costMicros: number;
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  /** Number of times sent. */
  tries: number;
  finish: Completion['finish'] | null;
  fault: string | null;
  providerRequestId: string | null;
  /** {@link Completion} as JSON, encrypted; null before the response and after the job has ended. */
  answer: string | null;
  /** Results of the requested tools as JSON, encrypted. */
  results: string | null;
  /** The requested tools. */
  tools: ToolUse[];
  sentAt: string;
  finishedAt: string | null;
  latencyMs: number | null;
}

/** What a model is asked, without the parts that change between attempts. */
export type Question = Omit<ModelCall, 'maxOutputTokens' | 'idempotencyKey' | 'timeoutMs'>;

/** Identifies a question. `task` is omitted: it is derived from the same text, for the offline provider. */
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

/** Encryption context of a call's response, and of its tool results. */
export const CALL_ANSWER = new SealedColumn('data.ai_calls', 'answer');
export const CALL_RESULTS = new SealedColumn('data.ai_calls', 'results');
