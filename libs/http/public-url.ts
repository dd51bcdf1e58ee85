import type { AddressInfo } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';

/** The address under which others reach the API: the configured one, else that on which this process listens. */
@Injectable()
export class PublicUrl {
  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly host: HttpAdapterHost,
  ) {}

  /** Scheme, host and port, and the path that a proxy may have put before ours; without a slash at the end. */
  get origin(): string {
    const { PUBLIC_URL, HOST, PORT } = this.settings;
    if (PUBLIC_URL !== null) return PUBLIC_URL.replace(/\/+$/, '');
    return `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT || this.ownPort()}`;
  }

  private ownPort(): number {
    const server = this.host.httpAdapter.getHttpServer() as { address(): AddressInfo | null };
    return server.address()?.port ?? 0;
  }
}
