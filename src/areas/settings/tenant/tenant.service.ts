import { Injectable } from '@nestjs/common';
import { TenantLife } from '#libs/tenants/tenant-life.js';
import { TenantReader } from '#libs/tenants/tenant-reader.js';
import { type TenantView, viewOf } from '#libs/tenants/tenant.dto.js';
import type { CloseTenant, RenameTenant } from './tenant-bodies.js';

/** The tenant as its members see it. */
@Injectable()
export class TenantService {
  constructor(
    private readonly tenants: TenantReader,
    private readonly life: TenantLife,
  ) {}

  async read(): Promise<TenantView> {
    return viewOf(await this.tenants.current());
  }

  /** @throws Problem 412. */
  rename({ name }: RenameTenant): Promise<TenantView> {
    return name === undefined ? this.read() : this.life.rename(name);
  }

  /** @throws Problem 409, 412. */
  close({ reason }: CloseTenant): Promise<TenantView> {
    return this.life.startClosing(reason);
  }

  /** @throws Problem 409, 412. */
  cancelClosing(): Promise<TenantView> {
    return this.life.cancelClosing();
  }
}
