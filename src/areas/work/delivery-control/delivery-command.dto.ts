import { command } from '#libs/http/command.js';
import {
  civilDate,
  type Fault,
  Field,
  flag,
  id,
  instant,
  integer,
  listOf,
  nested,
  oneOf,
  text,
} from '#libs/http/field.js';
import { notWith } from '#libs/kernel/problem.js';
import { member } from '#libs/resource/types/envelope.js';
import { projectLifecycle, type ProjectStatus } from '../projects/project.lifecycle.js';
import { HEALTH, type Health } from '../projects/project.parts.js';
import {
  CONTROL_STATES,
  type ControlState,
  ESCALATION_SEVERITIES,
  type EscalationSeverity,
  type Gate,
  GATES,
  DeliveryGate,
} from './delivery-control.js';

export const MAX_PROJECTS = 200;
const MAX_SHIFT = 1_000;

export const DELIVERY_ACTIONS = [
  'set_control_state',
  'set_health',
  'reassign_owner',
  'shift_dates',
  'hold',
  'resume',
  'escalate',
  'request_update',
  'approve_gate',
  'reject_gate',
] as const;
export type DeliveryAction = (typeof DELIVERY_ACTIONS)[number];

export class DeliveryFilter {
  @Field(oneOf(CONTROL_STATES), { description: 'Only projects in this control state.', optional: true })
  controlState?: ControlState;

  @Field(oneOf(HEALTH), { description: 'Only projects with this reported health.', optional: true })
  health?: Health;

  @Field(member(), { description: 'Only projects of this owner.', optional: true })
  ownerId?: string;

  @Field(id(), { description: 'Only projects for this account.', optional: true })
  accountId?: string;

  @Field(id(), { description: 'Only projects of this workspace.', optional: true })
  workspaceId?: string;

  @Field(civilDate(), { description: 'Only projects with a target date before this day.', optional: true })
  dueBefore?: string;

  @Field(flag(), { description: 'Only projects whose health was, or was not, reported recently.', optional: true })
  stale?: boolean;
}

export class DeliveryParams {
  @Field(oneOf(CONTROL_STATES), {
    description:
      'For `set_control_state`. `hold` acts as the action `hold`, and `escalated` as `escalate`, which requires `severity`.',
    optional: true,
  })
  controlState?: ControlState;

  @Field(oneOf(HEALTH), { description: 'For `set_health`.', optional: true })
  health?: Health;

  @Field(id(), { description: 'For `reassign_owner`: membership of the new owner.', optional: true })
  ownerId?: string;

  @Field(integer({ min: -MAX_SHIFT, max: MAX_SHIFT }), {
    description:
      'For `shift_dates`: number of business days; negative to move dates to earlier days. Not 0. A date on a day off counts as the business day before or after it, so shifting back by the same number need not restore it.',
    optional: true,
  })
  days?: number;

  @Field(oneOf(ESCALATION_SEVERITIES), { description: 'For `escalate`.', example: 'high', optional: true })
  severity?: EscalationSeverity;

  @Field(oneOf(GATES), { description: 'For `approve_gate` and `reject_gate`.', optional: true })
  gate?: Gate;
}

export class DeliveryCommand {
  @Field(listOf(id(), { min: 1, max: MAX_PROJECTS, unique: true }), {
    description: 'The projects.',
    optional: true,
  })
  projectIds?: string[];

  @Field(nested(DeliveryFilter), {
    description: 'All projects that match these conditions of the list; at least one condition.',
    example: { health: 'off_track' },
    optional: true,
  })
  filter?: DeliveryFilter;

  @Field(oneOf(DELIVERY_ACTIONS), {
    description:
      '`set_control_state`, `set_health` (with the reason as its note), `reassign_owner`, `shift_dates` (open tasks, open milestones and the target date), `hold` (active projects; planned ones fail with `invalid_transition`), `resume`, `escalate`, `request_update` (asks for a health report), `approve_gate` or `reject_gate`.',
    example: 'escalate',
  })
  action!: DeliveryAction;

  @Field(nested(DeliveryParams), {
    description: 'The parameters of the action, and no others.',
    example: { severity: 'high' },
    optional: true,
  })
  params?: DeliveryParams;

  @Field(text({ min: 1, max: 500, pattern: /\S/ }), { description: 'Reason, for the audit log.', example: 'Late' })
  reason!: string;

  @Field(flag(), { description: 'Change nothing if one project is refused. False by default.', optional: true })
  atomic?: boolean;

  @Field(flag(), { description: 'Only report what would happen. False by default.', optional: true })
  dryRun?: boolean;
}

const OF_GATE = { needs: ['params/gate'] };

