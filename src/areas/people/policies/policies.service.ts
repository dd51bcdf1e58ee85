import { Injectable } from '@nestjs/common';
import type { Draft } from '#libs/resource/record.entity.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { ResourceService } from '#libs/resource/resource.service.js';
import { toDays, toHalfDays } from '../half-days.js';
import type { CreateTimeOffPolicy, TimeOffPolicyView } from './policy.dto.js';
import type { Policy } from './policy.entity.js';
import { type PolicyAction, policyResource } from './policy.resource.js';
import { PoliciesRepository } from './policies.repository.js';

type Input = Record<string, unknown>;

/** Policies of time off: one for each type of it at most. */
@Injectable()
export class PoliciesService extends ResourceService<Policy, TimeOffPolicyView, PolicyAction> {
  constructor(kit: ResourceKit, repository: PoliciesRepository) {
    super(policyResource, kit, repository);
  }

  protected override derive(row: Policy): Partial<TimeOffPolicyView> {
    return {
      daysPerYear: toDays(row.halfDaysPerYear),
      carryOverDays: toDays(row.carryOverHalfDays),
      allowNegativeDays: toDays(row.negativeHalfDays),
    };
  }

  protected override async draft(body: Input): Promise<Draft<Policy>> {
    const { type } = body as unknown as CreateTimeOffPolicy; // validated against it
    return { name: type, ...columnsOf(body) } as Draft<Policy>; // the rest are defaults
  }

  protected override edit(_row: Policy, body: Input): Partial<Policy> {
    return columnsOf(body);
  }
}

function columnsOf(body: Input): Partial<Policy> {
  const { name, type, accrual, daysPerYear, carryOverDays, allowNegativeDays } = body as Partial<CreateTimeOffPolicy>;
  return {
    ...(name === undefined ? {} : { name }),
    ...(type === undefined ? {} : { type }),
    ...(accrual === undefined ? {} : { accrual }),
    ...(daysPerYear === undefined ? {} : { halfDaysPerYear: toHalfDays(daysPerYear) }),
    ...(carryOverDays === undefined ? {} : { carryOverHalfDays: toHalfDays(carryOverDays) }),
    ...(allowNegativeDays === undefined ? {} : { negativeHalfDays: toHalfDays(allowNegativeDays) }),
  };
}
