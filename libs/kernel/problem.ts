/**
 * One failed rule of a request. Its location is in exactly one of `pointer` (RFC 6901, body), `parameter` (query or
 * path) and `header`.
 */
export interface Violation {
  pointer?: string;
  parameter?: string;
  header?: string;
  /** Stable snake_case code, e.g. `required`, `invalid_type`, `out_of_range`, `unknown_field`. */
  code: string;
  detail: string;
}

/** The failure of a value that is not allowed together with another, or with what the request does. */
export function notWith(what: string, detail: string): Pick<Violation, 'code' | 'detail'> {
  return { code: `not_with_${what}`, detail };
}

/** Every error code, with its HTTP status and fixed title. Other codes cannot be thrown. */
export const PROBLEMS = {
  validation_failed: [400, 'The request is not valid'],
  malformed_json: [400, 'The body is not well-formed JSON'],
  cursor_invalid: [400, 'The cursor does not belong to this request'],
  idempotency_key_invalid: [400, 'The Idempotency-Key is not valid'],
  cost_cap_above_policy: [400, 'The cost cap is above what the policy allows'],
  amount_mismatch: [400, 'Two forms of one amount disagree'],
  not_detected: [400, 'The step is not done'],
  bad_request: [400, 'The request is not well-formed'],
  sign_in_failed: [400, 'The sign-in did not succeed'],
  unauthenticated: [401, 'A valid credential is required'],
  email_mismatch: [403, 'The invitation is for somebody else'],
  permission_denied: [403, 'The credential may not do this'],
  field_forbidden: [403, 'The credential may not set this field'],
  not_by_oneself: [403, 'Nobody may do this to themselves'],
  gate_denied: [403, 'A policy of the tenant denies this'],
  ai_policy_denied: [403, 'The AI policy of the tenant denies this'],
  not_an_approver: [403, 'Somebody else has to decide this'],
  grant_exceeds_rights: [403, 'A grant goes beyond what the editor may do'],
  step_up_required: [403, 'A fresh multi-factor sign-in, or a key for protected operations, is needed'],
  csrf_refused: [403, 'The request does not come from a page of ours'],
  tenant_required: [403, 'The session has no tenant'],
  mfa_required: [403, 'The tenant demands a second factor'],
  tenant_mismatch: [403, 'The credential belongs to another tenant'],
  tenant_suspended: [403, 'The tenant is suspended'],
  feature_disabled: [403, 'The tenant has disabled this area'],
  ip_not_allowed: [403, 'The credential may not be used from this address'],
  not_found: [404, 'There is no such resource'],
  sign_in_not_configured: [404, 'Nobody can sign in: no identity provider is configured'],
  method_not_allowed: [405, 'The resource does not take this method'],
  not_acceptable: [406, 'No acceptable representation'],
  request_timeout: [408, 'The request took too long to arrive'],
  invalid_transition: [409, 'The state does not allow this action'],
  shift_into_past: [409, 'The dates cannot move into the past'],
  candidate_not_hired: [409, 'The candidate is not hired'],
  mapping_exists: [409, 'The application has a mapping already'],
  employment_begun: [409, 'The employment has begun'],
  record_locked: [409, 'The record cannot be changed in its state'],
  required_fields_missing: [409, 'The action needs fields that are empty'],
  reopen_window_passed: [409, 'The record was closed too long ago'],
  stale_version: [409, 'The version in the body is out of date'],
  stale_target: [409, 'The record has changed since approval was asked for'],
  approval_pending: [409, 'The action waits for approval already'],
  check_not_failing: [409, 'The security check does not fail'],
  already_decided: [409, 'You have decided already'],
  limit_reached: [409, 'There can be no more of them'],
  storage_quota_exceeded: [409, 'The plan has no room for more files'],
  file_in_use: [409, 'Records name the file'],
  file_not_available: [409, 'The file cannot be read now'],
  plan_limit_reached: [409, 'The plan allows no more of them'],
  below_minimum_retention: [409, 'The records must be kept for longer'],
  managed_by_scim: [409, 'The identity provider manages this'],
  system_role: [409, 'A system role cannot be changed'],
  system_template: [409, 'A system template cannot be changed'],
  last_owner: [409, 'The tenant needs an active owner'],
  no_reviewer: [409, 'Nobody may review this'],
  nothing_to_review: [409, 'The scope contains nothing to review'],
  reminded_recently: [409, 'The reviewers have been reminded recently'],
  seat_limit: [409, 'The plan has no seat left'],
  blocked: [409, 'Something else has to be done first'],
  onboarding_open: [409, 'Items of the onboarding are open'],
  employee_terminated: [409, 'The employee is terminated'],
  timer_running: [409, 'A timer is running already'],
  timer_not_running: [409, 'No timer is running'],
  tree_cycle: [409, 'The records would lead in a circle'],
  cycle_overlap: [409, 'The project has a cycle at that time already'],
  time_off_overlap: [409, 'The employee is away at that time already'],
  balance_exceeded: [409, 'The balance does not suffice'],
  in_use: [409, 'The resource is in use'],
  do_not_contact: [409, 'The candidate may not be contacted'],
  offer_expired: [409, 'The offer has expired'],
  offer_missing: [409, 'The step needs an offer'],
  application_closed: [409, 'The application is closed'],
  job_not_open: [409, 'The job is not open'],
  handoff_exists: [409, 'The deal has a handoff already'],
  handoff_incomplete: [409, 'Something is missing in the handoff'],
  deal_not_won: [409, 'The deal is not won'],
  account_blocked: [409, 'The account is blocked'],
  duplicate: [409, 'Such a resource exists already'],
  slug_taken: [409, 'The slug is taken'],
  reference_in_trash: [409, 'What the record names is in the trash'],
  customer_missing: [409, 'The document has no customer'],
  e_invoice_incomplete: [409, 'Something is missing for an electronic invoice'],
  lines_missing: [409, 'The document has no lines'],
  total_negative: [409, 'The total of the document is negative'],
  exchange_rate_missing: [409, 'The document needs an exchange rate'],
  issue_date_out_of_order: [409, 'A later document has been issued already'],
  due_date_before_issue: [409, 'The document would be due before it is issued'],
  recipient_missing: [409, 'There is nobody to send it to'],
  has_payments: [409, 'Money has been paid or credited'],
  source_not_billable: [409, 'A source cannot be charged for in its state'],
  source_already_billed: [409, 'Another document charges for the same'],
  amount_exceeds_balance: [409, 'The amount is more than what is open'],
  currency_mismatch: [409, 'The currencies differ'],
  account_mismatch: [409, 'The accounts differ'],
  number_used: [409, 'A number could be assigned twice'],
  base_currency_fixed: [409, 'The books are kept in another currency'],
  amount_too_large: [409, 'An amount would leave the range of exact numbers'],
  tax_mismatch: [409, 'The document has no such tax'],
  export_too_large: [409, 'The list has too many records for this'],
  idempotency_in_progress: [409, 'A request with this Idempotency-Key is still running'],
  idempotency_answer_erased: [409, 'The stored answer was erased'],
  secret_rotation_in_progress: [409, 'The previous secret is still valid'],
  model_not_priced: [409, 'The model has no price in force'],
  approval_changed: [409, 'What was decided on has changed since'],
  agent_inactive: [409, 'The agent takes no jobs'],
  target_unreadable: [409, 'A record cannot be read any more'],
  tool_not_granted: [403, 'The agent may not use this tool'],
  outbox_state_conflict: [409, 'The state of the delivery does not allow this'],
  endpoint_deleted: [409, 'The endpoint is deleted'],
  input_not_kept: [410, 'What the job was given is not kept any more'],
  events_expired: [410, 'Events after this one are no longer kept'],
  export_expired: [410, 'The file is not kept any more'],
  version_mismatch: [412, 'The record has changed since it was read'],
  payload_too_large: [413, 'The body is too large'],
  input_too_large: [413, 'The input is more than the model or the platform takes'],
  uri_too_long: [414, 'The URL is too long'],
  unsupported_media_type: [415, 'The media type is not supported'],
  range_not_satisfiable: [416, 'The file has no such bytes'],
  idempotency_key_reused: [422, 'The Idempotency-Key was used for another request'],
  upload_mismatch: [422, 'The bytes are not those that were announced'],
  report_timeout: [422, 'The report takes too long'],
  legal_hold: [423, 'The record is under a legal hold'],
  ai_paused: [423, 'AI work is paused'],
  rate_limit_exceeded: [429, 'Too many requests'],
  budget_exhausted: [429, 'A budget has no room for this'],
  headers_too_large: [431, 'The header fields are too large'],
  not_implemented: [501, 'The operation is not offered'],
  internal_error: [500, 'Something went wrong on our side'],
  overloaded: [503, 'The service has too much to do right now'],
  unavailable: [503, 'The service is not available right now'],
} as const satisfies Record<string, readonly [number, string]>;

