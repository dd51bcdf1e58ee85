import { AGENT_KIND } from './agent.js';
import { DRAFT_KINDS } from './drafts.js';
import { FINDING_KINDS } from './findings.js';
import type { JobKind } from './kind.js';
import { RECORD_KINDS } from './records.js';
import { TEXT_KINDS } from './text.js';
import { TICKET_KINDS } from './tickets.js';

/** All kinds of jobs, by key. */
export const KINDS: ReadonlyMap<string, JobKind> = new Map(
  [...TEXT_KINDS, ...RECORD_KINDS, ...TICKET_KINDS, ...DRAFT_KINDS, ...FINDING_KINDS, AGENT_KIND].map((kind) => [
    kind.key,
    kind,
  ]),
);

/** Input with today's date (`YYYY-MM-DD`), fixed when a job is created. */
export function completeInput(kind: JobKind, input: Record<string, unknown>, today: string): Record<string, unknown> {
  return 'asOf' in kind.inputSchema.properties && input['asOf'] === undefined ? { ...input, asOf: today } : input;
}
