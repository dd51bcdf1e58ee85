import { Injectable } from '@nestjs/common';
import { type AiPolicy, DEFAULT_POLICY } from '#libs/ai/policy.js';
import { TenantMemory } from '#libs/database/memory.js';
import { currentScope } from '#libs/tenancy/scope.js';
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
  private readonly known = new TenantMemory<NumberedPolicy>(10_000);

  constructor(private readonly repository: AiPoliciesRepository) {}

  /** The current policy. Joins the open transaction, if there is one. */
  current(): Promise<NumberedPolicy> {
    return currentScope().refresh ? this.known.get(() => this.read()) : this.read();
  }

  private async read(): Promise<NumberedPolicy> {
    const newest = await this.repository.newest();
    return newest ? { version: newest.version, policy: { ...DEFAULT_POLICY, ...newest.policy } } : FIRST;
  }
}
