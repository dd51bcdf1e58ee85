import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { ApiKeyRecords } from './api-key-records.js';

/** Revokes API keys for other areas, which check the caller's permission. */
@Injectable()
export class ApiKeyRevocations {
  constructor(private readonly records: ApiKeyRecords) {}

  /** Revokes a key with immediate effect. Returns false if there is no such key or it has been revoked. */
  async revoke(transaction: Transaction, id: string): Promise<boolean> {
    const key = await this.records.rows.lock(transaction, id);
    if (key?.revokedAt !== null) return false; // also if there is none
    this.records.revoke(transaction, key);
    return true;
  }
}
