import { Injectable } from '@nestjs/common';
import { onceFor } from '#libs/http/idempotency/once-for.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { TenantLife } from '#libs/tenants/tenant-life.js';
import { TenantReader } from '#libs/tenants/tenant-reader.js';
import { type TenantView, viewOf } from '#libs/tenants/tenant.dto.js';
import { FoundersService } from './founders.service.js';
import type { SuspendTenant } from './founding.dto.js';
import { FoundingRepository } from './founding.repository.js';

/** Operations of operators on existing tenants. */
@Injectable()
export class TenantOperationsService {
  constructor(
    private readonly founders: FoundersService,
    private readonly repository: FoundingRepository,
    private readonly tenants: TenantReader,
    private readonly life: TenantLife,
  ) {}

  /** @throws Problem 401, 404, 429. */
  read(authorization: string | undefined, id: string): Promise<TenantView> {
    return this.about(authorization, id, async () => viewOf(await this.tenants.current()));
  }

  /** @throws Problem 401, 404, 409, 429. */
  suspend(authorization: string | undefined, id: string, { reason }: SuspendTenant): Promise<TenantView> {
    return this.about(authorization, id, () => this.life.suspend(reason));
  }

  /** @throws Problem 401, 404, 409, 429. */
  reactivate(authorization: string | undefined, id: string): Promise<TenantView> {
    return this.about(authorization, id, () => this.life.reactivate());
  }

  private async about(
    authorization: string | undefined,
    id: string,
    work: () => Promise<TenantView>,
  ): Promise<TenantView> {
    const { actor } = await this.founders.operator(authorization);
    const tenant = await this.repository.findById(id);
    if (!tenant) throw new Problem('not_found', 'There is no such tenant.');
    return onceFor({ tenant, secret: authorization! }, () => {
      currentScope().actor = actor;
      return work();
    });
  }
}
