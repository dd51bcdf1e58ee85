import { setTimeout as wait } from 'node:timers/promises';
import { ModelProvider, USAGE } from './model-provider.mjs';
import { call, holds } from './site.mjs';

/** Micros per 1,000 tokens. */
const PRICE = { inputMicrosPer1k: 1_000, outputMicrosPer1k: 2_000, cachedMicrosPer1k: 1_000 };
const COST = (USAGE.prompt_tokens * PRICE.inputMicrosPer1k + USAGE.completion_tokens * PRICE.outputMicrosPer1k) / 1_000;
const PAUSE_MS = 200;
const MAX_STARTS = 10;
/** Answers to requests that have done nothing yet. */
const TRY_AGAIN = new Set(['rate_limit_exceeded', 'unavailable', 'overloaded']);
const DRAIN_LIMIT_MS = 120_000;
const BUSY_LIMIT_MS = 30_000;
/** Tokens of an answer at most. */
const MAX_OUTPUT = 100;
/** A provider that answers a key once, and one that knows no keys. */
const KINDS = { keyed: true, keyless: false };

/**
 * Has `clients` ask for `jobs` jobs over all API processes, with a budget for a share of them, while workers are killed again
 * and again, and at the end counts money, calls and jobs against what the providers have charged for.
 */
export async function killAi(
  site,
  { jobs, clients, apis: apiCount, workers: workerCount, kills, lifeMs, budgetShare, answerMs },
) {
  const [tenant] = await site.tenants(1);
  const providers = { keyed: await ModelProvider.start(answerMs), keyless: await ModelProvider.start(answerMs) };
  try {
    const apis = await Promise.all(Array.from({ length: apiCount }, () => site.startApi()));
    await prepare(apis[0], tenant, providers, Math.floor(jobs * budgetShare) * COST);
    const load = new JobLoad(apis, tenant, jobs, () => open(site, tenant));
    const loading = load.run(clients);
    try {
      const isInCall = () => load.isOver || Object.values(providers).some((provider) => provider.open > 0);
      await killInTurn(site, workerCount, kills, lifeMs, isInCall);
    } catch (error) {
      load.stop();
      await loading;
      throw error;
    }
    await loading;
    const drained = await holds(async () => (await open(site, tenant)) === 0, DRAIN_LIMIT_MS);
    return { kills, drained, ...load.figures, ...(await reckon(site, tenant, load, providers)) };
  } finally {
    await Promise.all(Object.values(providers).map((provider) => provider.close()));
  }
}

/**
 * Starts workers, and kills one after the other when they have worked for `lifeMs` (from, to) and one of them is in a call;
 * each has a successor.
 */
async function killInTurn(site, workerCount, kills, [from, to], isInCall) {
  const workers = await Promise.all(Array.from({ length: workerCount }, () => startWorker(site)));
  for (let kill = 0; kill < kills; kill++) {
    await wait(from + Math.random() * (to - from));
    if (!(await holds(isInCall, BUSY_LIMIT_MS))) throw new Error('The workers do not get to work.');
    const at = kill % workerCount;
    await workers[at].end('SIGKILL');
    workers[at] = await startWorker(site);
  }
}

/** Starts a worker; again, as who supervises it would, when everything is so busy that it gets no connection in time. */
async function startWorker(site) {
  for (let tries = 1; ; tries++)
    try {
      return await site.startWorker();
    } catch (error) {
      if (tries === MAX_STARTS) throw error;
    }
}

/** Makes providers, models, and a budget of so many micros; lets as many jobs run as a tenant may have. */
async function prepare(api, tenant, providers, limitMicros) {
  const expect = async (status, method, path, body) => {
    const answer = await call(api, tenant, method, path, body);
    if (answer.status !== status) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
  };
  for (const [key, isIdempotent] of Object.entries(KINDS)) {
    const provider = { key, api: 'openai', baseUrl: providers[key].url, isIdempotent };
    await expect(201, 'POST', '/api/ai/providers', provider);
    const sizes = { contextTokens: 100_000, maxOutputTokens: 1_000 };
    await expect(201, 'POST', '/api/ai/models', { provider: key, key: 'any', ...sizes, prices: [PRICE] });
  }
  await expect(200, 'PATCH', '/api/ai/policy', { concurrency: 100, ratePerMinute: 10_000 });
  await expect(201, 'POST', '/api/ai/budgets', { scope: { type: 'tenant' }, period: 'month', limitMicros });
}

