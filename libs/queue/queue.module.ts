import { type DynamicModule, type FactoryProvider, Module } from '@nestjs/common';
import { PostgresQueueStore } from './postgres-queue-store.js';
import type { QueueStore } from './queue-store.js';
import { Queues, type QueuesOptions } from './queues.js';
import { RedisQueueStore } from './redis-queue-store.js';

/** Where the queues are stored, and how they behave. */
export interface QueueModuleOptions extends QueuesOptions {
  /** `REDIS_URL`; null to store the jobs in PostgreSQL. */
  redisUrl: string | null;
  /** Connection string of a role with access to the schema; not used with Redis. */
  databaseUrl: string;
  /** Schema prepared by `migrateQueueSchema`. */
  schema: string;
}

/** The configured store. */
export function createQueueStore({ redisUrl, databaseUrl, schema }: QueueModuleOptions): QueueStore {
  return redisUrl === null ? new PostgresQueueStore(databaseUrl, schema) : new RedisQueueStore(redisUrl);
}

/** Provides {@link Queues} to the whole application and closes them in order at shutdown. */
@Module({})
export class QueueModule {
  /** @param options.useFactory receives what `inject` names */
  static forRootAsync(options: Pick<FactoryProvider<QueueModuleOptions>, 'inject' | 'useFactory'>): DynamicModule {
    const queues: FactoryProvider<Queues> = {
      provide: Queues,
      inject: options.inject ?? [],
      useFactory: async (...injected: unknown[]) => {
        const settings = await options.useFactory(...injected);
        return new Queues(createQueueStore(settings), settings);
      },
    };
    return { module: QueueModule, global: true, providers: [queues], exports: [Queues] };
  }
}
