import { id, text } from '#libs/http/field.js';
import { filter, type FilterTerm, type ListOptions } from '#libs/resource/lists/list-query.js';
import { type DeliveryStatus, LEASED, QUEUED, UNDELIVERED } from '#libs/webhooks/delivery-status.js';

const OPEN: readonly DeliveryStatus[] = ['pending', 'in_flight', 'retrying'];
const STOPPED: readonly DeliveryStatus[] = ['exhausted', 'held', 'skipped'];

const given = (sql: string) => filter.related(text({ max: 20 }), `(${sql} and :values::text[] is not null)`);

/** Conditions on the status for which an index exists, for {@link indexed}, and the endpoint. */
const INDEXED: ListOptions['filters'] = {
  stopped: { ...filter.exact(text({ max: 20 })), sql: 't.stopped' },
  leased: given(LEASED),
  queued: given(QUEUED),
  undelivered: given(UNDELIVERED),
  endpointId: filter.exact(id()),
};

/** A list of deliveries with the filters that {@link indexed} adds. */
export function withIndexed(options: ListOptions): ListOptions {
  return { ...options, filters: { ...options.filters, ...INDEXED } };
}

/**
 * Filters by status that can use an index: deliveries in flight are leased, stopped ones have a column for it, and
 * pending ones are in the queue.
 */
export function indexed(filters: readonly FilterTerm[]): FilterTerm[] {
  return filters.flatMap((term) => {
    if (term.field !== 'status' || !['eq', 'in'].includes(term.operator)) return [term];
    const values = [term.value].flat() as DeliveryStatus[];
    if (values.includes('delivered')) return [term];
    if (values.every((each) => each === 'in_flight')) return [{ field: 'leased', operator: 'eq', value: values }, term];
    if (values.every((each) => OPEN.includes(each))) return [{ field: 'queued', operator: 'eq', value: values }, term];
    if (values.every((each) => STOPPED.includes(each)))
      return [{ field: 'stopped', operator: 'in', value: values }, term];
    return [{ field: 'undelivered', operator: 'eq', value: values }, term];
  });
}