/** Asks for jobs, each with a mark of its own, half of them of either provider. */
class JobLoad {
  /** Ids of the jobs that were answered with 201. */
  acknowledged = new Set();
  #apis;
  #tenant;
  #jobs;
  #countOpen;
  #open = 1;
  #stopping = false;
  #refused = 0;
  /** What requests failed with that nothing explains. */
  #failures = [];

  /** @param countOpen answers how many jobs are not over */
  constructor(apis, tenant, jobs, countOpen) {
    this.#apis = apis;
    this.#tenant = tenant;
    this.#jobs = jobs;
    this.#countOpen = countOpen;
  }

  get figures() {
    return { jobs: this.acknowledged.size, refused: this.#refused, failures: [...new Set(this.#failures)] };
  }

  async run(clients) {
    const numbers = Array.from({ length: this.#jobs }, (_, number) => number).values();
    const watching = this.#watch();
    await Promise.all(
      Array.from({ length: clients }, async () => {
        for (const number of numbers) await this.#ask(number);
      }),
    );
    this.stop();
    await watching;
  }

  /** Whether {@link run} has ended or is about to. */
  get isOver() {
    return this.#stopping;
  }

  /** Has {@link run} end soon. */
  stop() {
    this.#stopping = true;
  }

  async #watch() {
    for (; !this.#stopping; await wait(PAUSE_MS)) this.#open = await this.#countOpen();
  }

  /** While other jobs are not over, what they do not use is given back: a budget is used up when it refuses after that. */
  async #ask(number) {
    const provider = Object.keys(KINDS)[number % 2];
    const input = { prompt: `Do what job-${number}- asks for.` };
    const body = { kind: 'text.generate', provider, model: 'any', input, maxOutputTokens: MAX_OUTPUT };
    const api = this.#apis[number % this.#apis.length];
    while (!this.#stopping) {
      const answer = await call(api, this.#tenant, 'POST', '/api/ai/jobs', body).catch((error) => ({
        body: { code: String(error.cause ?? error) },
      }));
      const { code } = answer.body;
      if (TRY_AGAIN.has(code) || (code === 'budget_exhausted' && this.#open > 0)) {
        await wait(PAUSE_MS);
        continue;
      }
      if (answer.status === 201) this.acknowledged.add(answer.body.id);
      else if (code === 'budget_exhausted') this.#refused += 1;
      else this.#failures.push(code ?? `no answer (${answer.status})`);
      return;
    }
  }
}

async function open(site, { id }) {
  const [{ count }] = await site.rows('select count(*)::int as count from data.ai_queue where tenant_id = $1', [id]);
  return count;
}

// What was spent and held on an account beyond its limit, and where its counters are not the sums of its entries.
const MONEY = `
  select count(*)::int as accounts,
    coalesce(sum(greatest(0, a.spent_micros + a.held_micros - a.limit_micros)), 0)::bigint as overshoot,
    coalesce(sum(a.held_micros), 0)::bigint as held,
    count(*) filter (where a.held_micros <> l.held or a.spent_micros <> l.spent)::int as unequal,
    coalesce(sum(a.spent_micros) filter (where a.kind = 'plan'), 0)::bigint as spent
  from data.ai_accounts a cross join lateral (
    select coalesce(sum(held_delta), 0) as held, coalesce(sum(spent_delta), 0) as spent
    from data.ai_ledger l where l.tenant_id = a.tenant_id and l.account_id = a.id) l
  where a.tenant_id = $1`;
const JOBS = `
  select id, status, actual_cost_micros::bigint as cost, cost_cap_micros::bigint as cap, provider, error->>'code' as error
  from data.ai_jobs where tenant_id = $1`;
const CALLS = `
  select state, provider, count(*)::int as count, coalesce(sum(cost_micros), 0)::bigint as cost
  from data.ai_calls where tenant_id = $1 group by state, provider`;

async function reckon(site, tenant, load, providers) {
  const [money] = await site.rows(MONEY, [tenant.id]);
  const jobs = await site.rows(JOBS, [tenant.id]);
  const calls = await site.rows(CALLS, [tenant.id]);
  const [{ deadlocks }] = await site.rows(
    'select deadlocks::int as deadlocks from pg_stat_database where datname = current_database()',
  );
  const known = new Set(jobs.map(({ id }) => id));
  const counted = (state, key) =>
    calls.filter((each) => each.state === state && each.provider === key).reduce((sum, { count }) => sum + count, 0);
  const charges = (key) => [...providers[key].charged.values()];
  const total = (numbers) => numbers.reduce((sum, number) => sum + number, 0);
  return {
    deadlocks,
    overshoot: Number(money.overshoot),
    held: Number(money.held),
    unequal: money.unequal,
    spent: Number(money.spent),
    booked: total(calls.map(({ cost }) => Number(cost))),
    /** Jobs that were answered with 201 and are not there, or are there and not over. */
    lost: [...load.acknowledged].filter((id) => !known.has(id)).length,
    unfinished: jobs.filter(({ status }) => !['succeeded', 'failed', 'over_cost_cap'].includes(status)).length,
    overCap: jobs.filter(({ cost, cap }) => Number(cost) > Number(cap)).length,
    succeeded: jobs.filter(({ status }) => status === 'succeeded').length,
    inDoubt: counted('in_doubt', 'keyless'),
    doubtfulKeyed: counted('in_doubt', 'keyed'),
    /** Requests beyond the first with one key, which cost nothing. */
    repeated: providers.keyed.requests - total(charges('keyed')),
    /** Prompts that a provider has charged for more than once. */
    paidTwice: Object.keys(KINDS).reduce((sum, key) => sum + charges(key).filter((count) => count > 1).length, 0),
    /** Work that a provider has charged for and that no call answers for. */
    unrecorded: Object.keys(KINDS).reduce(
      (sum, key) => sum + Math.max(0, total(charges(key)) - counted('done', key) - counted('in_doubt', key)),
      0,
    ),
    errors: [...new Set(jobs.map(({ error }) => error).filter((error) => error && error !== 'call_in_doubt'))],
  };
}

export function judgeAiKills(figures) {
  const { kills, jobs, refused, succeeded, inDoubt, repeated, overshoot, unequal, spent, booked, held } = figures;
  return {
    measured:
      `${kills} kills, ${jobs} jobs taken, ${refused} refused by the budget: ${succeeded} succeeded, ${inDoubt} in doubt; ` +
      `${repeated} calls sent again under their key, ${figures.paidTwice} paid twice; overshoot ${overshoot} micros, ` +
      `spent ${spent}, booked ${booked}, held at the end ${held}`,
    broken: [
      overshoot > 0 && `a budget was overshot by ${overshoot} micros`,
      unequal > 0 && `${unequal} accounts are not the sums of their ledger`,
      spent !== booked && 'what accounts and calls say is not the same',
      held > 0 && `${held} micros are held for nothing`,
      figures.paidTwice > 0 && `${figures.paidTwice} calls were paid for twice`,
      figures.unrecorded > 0 && `${figures.unrecorded} charges are on no record`,
      figures.doubtfulKeyed > 0 && `${figures.doubtfulKeyed} calls in doubt where the provider knows keys`,
      figures.deadlocks > 0 && `${figures.deadlocks} deadlocks`,
      figures.lost > 0 && `${figures.lost} jobs lost`,
      figures.failures.length > 0 && `requests failed with ${figures.failures.join(', ')}`,
      (figures.unfinished > 0 || !figures.drained) && `${figures.unfinished} jobs are not over`,
      figures.overCap > 0 && `${figures.overCap} jobs have cost more than their cap`,
      figures.errors.length > 0 && `jobs failed with ${figures.errors.join(', ')}`,
    ].filter(Boolean),
  };
}
