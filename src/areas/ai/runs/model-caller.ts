import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { fittingOutput, inputBound, worstCase } from '#libs/ai/cost.js';
import { type Completion, ProviderError } from '#libs/ai/provider.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { storable } from '#libs/kernel/storable.js';
import { Sealer } from '#libs/sealing/sealer.js';
import { Spending } from '../budgets/spending.js';
import { Models } from '../models/models.service.js';
import { type Call, CALL_ANSWER, hashOf, type Question } from './call.js';
import { CallSettlement } from './call-settlement.js';
import { CallsRepository } from './calls.repository.js';
import { goOn, Interrupted, JobEnd } from './job-end.js';
import { JobQueueRepository } from './job-queue.repository.js';
import type { JobRun } from './job-run.js';
import type { QueueEntry } from './lease.js';

/** Retries after a transient fault. */
const RETRIES = 3;
const FIRST_PAUSE_MS = 500;
/** Outcome of a dead worker's call that cannot be repeated. It ends the job. */
const IN_DOUBT = 'call_in_doubt';

/** The response to a step, with its call. */
export interface Answer {
  call: Call;
  completion: Completion;
}

/**
 * Calls models. A call is recorded, with its maximum cost within the cap and the reservation, before it is sent; its
 * cost is booked with the response. A call with an unknown outcome is repeated only if the provider supports
 * idempotency keys; otherwise its maximum cost is booked as doubtful.
 */
@Injectable()
export class ModelCaller {
  private readonly timeoutMs: number;

  constructor(
    @Inject(SETTINGS_TOKEN) settings: Pick<Settings, 'AI_CALL_TIMEOUT_SECONDS'>,
    private readonly calls: CallsRepository,
    private readonly settlement: CallSettlement,
    private readonly queue: JobQueueRepository,
    private readonly models: Models,
    private readonly spending: Spending,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
  ) {
    this.timeoutMs = settings.AI_CALL_TIMEOUT_SECONDS * 1_000;
  }

  /**
   * The response to one step of the conversation: the stored one, or a new one.
   * @throws JobEnd, Interrupted, LeaseLost.
   */
  async answer(run: JobRun, step: number, question: Question): Promise<Answer> {
    const known = (await this.calls.ofJob(run.job.id)).filter(
      (call) => call.attempt === run.job.attempts && call.step === step,
    );
    const done = known.find(({ state }) => state === 'done');
    if (done?.answer) return { call: done, completion: await this.opened(done.id, done.answer) };
    if (known.some(({ fault }) => fault === IN_DOUBT)) throw endInDoubt(); // noted by a worker that died before the end
    let tries = known.reduce((sum, call) => sum + call.tries, 0);
    let open = known.find(({ state }) => state === 'sending') ?? null;
    let fault: ProviderError | null = null;
    if (open) await this.takeUp(run, open, question);
    for (;;) {
      goOn(run.signal);
      const call: Call = open ?? (await this.write(run, step, question).catch(insteadOf(fault)));
      tries++;
      const outcome = await this.send(run, call, question);
      if (!(outcome instanceof ProviderError)) return this.keep(run, call, outcome);
      fault = outcome;
      goOn(run.signal);
      const pauseMs = pauseAfter(outcome, tries);
      const again = outcome.isTransient && tries <= RETRIES && performance.now() + pauseMs < run.endsAtMs;
      open = await this.after(run, call, outcome, again);
      if (!again) throw new JobEnd('fail', outcome.fault, outcome.message);
      await pause(pauseMs, undefined, { signal: run.signal }).catch(() => goOn(run.signal));
    }
  }

  /**
   * A worker died during this call. @throws JobEnd if the provider may have responded and the call cannot be repeated.
   */
  private async takeUp(run: JobRun, call: Call, question: Question): Promise<void> {
    const isSame = call.requestHash === hashOf(question);
    if (!run.provider.isIdempotent || !isSame) {
      await this.queue.fenced(run.lease, (transaction) => this.settlement.inDoubt(transaction, call, IN_DOUBT));
      throw endInDoubt();
    }
    await this.queue.fenced(run.lease, async (transaction, entry) => {
      mayCall(entry);
      this.calls.tryAgain(transaction, call.id, call.fault);
    });
  }