export type ProblemCode = keyof typeof PROBLEMS;

/** Maximum number of failures in one response. */
export const MAX_VIOLATIONS = 50;

/**
 * An error response as RFC 9457 problem details.
 *
 * `extensions` are additional members of the document (e.g. `allowedActions`), `headers` additional response headers
 * (e.g. `Retry-After`). `detail` is safe to show to the caller.
 */
export class Problem extends Error {
  readonly status: number;
  readonly title: string;

  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly more: {
      errors?: Violation[];
      extensions?: Record<string, unknown>;
      headers?: Record<string, string>;
      cause?: unknown;
    } = {},
  ) {
    super(`${code}: ${detail}`, { cause: more.cause });
    this.name = 'Problem';
    [this.status, this.title] = PROBLEMS[code];
  }

  /** 400 `validation_failed` with the first {@link MAX_VIOLATIONS} failures. */
  static validation(errors: Violation[]): Problem {
    const detail = errors.length === 1 ? detailOf(errors[0]!) : `${errors.length} values are not valid.`;
    return new Problem('validation_failed', detail, { errors: errors.slice(0, MAX_VIOLATIONS) });
  }

  /** 400 for a body member that refers to an unknown record, or to one that the caller may not see. */
  static unknownReference(pointer: string): Problem {
    return Problem.validation([{ pointer, code: 'unknown_reference', detail: 'There is no such record.' }]);
  }

  /** 404, identical for an unknown record and a record of another tenant. */
  static notFound(): Problem {
    return new Problem('not_found', 'There is no such resource in this tenant.');
  }

  /** The document as it is sent. `Source:` RFC 9457. */
  toDocument(requestId: string): Record<string, unknown> {
    return {
      type: `urn:problem:${this.code}`,
      title: this.title,
      status: this.status,
      detail: this.detail,
      instance: `urn:request:${requestId}`,
      code: this.code,
      requestId,
      ...(this.more.errors ? { errors: this.more.errors } : {}),
      ...this.more.extensions,
    };
  }
}

/** The fault including its location, because many clients show only the detail of a problem. */
function detailOf({ pointer, parameter, header, detail }: Violation): string {
  if (pointer) return `Field ${pointer}: ${detail}`;
  if (parameter !== undefined) return `Parameter ${parameter}: ${detail}`;
  return header === undefined ? detail : `Header ${header}: ${detail}`;
}
