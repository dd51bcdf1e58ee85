import { setTimeout as wait } from 'node:timers/promises';
import { ModelProvider, USAGE } from './model-provider.mjs';
import { call, holds } from './site.mjs';

/** Micros per 1,000 tokens. */
const PRICE = { inputMicrosPer1k: 1_000, outputMicrosPer1k: 2_000, cachedMicrosPer1k: 1_000 };
const COST = (USAGE.prompt_tokens * PRICE.inputMicrosPer1k + USAGE.completion_tokens * PRICE.outputMicrosPer1k) / 1_000;
const PAUSE_MS = 200;
const MAX_STARTS = 10;
/** Error codes of requests that had no effect and can be retried. */
const TRY_AGAIN = new Set(['rate_limit_exceeded', 'unavailable', 'overloaded']);
const DRAIN_LIMIT_MS = 120_000;
const BUSY_LIMIT_MS = 30_000;
/** Maximum tokens of a response. */
const MAX_OUTPUT = 100;
/** A provider that deduplicates by key, and one without keys. */
const KINDS = { keyed: true, keyless: false };

/**
 * Lets `clients` request `jobs` jobs from all API processes, with a budget for part of them, while workers are killed
 * repeatedly, and finally compares money, calls and jobs with the charges of the providers.
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
 * Starts workers and kills them one after another after `lifeMs` (from, to) while one of them is in a call; each is
 * replaced.
 */
async function killInTurn(site, workerCount, kills, [from, to], isInCall) {
  const workers = await Promise.all(Array.from({ length: workerCount }, () => startWorker(site)));
  for (let kill = 0; kill < kills; kill++) {
    await wait(from + Math.random() * (to - from));
    if (!(await holds(isInCall, BUSY_LIMIT_MS))) throw new Error('The workers do not start working.');
    const at = kill % workerCount;
    await workers[at].end('SIGKILL');
    workers[at] = await startWorker(site);
  }
}

/** Starts a worker; retries, like a supervisor, when it gets no connection in time under load. */
async function startWorker(site) {
  for (let tries = 1; ; tries++)
    try {
      return await site.startWorker();
    } catch (error) {
      if (tries === MAX_STARTS) throw error;
    }
}

/** Creates providers, models, and a budget in micros; sets the maximum number of running jobs. */
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

/** Requests jobs, each with a unique mark, half of them per provider. */
class JobLoad {
  /** Ids of the jobs created with 201. */
  acknowledged = new Set();
  #apis;
  #tenant;
  #jobs;
  #countOpen;
  #open = 1;
  #stopping = false;
  #refused = 0;
  /** Unexpected errors of requests. */
  #failures = [];

  /** @param countOpen returns the number of unfinished jobs */
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

  /** Whether {@link run} has ended or is stopping. */
  get isOver() {
    return this.#stopping;
  }

  /** Makes {@link run} stop. */
  stop() {
    this.#stopping = true;
  }

  async #watch() {
    for (; !this.#stopping; await wait(PAUSE_MS)) this.#open = await this.#countOpen();
  }

  /** Unfinished jobs release what they do not use: the budget is exhausted only when it still rejects after that. */
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
      else this.#failures.push(code ?? `no response (${answer.status})`);
      return;
    }
  }
}

async function open(site, { id }) {
  const [{ count }] = await site.rows('select count(*)::int as count from data.ai_queue where tenant_id = $1', [id]);
  return count;
}

// Amounts spent and held beyond the limit of an account, and counters that differ from the sums of its entries.
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
    /** Jobs created with 201 that are missing or unfinished. */
    lost: [...load.acknowledged].filter((id) => !known.has(id)).length,
    unfinished: jobs.filter(({ status }) => !['succeeded', 'failed', 'over_cost_cap'].includes(status)).length,
    overCap: jobs.filter(({ cost, cap }) => Number(cost) > Number(cap)).length,
    succeeded: jobs.filter(({ status }) => status === 'succeeded').length,
    inDoubt: counted('in_doubt', 'keyless'),
    doubtfulKeyed: counted('in_doubt', 'keyed'),
    /** Repeated requests with one key, which cost nothing. */
    repeated: providers.keyed.requests - total(charges('keyed')),
    /** Prompts charged more than once by a provider. */
    paidTwice: Object.keys(KINDS).reduce((sum, key) => sum + charges(key).filter((count) => count > 1).length, 0),
    /** Charges of a provider without a recorded call. */
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
      `${kills} kills, ${jobs} jobs taken, ${refused} rejected by the budget: ${succeeded} succeeded, ${inDoubt} in doubt; ` +
      `${repeated} calls sent again under their key, ${figures.paidTwice} paid twice; overshoot ${overshoot} micros, ` +
      `spent ${spent}, booked ${booked}, held at the end ${held}`,
    broken: [
      overshoot > 0 && `a budget was overshot by ${overshoot} micros`,
      unequal > 0 && `${unequal} accounts do not match their ledger`,
      spent !== booked && 'accounts and calls differ',
      held > 0 && `${held} micros are held without a job`,
      figures.paidTwice > 0 && `${figures.paidTwice} calls were paid for twice`,
      figures.unrecorded > 0 && `${figures.unrecorded} charges are not recorded`,
      figures.doubtfulKeyed > 0 && `${figures.doubtfulKeyed} calls in doubt although the provider supports keys`,
      figures.deadlocks > 0 && `${figures.deadlocks} deadlocks`,
      figures.lost > 0 && `${figures.lost} jobs lost`,
      figures.failures.length > 0 && `requests failed with ${figures.failures.join(', ')}`,
      (figures.unfinished > 0 || !figures.drained) && `${figures.unfinished} jobs are unfinished`,
      figures.overCap > 0 && `${figures.overCap} jobs exceeded their cap`,
      figures.errors.length > 0 && `jobs failed with ${figures.errors.join(', ')}`,
    ].filter(Boolean),
  };
}
