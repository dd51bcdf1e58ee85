import { Injectable } from '@nestjs/common';
import { requirePermission } from '#libs/auth/current-principal.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import { readStoredRule } from '#libs/resource/lists/stored-filter.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Disposition } from '#libs/resource/retention/expiry.js';
import type { ResourceDefinition, RetentionBasis } from '#libs/resource/types/definition.js';
import { refuseMissing } from './holds.service.js';
import { policies, type RetentionPolicy } from './retention-policy.js';
import { OF_OWNERS, type RetentionCommand } from './retention.requests.js';

type Content = Pick<RetentionPolicy, 'object' | 'filter' | 'retainDays' | 'disposition' | 'enabled' | 'legalBasis'>;

/** Retention policies. */
@Injectable()
export class RetentionPoliciesService {
  private readonly objects: GovernedObjects<RetentionPolicy>;

  constructor(private readonly kit: ResourceKit) {
    this.objects = new GovernedObjects(policies, kit);
  }

  list(): Promise<RetentionPolicy[]> {
    return this.objects.rows.all();
  }

  /** @throws Problem 404. */
  find(id: string): Promise<RetentionPolicy> {
    return this.objects.read(id);
  }

  /** @throws Problem 400, 403, 404, 409. */
  upsert({ id, ...input }: RetentionCommand): Promise<RetentionPolicy> {
    return this.objects.unit(async (transaction) => {
      const all = await this.objects.rows.lockAll(transaction, () => 'true');
      const before = id === undefined ? all.find((each) => isSame(each, input)) : all.find((each) => each.id === id);
      if (id !== undefined && !before) throw Problem.notFound();
      if (!before) refuseMissing({ object: input.object, retainDays: input.retainDays });
      const after = contentOf(before, input);
      await this.check(after, before);
      if (isShorter(after, before, all)) requirePermission(OF_OWNERS);
      if (before) return this.objects.change(transaction, before, after, 'policy_updated');
      await this.objects.refuseBeyondLimit(all.length);
      return this.objects.add(transaction, after, 'policy_created');
    });
  }

  /** @throws Problem 400, 404. */
  remove({ id }: RetentionCommand): Promise<{ id: string; deleted: boolean }> {
    refuseMissing({ id });
    return this.objects.unit(async (transaction) => {
      this.objects.remove(transaction, await this.objects.lock(transaction, id!), 'policy_deleted');
      return { id: id!, deleted: true };
    });
  }

  private async check(content: Content, before: RetentionPolicy | undefined): Promise<void> {
    const definition = this.kit.registry.ofType(content.object)?.definition;
    const violations: Violation[] = [];
    if (!definition) {
      const detail = 'There is no such type of record.';
      throw Problem.validation([{ pointer: '/object', code: 'unknown_record_type', detail }]);
    }
    if (before && before.object !== content.object)
      violations.push({ pointer: '/object', code: 'not_applicable', detail: 'The type of a policy cannot change.' });
    if (!canDispose(definition, content.disposition))
      violations.push({
        pointer: '/disposition',
        code: 'not_applicable',
        detail: `Records of this type cannot be ${content.disposition === 'archive' ? 'archived' : 'anonymised'}.`,
      });
    violations.push(...(await readStoredRule(this.kit, definition, content.filter)).violations);
    if (violations.length > 0) throw Problem.validation(violations);
    const { retainAtLeast } = definition.data;
    if (content.retainDays < retainAtLeast && content.disposition !== 'archive')
      throw new Problem('below_minimum_retention', `These records must be kept for at least ${retainAtLeast} days.`);
  }
}

/** The fields that can start the period, in the order in which they are used. */
export function basisOf(basis: readonly RetentionBasis[]): string {
  return basis.map((each) => (typeof each === 'string' ? each : each.name)).join(', ');
}

function canDispose({ lifecycle, data }: ResourceDefinition, disposition: Disposition): boolean {
  if (disposition === 'archive') return 'archive' in lifecycle.transitions;
  return disposition === 'delete' || Object.keys(data.privacy).length > 0;
}

function contentOf(before: RetentionPolicy | undefined, input: RetentionCommand): Content {
  const {
    object = before?.object ?? '',
    filter = before?.filter ?? {},
    retainDays = before?.retainDays ?? 0,
    disposition = before?.disposition ?? 'delete',
    enabled = before?.enabled ?? true,
    legalBasis = before?.legalBasis ?? null,
  } = input;
  return { object, filter, retainDays, disposition, enabled, legalBasis };
}

/** Whether records may go earlier than the policies of their type have said so far. No policy counts as for ever. */
function isShorter(after: Content, before: RetentionPolicy | undefined, all: readonly RetentionPolicy[]): boolean {
  if (before && after.retainDays < before.retainDays) return true;
  const isEnabled = after.enabled && !before?.enabled;
  const isWider = isEnabled || !before || !isSame(before, after) || before.disposition !== after.disposition;
  if (!isWider || after.disposition === 'archive') return false;
  const others = all.filter(({ object }) => object === after.object);
  return others.some(({ retainDays }) => retainDays > after.retainDays) || !others.some((each) => covers(each, after));
}

/** Whether a policy in force disposes of all records of another one in the same way, and no later. */
function covers({ enabled, disposition, filter, ...policy }: RetentionPolicy, other: Content): boolean {
  const isAll = Object.keys(filter).length === 0 || isSame({ ...policy, filter }, other);
  const isAlike = disposition === 'delete' || disposition === other.disposition;
  return enabled && isAlike && isAll && policy.retainDays <= other.retainDays;
}

function isSame({ object, filter }: Pick<RetentionPolicy, 'object' | 'filter'>, input: RetentionCommand): boolean {
  const sorted = (values: Record<string, string>) => JSON.stringify(Object.entries(values).sort());
  return object === input.object && sorted(filter) === sorted(input.filter ?? {});
}
