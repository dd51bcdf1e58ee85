import { Injectable } from '@nestjs/common';
import { type KnownPath, knownPath, nearestPath } from './near-path.js';

/** Paths of operations, which the API's document names; others, such as those of figures, are not told. */
const OPERATIONS = /^\/(api|health)\//;

/** The routes that the server has, for 404 and 405 answers and for the tests that walk all of them. */
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

  /** Methods that the path of a URL takes, sorted; empty when it is no path of ours. */
  methodsOf(url: string): string[] {
    const path = url.split('?')[0]!;
    const found = this.routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    return [...new Set(found)].sort();
  }

  /** The path of an operation that is near that of a URL; null when none is. */
  near(url: string): string | null {
    return nearestPath(url.split('?')[0]!, this.known.values());
  }
}
