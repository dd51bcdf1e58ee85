import { parseSetCookie } from 'cookie';

/** A response to the browser. */
export interface Page {
  status: number;
  headers: Headers;
  text: string;
  /** Redirect target; null when there is none. */
  location: URL | null;
}

/** Keeps cookies by origin and does not follow redirects by itself. */
export class Browser {
  private readonly jars = new Map<string, Map<string, string>>();

  constructor(private readonly own: Record<string, string> = {}) {}

  async open(url: string | URL, init: RequestInit = {}): Promise<Page> {
    const { host, href } = new URL(url);
    const jar = this.jarOf(host);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(href, {
      redirect: 'manual',
      ...init,
      headers: {
        accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
        ...this.own,
        ...(cookie === '' ? {} : { cookie }),
        ...(init.headers as Record<string, string> | undefined),
      },
    });
    for (const text of answer.headers.getSetCookie()) {
      const { name, value = '', maxAge, expires } = parseSetCookie(text);
      if (value === '' || maxAge === 0 || (expires && expires.getTime() < Date.now())) jar.delete(name);
      else jar.set(name, value);
    }
    const location = answer.headers.get('location');
    return {
      status: answer.status,
      headers: answer.headers,
      text: await answer.text(),
      location: location === null ? null : new URL(location, href),
    };
  }

  /** Follows redirects until a page or a URL outside `within` is reached. */
  async follow(url: string | URL, until: (location: URL) => boolean = () => false): Promise<Page & { url: URL }> {
    let at = new URL(url);
    for (let hops = 0; hops < 20; hops++) {
      const page = await this.open(at);
      if (!page.location || until(page.location)) return { ...page, url: page.location ?? at };
      at = page.location;
    }
    throw new Error('Too many redirects.');
  }

  cookie(url: string, name: string): string | null {
    return this.jarOf(new URL(url).host).get(name) ?? null;
  }

  setCookie(url: string, name: string, value: string): void {
    this.jarOf(new URL(url).host).set(name, value);
  }

  private jarOf(host: string): Map<string, string> {
    let jar = this.jars.get(host);
    if (!jar) this.jars.set(host, (jar = new Map<string, string>()));
    return jar;
  }
}
