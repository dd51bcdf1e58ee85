import type { ExecutionContext, INestApplication } from '@nestjs/common';
import { ModuleRef, ModulesContainer } from '@nestjs/core';
import { declaredRoutes } from '#libs/http/declared-routes.js';
import { InputGuard } from '#libs/http/guards/input.guard.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Call } from './fixture-parts.js';
import type { Operation } from './operations.js';

/** A failure of a 400 `validation_failed`. */
export interface Failure {
  pointer?: string;
  parameter?: string;
  header?: string;
  code: string;
  detail: string;
}

/** A call whose parameters may be given several times. */
export type JudgedCall = Omit<Call, 'query'> & { query?: Record<string, string | string[]> };

/**
 * The guard of an app that checks input, asked in the process: the failures of a call, none if it lets the call pass.
 * `test/matrix/validation.spec.ts` proves over HTTP that it stands before every operation.
 */
export function inputJudge(app: INestApplication): (operation: Operation, call: JudgedCall) => Failure[] {
  const guard = new InputGuard(app.get(ModuleRef));
  const routes = declaredRoutes(app.get(ModulesContainer));
  return (operation, { path = {}, query = {}, body }) => {
    const { handler } = routes.get(operation.id)!;
    const given = Object.entries(query).flatMap(([name, value]) =>
      [value].flat().map((each) => [name, each] as [string, string]),
    );
    const request = {
      method: operation.method,
      url: `${operation.path}?${new URLSearchParams(given).toString()}`,
      headers: { 'content-type': 'application/json' },
      params: path,
      query: { ...query },
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    };
    const context = { getHandler: () => handler, switchToHttp: () => ({ getRequest: () => request }) };
    try {
      void guard.canActivate(context as unknown as ExecutionContext); // the guard asks for no other member
      return [];
    } catch (error) {
      if (error instanceof Problem && error.code === 'validation_failed') return error.more.errors as Failure[];
      throw error;
    }
  };
}

/** A failure has a code and exactly one location; its detail is text, not a pattern. */
export function isWellFormed(error: Failure): boolean {
  const places = ['pointer', 'parameter', 'header'].filter((each) => each in error);
  return /^[a-z]+(_[a-z]+)*$/.test(error.code) && places.length === 1 && !/[\^\\]/.test(error.detail);
}
