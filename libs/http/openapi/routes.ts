import type { INestApplication } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, ModulesContainer } from '@nestjs/core';
import { routeOf, type RouteOptions } from '../route.js';
import { describeHandler } from './describe.js';

/**
 * Declarations of all handlers of an application, by operation id; also sets the document's metadata on the handlers.
 * @throws Error when an operation id is declared twice.
 */
export function routesOf(app: INestApplication): Map<string, RouteOptions> {
  const discovery = new DiscoveryService(app.get(ModulesContainer));
  const scanner = new MetadataScanner();
  const routes = new Map<string, RouteOptions>();
  for (const { instance } of discovery.getControllers()) {
    if (!instance) continue;
    const prototype = Object.getPrototypeOf(instance) as Record<string, object>;
    for (const name of scanner.getAllMethodNames(prototype)) {
      const route = routeOf(prototype[name]!);
      if (!route) continue;
      describeHandler(prototype[name]!, route);
      if (routes.has(route.id)) throw new Error(`The operation id ${route.id} is declared twice.`);
      routes.set(route.id, route);
    }
  }
  return routes;
}
