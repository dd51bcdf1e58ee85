import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Logger } from 'pino';
import { Database } from '#libs/database/database.js';
import { assertPowerless } from '#libs/database/powerless.js';
import { setTransactionProbe } from '#libs/outbound/transaction-probe.js';
import { isTransactionOpen } from '#libs/tenancy/scope.js';
import { WebhookWorker } from '#libs/webhooks/webhook-worker.js';
import { createLogger } from '#src/platform/logger.js';
import { NestLogger } from '#src/platform/nest-logger.js';
import type { ProcessOptions } from '#src/platform/platform.module.js';
import { IdempotencyUpkeep } from './idempotency-upkeep.js';
import { WorkerModule } from './worker.module.js';

/** Builds the worker app and starts its work: the same in production and in tests. */
export async function startWorker(
  options: ProcessOptions,
  logger: Logger = createLogger(options),
): Promise<INestApplicationContext> {
  setTransactionProbe(isTransactionOpen);
  const app = await NestFactory.createApplicationContext(WorkerModule.forProcess(options), {
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  try {
    await assertPowerless(app.get(Database));
  } catch (error) {
    await app.close();
    throw error;
  }
  app.get(WebhookWorker).start();
  app.get(IdempotencyUpkeep).start();
  return app;
}
