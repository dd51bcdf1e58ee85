import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { WorkerBaseModule } from '#libs/worker/worker-base.module.js';
import { LaneHealthRecorder } from './lanes/lane-health.recorder.js';
import { LaneHealthRepository } from './lanes/lane-health.repository.js';
import { LaneSweep } from './lanes/lane-sweep.js';
import { EndpointMemory } from './lanes/endpoint-memory.js';
import { DeliveryRepository } from './leases/delivery.repository.js';
import { DeliveryScheduler } from './leases/delivery.scheduler.js';
import { LeaseKeeper } from './leases/lease-keeper.js';
import { LostLeases } from './leases/lost-leases.js';
import { SendingJournal } from './leases/sending-journal.js';
import { QueueFigures } from './queue-figures.js';
import { EventFanOut } from './relay/event-fan-out.js';
import { EventRelay } from './relay/event.relay.js';
import { SetAsideEvents } from './relay/set-aside-events.js';
import { RetentionUpkeep } from './retention-upkeep.js';
import { AttemptCounts } from './sending/attempt-counts.js';
import { DeliveryConsumer } from './sending/delivery.consumer.js';
import { DirectSender } from './sending/direct-sender.js';
import { PayloadSamples } from './sending/payload-samples.js';
import { Settlements } from './sending/settlements.js';
import { SignedRequests } from './sending/signed-requests.js';
import { WebhookUpkeep } from './webhook-upkeep.js';
import { WebhookWorker } from './webhook-worker.js';

const RELAY = [EventFanOut, EventRelay, SetAsideEvents];
const LANES = [EndpointMemory, LaneHealthRecorder, LaneHealthRepository, LaneSweep];
const LEASES = [DeliveryRepository, DeliveryScheduler, LeaseKeeper, LostLeases, SendingJournal];
const SENDING = [AttemptCounts, DeliveryConsumer, DirectSender, PayloadSamples, Settlements, SignedRequests];
const UPKEEP = [QueueFigures, RetentionUpkeep, WebhookUpkeep];

/** Creates deliveries of events and sends them. */
@Module({})
export class DeliveryModule {
  /** @param endpoints exports `EndpointHealth`, `EndpointSecrets` and the client for outbound requests. */
  static to(endpoints: Type): DynamicModule {
    return {
      module: DeliveryModule,
      imports: [endpoints, WorkerBaseModule],
      providers: [...RELAY, ...LANES, ...LEASES, ...SENDING, ...UPKEEP, WebhookWorker],
      exports: [RetentionUpkeep, WebhookWorker],
    };
  }
}
