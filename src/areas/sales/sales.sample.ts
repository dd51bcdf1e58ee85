import { Injectable } from '@nestjs/common';
import { SampleData } from '#libs/resource/sample/sample-data.js';
import type { SampleMove, SampleStory } from '#libs/resource/sample/sample-story.js';
import type { PipelineStage } from './pipelines/pipeline.stages.js';
import { PipelinesService } from './pipelines/pipelines.service.js';

/** An account: name, domain, industry, size, city, days since it became known, state. */
const ACCOUNTS = [
  ['Alder Robotics', 'alder-robotics.example', 'Manufacturing', 'medium', 'Dresden', 410, 'active'],
  ['Beacon Freight', 'beacon-freight.example', 'Logistics', 'large', 'Hamburg', 390, 'active'],
  ['Cedar Clinics', 'cedar-clinics.example', 'Health', 'large', 'Cologne', 365, 'active'],
  ['Drift Energy', 'drift-energy.example', 'Energy', 'enterprise', 'Essen', 340, 'active'],
  ['Ember Foods', 'ember-foods.example', 'Food', 'medium', 'Bremen', 300, 'active'],
  ['Fjord Marine', 'fjord-marine.example', 'Shipping', 'small', 'Kiel', 270, 'active'],
  ['Granite Build', 'granite-build.example', 'Construction', 'medium', 'Leipzig', 240, 'active'],
  ['Harbor Textiles', 'harbor-textiles.example', 'Retail', 'small', 'Bremen', 190, 'prospect'],
  ['Indigo Media', 'indigo-media.example', 'Media', 'small', 'Berlin', 150, 'prospect'],
  ['Juniper Schools', 'juniper-schools.example', 'Education', 'medium', 'Potsdam', 110, 'prospect'],
  ['Keystone Glass', 'keystone-glass.example', 'Manufacturing', 'large', 'Jena', 70, 'prospect'],
  ['Lumen Optics', 'lumen-optics.example', 'Manufacturing', 'medium', 'Jena', 330, 'churned'],
] as const;

const FIRST_NAMES = ['Ingrid', 'Marco', 'Selma', 'Viktor', 'Hanna', 'Pavel', 'Noor', 'Oscar', 'Lea', 'Emil', 'Rosa', 'Kofi'] as const; // prettier-ignore
const LAST_NAMES = ['Weber', 'Rossi', 'Yilmaz', 'Petrov', 'Lund', 'Dvorak', 'Haddad', 'Blom', 'Fischer', 'Koch', 'Vargas', 'Mensah'] as const; // prettier-ignore
const TITLES = ['Head of operations', 'Chief financial officer', 'Purchasing manager', 'IT manager'] as const;

/** A product: name, SKU, kind, unit, price in major units, billing interval. */
const PRODUCTS = [
  ['Consulting day', 'DEMO-CONS', 'service', 'day', 1_200, null],
  ['Workshop', 'DEMO-WORK', 'service', 'piece', 2_800, null],
  ['Platform licence', 'DEMO-LIC', 'subscription', 'seat', 45, 'month'],
  ['Premium support', 'DEMO-SUP', 'subscription', 'contract', 3_600, 'year'],
  ['Sensor kit', 'DEMO-KIT', 'goods', 'piece', 390, null],
] as const;

/** A deal: subject, account (index), value in thousands, days since its creation, days that it took, result. */
type SampleDeal = readonly [string, number, number, number, number, 'won' | 'lost' | number];

