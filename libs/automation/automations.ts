import { Injectable } from '@nestjs/common';
import { matches } from '#libs/outbox/event-catalogue.js';
import type { EventEnvelope } from '#libs/outbox/event.js';

/** An event as a flow gets it. */
export interface AutomationEvent extends EventEnvelope {
  data: Record<string, unknown>;
  /** How many automations in a row have led to it. */
  depth: number;
}

/** What the platform does when an event has happened. */
export interface Flow {
  /** `area.what_it_does`. It is stored: a flow that is renamed is another one. */
  flow: string;
  /** Type of the events, or a pattern as webhook subscriptions take. */
  event: string;
  /** Runs inside the transaction that marks the run as done, perhaps several times until one of them commits. */
  handle(event: AutomationEvent): Promise<void>;
}

/** What the platform does at a time that a service has set. */
export interface Timer {
  /** `area.entity.what_is_due`. It is stored. */
  kind: string;
  /** Runs as {@link Flow.handle} does; gets the key that the timer was set with. */
  fire(key: string): Promise<void>;
}

/** Everything that the platform does by itself. Filled at start by the modules whose services do it. */
@Injectable()
export class Automations {
  private readonly flows = new Map<string, Flow>();
  private readonly timers = new Map<string, Timer>();

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

  /** Names of all flows and timers. */
  get kinds(): string[] {
    return [...this.flows.keys(), ...this.timers.keys()];
  }

  /** Names of the flows that an event of this type starts. */
  startedBy(eventType: string): string[] {
    return [...this.flows.values()].filter(({ event }) => matches(event, eventType)).map(({ flow }) => flow);
  }

  /** @throws Error for a name that nobody has registered. */
  flow(name: string): Flow {
    return found(this.flows.get(name), name);
  }

  /** @throws Error for a name that nobody has registered. */
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