command<DeliveryAction>(
  DeliveryCommand,
  {
    set_control_state: { needs: ['params/controlState'], takes: ['params/severity'] },
    set_health: { needs: ['params/health'] },
    reassign_owner: { needs: ['params/ownerId'] },
    shift_dates: { needs: ['params/days'] },
    hold: {},
    resume: {},
    escalate: { needs: ['params/severity'] },
    request_update: {},
    approve_gate: OF_GATE,
    reject_gate: OF_GATE,
  },
  {
    by: 'action',
    also: (body, action) => [...severityFaults(body, action), ...selectionFaults(body), ...shiftFaults(body)],
  },
);

/** Only an escalation has a severity. */
function* severityFaults({ params = {} }: Partial<DeliveryCommand>, action?: DeliveryAction): Generator<Fault> {
  if (action !== 'set_control_state') return;
  const escalates = params.controlState === 'escalated';
  const at = '/params/severity';
  if (escalates && params.severity === undefined) yield { at, code: 'required', detail: 'Required for escalated.' };
  if (!escalates && params.severity !== undefined) yield { at, ...notWith('action', 'Only for escalated.') };
}

/** Projects are selected in exactly one way. */
function* selectionFaults({ projectIds, filter }: Partial<DeliveryCommand>): Generator<Fault> {
  if (projectIds && filter) yield { at: '/filter', code: 'ambiguous', detail: 'Send either projectIds or filter.' };
  else if (!projectIds && Object.keys(filter ?? {}).length === 0)
    yield { at: '/projectIds', code: 'required', detail: 'Select projects by projectIds or filter.' };
}

function* shiftFaults({ params }: Partial<DeliveryCommand>): Generator<Fault> {
  if (params?.days === 0)
    yield { at: '/params/days', code: 'out_of_range', detail: 'A shift by 0 days changes nothing.' };
}

/** What an action can change about a project. */
export class DeliveryState {
  @Field(oneOf(projectLifecycle.states), { description: 'State of the project.', example: 'active' })
  status!: ProjectStatus;

  @Field(oneOf(CONTROL_STATES), { description: 'Control state.', example: 'normal' })
  controlState!: ControlState;

  @Field(oneOf(ESCALATION_SEVERITIES), { description: 'Severity of the escalation.', nullable: true })
  severity!: EscalationSeverity | null;

  @Field(oneOf(HEALTH), { description: 'Reported health.', example: 'on_track' })
  health!: Health;

  @Field(id(), { description: 'Membership of the owner.', nullable: true })
  ownerId!: string | null;

  @Field(civilDate(), { description: 'Target date.', nullable: true })
  targetDate!: string | null;

  @Field(instant(), { description: 'Time at which the health was last reported.', nullable: true })
  lastUpdateAt!: string | null;

  @Field(instant(), { description: 'Time of the last request for a health report.', nullable: true })
  updateRequestedAt!: string | null;

  @Field(listOf(nested(DeliveryGate), { max: 5 }), { description: 'The gates.' })
  gates!: DeliveryGate[];
}

export class DeliveryError {
  @Field(text({ max: 60 }), { description: 'Error code.', example: 'invalid_transition' })
  code!: string;

  @Field(text({ max: 2_000 }), { description: 'Explanation.', example: 'The project is not on hold.' })
  detail!: string;
}

export class ShiftedDates {
  @Field(integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), { description: 'Number of tasks.', example: 4 })
  tasks!: number;

  @Field(integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), { description: 'Number of milestones.', example: 1 })
  milestones!: number;
}

export class DeliveryResult {
  @Field(id(), { description: 'The project.' })
  projectId!: string;

  @Field(flag(), { description: 'Whether the action succeeded.' })
  ok!: boolean;

  @Field(nested(DeliveryError), {
    description:
      'Why it was refused. `not_applied` if another project was refused and `atomic` is set. Null on success.',
    nullable: true,
  })
  error!: DeliveryError | null;

  @Field(nested(DeliveryState), { description: 'The project before; null if it was not found.', nullable: true })
  before!: DeliveryState | null;

  @Field(nested(DeliveryState), { description: 'The project after; null if the action was refused.', nullable: true })
  after!: DeliveryState | null;

  @Field(nested(ShiftedDates), { description: 'For `shift_dates`: what was moved.', nullable: true })
  shifted!: ShiftedDates | null;
}

export class DeliveryCounts {
  @Field(integer({ min: 0, max: MAX_PROJECTS }), { description: 'Selected projects.', example: 3 })
  matched!: number;

  @Field(integer({ min: 0, max: MAX_PROJECTS }), {
    description: 'Projects that changed, or would change with `dryRun`.',
    example: 2,
  })
  changed!: number;

  @Field(integer({ min: 0, max: MAX_PROJECTS }), { description: 'Projects that were refused.', example: 1 })
  failed!: number;
}

export class DeliveryCommandResult {
  @Field(nested(DeliveryCounts), { description: 'Number of projects.' })
  summary!: DeliveryCounts;

  @Field(listOf(nested(DeliveryResult), { max: MAX_PROJECTS }), { description: 'One result per project.' })
  results!: DeliveryResult[];
}
