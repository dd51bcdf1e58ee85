import { Injectable } from '@nestjs/common';

/** The routes that the server has, for 405 answers and for the tests that walk all of them. */
@Injectable()
export class RouteTable {
  private readonly routes: { method: string; url: string; pattern: RegExp }[] = [];

  add(method: string, url: string): void {
    const source = url
      .split('/')
      .map((part) =>
        part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
      )
      .join('/');
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
}
