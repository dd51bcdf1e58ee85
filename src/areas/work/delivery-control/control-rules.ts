import { Problem } from '#libs/kernel/problem.js';
import { type Control, type ControlState, type Decision, NO_CONTROL } from './delivery-control.js';
import type { Order } from './delivery-order.js';

/**
 * What delivery control stores about a project after an action.
 * @param state the control state of the project before.
 * @throws Problem 409 `invalid_transition`.
 */
export function controlAfter(
  order: Order,
  control: Control,
  state: ControlState,
  { by, at }: Omit<Decision, 'status'>,
): Control {
  const none = { controlState: NO_CONTROL.controlState, severity: null };
  switch (order.action) {
    case 'set_control_state':
      if (state === 'hold') throw refusal('The project is on hold; resume it first.');
      return { ...control, controlState: order.controlState, severity: null };
    case 'hold':
      return { ...control, ...none };
    case 'resume':
      if (state !== 'hold') throw refusal(`The control state is ${state}, not hold.`);
      return { ...control, ...none };
    case 'escalate':
      return { ...control, controlState: 'escalated', severity: order.severity };
    case 'request_update':
      return { ...control, updateRequestedAt: at };
    case 'approve_gate':
    case 'reject_gate': {
      const status = order.action === 'approve_gate' ? 'approved' : 'rejected';
      if (control.gates[order.gate]?.status === status) return control;
      return { ...control, gates: { ...control.gates, [order.gate]: { status, by, at } } };
    }
    default:
      return control;
  }
}

function refusal(detail: string): Problem {
  return new Problem('invalid_transition', detail);
}
