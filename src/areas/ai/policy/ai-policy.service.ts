import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { type AiPolicy, DEFAULT_POLICY } from '#libs/ai/policy.js';
import { brokenReference } from '#libs/database/failures.js';
import type { Transaction } from '#libs/database/transaction.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { RoleBook } from '#libs/members/role-book.js';
import { toListRequest } from '#libs/resource/lists/list-query.js';
import { checkPrecondition } from '#libs/resource/records/precondition.js';
import { MEMBER, mustExist } from '#libs/resource/access/references.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { versionAfter } from '#libs/resource/records/next-version.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { LOCAL, LOCAL_MODEL } from '../models/built-in.js';
import { laneStatement } from '../runs/lanes.js';
import { AiPoliciesRepository } from './ai-policies.repository.js';
import type { AiPolicyVersion } from './ai-policy-version.entity.js';
import { type AiPolicyView, policyVersionList, POLICY_PATH, POLICY_TYPE } from './ai-policy.dto.js';
import { completeRule } from './approval-rule.dto.js';
import { policyViolations, refuseViolations } from './policy-rules.js';

/** Administration of the tenant's AI policy. Other code reads it through `AiPolicies`. */
@Injectable()
export class AiPolicyService {
  constructor(
    private readonly kit: ResourceKit,
    private readonly repository: AiPoliciesRepository,
    private readonly roles: RoleBook,
  ) {}

  /** The current policy. */
  async read(): Promise<AiPolicyView> {
    return present(await this.repository.newest());
  }

  /** The stored versions; version 0 is not stored. */
  async listVersions(query: Record<string, unknown>): Promise<Page<AiPolicyView>> {
    const { data, page } = await this.repository.page(toListRequest(policyVersionList, query), policyVersionList);
    return { data: data.map(present), page };
  }

  /** One version; 0 is the default policy before the first change. @throws Problem 404. */
  async readVersion(number: number): Promise<AiPolicyView> {
    const version = number === 0 ? null : await this.repository.ofVersion(number);
    if (number > 0 && !version) throw Problem.notFound();
    return present(version);
  }

  /**
   * Creates a new version with a merge patch. A patch that changes nothing creates none.
   * @throws Problem 400 if the policy refers to something that does not exist, 412.
   */
  async change(patch: Record<string, unknown>): Promise<AiPolicyView> {
    try {
      return await this.kit.database.transaction((transaction) => this.changeIn(transaction, patch));
    } catch (error) {
      const pointer = brokenReference(error);
      if (pointer === null) throw error;
      throw Problem.validation([{ pointer, code: 'unknown_reference', detail: 'There is no such member.' }]);
    }
  }

  private async changeIn(transaction: Transaction, patch: Record<string, unknown>): Promise<AiPolicyView> {
    const newest = await this.repository.lockNewest(transaction);
    const before = present(newest);
    checkPrecondition(before.version);
    const old = policyOf(newest);
    const policy = patched(old, patch);
    if (isDeepStrictEqual(policy, old)) return before;
    await this.refuseUnknown(transaction, policy, patch);
    const made: AiPolicyVersion = {
      tenantId: currentTenant().id,
      id: uuidv7(),
      version: versionAfter(before),
      policy,
      createdAt: this.kit.now(),
      createdBy: currentScope().actor,
    };
    transaction.write(laneStatement(policy.concurrency));
    return this.record(transaction, before, made);
  }

  private record(transaction: Transaction, before: AiPolicyView, made: AiPolicyVersion): AiPolicyView {
    const after = present(made);
    const { id, version } = after;
    this.kit.commits.add(transaction, {
      save: this.repository.insert(made),
      event: `${POLICY_TYPE}.updated`,
      subject: { type: POLICY_TYPE, id, reference: null, version, url: POLICY_PATH, name: 'AI policy' },
      before,
      after,
      at: made.createdAt,
      riskLevel: 'high',
    });
    return after;
  }

  /** Only members of the patch are checked, so that a deleted provider does not block other changes. */
  private async refuseUnknown(transaction: Transaction, policy: AiPolicy, patch: object): Promise<void> {
    const named: AiPolicy = {
      ...policy,
      allowedProviders: 'allowedProviders' in patch ? policy.allowedProviders : null,
      allowedModels: 'allowedModels' in patch ? policy.allowedModels : null,
      approvalRules: 'approvalRules' in patch ? policy.approvalRules : [],
    };
    refuseViolations(
      policyViolations(named, {
        providers: [LOCAL, ...(await this.repository.knownProviders(named.allowedProviders ?? []))],
        models: [LOCAL_MODEL, ...(await this.repository.knownModels(named.allowedModels ?? []))],
        types: this.kit.registry.all(),
      }),
    );
    for (const [index, { approvers, when }] of named.approvalRules.entries()) {
      const place = `/approvalRules/${index}`;
      if (approvers.memberIds.length > 0)
        transaction.write(mustExist(MEMBER, `${place}/approvers/memberIds`, [...approvers.memberIds]));
      await this.roles.resolve(transaction, approvers.roleIds, `${place}/approvers/roleIds`);
      await this.roles.resolve(transaction, when.requesterRoles ?? [], `${place}/when/requesterRoles`);
    }
  }
}

/** Applies a merge patch to a policy. Members are replaced as a whole, and null resets a member to its default. */
function patched(old: AiPolicy, patch: Record<string, unknown>): AiPolicy {
  const changes = Object.entries(patch).map(([field, value]) => [
    field,
    value ?? DEFAULT_POLICY[field as keyof AiPolicy],
  ]);
  const policy = { ...old, ...(Object.fromEntries(changes) as Partial<AiPolicy>) };
  return { ...policy, approvalRules: policy.approvalRules.map(completeRule) };
}

function policyOf(version: AiPolicyVersion | null): AiPolicy {
  return { ...DEFAULT_POLICY, ...version?.policy };
}

function present(version: AiPolicyVersion | null): AiPolicyView {
  return {
    ...(policyOf(version) as Omit<AiPolicyView, 'id'>), // its lists are those of JSON
    id: currentTenant().id,
    object: POLICY_TYPE,
    version: version?.version ?? 0,
    updatedAt: version?.createdAt ?? null,
    updatedBy: version?.createdBy ?? null,
  };
}
