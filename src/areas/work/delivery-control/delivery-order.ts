import type { Health } from '../projects/project.parts.js';
import type { EscalationSeverity, Gate } from './delivery-control.js';
import type { DeliveryCommand } from './delivery-command.dto.js';

/** An action with its parameters. */
export type Order =
  | { action: 'hold' | 'resume' | 'request_update' }
  | { action: 'set_control_state'; controlState: 'normal' | 'watch' }
  | { action: 'escalate'; severity: EscalationSeverity }
  | { action: 'set_health'; health: Health }
  | { action: 'reassign_owner'; ownerId: string }
  | { action: 'shift_dates'; days: number }
  | { action: 'approve_gate' | 'reject_gate'; gate: Gate };

/** The order of a command, with exactly the parameters of its action. */
export function orderOf({ action, params = {} }: DeliveryCommand): Order {
  if (action !== 'set_control_state') return { action, ...params } as Order; // checked with the form
  if (params.controlState === 'escalated') return { action: 'escalate', severity: params.severity! };
  return params.controlState === 'hold' ? { action: 'hold' } : ({ action, ...params } as Order);
}
