import { KINDS } from '#libs/ai/kinds/kinds.js';
import type { AiPolicy, ApprovalRule } from '#libs/ai/policy.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import type { ResourceDefinition } from '#libs/resource/types/definition.js';

/** What a policy can refer to. */
export interface Known {
  providers: readonly string[];
  models: readonly string[];
  /** All record types; rules refer to their areas. */
  types: readonly Pick<ResourceDefinition, 'area'>[];
}

/** Violations beyond single fields: conflicting caps, unknown names, approvers who can never reach the quorum. */
export function policyViolations(policy: AiPolicy, { providers, models, types }: Known): Violation[] {
  const areas = new Set(types.map(({ area }) => area));
  const kinds = new Set(KINDS.keys());
  return [
    ...(policy.defaultCostCapMicros > policy.maxCostCapMicros
      ? [violation('/defaultCostCapMicros', 'out_of_range', 'It is more than maxCostCapMicros.')]
      : []),
    ...unknown('/allowedKinds', policy.allowedKinds, kinds),
    ...unknown('/allowedProviders', policy.allowedProviders, new Set(providers)),
    ...unknown('/allowedModels', policy.allowedModels, new Set(models)),
    ...policy.approvalRules.flatMap((rule, index) => [
      ...unknown(`/approvalRules/${index}/when/kinds`, rule.when.kinds, kinds),
      ...unknown(`/approvalRules/${index}/when/areas`, rule.when.areas, areas),
      ...quorumViolations(rule, `/approvalRules/${index}`),
    ]),
  ];
}

/** @throws Problem 400 with all violations. */
export function refuseViolations(violations: Violation[]): void {
  if (violations.length > 0) throw Problem.validation(violations);
}

function unknown(pointer: string, names: readonly string[] | null | undefined, known: ReadonlySet<string>) {
  return (names ?? []).flatMap((name, index) =>
    known.has(name) ? [] : [violation(`${pointer}/${index}`, 'unknown_reference', 'There is nothing with this key.')],
  );
}

function quorumViolations({ approvers, quorum }: ApprovalRule, place: string): Violation[] {
  const { memberIds, roleIds, managerOfRequester } = approvers;
  const named = memberIds.length + (managerOfRequester ? 1 : 0);
  return named > 0 && roleIds.length === 0 && named < quorum
    ? [violation(`${place}/quorum`, 'out_of_range', 'There are fewer approvers than must approve.')]
    : [];
}

function violation(pointer: string, code: string, detail: string): Violation {
  return { pointer, code, detail };
}
