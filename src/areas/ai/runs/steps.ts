import type { JobStep, JobUsage } from '../jobs/job.parts.js';
import type { Call, ToolUse } from './call.js';

type Step = Omit<JobStep, 'number'>;

/** Total usage and cost of a job's calls, over all attempts. */
export function totalsOf(calls: readonly Call[]): { usage: JobUsage; actualCostMicros: number } {
  const sum = (of: (call: Call) => number) => calls.reduce((total, call) => total + of(call), 0);
  return {
    usage: {
      inputTokens: sum(({ inputTokens }) => inputTokens),
      outputTokens: sum(({ outputTokens }) => outputTokens),
      calls: sum(({ tries }) => tries),
    },
    actualCostMicros: sum(({ costMicros }) => costMicros),
  };
}

/** The steps of a job in order: calls to models, and to the tools that each requested. */
export function stepsOf(calls: readonly Call[]): JobStep[] {
  return calls
    .flatMap((call) => [stepOf(call), ...call.tools.map(toolStepOf)])
    .map((step, i) => ({ number: i + 1, ...step }));
}

function stepOf(call: Call): Step {
  return {
    type: 'model',
    name: call.model,
    outcome: (call.state === 'done' ? call.finish : call.fault) ?? call.state,
    inputTokens: call.inputTokens,
    outputTokens: call.outputTokens,
    costMicros: call.costMicros,
    at: call.finishedAt ?? call.sentAt,
    durationMs: call.latencyMs ?? 0,
  };
}

function toolStepOf({ key, outcome, at, durationMs }: ToolUse): Step {
  return {
    type: 'tool',
    name: key ?? 'unknown',
    outcome,
    inputTokens: 0,
    outputTokens: 0,
    costMicros: 0,
    at,
    durationMs,
  };
}
