import type { JobStep, JobUsage } from '../jobs/job.parts.js';
import type { Call, ToolUse } from './call.js';

type Step = Omit<JobStep, 'number'>;

/** What the calls of a job have used and cost, all attempts together. */
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

/** What has been done for a job, in order: calls of models, and of the tools that each asked for. */
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
