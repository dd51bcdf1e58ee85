import { Injectable } from '@nestjs/common';
import type { ModelUsage } from '#libs/ai/provider.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { Call, CallState, ToolUse } from './call.js';

const COLUMNS = `id, job_id as "jobId", reservation_id as "reservationId", attempt, step, state, provider, model,
  request_hash as "requestHash", max_output_tokens as "maxOutputTokens", input_price as "inputPrice",
  output_price as "outputPrice", cached_price as "cachedPrice", worst_micros as "worstMicros", cost_micros as "costMicros",
  input_tokens as "inputTokens", output_tokens as "outputTokens", cached_tokens as "cachedTokens", tries, finish, fault,
  provider_request_id as "providerRequestId", answer, results, tools, sent_at as "sentAt", finished_at as "finishedAt",
  latency_ms as "latencyMs"`;
const OF_JOB = `select ${COLUMNS} from data.ai_calls where tenant_id = $1 and job_id = $2 order by id`;
const INSERT = `insert into data.ai_calls (tenant_id, id, job_id, reservation_id, attempt, step, state, provider, model,
    request_hash, max_output_tokens, input_price, output_price, cached_price, worst_micros, sent_at)
  values ($1, $2, $3, $4, $5, $6, 'sending', $7, $8, $9, $10, $11, $12, $13, $14, $15)`;
const TRY_AGAIN = `update data.ai_calls set tries = tries + 1, fault = $3 where tenant_id = $1 and id = $2 and state = 'sending'`;
const END = `update data.ai_calls set state = $3, cost_micros = $4, input_tokens = $5, output_tokens = $6, cached_tokens = $7,
    finish = $8, fault = $9, provider_request_id = $10, answer = $11, finished_at = $12, latency_ms = $13
  where tenant_id = $1 and id = $2 and state = 'sending'`;
const KEEP_RESULTS = `update data.ai_calls set results = $3, tools = $4 where tenant_id = $1 and id = $2`;
const WIPE = `update data.ai_calls set answer = null, results = null where tenant_id = $1 and job_id = $2`;

/** Outcome of a call. */
export interface CallEnd extends Pick<Call, 'id' | 'finish' | 'fault' | 'providerRequestId' | 'answer' | 'latencyMs'> {
  state: Exclude<CallState, 'sending'>;
  costMicros: number;
  usage: ModelUsage;
  finishedAt: string;
}

export type NewCall = Pick<
  Call,
  | 'id'
  | 'jobId'
  | 'reservationId'
  | 'attempt'
  | 'step'
  | 'provider'
  | 'model'
  | 'requestHash'
  | 'maxOutputTokens'
  | 'inputPrice'
  | 'outputPrice'
  | 'cachedPrice'
  | 'worstMicros'
  | 'sentAt'
>;

/** The calls of jobs in PostgreSQL. Each response is written once: a call that has ended does not change. */
@Injectable()
export class CallsRepository {
  constructor(private readonly database: Database) {}

  /** All calls of a job, oldest first. Joins the open transaction, if there is one. */
  ofJob(jobId: string): Promise<Call[]> {
    return this.database.read<Call>(statement(OF_JOB, [currentTenant().id, jobId]));
  }

  insert(transaction: Transaction, call: NewCall): void {
    const { id, jobId, reservationId, attempt, step, provider, model, requestHash, maxOutputTokens } = call;
    const own = [id, jobId, reservationId, attempt, step, provider, model, requestHash, maxOutputTokens];
    const prices = [call.inputPrice, call.outputPrice, call.cachedPrice, call.worstMicros];
    transaction.write(statement(INSERT, [currentTenant().id, ...own, ...prices, call.sentAt]));
  }

  tryAgain(transaction: Transaction, callId: string, fault: string | null): void {
    transaction.write(statement(TRY_AGAIN, [currentTenant().id, callId, fault]));
  }

  end(transaction: Transaction, { id, state, costMicros, usage, ...rest }: CallEnd): void {
    const tokens = [usage.inputTokens, usage.outputTokens, usage.cachedTokens];
    const { finish, fault, providerRequestId, answer, finishedAt, latencyMs } = rest;
    const values = [costMicros, ...tokens, finish, fault, providerRequestId, answer, finishedAt, latencyMs];
    transaction.write(statement(END, [currentTenant().id, id, state, ...values]));
  }

  /** Stores the encrypted results of the tools that a call requested. */
  keepResults(transaction: Transaction, callId: string, results: string, tools: readonly ToolUse[]): void {
    transaction.write(statement(KEEP_RESULTS, [currentTenant().id, callId, results, JSON.stringify(tools)]));
  }

  /** Deletes the content of a job's calls. */
  wipe(transaction: Transaction, jobId: string): void {
    transaction.write(statement(WIPE, [currentTenant().id, jobId]));
  }
}
