import type { INestApplicationContext } from '@nestjs/common';
import { DAY_MS } from '#libs/kernel/durations.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { pathOf, type ResourceDefinition } from '#libs/resource/types/definition.js';
import type { TestTenant } from '../../harness/platform.js';
import { exhaust } from '../../worker/automation-stage.js';
import { Stage } from '../../worker/stage.js';
import { command } from './retention-stage.js';
import { loadSample, ONBOARDING } from './sample-calls.js';

const DISPOSITIONS = ['anonymize', 'archive', 'delete'] as const;
const DAYS = 6_000;
/** Types with records that the sample data lets go. */
const AFFECTED: Record<string, string[]> = {
  anonymize: [
    'finance.invoice',
    'people.employee',
    'people.time_off',
    'sales.account',
    'sales.contact',
    'sales.lead',
    'talent.application',
    'talent.candidate',
    'talent.offer',
    'talent.scorecard',
    'work.project',
    'work.task',
    'work.time_entry',
  ],
  archive: ['sales.account', 'sales.deal', 'talent.candidate'],
  delete: ['finance.invoice', 'sales.deal', 'talent.candidate', 'work.project'],
};
/** Fields that records need: those of another person, days and kinds that are counted. */
const KEPT: Record<string, string[]> = {
  'people.time_off': ['startDate', 'endDate', 'type'],
  'people.employee': ['terminationDate'],
  'talent.application': ['startDate', 'jobTitle'],
  'talent.scorecard': ['recommendation', 'ratings'],
};
/** Records that stay as they are. */
const IS_FIXED: Record<string, (record: Record<string, unknown>) => boolean> = {
  'finance.invoice': ({ status }) => status !== 'draft',
};

let stage: Stage;
let tenant: TestTenant;
let worker: INestApplicationContext;
let types: ReturnType<ResourceRegistry['all']>;
beforeAll(async () => {
  stage = await Stage.open();
  worker = await stage.idleWorker();
  types = stage.platform.app.get(ResourceRegistry).all();
});
afterAll(async () => {
  await stage.stopWorkers();
  await stage.close();
});

/** A tenant whose sample records have expired, without anything that is due meanwhile; some archived, some in the trash. */
async function expired(): Promise<TestTenant> {
  const fresh = await stage.platform.tenant();
  await stage.platform.member(fresh, 'Ana');
  await fresh.api.get(ONBOARDING);
  await loadSample(fresh.api);
  for (const definition of types) {
    const path = pathOf(definition);
    const [first, second] = (await fresh.api.get<{ data: { id: string }[] }>(path)).body.data;
    if (first && 'archive' in definition.lifecycle.transitions) await fresh.api.post(`${path}/${first.id}/archive`);
    if (second && 'delete' in definition.lifecycle.transitions) await fresh.api.delete(`${path}/${second.id}`);
  }
  await stage.sql(`delete from data.automation_runs where tenant_id = $1`, [fresh.id]);
  stage.platform.clock.advance(DAYS * DAY_MS);
  return fresh;
}

/** The preview of a policy for all records of a type, and the figures of its run. */
async function previewAndRun(object: string, disposition: string, retainDays: number) {
  const policy = await command(tenant, { object, retainDays, disposition, enabled: false });
  const preview = await command(tenant, { action: 'preview', id: policy['id'] });
  const { jobId } = await command(tenant, { action: 'run_now', id: policy['id'], confirm: true });
  await exhaust(worker);
  const { body } = await tenant.api.get<{ result: object }>(`/api/operations/jobs/${String(jobId)}`);
  return { preview, result: body.result, after: await command(tenant, { action: 'preview', id: policy['id'] }) };
}

const applies: Record<string, (type: ResourceDefinition) => boolean> = {
  anonymize: ({ data }) => Object.keys(data.privacy).length > 0,
  archive: ({ lifecycle }) => 'archive' in lifecycle.transitions,
  delete: () => true,
};

it.each(DISPOSITIONS)(
  'a preview equals the run: %s, all types',
  async (disposition) => {
    tenant = await expired();
    const affected: string[] = [];
    for (const definition of types.filter(applies[disposition]!)) {
      const { type, data } = definition;
      const { preview, result, after } = await previewAndRun(type, disposition, Math.max(data.retainAtLeast, 1));
      const { wouldAffect, heldBack, inUse } = preview;
      expect([type, result]).toEqual([
        type,
        expect.objectContaining({ affected: wouldAffect, heldBack, inUse, failed: 0 }),
      ]);
      expect([type, after]).toMatchObject([type, { wouldAffect: 0, inUse }]);
      if (Number(wouldAffect) > 0) affected.push(type);
    }
    expect(affected).toEqual(expect.arrayContaining(AFFECTED[disposition]!));
  },
  300_000,
);

it('anonymises every personal and sensitive field', async () => {
  tenant = await expired();
  for (const definition of types.filter(applies['anonymize']!)) {
    const { type, data } = definition;
    const known = await personal(definition);
    const { preview } = await previewAndRun(type, 'anonymize', Math.max(data.retainAtLeast, 1));
    const due = preview['sampleIds'] as unknown[];
    const shown = new Map((await recordsOf(definition)).map((record) => [record['id'], JSON.stringify(record)]));
    const left = known.filter(
      ({ id, text }) => due.includes(id) && shown.get(id)?.includes(JSON.stringify(text)) === true,
    );
    expect([type, left]).toEqual([type, []]);
  }
}, 300_000);

type Shown = Record<string, unknown>;

async function recordsOf(definition: ResourceDefinition): Promise<Shown[]> {
  const archived = definition.list.trashPermission ? '&includeArchived=true' : '';
  const path = `${pathOf(definition)}?limit=200${archived}`;
  return (await tenant.api.get<{ data: Shown[] }>(path)).body.data;
}

/** The texts in personal and sensitive fields that say something of a person, by record. */
async function personal({ type, ...definition }: ResourceDefinition): Promise<{ id: unknown; text: string }[]> {
  const fields = Object.keys(definition.data.privacy).filter((field) => !KEPT[type]?.includes(field));
  const records = await recordsOf({ type, ...definition });
  return records
    .filter((record) => !IS_FIXED[type]?.(record))
    .flatMap((record) => fields.flatMap((field) => textsIn(record[field]).map((text) => ({ id: record['id'], text }))));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn);
  const isText = typeof value === 'string' && value.length > 3;
  return isText && !/^[0-9a-f]{8}-|^Anonymised|^\(erased/.test(value) ? [value] : [];
}