  /** Records a call that fits the remaining amount. @throws JobEnd if none fits. */
  private async write({ job, lease }: JobRun, step: number, question: Question): Promise<Call> {
    const offer = await this.models.find(job.provider, job.model);
    if (!offer) throw new JobEnd('fail', 'model_not_available', `The model ${job.model} is not offered any more.`);
    const { price } = offer;
    if (!price) throw new JobEnd('fail', 'model_not_priced', `The model ${job.model} has no price in force.`);
    const inputTokens = inputBound(question);
    const id = uuidv7();
    return this.queue.fenced(lease, async (transaction, entry) => {
      mayCall(entry);
      const reservationId = job.reservationId!;
      const reservation = await this.spending.find(transaction, reservationId);
      if (reservation?.state !== 'open')
        throw new JobEnd('cap_reached', 'reservation_released', 'The reservation of the job has been released.');
      const calls = await this.calls.ofJob(job.id);
      const spent = calls.reduce((sum, { costMicros }) => sum + costMicros, 0);
      const left = Math.max(0, Math.min(job.costCapMicros - spent, reservation.heldMicros));
      const wanted = Math.min(job.maxOutputTokens, offer.maxOutputTokens);
      const maxOutputTokens = fittingOutput(inputTokens, wanted, left, price);
      if (maxOutputTokens === null)
        throw new JobEnd('cap_reached', 'cost_cap_reached', 'The next call would exceed the rest of the cap.');
      const call = {
        ...{ id, jobId: job.id, reservationId, attempt: job.attempts, step, provider: job.provider, model: job.model },
        ...{ requestHash: hashOf(question), maxOutputTokens, inputPrice: price.inputMicrosPer1k },
        ...{ outputPrice: price.outputMicrosPer1k, cachedPrice: price.cachedMicrosPer1k },
        worstMicros: worstCase(inputTokens, maxOutputTokens, price),
        sentAt: this.clock.now().toISOString(),
      };
      this.calls.insert(transaction, call);
      return { ...NEW_CALL, ...call };
    });
  }

  private async send(run: JobRun, call: Call, question: Question): Promise<Completion | ProviderError> {
    const { id: idempotencyKey, maxOutputTokens } = call;
    const timeoutMs = Math.max(1, Math.ceil(Math.min(this.timeoutMs, run.endsAtMs - performance.now())));
    try {
      const request = { ...question, maxOutputTokens, idempotencyKey, timeoutMs };
      return storable(await run.provider.complete(request, run.signal));
    } catch (error) {
      if (error instanceof ProviderError) return error;
      return new ProviderError('provider_answer_invalid', String(error), false, true);
    }
  }

  /** Stores a response and its cost. @throws JobEnd if it cost more than was reserved. */
  private async keep(run: JobRun, call: Call, completion: Completion): Promise<Answer> {
    const answer = await this.sealer.seal(JSON.stringify(completion), CALL_ANSWER, call.id);
    const overrunMicros = await this.queue.fenced(run.lease, (transaction) =>
      this.settlement.answered(transaction, call, completion, answer),
    );
    if (overrunMicros > 0)
      throw new JobEnd('cap_reached', 'provider_overrun', 'The provider has charged more than it was allowed to.');
    return { call, completion };
  }

  /** Records a fault. Returns the call if it can be repeated unchanged; null if a new one is needed. */
  private async after(run: JobRun, call: Call, error: ProviderError, again: boolean): Promise<Call | null> {
    const { fault, mayHaveRun } = error;
    const isSafe = !mayHaveRun || run.provider.isIdempotent;
    return this.queue.fenced(run.lease, async (transaction, entry) => {
      if (again && isSafe) {
        mayCall(entry);
        this.calls.tryAgain(transaction, call.id, fault);
        return { ...call, tries: call.tries + 1, fault };
      }
      if (mayHaveRun) await this.settlement.inDoubt(transaction, call, fault);
      else await this.settlement.refused(transaction, call, fault);
      return null;
    });
  }

  private async opened(callId: string, answer: string): Promise<Completion> {
    return JSON.parse(await this.sealer.open(answer, CALL_ANSWER, callId)) as Completion; // sealed by keep()
  }
}

const NEW_CALL = {
  ...{ state: 'sending' as const, costMicros: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0, tries: 1 },
  ...{ finish: null, fault: null, providerRequestId: null, answer: null, results: null, tools: [] },
  ...{ finishedAt: null, latencyMs: null },
};

function endInDoubt(): JobEnd {
  return new JobEnd('fail', IN_DOUBT, 'The worker ended while a model was called; whether it answered is not known.');
}

/** @throws Interrupted if the job may not make more calls. */
function mayCall({ state, stopReason }: QueueEntry): void {
  if (state !== 'running' || stopReason !== null) throw new Interrupted('cancelled');
}

/** If no amount remains after a fault, the job has failed because of that fault. */
function insteadOf(fault: ProviderError | null): (error: unknown) => never {
  return (error) => {
    if (fault && error instanceof JobEnd) throw new JobEnd('fail', fault.fault, fault.message);
    throw error;
  };
}

/** Doubles after each fault, and is at least the provider's `Retry-After`; ms. */
function pauseAfter({ retryAfterMs }: ProviderError, tries: number): number {
  const own = FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2);
  return Math.max(own, retryAfterMs ?? 0);
}
