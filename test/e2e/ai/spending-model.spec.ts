import fc from 'fast-check';
import { uuidv7 } from '#libs/kernel/id.js';
import { Purse } from '../../harness/ai-money.js';
import { startPlatform } from '../../harness/platform.js';

const platform = await startPlatform();
afterAll(() => platform.close());

const AGENTS = [uuidv7(), uuidv7()];
const MODELS = ['small', 'large'];
const amount = fc.integer({ min: 0, max: 400 });
const pick = fc.nat(20);
const steps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ do: fc.constant('reserve' as const), amount, agent: fc.nat(2), model: fc.nat(1) }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('settle' as const), amount, pick }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('release' as const), pick }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('lower' as const), amount, pick }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('limit' as const), amount: fc.nat(2_000), hard: fc.boolean(), pick }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('enable' as const), on: fc.boolean(), pick }) },
  ),
  { minLength: 20, maxLength: 40 },
);
type Step = (typeof steps extends fc.Arbitrary<(infer S)[]> ? S : never) & object;

interface ModelBudget {
  id: string;
  matches(agent: string | null, model: string): boolean;
  limit: number;
  hard: boolean;
  enabled: boolean;
  held: number;
  spent: number;
}

interface ModelReservation {
  id: string;
  budgets: ModelBudget[];
  reserved: number;
  held: number;
}

/** Simple model of the expected accounts. */
class Books {
  readonly reservations: ModelReservation[] = [];
  constructor(readonly budgets: ModelBudget[]) {}

  admits(micros: number, budgets: readonly ModelBudget[]): boolean {
    return micros === 0 || budgets.every(({ hard, limit, held, spent }) => !hard || held + spent + micros <= limit);
  }

  move(reservation: ModelReservation, freed: number, spent: number): void {
    reservation.held -= freed;
    for (const budget of reservation.budgets) {
      budget.held -= freed;
      budget.spent += spent;
    }
  }
}

async function books(own: Purse): Promise<Books> {
  const scopes: [object, ModelBudget['matches']][] = [
    [{ type: 'tenant' }, () => true],
    [{ type: 'model', id: 'acme/small' }, (_, model) => model === 'small'],
    [{ type: 'model', id: 'acme/large' }, (_, model) => model === 'large'],
  ];
  const budgets: ModelBudget[] = [];
  for (const [scope, matches] of scopes)
    for (const period of ['day', 'week', 'month']) {
      const limit = 1_500;
      const id = await own.budget({ scope, period, limitMicros: limit });
      budgets.push({ id, matches, limit, hard: true, enabled: true, held: 0, spent: 0 });
    }
  return new Books(budgets);
}

async function take(own: Purse, model: Books, step: Step): Promise<void> {
  const of = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)];
  if (step.do === 'reserve') {
    const agentId = AGENTS[step.agent] ?? null;
    const key = MODELS[step.model]!;
    const budgets = model.budgets.filter((budget) => budget.enabled && budget.matches(agentId, key));
    const isAdmitted = model.admits(step.amount, budgets);
    const id = await own.tryReserve(step.amount, { agentId, provider: 'acme', model: key });
    expect(id !== null).toBe(isAdmitted);
    if (id === null) return;
    const reservation = { id, budgets, reserved: step.amount, held: 0 };
    model.reservations.push(reservation);
    model.move(reservation, -step.amount, 0);
  } else if (step.do === 'limit' || step.do === 'enable') {
    const budget = of(model.budgets, step.pick)!;
    const patch = step.do === 'limit' ? { limitMicros: step.amount, hardStop: step.hard } : { enabled: step.on };
    expect((await own.tenant.api.patch(`/api/ai/budgets/${budget.id}`, patch)).status).toBe(200);
    if (step.do === 'limit') Object.assign(budget, { limit: step.amount, hard: step.hard });
    else budget.enabled = step.on;
  } else {
    const reservation = of(model.reservations, step.pick);
    if (!reservation) return;
    const { id, held, reserved } = reservation;
    if (step.do === 'settle') {
      const overrunMicros = Math.max(0, step.amount - held);
      expect(await own.settle(id, step.amount)).toEqual({ replayed: false, overrunMicros });
      model.move(reservation, Math.min(held, step.amount), step.amount);
    } else if (step.do === 'lower') {
      await own.lower(id, step.amount);
      const freed = Math.max(0, Math.min(held, reserved - step.amount));
      reservation.reserved -= freed;
      model.move(reservation, freed, 0);
    } else {
      await own.release(id);
      model.move(reservation, held, 0);
    }
  }
}

it('accounts match the model after any history of reservations, settlements and limit changes', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const own = new Purse(platform, await platform.tenant());
      const model = await books(own);
      for (const step of history) await take(own, model, step);
      const counters = new Map((await own.counters()).map((each) => [each.subjectId, each]));
      for (const { id, held, spent } of model.budgets)
        expect({ id, held: counters.get(id)?.held ?? 0, spent: counters.get(id)?.spent ?? 0 }).toEqual({
          id,
          held,
          spent,
        });
      expect(await own.mismatches()).toEqual([]);
    }),
    { numRuns: 12 },
  );
}, 300_000);
