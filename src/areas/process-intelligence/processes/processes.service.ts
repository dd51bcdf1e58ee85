import { Injectable } from '@nestjs/common';
import { isClosed } from '#libs/access/limits.js';
import { requireForSure } from '#libs/auth/current-principal.js';
import { addDays } from '#libs/kernel/civil-time.js';
import { Clock } from '#libs/kernel/clock.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { type DaySpan, daySpan, daysOf, lastDays } from '#libs/kernel/day-span.js';
import { closedStates } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import { onePage, pageOfAll } from '#libs/resource/lists/page-of-all.js';
import { PAGE_SIZE, type PageQuery } from '#libs/resource/lists/page-query.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { type Resource, ResourceRegistry } from '#libs/resource/resource-registry.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { BOTTLENECKS, CASES, GRAPH, REWORK, VARIANTS } from './process.queries.js';
import {
  MOST_DAYS,
  type Process,
  type ProcessBottleneck,
  type ProcessBottlenecks,
  type ProcessCase,
  type ProcessCaseQuery,
  type ProcessGraph,
  type ProcessQuery,
  type ProcessRework,
  type ProcessVariants,
} from './process.dto.js';
import { ProcessesRepository } from './processes.repository.js';

type Found<T> = Omit<T, 'from' | 'to'>;

/** Every type with more than one state is a process; a record and its moves are a case. */
@Injectable()
export class ProcessesService {
  constructor(
    private readonly repository: ProcessesRepository,
    private readonly registry: ResourceRegistry,
    private readonly cursors: Cursors,
    private readonly clock: Clock,
  ) {}

  /** The processes whose records the caller may read, ordered by key. */
  list(query: PageQuery): Page<Process> {
    const all = this.registry
      .everything()
      .filter((each) => isProcess(each) && !isClosed(each.definition, each.definition.permissions.read))
      .map(({ definition }) => ({ id: definition.type, ...processOf(definition) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    const { data, page } = pageOfAll(all, query, this.cursors, ['processes']);
    return { data: data.map(({ id: _, ...process }) => process), page };
  }

  async graph(key: string, query: ProcessQuery): Promise<ProcessGraph> {
    return this.one<ProcessGraph>(key, query, GRAPH);
  }

  async variants(key: string, query: ProcessQuery): Promise<ProcessVariants> {
    const found = await this.one<ProcessVariants>(key, query, VARIANTS);
    return { ...found, ...onePage(found.data) };
  }

  async rework(key: string, query: ProcessQuery): Promise<ProcessRework> {
    const found = await this.one<ProcessRework>(key, query, REWORK);
    return { ...found, ...onePage(found.data) };
  }

  /** Steps by the time that records spent in them, compared with the records of the span before. */
  async bottlenecks(key: string, query: ProcessQuery): Promise<ProcessBottlenecks> {
    const resource = await this.admitted(key);
    const span = this.spanOf(query);
    const now = [this.clock.now().toISOString()];
    const [found, before] = await Promise.all([
      this.ask<ProcessBottlenecks>(resource, span, BOTTLENECKS, now),
      this.ask<ProcessBottlenecks>(resource, spanBefore(span), BOTTLENECKS, now),
    ]);
    const medians = new Map(before.data.map(({ step, p50Seconds }) => [step, p50Seconds]));
    const compared = (each: ProcessBottleneck) => ({ ...each, previousP50Seconds: medians.get(each.step) ?? null });
    return { ...span, ...found, ...onePage(found.data.map(compared)) };
  }

  /** The records behind the figures. */
  async cases(key: string, { limit = PAGE_SIZE, cursor, ...query }: ProcessCaseQuery): Promise<Page<ProcessCase>> {
    const resource = await this.admitted(key);
    const span = this.spanOf(query);
    const { variant = null, step = null, reworked = null } = query;
    const purpose = JSON.stringify([currentTenant().id, 'processes.cases', key, span, variant, step, reworked]);
    const [at, id] = cursor === undefined ? [null, null] : this.cursors.read(cursor, purpose);
    const values = [variant, step, reworked, at, id, limit + 1];
    const rows = await this.repository.ask<ProcessCase>(resource, span, CASES, values);
    const hasMore = rows.length > limit;
    if (hasMore) rows.pop();
    const last = rows.at(-1);
    const nextCursor = hasMore && last ? this.cursors.write([last.createdAt, last.id], purpose) : null;
    return { data: rows, page: { limit, hasMore, nextCursor } };
  }

  private async one<T extends DaySpan>(key: string, query: ProcessQuery, question: string): Promise<T> {
    const resource = await this.admitted(key);
    const span = this.spanOf(query);
    return { ...span, ...(await this.ask<T>(resource, span, question)) } as T;
  }

  private async ask<T>(resource: Resource, span: DaySpan, question: string, values?: unknown[]): Promise<Found<T>> {
    const [found] = await this.repository.ask<Found<T> & object>(resource, span, question, values);
    return found!;
  }

  private spanOf(query: ProcessQuery): DaySpan {
    return daySpan(query, this.clock.now(), MOST_DAYS);
  }

  /** @throws Problem 404 for a type without several states, 403 without the permission to read its records. */
  private async admitted(key: string): Promise<Resource> {
    const resource = this.registry.ofType(key);
    if (!resource || !isProcess(resource)) throw Problem.notFound();
    await requireForSure(resource.definition.permissions.read, { object: key });
    return resource;
  }
}

function isProcess({ definition }: Resource): boolean {
  return definition.lifecycle.states.length > 1;
}

function processOf(definition: Resource['definition']): Process {
  const { type, noun, lifecycle } = definition;
  return {
    ...{ key: type, noun, path: pathOf(definition) },
    ...{ states: [...lifecycle.states], closedStates: closedStates(lifecycle) },
  };
}

/** The span of the same length that ends the day before. */
function spanBefore(span: DaySpan): DaySpan {
  return lastDays(daysOf(span).length, addDays(span.from, -1));
}
