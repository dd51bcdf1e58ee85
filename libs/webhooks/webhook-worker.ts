import type { Counter } from 'prom-client';
import { Injectable } from '@nestjs/common';
import { Metrics } from '#libs/metrics/metrics.js';
import type { Consumer } from '#libs/queue/consumer.js';
import { Queues } from '#libs/queue/queues.js';
import { within } from '#libs/queue/within.js';
import { AttemptCounts } from './sending/attempt-counts.js';
import { DeliveryConsumer, type DeliveryJob } from './sending/delivery.consumer.js';
import { DeliveryScheduler } from './leases/delivery.scheduler.js';
import { DirectSender } from './sending/direct-sender.js';
import { EventRelay } from './relay/event.relay.js';
import { LaneSweep } from './lanes/lane-sweep.js';
import { LeaseKeeper } from './leases/lease-keeper.js';
import { Loop, type Work } from '#libs/worker/loop.js';
import type { Background } from '#libs/worker/worker-part.js';
import { QueueFigures } from './queue-figures.js';
import { SetAsideEvents } from './relay/set-aside-events.js';
import { SendingJournal } from './leases/sending-journal.js';
import { LostLeases, RETURN_MS } from './leases/lost-leases.js';
import { WebhookUpkeep } from './webhook-upkeep.js';

const RELAY = { busyMs: 10, idleMs: 250 };
const SCHEDULE = { busyMs: 100, idleMs: 250 };
const SET_ASIDE = { busyMs: 1_000, idleMs: 1_000 };
const every = (ms: number) => ({ busyMs: ms, idleMs: ms });
const TEND = { busyMs: 250, idleMs: 250 };
/** A third of the lease, so one failed renewal has no effect. */
const RENEW_MS = 2_000;
const STRANDED_MS = 10_000;
const FAILING_MS = 15_000;
const FIGURES_MS = 15_000;
const PRESENCE = { busyMs: RETURN_MS, idleMs: 1_000 };
const COUNT_MS = 1_000;
const WIPE_MS = 15 * 60_000;
/** A new process delivers first; cleanup can wait. */
const SWEEP_AFTER_MS = 3_000;

/** Maximum number of queue jobs processed at a time. A job is done once its attempts have started. */
const JOBS_AT_A_TIME = 8;
/** Maximum wait for the queue, and for leases of dead workers, before the worker is ready. */
const READY_MS = 2_000;
/** Maximum wait for running attempts when the process stops: the whole shutdown may take 10 s. */
const DRAIN_MS = 7_500;
/** Maximum wait for jobs to notice the shutdown. */
const JOBS_DRAIN_MS = 1_000;

/** Runs everything that creates and sends deliveries, until the process stops. */
@Injectable()
export class WebhookWorker implements Background {
  readonly onBehalf = { of: 'platform', because: 'queued' } as const;
  private readonly relaying = new Loop('The event relay', RELAY, () => this.relayOnce());
  private readonly scheduling = new Loop('The delivery scheduler', SCHEDULE, () => this.scheduler.pass());
  private readonly renewing = new Loop('The renewal of leases', every(RENEW_MS), () => this.renewOnce());
  private readonly tending = new Loop('The look after what is sent', TEND, () => this.tendOnce());
  private readonly looking = new Loop('The look for dead workers', PRESENCE, () => this.lost.look());
  private readonly sweeps: Loop[];
  private jobs: Consumer<DeliveryJob> | null = null;
  private readonly dispatched: Counter;

  constructor(
    private readonly relay: EventRelay,
    private readonly scheduler: DeliveryScheduler,
    private readonly consumer: DeliveryConsumer,
    private readonly direct: DirectSender,
    private readonly keeper: LeaseKeeper,
    private readonly journal: SendingJournal,
    private readonly queues: Queues,
    private readonly upkeep: WebhookUpkeep,
    private readonly laneSweep: LaneSweep,
    private readonly counts: AttemptCounts,
    private readonly lost: LostLeases,
    setAside: SetAsideEvents,
    figures: QueueFigures,
    metrics: Metrics,
  ) {
    this.sweeps = [
      new Loop('The wiping of old secrets', every(WIPE_MS), () => upkeep.wipe()),
      new Loop('The release of held deliveries', every(STRANDED_MS), () => upkeep.releaseStranded()),
      new Loop('The count of attempts', every(COUNT_MS), () => this.count()),
      new Loop('The reading of figures', every(FIGURES_MS), () => figures.read()),
      new Loop('The retry of events', SET_ASIDE, () => setAside.pass()),
      new Loop('The look at failing endpoints', every(FAILING_MS), () => laneSweep.pass()),
    ];
    this.dispatched = metrics.counter('webhook_deliveries_total', 'Deliveries that events were fanned out to.');
  }

  /**
   * Resolves when it accepts deliveries and the leases of dead workers are released, or after a timeout, because an
   * unavailable queue must not block other work.
   */
  async start(): Promise<void> {
    this.consumer.start((delivery) => {
      if (this.direct.isAwaited(delivery)) this.relaying.wake();
      const makesRoom = !delivery.direct || this.direct.settled(delivery);
      if (makesRoom && this.scheduler.hasMoreRoom) this.claimSoon();
    });
    this.jobs = this.queues.consume<DeliveryJob>('webhook-deliveries', ({ data }) => this.consumer.run(data), {
      concurrency: JOBS_AT_A_TIME,
    });
    for (const loop of [this.relaying, this.scheduling, this.renewing, this.tending]) loop.start();
    for (const sweep of this.sweeps) sweep.start(SWEEP_AFTER_MS);
    const { opened } = this.jobs;
    const ready = [opened, this.queues.queue('webhook-deliveries').connect(), this.lost.takeOver()];
    await within(READY_MS, Promise.allSettled(ready));
    this.looking.start();
  }

  /** Stops claiming, releases deliveries that have not started, and waits for those that have. */
  async stop(): Promise<void> {
    const stoppedMs = performance.now();
    this.upkeep.close();
    this.laneSweep.close();
    await Promise.all([this.relaying, this.scheduling, this.looking, ...this.sweeps].map((loop) => loop.stop()));
    this.consumer.close();
    await this.jobs?.stop(JOBS_DRAIN_MS);
    await this.scheduler.close().catch(() => undefined); // without the database the leases expire
    await this.consumer.drain(Math.max(0, DRAIN_MS - (performance.now() - stoppedMs)));
    await Promise.all([this.renewing, this.tending].map((loop) => loop.stop()));
    await this.journal.resolve().catch(() => undefined); // then another worker finds what was not begun
    await this.counts.write().catch(() => undefined); // only figures for display
  }

  private async relayOnce(): Promise<Work> {
    await this.direct.roomForMany();
    return this.relay.pass({
      direct: this.direct,
      onDeliveries: (made, queued) => {
        this.dispatched.inc(made);
        if (queued > 0) this.claimSoon();
      },
    });
  }

  private claimSoon(): void {
    this.scheduler.expect();
    this.scheduling.wake();
  }

  private async count(): Promise<Work> {
    await this.counts.write();
    return 'none';
  }

  private async tendOnce(): Promise<Work> {
    await this.journal.tend();
    return 'none';
  }

  private async renewOnce(): Promise<Work> {
    await this.keeper.renew();
    return 'none';
  }
}
