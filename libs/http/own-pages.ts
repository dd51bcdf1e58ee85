import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { PublicUrl } from './public-url.js';

/** The pages that may use a browser's session: our own, and those that the operator configures. */
@Injectable()
export class OwnPages {
  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Pick<Settings, 'CORS_ORIGINS'>,
    private readonly url: PublicUrl,
  ) {}

  /** Whether the browser reports that one of these pages sent the request. Scripts cannot set either header. */
  sent({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
    if (headers['sec-fetch-site'] === 'same-origin') return true;
    return headers.origin !== undefined && this.isOurs(headers.origin);
  }

  /** Whether the browser reports that another page sent the request, even one whose name now leads to this host. */
  sentByOthers({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
    return headers.origin !== undefined && !this.isOurs(headers.origin);
  }

  private isOurs(origin: string): boolean {
    return origin === new URL(this.url.origin).origin || this.settings.CORS_ORIGINS.includes(origin);
  }
}
