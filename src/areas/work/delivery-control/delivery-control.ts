import { Field, instant, nested, oneOf, text } from '#libs/http/field.js';
import type { Actor } from '#libs/tenancy/scope.js';

export const CONTROL_STATES = ['normal', 'watch', 'hold', 'escalated'] as const;
export type ControlState = (typeof CONTROL_STATES)[number];
export const ESCALATION_SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;
export type EscalationSeverity = (typeof ESCALATION_SEVERITIES)[number];
export const GATES = ['kickoff', 'scope_signed', 'milestone_acceptance', 'go_live', 'closure'] as const;
export type Gate = (typeof GATES)[number];
export const GATE_STATUSES = ['pending', 'approved', 'rejected'] as const;
export type GateStatus = (typeof GATE_STATUSES)[number];

/** Who decided a gate. */
export class GateActor {
  @Field(text({ max: 40 }), { description: 'Kind of actor.', example: 'member' })
  type!: Actor['type'];

  @Field(text({ max: 200 }), { description: 'Id of the membership or API key.', nullable: true })
  id!: string | null;
}

/** Decision about a gate, as stored. */
export interface Decision {
  status: Exclude<GateStatus, 'pending'>;
  by: GateActor;
  at: string;
}

export class DeliveryGate {
  @Field(oneOf(GATES), { description: 'Gate.', example: 'kickoff' })
  gate!: Gate;

  @Field(oneOf(GATE_STATUSES), { description: 'Whether it has been decided, and how.', example: 'pending' })
  status!: GateStatus;

  @Field(nested(GateActor), { description: 'Who decided it; null while it is pending.', nullable: true })
  by!: GateActor | null;

  @Field(instant(), { description: 'Time of the decision; null while it is pending.', nullable: true })
  at!: string | null;
}

/** What delivery control stores about a project. */
export interface Control {
  controlState: Exclude<ControlState, 'hold'>;
  severity: EscalationSeverity | null;
  updateRequestedAt: string | null;
  gates: Partial<Record<Gate, Decision>>;
}

export const NO_CONTROL: Control = { controlState: 'normal', severity: null, updateRequestedAt: null, gates: {} };

/** SQL of the control state of a project `t`. A project on hold is in `hold` unless it is escalated. */
export const CONTROL_STATE_SQL = `coalesce((select case when c.control_state = 'escalated' or t.status <> 'on_hold'
    then c.control_state end from data.work_delivery_controls c where c.tenant_id = t.tenant_id and c.project_id = t.id),
  case t.status when 'on_hold' then 'hold' else 'normal' end)`;

/** Control of a project: what is stored, and the state that follows from it and from the project. */
export interface Controlled {
  control: Control;
  controlState: ControlState;
}

export function gatesOf({ gates }: Control): DeliveryGate[] {
  return GATES.map((gate) => ({ gate, ...(gates[gate] ?? { status: 'pending' as const, by: null, at: null }) }));
}
