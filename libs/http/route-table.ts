import { Injectable } from '@nestjs/common';
import { type KnownPath, knownPath, nearestPath } from './problems/near-path.js';

/** Paths of operations in the OpenAPI document. Others, such as metrics, are not disclosed. */
const OPERATIONS = /^\/(api|health)\//;

/** The routes of the server, for 404 and 405 responses and for tests over all routes. */
@Injectable()
export class RouteTable {
  private readonly routes: { method: string; url: string; pattern: RegExp }[] = [];
  private readonly known = new Map<string, KnownPath>();

  add(method: string, url: string): void {
    const source = url
      .split('/')
      .map((part) =>
        part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
      )
      .join('/');
    if (OPERATIONS.test(url)) this.known.set(url, knownPath(url));
    this.routes.push({ method, url, pattern: new RegExp(`^${source}$`) });
  }

  all(): { method: string; url: string }[] {
    return this.routes.map(({ method, url }) => ({ method, url }));
  }

  /** Methods of a URL's path, sorted; empty if the path is unknown. */
  methodsOf(url: string): string[] {
    const path = url.split('?')[0]!;
    const found = this.routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    return [...new Set(found)].sort();
  }

  /** The operation path most similar to a URL's path; null if none is similar. */
  near(url: string): string | null {
    return nearestPath(url.split('?')[0]!, this.known.values());
  }
}
