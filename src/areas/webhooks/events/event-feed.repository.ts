import { Injectable } from '@nestjs/common';
import type { Guard } from '#libs/access/guard.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { likePatterns } from './type-patterns.js';

/** Maximum number of events that one page searches for matching, visible ones. */
const LOOKED_THROUGH = 5_000;

// Scans the index of the numbers, and looks each event up by key in the partition of its day (`offset 0`). `place`
// reveals a gap: it then differs from the distance to the start.
const next = (condition: string) => `
  with next as materialized (
    select event_id, sequence from data.event_numbers
    where tenant_id = $1 and sequence > $2 order by sequence limit $3),
  placed as (select *, row_number() over (order by sequence) as place from next),
  whole as (select * from placed where sequence = $2 + place),
  wanted as (
    select whole.sequence, e.envelope from whole cross join lateral (
      select type, subject_type, subject_id, envelope from data.events
      where tenant_id = $1 and id = whole.event_id offset 0) e
    where ($4::text[] is null or e.type like any($4))${condition} order by whole.sequence limit $5)
  select wanted.sequence, wanted.envelope, null::bigint as last, null::bigint as looked from wanted
  union all
  select null, null, (select max(sequence) from whole), (select count(*) from whole)
  order by sequence nulls last`;
const ENDS = `
  select (select sequence from data.event_numbers where tenant_id = $1 and sequence > $2 order by sequence limit 1) as next,
    coalesce((select last from data.event_sequences where tenant_id = $1), 0) as last`;

/** A stored event with its position. */
export interface FeedEvent {
  sequence: number;
  /** Text of the envelope without the sequence. */
  envelope: string;
}

/** Events after a position of the sequence, without gaps. */
export interface FeedPart {
  /** Matching, visible events in order; at most one more than the limit. */
  events: FeedEvent[];
  /** The last searched position; null if nothing follows the start directly. */
  last: number | null;
  /** Whether the search stopped before the end. */
  cut: boolean;
}

@Injectable()
export class EventFeedRepository {
  constructor(private readonly database: Database) {}

  /** The events `e` after a position that satisfy the guard, up to the first gap. */
  async next(
    after: number,
    limit: number,
    eventTypes: readonly string[] | null,
    guard: Guard | null,
  ): Promise<FeedPart> {
    const through = eventTypes || guard ? LOOKED_THROUGH : limit + 1;
    const values: unknown[] = [currentTenant().id, after, through, eventTypes && likePatterns(eventTypes), limit + 1];
    const condition = guard ? ` and ${guard((value) => `$${values.push(value)}`)}` : '';
    const rows = await this.database.read<FeedEvent & { last: number | null; looked: number | null }>(
      statement(next(condition), values),
    );
    const { last, looked } = rows.pop()!;
    return { events: rows, last, cut: looked === through };
  }

  /** The first retained position after `after`, null if there is none, and the last assigned position. */
  async ends(after: number): Promise<{ next: number | null; last: number }> {
    const [ends] = await this.database.read<{ next: number | null; last: number }>(
      statement(ENDS, [currentTenant().id, after]),
    );
    return ends!;
  }
}
