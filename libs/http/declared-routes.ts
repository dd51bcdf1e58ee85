import { DiscoveryService, MetadataScanner, type ModulesContainer } from '@nestjs/core';
import { routeOf, type RouteOptions } from './route.js';

/** A handler with its declaration. */
export interface DeclaredRoute {
  handler: object;
  route: RouteOptions;
}

/**
 * Declarations of all handlers of an application, by operation id.
 * @throws Error if an operation id is declared twice.
 */
export function declaredRoutes(modules: ModulesContainer): Map<string, DeclaredRoute> {
  const discovery = new DiscoveryService(modules);
  const scanner = new MetadataScanner();
  const routes = new Map<string, DeclaredRoute>();
  for (const { instance } of discovery.getControllers()) {
    if (!instance) continue;
    const prototype = Object.getPrototypeOf(instance) as Record<string, object>;
    for (const name of scanner.getAllMethodNames(prototype)) {
      const handler = prototype[name]!;
      const route = routeOf(handler);
      if (!route) continue;
      if (routes.has(route.id)) throw new Error(`The operation id ${route.id} is declared twice.`);
      routes.set(route.id, { handler, route });
    }
  }
  return routes;
}
