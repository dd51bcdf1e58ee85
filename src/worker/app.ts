import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Logger } from 'pino';
import { Database } from '#libs/database/database.js';
import { assertPowerless } from '#libs/database/powerless.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { setTransactionProbe } from '#libs/outbound/transaction-probe.js';
import { isTransactionOpen } from '#libs/tenancy/scope.js';
import { watchConnections } from '#src/platform/connection-figures.js';
import { createLogger } from '#src/platform/logger.js';
import { NestLogger } from '#src/platform/nest-logger.js';
import type { ProcessOptions } from '#src/platform/platform.module.js';
import { WorkerModule } from './worker.module.js';

/**
 * Builds the worker app, the same in production and in tests. It does nothing until {@link startWork}.
 * @throws Error with one clear line when the database is unreachable or its role could bypass tenant isolation.
 */
export async function createWorker(
  options: ProcessOptions,
  logger: Logger = createLogger(options),
): Promise<INestApplicationContext> {
  setTransactionProbe(isTransactionOpen);
  const app = await NestFactory.createApplicationContext(await WorkerModule.forProcess(options), {
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  try {
    await assertPowerless(app.get(Database));
    watchConnections(app.get(Database), app.get(Metrics));
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** Starts all background work until the app is closed, deliveries first; resolves when deliveries are running. */
export function startWork(app: INestApplicationContext): Promise<void> {
  return app.get(WorkerModule).start();
}
