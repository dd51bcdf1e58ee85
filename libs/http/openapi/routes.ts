import type { INestApplication } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { declaredRoutes } from '../declared-routes.js';
import type { RouteOptions } from '../route.js';
import { describeHandler } from './describe.js';

/** Declarations of all handlers of an application, by operation id; also sets the document's metadata on the handlers. */
export function routesOf(app: INestApplication): Map<string, RouteOptions> {
  const declared = declaredRoutes(app.get(ModulesContainer));
  for (const { handler, route } of declared.values()) describeHandler(handler, route);
  return new Map([...declared].map(([id, { route }]) => [id, route]));
}
