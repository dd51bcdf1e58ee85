import { Injectable } from '@nestjs/common';
import { KeyFigures, type RequestSums } from '#libs/request-counts/key-figures.js';
import { currentPrincipal, holds } from '#libs/auth/current-principal.js';
import { type DaySpan, daysOf } from '#libs/kernel/day-span.js';
import { type KeyUsage, MOST_NAMED, type RouteUsage, type UsageGroup, type UsageQuery } from './usage.dto.js';
import { type KnownKey, UsageRepository } from './usage.repository.js';

const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));
const NONE: RequestSums = { reads: 0, writes: 0, errors4xx: 0, errors5xx: 0, rateLimited: 0, idempotentReplays: 0 };

/** Usage by time, key and route, limited to keys whose usage the caller may read. */
@Injectable()
export class UsageGroups {
  constructor(
    private readonly figures: KeyFigures,
    private readonly repository: UsageRepository,
  ) {}

  async read(
    span: DaySpan,
    groupBy: UsageQuery['groupBy'],
  ): Promise<{ series: UsageGroup[]; byKey: KeyUsage[]; byRoute: RouteUsage[] }> {
    const known = await this.repository.keys();
    const keys = holds('usage:read-all') ? null : ownOf(known);
    const names = new Map(known.map(({ id, name }) => [id, name]));
    const sums = await this.figures.byKey(span, keys, MOST_NAMED);
    const byKey = sums.map((each) => ({ ...each, name: each.keyId === null ? null : (names.get(each.keyId) ?? null) }));
    const byRoute = await this.figures.byRoute(span, keys, MOST_NAMED);
    const series =
      groupBy === 'key'
        ? byKey.map(({ keyId, ...each }) => ({ group: keyId ?? 'sessions', ...each }))
        : groupBy === 'route'
          ? byRoute.map(({ method, route, ...each }) => ({ group: `${method} ${route}`, ...each }))
          : await this.overTime(span, groupBy, keys);
    return { series, byKey, byRoute };
  }

  private async overTime(
    span: DaySpan,
    groupBy: UsageQuery['groupBy'],
    keys: readonly string[] | null,
  ): Promise<UsageGroup[]> {
    if (groupBy === 'hour') {
      const found = (await this.figures.byHour(span, keys)).map(({ hour, ...sums }) => [hour, sums] as const);
      const hours = daysOf(span).flatMap((day) => HOURS.map((hour) => `${day}T${hour}:00:00.000Z`));
      return filled(hours, new Map(found));
    }
    const found = (await this.figures.byDay(span, keys)).map(({ date, ...sums }) => [date, sums] as const);
    return filled(daysOf(span), new Map(found));
  }
}

/** A key sees its own usage, a session that of the member's personal keys. */
function ownOf(known: readonly KnownKey[]): string[] {
  const { kind, lineageId, membershipId } = currentPrincipal();
  if (kind === 'api_key') return [lineageId];
  return known.filter(({ memberId }) => memberId === membershipId).map(({ id }) => id);
}

function filled(groups: readonly string[], found: ReadonlyMap<string, RequestSums>): UsageGroup[] {
  return groups.map((group) => ({ group, ...(found.get(group) ?? NONE) }));
}
