import type { AddressInfo } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import ipaddr from 'ipaddr.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';

/**
 * The public address of the API: the configured one, otherwise host and port. A process that listens on all addresses
 * uses this machine's address. Includes the path prefix of a proxy, if any, and has no trailing slash.
 */
export function publicOrigin({ PUBLIC_URL, HOST, PORT }: Settings, port = PORT): string {
  if (PUBLIC_URL !== null) return PUBLIC_URL.replace(/\/+$/, '');
  const host = isEveryAddress(HOST) ? 'localhost' : HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Whether the address means all addresses of the machine, such as `0.0.0.0` and `::`. These cannot be a target. */
const isEveryAddress = (host: string): boolean => ipaddr.isValid(host) && ipaddr.parse(host).range() === 'unspecified';

/** The public address for a listening process, which knows its port even if `PORT` is 0. */
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
