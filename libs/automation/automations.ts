import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { matches } from '#libs/outbox/event-catalogue.js';
import type { EventEnvelope } from '#libs/outbox/event.js';
import type { OfReaders, OfTenant, OnBehalf } from '#libs/worker/on-behalf.js';

/** An event as passed to a flow. */
export interface AutomationEvent extends EventEnvelope {
  data: Record<string, unknown>;
  /** Number of automations in the chain that caused it. */
  depth: number;
}

/** An automation triggered by an event. */
export interface Flow {
  /** `area.what_it_does`. Stored with each run, so renaming a flow makes it a different one. */
  flow: string;
  /** Event type, or a pattern as in webhook subscriptions. */
  event: string;
  onBehalf: OfReaders | OfTenant<'rule' | 'consequence'>;
  /**
   * Runs in the transaction that marks the run as done. It may be called several times before one transaction commits.
   */
  handle(event: AutomationEvent): Promise<void>;
}

/** Why an attempt failed. */
export interface RunFailure {
  code: string;
  detail: string;
}

/** A run of a flow or timer that was given up: all its attempts have failed. */
export interface GivenUpRun {
  kind: string;
  /** The key of the timer, or the id of the event. */
  key: string;
  /** The event of a flow; null for a timer. */
  event: AutomationEvent | null;
  attempts: number;
  failure: RunFailure;
}

/** An automation triggered at a time that a service has set. */
export interface Timer {
  /** `area.entity.what_is_due`. Stored with each run. */
  kind: string;
  onBehalf: Exclude<OnBehalf, { of: 'requester' | 'platform' }>;
  /** Called like {@link Flow.handle}, with the key that the timer was set with. */
  fire(key: string): Promise<void>;
  /** Records that all attempts have failed, in the transaction that records the failure of the run. */
  gaveUp?(transaction: Transaction, key: string, failure: RunFailure): void | Promise<void>;
}

/** Registry of all flows and timers, filled at start by the modules that own them. */
@Injectable()
export class Automations {
  private readonly flows = new Map<string, Flow>();
  private readonly timers = new Map<string, Timer>();
  private readonly listeners: ((transaction: Transaction, run: GivenUpRun) => Promise<void>)[] = [];

  /** @throws Error when the name is taken. */
  on(flow: Flow): void {
    this.refuseTwice(flow.flow);
    this.flows.set(flow.flow, flow);
  }

  /** @throws Error when the name is taken. */
  timer(timer: Timer): void {
    this.refuseTwice(timer.kind);
    this.timers.set(timer.kind, timer);
  }

  /** Calls `tell` for each run that is given up, in the transaction that records its failure. */
  whenGivenUp(tell: (transaction: Transaction, run: GivenUpRun) => Promise<void>): void {
    this.listeners.push(tell);
  }

  /** Records the consequences of a run that was given up. */
  async giveUp(transaction: Transaction, run: GivenUpRun): Promise<void> {
    const { kind, key, event, failure } = run;
    if (event === null) await this.timerOf(kind).gaveUp?.(transaction, key, failure);
    for (const tell of this.listeners) await tell(transaction, run);
  }

  /** Names of all flows and timers. */
  get kinds(): string[] {
    return [...this.flows.keys(), ...this.timers.keys()];
  }

  /** Names of the flows that an event of this type starts. */
  startedBy(eventType: string): string[] {
    return [...this.flows.values()].filter(({ event }) => matches(event, eventType)).map(({ flow }) => flow);
  }

  /** @throws Error when the name is not registered. */
  flow(name: string): Flow {
    return found(this.flows.get(name), name);
  }

  /** @throws Error when the name is not registered. */
  timerOf(kind: string): Timer {
    return found(this.timers.get(kind), kind);
  }

  private refuseTwice(name: string): void {
    if (this.flows.has(name) || this.timers.has(name)) throw new Error(`The automation ${name} is registered twice.`);
  }
}

function found<T>(automation: T | undefined, name: string): T {
  if (!automation) throw new Error(`The automation ${name} is not registered.`);
  return automation;
}