const DEALS: readonly SampleDeal[] = [
  ['plant monitoring', 0, 48, 350, 62, 'won'],
  ['fleet contract', 1, 72, 330, 85, 'won'],
  ['patient portal', 2, 64, 310, 70, 'won'],
  ['grid analytics', 3, 120, 290, 110, 'won'],
  ['line inspection', 11, 35, 320, 45, 'lost'],
  ['recipe management', 4, 28, 250, 55, 'won'],
  ['crew planning', 5, 19, 220, 40, 'won'],
  ['second depot', 1, 38, 200, 66, 'won'],
  ['site reporting', 6, 42, 185, 72, 'won'],
  ['press archive', 8, 14, 170, 30, 'lost'],
  ['shop rollout', 7, 22, 150, 58, 'lost'],
  ['sensor upgrade', 0, 26, 130, 48, 'won'],
  ['support contract', 2, 18, 105, 33, 'won'],
  ['wind park rollout', 3, 95, 95, 70, 'won'],
  ['classroom booking', 9, 16, 90, 60, 'lost'],
  ['quality dashboard', 4, 31, 62, 40, 'won'],
  ['regional rollout', 1, 84, 80, 0, 3],
  ['clinic network', 2, 110, 66, 0, 4],
  ['furnace control', 10, 58, 58, 0, 2],
  ['maintenance portal', 0, 36, 47, 0, 3],
  ['learning platform', 9, 24, 40, 0, 2],
  ['advertising analytics', 8, 12, 34, 0, 1],
  ['store network', 7, 27, 26, 0, 1],
  ['storage forecast', 3, 66, 21, 0, 2],
  ['cold chain pilot', 4, 15, 16, 0, 1],
  ['harbour pilot', 5, 9, 11, 0, 0],
  ['tool tracking', 6, 21, 8, 0, 0],
  ['annual licence', 10, 33, 4, 0, 0],
];

/** A lead: name, company, source, score, days ago, status. */
const LEADS = [
  ['Bruno Keller', 'Maple Printing', 'inbound', 72, 2, 'new'],
  ['Sofia Lange', 'North Bakery', 'demo_request', 81, 5, 'new'],
  ['Ivan Sokol', 'Opal Water', 'event', 55, 9, 'working'],
  ['Clara Beck', 'Pine Schools', 'referral', 64, 16, 'working'],
  ['Amir Nazari', 'Quill Press', 'inbound', 40, 24, 'working'],
  ['Julia Kranz', 'Rush Couriers', 'outbound', 22, 45, 'disqualified'],
  ['Peter Olsen', 'Sable Motors', 'partner', 18, 80, 'disqualified'],
] as const;

/** Accounts, contacts, products, deals in all stages, and leads. */
@Injectable()
export class SalesSample {
  constructor(
    samples: SampleData,
    private readonly pipelines: PipelinesService,
  ) {
    samples.add('sales', (story) => this.build(story));
  }

  private async build(story: SampleStory): Promise<void> {
    const pipeline = await this.pipelines.resolve(null);
    ACCOUNTS.forEach((_, index) => account(story, index));
    products(story);
    DEALS.forEach((_, index) => deal(story, index, pipeline));
    leads(story);
  }
}

function account(story: SampleStory, index: number): void {
  const [name, domain, industry, size, city, daysAgo, lifecycle] = ACCOUNTS[index]!;
  const key = `account ${index}`;
  const createdAt = story.at(daysAgo);
  story.record(
    {
      ...{ key, table: 'data.sales_accounts', name },
      ...{ reference: `ACC-${sixDigits(index + 1)}`, createdAt },
    },
    {
      ...{ domain, industry, size, lifecycle, lifecycleBefore: null, parentAccountId: null, mergedIntoId: null },
      roles: [lifecycle === 'active' ? 'customer' : 'prospect'],
      billingEmail: `billing@${domain}`,
      billingAddress: {
        line1: `${index + 3} Market Street`,
        line2: null,
        city,
        region: null,
        postalCode: null,
        country: 'DE',
      },
      ...{ shippingAddress: null, taxId: null, currency: story.currency, creditLimitMinor: null },
      paymentTermsDays: index % 3 === 0 ? 14 : 30,
    },
  );
  for (const second of [false, true]) contact(story, index, second);
}

