import { Problem, type Violation } from '#libs/kernel/problem.js';
import type { Health } from '../projects/project.parts.js';
import type { EscalationSeverity, Gate } from './delivery-control.js';
import type { DeliveryAction, DeliveryCommand, DeliveryParams } from './delivery-command.dto.js';

/** An action with its parameters. */
export type Order =
  | { action: 'hold' | 'resume' | 'request_update' }
  | { action: 'set_control_state'; controlState: 'normal' | 'watch' }
  | { action: 'escalate'; severity: EscalationSeverity }
  | { action: 'set_health'; health: Health }
  | { action: 'reassign_owner'; ownerId: string }
  | { action: 'shift_dates'; days: number }
  | { action: 'approve_gate' | 'reject_gate'; gate: Gate };

const PARAMETERS: Record<DeliveryAction, readonly (keyof DeliveryParams)[]> = {
  set_control_state: ['controlState'],
  set_health: ['health'],
  reassign_owner: ['ownerId'],
  shift_dates: ['days'],
  hold: [],
  resume: [],
  escalate: ['severity'],
  request_update: [],
  approve_gate: ['gate'],
  reject_gate: ['gate'],
};

/** @throws Problem 400 for missing and unexpected parameters, and unless projects are selected in exactly one way. */
export function orderOf({ action, params = {}, projectIds, filter }: DeliveryCommand): Order {
  const escalates = action === 'set_control_state' && params.controlState === 'escalated';
  const wanted: readonly (keyof DeliveryParams)[] = escalates
    ? [...PARAMETERS[action], 'severity']
    : PARAMETERS[action];
  const violations: Violation[] = [
    ...wanted
      .filter((name) => params[name] === undefined)
      .map((name) => ({ pointer: `/params/${name}`, code: 'required', detail: `Required for ${action}.` })),
    ...(Object.keys(params) as (keyof DeliveryParams)[])
      .filter((name) => !wanted.includes(name))
      .map((name) => ({ pointer: `/params/${name}`, code: 'not_with_action', detail: `Not allowed for ${action}.` })),
    ...selectionViolations(projectIds, filter),
  ];
  if (params.days === 0)
    violations.push({ pointer: '/params/days', code: 'out_of_range', detail: 'A shift by 0 days changes nothing.' });
  if (violations.length > 0) throw Problem.validation(violations);
  if (action !== 'set_control_state') return { action, ...params } as Order; // exactly its parameters
  if (escalates) return { action: 'escalate', severity: params.severity! };
  return params.controlState === 'hold' ? { action: 'hold' } : ({ action, ...params } as Order);
}

function selectionViolations(ids: string[] | undefined, filter: object | undefined): Violation[] {
  if (ids && filter) return [{ pointer: '/filter', code: 'ambiguous', detail: 'Send either projectIds or filter.' }];
  if (ids || (filter && Object.keys(filter).length > 0)) return [];
  return [{ pointer: '/projectIds', code: 'required', detail: 'Select projects by projectIds or filter.' }];
}
