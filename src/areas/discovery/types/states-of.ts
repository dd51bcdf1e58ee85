import { reachOf } from '#libs/auth/current-principal.js';
import type { Lifecycle } from '#libs/kernel/lifecycle.js';
import type { KnownType } from './type-catalogue.js';
import type { DiagramEdge, DiscoveredStates, StateDiagram } from './type.dto.js';

/** The life cycle of a type for callers; null when it has none. */
export function statesOf({ object, lifecycle, stateField, operations }: KnownType): DiscoveredStates | null {
  if (!lifecycle) return null;
  const transitions = Object.entries(lifecycle.transitions).map(([action, transition]) => {
    const { summary, from, to, permission, event, gate, byPlatform } = transition;
    return {
      action,
      summary,
      from: [...from],
      to,
      permission,
      operation: byPlatform ? null : `${operations}.${action}`,
      event: `${object}.${event}`,
      gate: gate?.key ?? null,
      allowed: !byPlatform && reachOf(permission) !== null,
    };
  });
  return {
    field: stateField,
    initial: lifecycle.initial,
    all: [...lifecycle.states],
    transitions,
    diagram: diagramOf(lifecycle),
  };
}

/** Transitions between states. Those that keep the state are only listed as transitions. */
function diagramOf({ states, initial, transitions }: Lifecycle): StateDiagram {
  const edges = Object.entries(transitions).flatMap(([action, { from, to }]): DiagramEdge[] =>
    to === null ? [] : from.map((state) => ({ from: state, to, action })),
  );
  const lines = [
    'stateDiagram-v2',
    ...states.map((state) => `  ${state}`),
    `  [*] --> ${initial}`,
    ...edges.map(({ from, to, action }) => `  ${from} --> ${to}: ${action}`),
  ];
  return { nodes: [...states], edges, mermaid: lines.join('\n') };
}
