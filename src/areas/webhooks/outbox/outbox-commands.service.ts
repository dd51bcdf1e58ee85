import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { actionIn, formViolations } from '#libs/http/command.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import { type BulkOutcome, DeliveryBulkService, type DeliverySelection } from '../deliveries/delivery-bulk.service.js';
import { EndpointTestsService } from '../endpoint-tests/endpoint-tests.service.js';
import {
  MAX_MOVED,
  type OutboxAction,
  type OutboxCommand,
  outboxCommand,
  type OutboxCommandResult,
} from './outbox-command.dto.js';
import { OutboxReferences } from './outbox-references.js';

/** Bulk operations on outbox entries, and tests of destinations. */
@Injectable()
export class OutboxCommandsService {
  constructor(
    private readonly bulk: DeliveryBulkService,
    private readonly tests: EndpointTestsService,
    private readonly references: OutboxReferences,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem 400 for missing, unexpected and unknown values. */
  async run(input: OutboxCommand): Promise<OutboxCommandResult> {
    const action = actionIn(outboxCommand, input);
    if (!action) throw Problem.validation([required('/action', 'Specify an action.')]);
    const violations = [
      ...selectionViolations(action, input),
      ...formViolations(outboxCommand, input),
      ...(await this.references.violations(input)),
    ];
    if (violations.length > 0) throw Problem.validation(violations);
    if (action === 'publish_test') return this.publishTest(input);
    const { limit = MAX_MOVED, reason = null, dryRun = false } = input;
    const selection = this.selectionOf(input);
    return this.database.transaction(async () => {
      const outcome = await this.move(action, selection, { limit, reason, dryRun });
      return { ...outcome, test: null };
    });
  }

  private move(
    action: Exclude<OutboxAction, 'publish_test'>,
    selection: DeliverySelection,
    options: { limit: number; reason: string | null; dryRun: boolean },
  ): Promise<BulkOutcome> {
    switch (action) {
      case 'replay':
        return this.bulk.replay(selection, options);
      case 'skip':
        return this.bulk.skip(selection, { ...options, reason: options.reason! });
      case 'dispatch_now':
        return this.bulk.dispatchNow(selection, options);
    }
  }

  private publishTest({ endpointId, eventType, dryRun }: OutboxCommand): Promise<OutboxCommandResult> {
    if (dryRun) return Promise.resolve({ matched: 1, affected: 1, test: null });
    const input = eventType === undefined ? {} : { eventType };
    return this.tests.sendAs('outbox.test_published', endpointId!, input, (result) => ({
      matched: 1,
      affected: 1,
      test: result,
    }));
  }

  private selectionOf({ ids, filter = {}, endpointId, from, to }: OutboxCommand): DeliverySelection {
    const { status, eventType, destinationId, subjectId, olderThanSeconds } = filter;
    const before =
      olderThanSeconds === undefined ? null : new Date(this.clock.nowMs() - olderThanSeconds * 1_000).toISOString();
    const ends = [to === undefined ? null : new Date(to).toISOString(), before].filter((each) => each !== null);
    return {
      ids,
      statuses: status,
      eventType,
      endpointIds: [endpointId, destinationId].filter((each) => each !== undefined),
      subjectId,
      from,
      to: ends.sort()[0],
    };
  }
}

/** Entries are not moved without a selection. */
function selectionViolations(action: OutboxAction, { ids, filter, endpointId, from, to }: OutboxCommand): Violation[] {
  const isNarrowed = ids || endpointId || from || to || Object.keys(filter ?? {}).length > 0;
  if (action === 'publish_test' || isNarrowed) return [];
  return [required('/filter', 'Select entries by ids, filter, endpointId, from or to.')];
}

function required(pointer: string, detail: string): Violation {
  return { pointer, code: 'required', detail };
}