/** The first contact of an account is its primary one. */
function contact(story: SampleStory, index: number, isSecond: boolean): void {
  const firstName = FIRST_NAMES[(index + (isSecond ? 5 : 0)) % FIRST_NAMES.length]!;
  const lastName = LAST_NAMES[(index + (isSecond ? 7 : 0)) % LAST_NAMES.length]!;
  const [, domain, , , , daysAgo] = ACCOUNTS[index]!;
  story.record(
    {
      ...{ key: `contact ${index}${isSecond ? ' b' : ''}`, table: 'data.sales_contacts' },
      ...{ name: `${firstName} ${lastName}`, reference: `CON-${sixDigits(2 * index + (isSecond ? 2 : 1))}` },
      createdAt: story.at(daysAgo, 11),
    },
    {
      ...{ firstName, lastName, title: TITLES[(index + (isSecond ? 1 : 0)) % TITLES.length], isPrimary: !isSecond },
      ...{ emails: [`${firstName}.${lastName}@${domain}`.toLowerCase()], phones: [], locale: 'en-GB' },
      ...{ accountId: story.id(`account ${index}`), mergedIntoId: null },
      consent: { email: 'unknown', at: null, source: null },
    },
  );
}

function products(story: SampleStory): void {
  PRODUCTS.forEach(([name, sku, kind, unit, price, billingInterval], index) =>
    story.record(
      {
        ...{ key: `product ${index}`, table: 'data.sales_products', name },
        ...{ reference: `PROD-${sixDigits(index + 1)}`, createdAt: story.at(400) },
      },
      {
        ...{ sku, kind, unit, billingInterval, description: null, unitPriceMinor: story.minor(price) },
        ...{ currency: story.currency, prices: [], costMinor: null, stocked: kind === 'goods' },
      },
    ),
  );
}

function deal(story: SampleStory, index: number, { id: pipelineId, stages }: { id: string; stages: PipelineStage[] }) {
  const [subject, accountIndex, thousands, createdAgo, took, result] = DEALS[index]!;
  const key = `deal ${index}`;
  const open = stages.filter(({ category }) => category === 'open');
  const isOpen = typeof result === 'number';
  const passed = isOpen ? Math.min(result, open.length - 1) : open.length - 1;
  const stage = isOpen ? open[passed]! : stages.find(({ category }) => category === result)!;
  const closedAgo = isOpen ? null : createdAgo - took;
  const createdAt = story.at(createdAgo, 9);
  // The deal moved in equal steps, the last of which ended when it was closed or, if open, some days ago.
  const moved = (step: number) =>
    story.at(Math.round(createdAgo - ((isOpen ? createdAgo * 0.7 : took) * step) / (passed + 1)), 14);
  const moves: SampleMove[] = Array.from({ length: passed }, (_, step) => ({
    ...{ action: 'move', from: 'open', to: 'open', at: moved(step + 1) },
    ...{ fromStage: open[step]!.key, toStage: open[step + 1]!.key },
  }));
  if (closedAgo !== null)
    moves.push({
      ...{ action: result === 'won' ? 'win' : 'lose', from: 'open', to: stage.category, at: story.at(closedAgo, 16) },
      ...{ fromStage: open[passed]!.key, toStage: stage.key },
    });
  const stageEnteredAt = moves.at(-1)?.at ?? createdAt;
  const { lostReasons } = story.settings.sales;
  story.record(
    {
      ...{ key, table: 'data.sales_deals', createdAt, updatedAt: stageEnteredAt },
      ...{ name: `${ACCOUNTS[accountIndex]![0]} ${subject}`, reference: `DEAL-${sixDigits(index + 1)}` },
      version: 1 + moves.length,
    },
    {
      ...{ valueMinor: story.minor(thousands * 1_000), currency: story.currency, pipelineId },
      ...{ stage: stage.key, status: stage.category, probability: stage.probability },
      forecastCategory: stage.forecastCategory,
      expectedCloseDate: closedAgo === null ? story.day(-(10 + ((index * 7) % 70))) : story.day(closedAgo),
      dealType: ['second depot', 'sensor upgrade', 'support contract'].includes(subject) ? 'expansion' : 'new_business',
      source: (['inbound', 'outbound', 'referral', 'partner', 'event'] as const)[index % 5],
      ...{ recurring: null, renewalOfDealId: null, contactIds: [], lineItems: [] },
      ...{ accountId: story.id(`account ${accountIndex}`), primaryContactId: story.id(`contact ${accountIndex}`) },
      nextStep: isOpen ? NEXT_STEPS[index % NEXT_STEPS.length] : null,
      nextStepDate: isOpen ? story.day(-(1 + (index % 9))) : null,
      lostReason: result === 'lost' ? lostReasons[index % lostReasons.length] : null,
      ...{ lostNotes: null, competitor: null },
      ...(subject === 'site reporting' ? HANDED_OVER(story) : {}),
      closedAt: closedAgo === null ? null : stageEnteredAt,
      stageEnteredAt,
      staleAt:
        stage.rottenAfterDays === null
          ? null
          : new Date(Date.parse(stageEnteredAt) + stage.rottenAfterDays * 86_400_000).toISOString(),
    },
  );
  story.moves('sales.deal', key, createdAt, moves);
}

