import type { AddressInfo } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { isEveryAddress } from '#libs/kernel/network.js';

type Addressed = Pick<Settings, 'PUBLIC_URL' | 'HOST' | 'PORT'>;

/**
 * The link to a path of the platform. Every link that people get is made here: in mails, notifications, pages and responses.
 * It begins with the configured address, otherwise with host and port; a process that listens on all addresses uses this
 * machine's.
 * @param path starts with a slash, without the path prefix of a proxy; may have a query, with its values encoded
 */
export function linkTo({ PUBLIC_URL, HOST, PORT }: Addressed, path: string): string {
  if (PUBLIC_URL !== null) return PUBLIC_URL.replace(/\/+$/, '') + path;
  const host = isEveryAddress(HOST) ? 'localhost' : HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT}${path}`;
}

/** Links and addresses of a process. One that listens knows its port even if `PORT` is 0. */
@Injectable()
export class PublicUrl {
  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly host: HttpAdapterHost,
  ) {}

  /** The public address of the API, with the path prefix of a proxy, if any, and without a trailing slash. */
  get origin(): string {
    return this.to('');
  }

  /** As {@link linkTo}. */
  to(path: string): string {
    return linkTo({ ...this.settings, PORT: this.settings.PORT || this.ownPort() }, path);
  }

  private ownPort(): number {
    const adapter = this.host.httpAdapter as typeof this.host.httpAdapter | undefined; // a worker has none
    const server = adapter?.getHttpServer() as { address(): AddressInfo | null } | undefined;
    return server?.address()?.port ?? 0;
  }
}
