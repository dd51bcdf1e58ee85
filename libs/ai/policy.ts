import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { PERSONAL_DATA_KINDS, type PersonalDataKind } from './personal-data/kinds.js';

/** Treatment of personal data before sending, the strictest first. */
export const PERSONAL_DATA_MODES = ['block', 'mask', 'allow'] as const;
export type PersonalDataMode = (typeof PERSONAL_DATA_MODES)[number];
/** What is stored of inputs after a job: nothing, a digest, or everything. */
export const INPUT_STORAGE = ['none', 'hash', 'full'] as const;
/** How an agent's proposed writes are treated. */
export type Autonomy = 'suggest' | 'approve_each' | 'auto';

/**
 * Who may approve: members, holders of roles, the requester's manager. By default all members with `ai-jobs:approve`.
 */
export interface Approvers {
  memberIds: readonly string[];
  roleIds: readonly string[];
  managerOfRequester: boolean;
}

/** When a rule applies: all given conditions must be met. Without conditions it always applies. */
export interface RuleCondition {
  /** The job may cost more than this. */
  costOverMicros?: number;
  /** The job is of one of these kinds. */
  kinds?: readonly string[];
  /** A target is in one of these areas. */
  areas?: readonly string[];
  /** Whether personal data was found. */
  personalData?: boolean;
  /** The requester has one of these roles. */
  requesterRoles?: readonly string[];
  /** The agent has this autonomy. */
  autonomy?: Autonomy;
}

/** When a job needs approval, and whose. */
export interface ApprovalRule {
  when: RuleCondition;
  approvers: Approvers;
  /** Required number of approvals. */
  quorum: number;
  /** A request that nobody has decided expires after this time. */
  expiresInMinutes: number;
}

/**
 * What a tenant allows AI to do. A null list means everything. Amounts are in millionths of the tenant's currency unit.
 */
export interface AiPolicy {
  enabled: boolean;
  allowedProviders: readonly string[] | null;
  allowedModels: readonly string[] | null;
  allowedKinds: readonly string[] | null;
  defaultCostCapMicros: number;
  maxCostCapMicros: number;
  /** Maximum number of concurrent jobs. */
  concurrency: number;
  /** Maximum number of new jobs per minute. */
  ratePerMinute: number;
  approvalRules: readonly ApprovalRule[];
  /** Whether the requester may approve too. */
  allowSelfApproval: boolean;
  personalData: PersonalDataMode;
  personalDataKinds: readonly PersonalDataKind[];
  storeInputs: (typeof INPUT_STORAGE)[number];
  /** Number of days after which inputs and outputs are deleted. */
  retentionDays: number;
  /** Regions in which a model may process data; null for any. */
  processingRegions: readonly string[] | null;
}

/** Default policy: version 0. */
export const DEFAULT_POLICY: AiPolicy = {
  enabled: true,
  allowedProviders: null,
  allowedModels: null,
  allowedKinds: null,
  defaultCostCapMicros: 1_000_000,
  maxCostCapMicros: 10_000_000,
  concurrency: 5,
  ratePerMinute: 60,
  approvalRules: [],
  allowSelfApproval: false,
  personalData: 'mask',
  personalDataKinds: PERSONAL_DATA_KINDS,
  storeInputs: 'hash',
  retentionDays: 30,
  processingRegions: null,
};

/** Facts about a job on which a policy decides, without its content. */
export interface PolicyFacts {
  kind: string;
  provider: string;
  model: string;
  /** Where the model processes data: null if nothing leaves the platform, empty if unknown. */
  regions: readonly string[] | null;
  /** Maximum cost of the job, which is reserved. */
  costMicros: number;
  /** Areas of its targets, e.g. `sales`. */
  areas: readonly string[];
  /** Kinds of personal data in the content to send that the policy lists. */
  personalData: readonly PersonalDataKind[];
  requesterRoleIds: readonly string[];
  /** Autonomy of the agent; null without one. */
  autonomy: Autonomy | null;
  /** Whether the caller requested an approval. */
  approvalRequested: boolean;
}

/** Requirements of an approval. */
export interface ApprovalDemand {
  approvers: Approvers;
  quorum: number;
  expiresInMinutes: number;
  allowSelfApproval: boolean;
}

/** Decision of a policy about a job. `rules` contains all rules that led to it. */
export type Decision =
  | { outcome: 'allow' | 'deny'; rules: readonly string[]; approval: null }
  | { outcome: 'require_approval'; rules: readonly string[]; approval: ApprovalDemand };