/** The deal whose handoff is completed, with the project that came of it. */
const HANDED_OVER = (story: SampleStory) => ({
  handoffId: story.id('handoff 8'),
  projectId: story.id('project DEMOSITE'),
});

const NEXT_STEPS = ['Send the offer', 'Call the buyer', 'Arrange a demo', 'Clarify the budget', 'Plan the pilot'];

function leads(story: SampleStory): void {
  LEADS.forEach(([name, company, source, score, daysAgo, status], index) => {
    const key = `lead ${index}`;
    const createdAt = story.at(daysAgo);
    const decidedAt = story.at(Math.max(0, daysAgo - 6), 15);
    const isOut = status === 'disqualified';
    story.record(
      {
        ...{ key, table: 'data.sales_leads', name, reference: `LEAD-${sixDigits(index + 1)}` },
        ...{ createdAt, updatedAt: status === 'new' ? createdAt : decidedAt, version: status === 'new' ? 1 : 2 },
      },
      {
        email: `${name.split(' ')[0]}@${company.replace(' ', '-')}.example`.toLowerCase(),
        ...{ company, source, score, status, message: index % 2 === 0 ? 'We would like to see a demo.' : null },
        ...{ disqualifiedReason: isOut ? 'No budget this year' : null, disqualifiedAt: isOut ? decidedAt : null },
        ...{ convertedAt: null, accountId: null, contactId: null, dealId: null },
      },
    );
    if (status !== 'new')
      story.moves('sales.lead', key, createdAt, [
        { action: isOut ? 'disqualify' : 'start', from: 'new', to: status, at: decidedAt },
      ]);
  });
  convertedLead(story);
}

/** The lead from which the first deal came. */
function convertedLead(story: SampleStory): void {
  const key = 'lead converted';
  const createdAt = story.at(DEALS[0]![3] + 9);
  const convertedAt = story.get<string>('deal 0', 'createdAt');
  story.record(
    {
      ...{ key, table: 'data.sales_leads', name: story.get<string>('contact 0', 'name') },
      ...{ reference: `LEAD-${sixDigits(LEADS.length + 1)}`, createdAt, updatedAt: convertedAt, version: 2 },
    },
    {
      email: story.get<string[]>('contact 0', 'emails')[0],
      ...{ company: ACCOUNTS[0][0], source: 'inbound', score: 90, status: 'qualified', message: null },
      ...{ disqualifiedReason: null, disqualifiedAt: null, convertedAt },
      ...{ accountId: story.id('account 0'), contactId: story.id('contact 0'), dealId: story.id('deal 0') },
    },
  );
  story.moves('sales.lead', key, createdAt, [{ action: 'convert', from: 'new', to: 'qualified', at: convertedAt }]);
}

function sixDigits(number: number): string {
  return String(number).padStart(6, '0');
}
