import type { AddressInfo } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';

/**
 * The address under which others reach the API: the configured one, else that of its host and port. With the path that a
 * proxy may have put before ours, without a slash at the end.
 */
export function publicOrigin({ PUBLIC_URL, HOST, PORT }: Settings, port = PORT): string {
  if (PUBLIC_URL !== null) return PUBLIC_URL.replace(/\/+$/, '');
  return `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${port}`;
}

/** The same for a process that listens, which knows its port also where `PORT` is 0. */
@Injectable()
export class PublicUrl {
  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly host: HttpAdapterHost,
  ) {}

  get origin(): string {
    return publicOrigin(this.settings, this.settings.PORT || this.ownPort());
  }

  private ownPort(): number {
    const server = this.host.httpAdapter.getHttpServer() as { address(): AddressInfo | null };
    return server.address()?.port ?? 0;
  }
}