const DAY_MINUTES = 1_440;
const WHOEVER_MAY: Approvers = { memberIds: [], roleIds: [], managerOfRequester: false };

/**
 * Decides about a job. Denials take precedence over approvals; if several approval rules apply, all must be satisfied.
 */
export function decide(policy: AiPolicy, facts: PolicyFacts): Decision {
  const denials = Object.entries(DENIALS).filter(([, isDenied]) => isDenied(policy, facts));
  if (denials.length > 0) return { outcome: 'deny', rules: denials.map(([rule]) => rule), approval: null };
  const holding = policy.approvalRules.flatMap((rule, index) => (holds(rule.when, facts) ? [{ rule, index }] : []));
  if (holding.length === 0 && !facts.approvalRequested)
    return { outcome: 'allow', rules: ['policy.allowed'], approval: null };
  const rules = [
    ...holding.map(({ index }) => `approval_rules[${index}]`),
    ...(facts.approvalRequested ? ['requested_by_caller'] : []),
  ];
  const demand = strictest(holding.map(({ rule }) => rule));
  return {
    outcome: 'require_approval',
    rules,
    approval: { ...demand, allowSelfApproval: policy.allowSelfApproval },
  };
}

/** The more restrictive mode. */
export function stricter(...modes: [PersonalDataMode, PersonalDataMode]): PersonalDataMode {
  return PERSONAL_DATA_MODES.find((mode) => modes.includes(mode))!; // one of the two
}

const lacks = (allowed: readonly string[] | null, value: string): boolean =>
  allowed !== null && !allowed.includes(value);

/** Conditions that deny a job, by the name of the rule. */
const DENIALS: Record<string, (policy: AiPolicy, facts: PolicyFacts) => boolean> = {
  'policy.disabled': ({ enabled }) => !enabled,
  kind_not_allowed: ({ allowedKinds }, { kind }) => lacks(allowedKinds, kind),
  provider_not_allowed: ({ allowedProviders }, { provider }) => lacks(allowedProviders, provider),
  model_not_allowed: ({ allowedModels }, { model }) => lacks(allowedModels, model),
  region_not_allowed: ({ processingRegions }, { regions }) =>
    processingRegions !== null &&
    regions !== null &&
    (regions.length === 0 || regions.some((region) => lacks(processingRegions, region))),
  personal_data_blocked: (policy, { personalData }) =>
    policy.personalData === 'block' && personalData.some((kind) => policy.personalDataKinds.includes(kind)),
};

const anyOf = (wanted: readonly string[] | undefined, given: readonly string[]): boolean =>
  wanted === undefined || wanted.some((value) => given.includes(value));

function holds(when: RuleCondition, facts: PolicyFacts): boolean {
  return (
    (when.costOverMicros === undefined || facts.costMicros > when.costOverMicros) &&
    anyOf(when.kinds, [facts.kind]) &&
    anyOf(when.areas, facts.areas) &&
    (when.personalData === undefined || when.personalData === facts.personalData.length > 0) &&
    anyOf(when.requesterRoles, facts.requesterRoleIds) &&
    (when.autonomy === undefined || when.autonomy === facts.autonomy)
  );
}

/** Requirements that satisfy all rules: the largest quorum, the shortest expiry, approvers accepted by each of them. */
function strictest(rules: readonly ApprovalRule[]): Omit<ApprovalDemand, 'allowSelfApproval'> {
  const named = rules.map(({ approvers }) => approvers).filter((approvers) => !isOpen(approvers));
  const [first = WHOEVER_MAY, ...others] = named;
  const common = others.reduce(both, first);
  return {
    // If no approver satisfies all rules, the owners decide, as for a requester without a manager.
    approvers: named.length > 0 && isOpen(common) ? { ...WHOEVER_MAY, roleIds: [SYSTEM_ROLE_IDS.owner] } : common,
    quorum: Math.max(1, ...rules.map(({ quorum }) => quorum)),
    expiresInMinutes: rules.length > 0 ? Math.min(...rules.map((rule) => rule.expiresInMinutes)) : DAY_MINUTES,
  };
}

function isOpen({ memberIds, roleIds, managerOfRequester }: Approvers): boolean {
  return memberIds.length + roleIds.length === 0 && !managerOfRequester;
}

function both(one: Approvers, other: Approvers): Approvers {
  return {
    memberIds: one.memberIds.filter((id) => other.memberIds.includes(id)),
    roleIds: one.roleIds.filter((id) => other.roleIds.includes(id)),
    managerOfRequester: one.managerOfRequester && other.managerOfRequester,
  };
}
