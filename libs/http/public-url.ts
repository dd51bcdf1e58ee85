import type { AddressInfo } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import ipaddr from 'ipaddr.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';

/**
 * The address under which others reach the API: the configured one, else that of its host and port, which is this machine
 * for a process that listens on all addresses. With the path that a proxy may have put before ours, without a slash at the
 * end.
 */
export function publicOrigin({ PUBLIC_URL, HOST, PORT }: Settings, port = PORT): string {
  if (PUBLIC_URL !== null) return PUBLIC_URL.replace(/\/+$/, '');
  const host = isEveryAddress(HOST) ? 'localhost' : HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Whether it stands for all addresses of the machine, such as `0.0.0.0` and `::`, and so for none to go to. */
const isEveryAddress = (host: string): boolean => ipaddr.isValid(host) && ipaddr.parse(host).range() === 'unspecified';

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
