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
import { AiRetentionUpkeep } from '../areas/ai/jobs/ai-retention-upkeep.js';
import { AiWorker } from '../areas/ai/runs/ai-worker.js';
import { AutomationWorker } from '#libs/automation/automation-worker.js';
import { AccountingUpkeep } from '#libs/accounting/accounting-upkeep.js';
import { IdempotencyUpkeep } from '#libs/http/idempotency/idempotency-upkeep.js';
import { LedgerUpkeep } from '../areas/ai/budgets/ledger-upkeep.js';
import { MailWorker } from '#libs/mail/mail-worker.js';
import { RetentionUpkeep } from '#libs/webhooks/retention-upkeep.js';
import { SignInUpkeep } from '../areas/auth/sign-in-upkeep.js';
import { SpendingUpkeep } from '../areas/ai/budgets/spending-upkeep.js';
import { WorkerModule } from './worker.module.js';

/**
 * Builds the worker app, the same in production and in tests. It does nothing until {@link startWork}.
 * @throws Error with one clear line when the database cannot be reached or its role could bypass tenant isolation.
 */
export async function createWorker(
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
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** Begins everything that goes on in the background until the app is closed, deliveries first; resolves when they are made. */
export async function startWork(app: INestApplicationContext): Promise<void> {
  await app.get(WebhookWorker).start();
  app.get(AiWorker).start();
  app.get(AiRetentionUpkeep).start();
  app.get(AutomationWorker).start();
  app.get(IdempotencyUpkeep).start();
  app.get(AccountingUpkeep).start();
  app.get(RetentionUpkeep).start();
  app.get(MailWorker).start();
  app.get(SignInUpkeep).start();
  app.get(SpendingUpkeep).start();
  app.get(LedgerUpkeep).start();
}
