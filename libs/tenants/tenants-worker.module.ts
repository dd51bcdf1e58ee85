import { Module } from '@nestjs/common';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { TenantClosing } from './tenant-closing.js';

/** Closes tenants in the worker. */
@Module({ providers: [TenantClosing] })
export class TenantsWorkerModule extends WorkerPart {
  constructor(closing: TenantClosing) {
    super(closing);
  }
}
