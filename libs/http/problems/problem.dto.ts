import { Field, id, instant, integer, listOf, nested, oneOf, text } from '../field.js';

/** One failed rule of a request. */
export class ViolationDocument {
  @Field(text({ max: 2_000 }), { description: 'JSON pointer into the body.', example: '/name', optional: true })
  pointer?: string;

  @Field(text({ max: 200 }), { description: 'Name of the query or path parameter.', optional: true })
  parameter?: string;

  @Field(text({ max: 200 }), { description: 'Name of the header.', optional: true })
  header?: string;

  @Field(text({ max: 60 }), { description: 'Stable code.', example: 'required' })
  code!: string;

  @Field(text({ max: 1_000 }), {
    description: 'Explanation of the failure and how to correct it.',
    example: 'The field is required.',
  })
  detail!: string;
}

const micros = () => integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

/** The scope of a budget's limit. */
export class BudgetScopeDocument {
  @Field(text({ max: 20 }), {
    description: 'tenant, workspace, member, api_key, agent, model, or plan for the limit of the plan.',
    example: 'tenant',
  })
  type!: string;

  @Field(text({ max: 201 }), { description: 'Its id; null for the tenant and its plan.', nullable: true })
  id!: string | null;
}

/** The budget that has no room for an AI job. */
export class BudgetDocument {
  @Field(id(), { description: 'The budget; null for the plan’s limit and an agent’s own.', nullable: true })
  id!: string | null;

  @Field(nested(BudgetScopeDocument), { description: 'Whose spending it is about.' })
  scope!: BudgetScopeDocument;

  @Field(oneOf(['day', 'week', 'month']), { description: 'Period of the budget.', example: 'month' })
  period!: string;

  @Field(micros(), { description: 'Limit of the period, in micros.', example: 50_000_000 })
  limitMicros!: number;
}

/** Problem details (RFC 9457). Each member after `errors` belongs to specific codes. */
export class ProblemDocument {
  @Field(text({ max: 200 }), { description: 'URI of the kind of problem.', example: 'urn:problem:validation_failed' })
  type!: string;

  @Field(text({ max: 200 }), { description: 'The same for every problem of the code.' })
  title!: string;

  @Field(integer({ min: 400, max: 599 }), { description: 'HTTP status.', example: 400 })
  status!: number;

  @Field(text({ max: 2_000 }), { description: 'Explanation of this occurrence.' })
  detail!: string;

  @Field(text({ max: 200 }), { description: 'This occurrence.', example: 'urn:request:req_0a1b2c3d' })
  instance!: string;

  @Field(text({ max: 60 }), { description: 'Stable code to program against.', example: 'validation_failed' })
  code!: string;

  @Field(text({ max: 128 }), { description: 'Id of the request, also in `x-request-id`.', example: 'req_0a1b2c3d' })
  requestId!: string;

  @Field(listOf(nested(ViolationDocument), { max: 50 }), {
    description: 'Every failure of the request, for validation_failed.',
    optional: true,
  })
  errors?: ViolationDocument[];

  @Field(text({ max: 40 }), { description: 'State of the record, for invalid_transition.', optional: true })
  state?: string;

  @Field(text({ max: 40 }), { description: 'Stage of the record, for invalid_transition.', optional: true })
  stage?: string;

  @Field(text({ max: 60 }), { description: 'Action that was refused, for invalid_transition.', optional: true })
  action?: string;

  @Field(listOf(text({ max: 60 }), { max: 50 }), {
    description: 'Actions that the state allows, for invalid_transition.',
    optional: true,
  })
  allowedActions?: string[];

  @Field(listOf(text({ max: 60 }), { max: 50 }), {
    description: 'Empty fields that the stage or action needs, for required_fields_missing and handoff_incomplete.',
    optional: true,
  })
  missingFields?: string[];

  @Field(listOf(id(), { max: 100 }), {
    description: 'Open records that come first, for blocked.',
    optional: true,
  })
  openIds?: string[];

  @Field(listOf(text({ max: 40 }), { max: 100 }), {
    description: 'Keys of required checklist items that are open, for handoff_incomplete and onboarding_open.',
    optional: true,
  })
  openItems?: string[];

  @Field(text({ max: 40 }), {
    description: 'Plan of the tenant, for plan_limit_reached and seat_limit.',
    optional: true,
  })
  plan?: string;

  @Field(integer({ min: 0, max: 2_147_483_647 }), {
    description: 'How many the plan allows, for plan_limit_reached and seat_limit.',
    optional: true,
  })
  limit?: number;

  @Field(text({ max: 60 }), { description: 'Gate that denied, for gate_denied.', optional: true })
  gate?: string;

  @Field(listOf(text({ max: 60 }), { max: 60 }), {
    description: 'Rules of the AI policy that denied, for ai_policy_denied.',
    optional: true,
  })
  rules?: string[];

  @Field(nested(BudgetDocument), { description: 'The exhausted budget, for `budget_exhausted`.', optional: true })
  budget?: BudgetDocument;

  @Field(micros(), { description: 'Most that the job may cost, micros, for cost_cap_above_policy.', optional: true })
  maxCostCapMicros?: number;

  @Field(micros(), { description: 'Micros that a job would have room for, for budget_exhausted.', optional: true })
  remaining?: number;

  @Field(instant(), { description: 'Start of the next period, for `budget_exhausted`.', optional: true })
  resetsAt?: string;

  @Field(id(), {
    description: 'Request that waits already, for approval_pending.',
    optional: true,
    nullable: true,
  })
  approvalId?: string | null;

  @Field(text({ max: 60 }), { description: 'Scope that the credential lacks, for permission_denied.', optional: true })
  requiredPermission?: string;

  @Field(integer({ min: 0, max: 2_147_483_647 }), {
    description: 'Current version of the record, for version_mismatch and stale_version.',
    optional: true,
  })
  version?: number;

  @Field(listOf(oneOf(['read', 'write', 'person']), { max: 2 }), {
    description: 'Limits that are used up, for rate_limit_exceeded.',
    optional: true,
  })
  'violated-policies'?: string[];

  @Field(instant(), {
    description: 'Until when the previous secret is valid, for secret_rotation_in_progress.',
    optional: true,
  })
  previousSecretExpiresAt?: string;

  @Field(text({ max: 60 }), {
    description: 'Field at fault, for duplicate and field_forbidden.',
    optional: true,
  })
  field?: string;

  @Field(id(), { description: 'The record that has the value already, for duplicate.', optional: true })
  existingId?: string;

  @Field(listOf(text({ max: 60 }), { max: 500 }), {
    description: 'Permissions that a grant covers and the caller does not hold, for grant_exceeds_rights.',
    optional: true,
  })
  missingPermissions?: string[];

  @Field(listOf(text({ max: 60 }), { max: 50 }), {
    description: 'Fields managed by the identity provider, for managed_by_scim.',
    optional: true,
  })
  managedFields?: string[];

  @Field(text({ max: 19 }), { description: 'Where to go on, for events_expired.', optional: true })
  nextAfter?: string;
}
