import { Injectable } from '@nestjs/common';
import { PublicUrl } from '#libs/http/public-url.js';
import { SCIM_PATH } from './scim-path.js';

/** Absolute URLs of SCIM resources, built from the configured address and never from request headers. */
@Injectable()
export class ScimLocations {
  constructor(private readonly publicUrl: PublicUrl) {}

  /** The base URL that an administrator configures at the identity provider. */
  get base(): string {
    return this.publicUrl.to(SCIM_PATH);
  }

  of(endpoint: string, id?: string): string {
    return `${this.base}/${endpoint}${id === undefined ? '' : `/${id}`}`;
  }
}
