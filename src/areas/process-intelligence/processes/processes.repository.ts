import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { DaySpan } from '#libs/kernel/day-span.js';
import { closedStates } from '#libs/kernel/lifecycle.js';
import type { Resource } from '#libs/resource/resource-registry.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { tracesOf } from './process.queries.js';

/** Analyses the moves of the records of one type that the caller may see. */
@Injectable()
export class ProcessesRepository {
  constructor(private readonly database: Database) {}

  /**
   * @param question one of the queries that continue {@link tracesOf}
   * @param values its parameters, from `$6`
   */
  ask<R extends object>(
    { definition, service }: Resource,
    { from, to }: DaySpan,
    question: string,
    values: unknown[] = [],
  ): Promise<R[]> {
    const { type, lifecycle } = definition;
    const all: unknown[] = [currentTenant().id, from, to, type, closedStates(lifecycle), ...values];
    const disclosed = service.disclosed();
    const condition = disclosed ? disclosed((value) => `$${all.push(value)}`) : 'true';
    return this.database.read<R>(statement(tracesOf(service.table, condition) + question, all));
  }
}
