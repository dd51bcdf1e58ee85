import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { RequestAccounts } from '#libs/request-counts/request-accounts.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { brokenReference } from '#libs/database/failures.js';
import { Clock } from '#libs/kernel/clock.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import { MEMBER, mustExist } from '#libs/resource/access/references.js';
import { byName } from '#libs/resource/lists/named-list.js';
import { onePage, pageOfAll } from '#libs/resource/lists/page-of-all.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { nextVersion } from '#libs/resource/records/next-version.js';
import { currentTenant, stamp } from '#libs/tenancy/scope.js';
import { type ChangeSlos, MAX_SLOS, type SloChange, type SloList, type SloQuery, type SloView } from './slo.dto.js';
import { SloAlerts } from './slo-alerts.js';
import { SloCounters } from './slo-counters.js';
import { SloEvents } from './slo-events.js';
import { factsOf, SloFigures } from './slo-figures.js';
import { faultsOf, indicatorOf } from './slo-rules.js';
import { isCounted, type Slo } from './slo.js';
import { SloRepository } from './slo.repository.js';

/** Reads and changes the objectives of a tenant. */
@Injectable()
export class SloService {
  constructor(
    private readonly repository: SloRepository,
    private readonly figures: SloFigures,
    private readonly counters: SloCounters,
    private readonly alerts: SloAlerts,
    private readonly events: SloEvents,
    private readonly accounts: RequestAccounts,
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly clock: Clock,
  ) {}

  async list(query: SloQuery): Promise<Page<SloView>> {
    const { key, status, include = [], granularity = 'day', ...paging } = query;
    const slos = (await this.repository.all()).filter(
      (slo) => slo.archivedAt === null && (key === undefined || slo.key === key),
    );
    await this.flush();
    const views = (await this.figures.measure(byName(slos, query))).map((measured) => ({
      ...this.figures.view(measured),
      ...(include.includes('series') && { series: this.figures.series(measured, granularity) }),
    }));
    const found = views.filter((view) => status === undefined || view.status === status);
    const purpose = ['admin.slo', key, status, include, granularity];
    return pageOfAll(found, paging, this.cursors, purpose);
  }

  /** Changes the named objectives and creates those with an unknown key. @throws Problem 400, 404, 409 `limit_reached`. */
  async change({ slos, ...one }: ChangeSlos): Promise<SloList> {
    const changes = slos ?? [one];
    const pointerOf = (index: number) => (slos ? `/slos/${index}` : '');
    if (slos && Object.keys(one).length > 0)
      throw violation(`/${Object.keys(one)[0]!}`, 'not_together', 'Send either `slos` or the fields of one objective.');
    const faults = changes.flatMap((change, index) => [
      ...nameFaults(change, pointerOf(index)),
      ...faultsOf(change, pointerOf(index)),
    ]);
    if (faults.length > 0) throw Problem.validation(faults);
    await this.flush();
    return this.unit(async (transaction) => {
      const known = await this.repository.lock(transaction);
      const changed: Slo[] = [];
      for (const [index, change] of changes.entries())
        changed.push(await this.apply(transaction, known, change, pointerOf(index)));
      const second = changed.findIndex(({ id }, index) => changed.slice(0, index).some((slo) => slo.id === id));
      if (second >= 0) {
        const field = changes[second]!.id === undefined ? 'key' : 'id';
        throw violation(`${pointerOf(second)}/${field}`, 'not_unique', 'The objective occurs twice.');
      }
      return onePage((await this.figures.measure(changed)).map((measured) => this.figures.view(measured)));
    });
  }

  /** `known` is updated, so that the next change of the same request sees it. */
  private async apply(transaction: Transaction, known: Slo[], change: SloChange, at: string): Promise<Slo> {
    const { id, key, archived, ...terms } = change;
    const before = known.find((slo) => (id === undefined ? slo.key === key : slo.id === id)) ?? null;
    if (before === null && id !== undefined && at === '') throw Problem.notFound();
    if (before === null && id !== undefined)
      throw violation(`${at}/id`, 'unknown_reference', 'There is no such objective.');
    if (before && key !== undefined && before.key !== key)
      throw violation(`${at}/key`, 'unchangeable', 'The key of an objective cannot be changed.');
    if (before === null && known.length >= MAX_SLOS)
      throw new Problem('limit_reached', `A tenant can have ${MAX_SLOS} objectives, archived ones included.`);
    const base = before ?? this.newSlo(change, at);
    const archivedAt =
      archived === undefined ? base.archivedAt : archived ? (base.archivedAt ?? stamp(this.clock)) : null;
    const indicator = terms.indicator ? indicatorOf(terms.indicator) : base.indicator;
    const wanted: Slo = { ...base, ...terms, indicator, archivedAt };
    if (before && isDeepStrictEqual(wanted, before)) return before;
    if (wanted.ownerId !== null && wanted.ownerId !== before?.ownerId)
      transaction.write(mustExist(MEMBER, `${at}/ownerId`, [wanted.ownerId]));
    const after = before ? nextVersion(before, { ...wanted, updatedAt: stamp(this.clock) }) : wanted;
    const isSame = isDeepStrictEqual(indicator, before?.indicator) && after.windowDays <= before!.windowDays;
    if (before && !(isSame && isCounted(after))) await this.alerts.close(transaction, before);
    this.events.record(transaction, after, {
      verb: 'updated',
      before: before && factsOf(before),
      after: factsOf(after),
      save: this.repository.save(after),
    });
    if (!isSame) for (const each of this.counters.startOver(after)) transaction.write(each);
    known.splice(before ? known.indexOf(before) : known.length, before ? 1 : 0, after);
    return after;
  }

  /** @throws Problem 400 naming the fields that a new objective lacks. */
  private newSlo({ key, name, indicator, objectivePercent, windowDays }: SloChange, at: string): Slo {
    const missing = Object.entries({ indicator, objectivePercent }).filter(([, value]) => value === undefined);
    if (missing.length > 0)
      throw Problem.validation(
        missing.map(([field]) => ({
          pointer: `${at}/${field}`,
          code: 'required',
          detail: 'A new objective needs it.',
        })),
      );
    const now = stamp(this.clock);
    return {
      id: uuidv7(),
      key: key!,
      version: 1,
      name: name ?? key!,
      indicator: indicatorOf(indicator!),
      objectivePercent: objectivePercent!,
      windowDays: windowDays ?? 30,
      enabled: true,
      ownerId: null,
      alerting: true,
      archivedAt: null,
      createdAt: now,
      updatedAt: now,
    };
  }

  /** @throws Problem 400 for an owner who does not exist. */
  private async unit<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.database.transaction(work);
    } catch (error) {
      const pointer = brokenReference(error);
      throw pointer === null ? error : violation(pointer, 'unknown_reference', 'There is no such member.');
    }
  }

  /** Writes the latest figures of this process. If that fails, those that are shown are a little older. */
  private async flush(): Promise<void> {
    await this.accounts.flushTenant(currentTenant().id).catch(() => undefined);
  }
}

function nameFaults({ id, key }: SloChange, at: string): Violation[] {
  if (id !== undefined || key !== undefined) return [];
  return [{ pointer: `${at}/key`, code: 'required', detail: 'Name the objective by its key or id.' }];
}

function violation(pointer: string, code: string, detail: string): Problem {
  return Problem.validation([{ pointer, code, detail }]);
}
