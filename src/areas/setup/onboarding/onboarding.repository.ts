import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { oneByOne } from '#libs/database/one-by-one.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { STEP_KEYS, STEPS, type StepKey } from './onboarding-steps.js';

const DETECT = `select ${STEPS.map(({ key, detector }) => `(${detector}) as ${key}`).join(',\n')}`;

/** What the data of the tenant in scope shows about the steps of its onboarding. */
@Injectable()
export class OnboardingRepository {
  constructor(private readonly database: Database) {}

  /** The steps whose condition is true now, in order. Joins the open transaction. */
  async detected(): Promise<StepKey[]> {
    const { id, plan } = currentTenant();
    const [row] = await this.database.read<Record<StepKey, boolean>>(statement(DETECT, [id, plan]));
    return STEP_KEYS.filter((key) => row![key]);
  }

  /** Serializes changes, because at first there is no row to lock. */
  async oneByOne(transaction: Transaction): Promise<void> {
    await transaction.query(oneByOne('onboarding'));
  }
}
