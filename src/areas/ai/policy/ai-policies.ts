import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type AiPolicy, DEFAULT_POLICY } from '#libs/ai/policy.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { AiPoliciesRepository } from './ai-policies.repository.js';

/** A policy with the version number that decisions refer to. */
export interface NumberedPolicy {
  version: number;
  policy: AiPolicy;
}

const FIRST: NumberedPolicy = { version: 0, policy: DEFAULT_POLICY };

/**
 * The policy of the current tenant. In requests it is cached by epoch, which PostgreSQL compares in the first statement
 * of each transaction; elsewhere it is read each time.
 */
@Injectable()
export class AiPolicies {
  private readonly known = new LRUCache<string, NumberedPolicy>({ max: 10_000 });

  constructor(private readonly repository: AiPoliciesRepository) {}

  /** The current policy. Joins the open transaction, if there is one. */
  async current(): Promise<NumberedPolicy> {
    if (!currentScope().refresh) return this.read();
    const { id, epoch } = currentTenant();
    const key = `${id}|${epoch}`;
    const known = this.known.get(key) ?? (await this.read());
    this.known.set(key, known);
    return known;
  }

  private async read(): Promise<NumberedPolicy> {
    const newest = await this.repository.newest();
    return newest ? { version: newest.version, policy: { ...DEFAULT_POLICY, ...newest.policy } } : FIRST;
  }
}
