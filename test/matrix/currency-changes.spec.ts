import { fieldsOf, type ModelClass } from '#libs/http/field.js';
import { operationPrefix, pathOf, type ResourceDefinition } from '#libs/resource/types/definition.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { TestTenant } from '../harness/platform.js';
import type { Scene } from './fixture-parts.js';
import { callOf } from './fixtures.js';
import { sceneOf, startRunning } from './running.js';

/** A currency that changes alone would change what the amounts in it are worth. */
const platform = await startRunning();
afterAll(() => platform.close());

type Json = Record<string, unknown>;

/** A field of a type that names a currency, in the record (`part` is null) or in a part of it, and its amounts. */
interface Place {
  name: string;
  definition: ResourceDefinition;
  part: string | null;
  model: ModelClass;
  currency: string;
  amounts: string[];
}

const places = platform.app
  .get(ResourceRegistry)
  .all()
  .flatMap((definition) => [
    ...placesIn(definition, null, definition.create).filter(({ currency }) =>
      fieldsOf(definition.update).has(currency),
    ),
    ...[...fieldsOf(definition.update)].flatMap(([name, { kind }]) =>
      kind.model && kind.schema['type'] !== 'array' ? placesIn(definition, name, kind.model) : [],
    ),
  ])
  .filter(({ amounts }) => amounts.length > 0);

let scene: TestTenant & Scene;
beforeAll(async () => {
  scene = sceneOf(platform, await platform.tenant(), 'priced');
});

it('finds the types with amounts', () => {
  expect(places.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'sales.deal.currency',
      'sales.product.currency',
      'sales.account.currency',
      'finance.payment.currency',
      'work.project.billing.currency',
      'work.project_template.billing.currency',
      'talent.job.salaryRange.currency',
      'talent.candidate.salaryExpectation.currency',
      'talent.offer.pay.currency',
    ]),
  );
});

it.each(places)('$name does not change without the amounts in it', async (place) => {
  const { definition, amounts, part, currency, model } = place;
  const path = pathOf(definition);
  const create = platform.operations.find(({ id }) => id === `${operationPrefix(definition)}.create`)!;
  const sums = Object.fromEntries(amounts.map((each) => [each, each === 'exchangeRate' ? '1.25' : 10_000]));
  const { body } = await callOf(create, scene);
  for (const each of amounts) delete body![each.replace(/Minor$/, '')]; // the form in major units
  const made = await scene.api.post(path, { ...body, ...within(place, { [currency]: 'GBP', ...sums }) });
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  const id = String(made.body['id']);

  const patch = within(place, { [currency]: 'JPY' });
  const pointers = amounts.map((each) => (part === null ? `/${each}` : `/${part}/${each}`));
  const errors = pointers.map((pointer) => expect.objectContaining({ pointer, code: 'required' }) as unknown);
  const refused = { code: 'validation_failed', errors: expect.arrayContaining(errors) as unknown };
  const alone = await scene.api.patch<{ errors: { pointer: string }[] }>(`${path}/${id}`, patch);
  expect(alone).toMatchObject({ status: 400, body: refused });
  if (amounts.some((each) => fieldsOf(model).get(each)!.optional)) {
    const { body: many } = await scene.api.patch(path, { items: [{ id, ...patch }] });
    expect(many).toMatchObject({ results: [{ problem: refused }] });
  }

  const others = alone.body.errors.map(({ pointer }) => pointer.slice(1)).filter((name) => name in made.body);
  const lists = Object.fromEntries(others.map((name) => [name, made.body[name]]));
  const whole = await scene.api.patch(`${path}/${id}`, { ...lists, ...within(place, { [currency]: 'JPY', ...sums }) });
  expect([whole.status, whole.text]).toEqual([200, expect.any(String)]);
});

function placesIn(definition: ResourceDefinition, part: string | null, model: ModelClass): Place[] {
  const names = [...fieldsOf(model).keys()];
  return names
    .filter((name) => name.endsWith('urrency'))
    .map((currency) => ({
      name: [definition.type, part, currency].filter(Boolean).join('.'),
      ...{ definition, part, model, currency },
      amounts: names.filter((name) => /Minor$|^exchangeRate$/.test(name) && name.startsWith(currency.slice(0, -8))),
    }));
}

/** Members at a place, with those that its part requires. */
function within({ part, model }: Place, members: Json): Json {
  if (part === null) return members;
  const needed = [...fieldsOf(model)].filter(([name, { optional }]) => !optional && !name.endsWith('Minor'));
  return { [part]: { ...Object.fromEntries(needed.map(([name, { example }]) => [name, example])), ...members } };
}
