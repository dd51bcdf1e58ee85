import { Injectable } from '@nestjs/common';
import { LATENCY_BOUNDS_MS } from '#libs/request-counts/request-counts.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Window } from '#libs/measures/period.js';
import { currentTenant } from '#libs/tenancy/scope.js';

const BUCKETS = Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, (_, i) => `sum(m.good_latency[${i + 1}])::bigint`);
const WINDOWS = 'from unnest($2::integer[], $3::timestamptz[], $4::timestamptz[]) as w (i, starts, ends)';
const REQUESTS = `select coalesce(sum(m.good), 0)::bigint as good, coalesce(sum(m.bad), 0)::bigint as bad,
    to_json(array[${BUCKETS.join(', ')}]) as latency
  ${WINDOWS} left join data.request_minutes m on m.tenant_id = $1 and m.minute >= w.starts and m.minute < w.ends
  group by w.i order by w.i`;
const REVIEWS = `select count(i.id)::integer as items, (count(i.id) filter (where i.decision <> 'pending'))::integer as decided
  ${WINDOWS}
    left join data.access_reviews r on r.tenant_id = $1 and r.due_at >= w.starts and r.due_at < w.ends
      and r.status in ('in_progress', 'pending_actions', 'completed')
    left join data.access_review_items i on i.tenant_id = $1 and i.review_id = r.id
  group by w.i order by w.i`;

/** Valid requests of a window. */
export interface RequestWindow {
  good: number;
  bad: number;
  /** Latency of the good ones, by the buckets of {@link LATENCY_BOUNDS_MS}. */
  latency: (number | null)[];
}

/** Items of the access reviews that are due in a window. */
export interface ReviewWindow {
  items: number;
  decided: number;
}

/** Figures of scorecards that count no list. */
@Injectable()
export class ServiceFiguresRepository {
  constructor(private readonly database: Database) {}

  requests(windows: readonly Window[]): Promise<RequestWindow[]> {
    return this.read(REQUESTS, windows);
  }

  reviews(windows: readonly Window[]): Promise<ReviewWindow[]> {
    return this.read(REVIEWS, windows);
  }

  /** One row for each window, in their order. */
  private read<R extends object>(text: string, windows: readonly Window[]): Promise<R[]> {
    const columns = [windows.map((_, i) => i), windows.map(({ starts }) => starts), windows.map(({ ends }) => ends)];
    return this.database.read<R>(statement(text, [currentTenant().id, ...columns]));
  }
}
