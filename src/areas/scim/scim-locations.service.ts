import { Injectable } from '@nestjs/common';
import { PublicUrl } from '#libs/http/public-url.js';
import { SCIM_PATH } from './scim-path.js';

/** Absolute URLs of SCIM resources, made from the configured address and never from what a request says. */
@Injectable()
export class ScimLocations {
  constructor(private readonly publicUrl: PublicUrl) {}

  /** Where identity providers call: what an administrator enters there. */
  get base(): string {
    return `${this.publicUrl.origin}${SCIM_PATH}`;
  }

  of(endpoint: string, id?: string): string {
    return `${this.base}/${endpoint}${id === undefined ? '' : `/${id}`}`;
  }
}
