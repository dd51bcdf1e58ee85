import { HOUR_MS } from '#libs/kernel/durations.js';
import { act, INVOICES, ISSUABLE, issued } from '../e2e/finance/invoice-calls.js';
import {
  APPLICATIONS,
  CANDIDATES,
  INTERVIEWS,
  makeApplication,
  makeCandidate,
  makeOffer,
  OFFERS,
  onApplication,
  onCandidate,
  openJob,
} from '../e2e/talent/talent-calls.js';
import { startSmtp } from '../harness/smtp.js';
import type { TestTenant } from '../harness/platform.js';
import { inboxOf, type Person, settle } from './notifications-stage.js';
import { Stage } from './stage.js';

const smtp = await startSmtp();
const stage = await Stage.open({ SMTP_URL: smtp.url, MAIL_FROM: 'Platform <no-reply@platform.example>' });
const worker = await stage.idleWorker();
afterAll(async () => {
  await stage.close();
  await smtp.close();
});

let tenant: TestTenant;
let ada: Person;
/** Address of the candidate or customer. */
let address: string;
beforeEach(async () => {
  tenant = await stage.platform.tenant();
  ada = await stage.platform.member(tenant, 'Ada');
  address = `${tenant.slug}@outside.example`;
});
afterEach(() => smtp.refuse(null));

const mailsTo = (to = address) => smtp.mails.filter((mail) => mail.to.includes(to));
const statusOf = async (path: string, id: string) =>
  (await ada.api.get<{ mailStatus: string | null }>(`${path}/${id}`)).body.mailStatus;
const after = async (hours: number) => {
  stage.platform.clock.advance(hours * HOUR_MS);
  await settle(worker);
};
const candidate = (body: object = {}) => makeCandidate(ada.api, { email: address, firstName: 'Grace', ...body });
async function template(body: object): Promise<void> {
  const path = '/api/admin/document-templates';
  const { status, body: made, text } = await ada.api.post<{ id: string }>(path, { kind: 'email', ...body });
  if (status !== 200) throw new Error(text);
  const published = await ada.api.patch(`${path}/${made.id}`, { publish: true });
  if (published.status !== 200) throw new Error(published.text);
}

describe('a credit note', () => {
  it('is mailed to the customer of its invoice, who can reply, and shows what became of the mail', async () => {
    const invoice = await issued(ada.api, { ...ISSUABLE, customer: { name: 'Globex Ltd', email: address } });
    const path = '/api/v1/finance/credit-notes';
    const body = { invoiceId: invoice.id, amountMinor: 6_000, reason: 'Returned goods' };
    const { id } = (await ada.api.post<{ id: string }>(path, body)).body;
    expect(await ada.api.post(`${path}/${id}/send`, {})).toMatchObject({ status: 409 });
    await ada.api.post(`${path}/${id}/issue`);
    expect(await statusOf(path, id)).toBeNull();
    const sent = await ada.api.post(`${path}/${id}/send`, { message: 'We are sorry.' });
    expect(sent).toMatchObject({ status: 200, body: { sentTo: [address], sentMessage: 'We are sorry.' } });
    expect(await statusOf(path, id)).toBe('queued');
    await settle(worker);
    expect(await statusOf(path, id)).toBe('sent');
    const [mail, ...others] = mailsTo();
    expect(others).toEqual([]);
    for (const words of ['We are sorry.', '60.00 USD', 'Returned goods', invoice.number])
      expect(mail!.text).toContain(words);
    expect(mail!.headers['reply-to']).toContain('@example.test');
    expect(mail!.headers).not.toHaveProperty('list-unsubscribe');
  });
});

describe('an offer', () => {
  it('is mailed with its content', async () => {
    const { applicationId } = await candidate();
    const pay = { amountMinor: 7_200_000, currency: 'EUR', period: 'year' };
    const { id } = await makeOffer(ada.api, applicationId!, { jobTitle: 'Engineer', pay });
    for (const action of ['submit', 'approve', 'send']) await ada.api.post(`${OFFERS}/${id}/${action}`);
    await settle(worker);
    expect(await statusOf(OFFERS, id)).toBe('sent');
    const [mail] = mailsTo();
    expect(mail!.headers['subject']).toBe('Our offer: Engineer');
    expect(mail!.text).toMatch(/^Hello Grace,/);
    expect(mail!.text).toContain('72,000.00 per year');
  });

  it('that is withdrawn before its mail has left is not mailed; the candidate who is refused an answer is told of', async () => {
    const { applicationId } = await candidate();
    const { id } = await makeOffer(ada.api, applicationId!);
    for (const action of ['submit', 'approve', 'send', 'withdraw']) await ada.api.post(`${OFFERS}/${id}/${action}`);
    await settle(worker);
    expect([await statusOf(OFFERS, id), mailsTo()]).toEqual(['cancelled', []]);
    const second = await makeOffer(ada.api, applicationId!);
    for (const action of ['submit', 'approve', 'send']) await ada.api.post(`${OFFERS}/${second.id}/${action}`);
    smtp.refuse(550);
    await settle(worker);
    smtp.refuse(null);
    await after(1);
    expect(await statusOf(OFFERS, second.id)).toBe('bounced');
    const told = (await inboxOf(ada)).filter(({ title }) => title.startsWith('Mail not sent'));
    expect(told).toMatchObject([{ subject: { object: 'talent.offer', id: second.id }, count: 1 }]);
  });

  it('is only marked as sent for a candidate without an address', async () => {
    const { applicationId } = await makeCandidate(ada.api);
    const { id } = await makeOffer(ada.api, applicationId!);
    for (const action of ['submit', 'approve', 'send'])
      expect(await ada.api.post(`${OFFERS}/${id}/${action}`)).toMatchObject({ status: 200 });
    expect(await statusOf(OFFERS, id)).toBeNull();
  });
});

describe('a rejection', () => {
  const reject = { rejectReason: 'Too slow', notify: true, notifyAfterHours: 24 };

  it('is mailed after the hours, once, without the reason, in the words of the tenant', async () => {
    await template({
      name: 'Absage',
      key: 'rejection-de',
      locale: 'de',
      format: 'text',
      body: 'Hallo',
      subject: 'Nein',
    });
    const own = '<h1>Dear {{ candidate.name }}</h1><p>No, <a href="https://acme.example/jobs">but see</a>.</p>';
    await template({ name: 'Rejection', key: 'rejection', locale: 'en', format: 'html', body: own, subject: 'No' });
    const { id, applicationId } = await candidate();
    expect((await onCandidate(ada.api, id, 'reject', reject)).status).toBe(200);
    await after(23);
    expect([mailsTo(), await statusOf(CANDIDATES, id)]).toEqual([[], null]);
    await after(2);
    await after(48);
    const [mail, ...others] = mailsTo();
    expect(others).toEqual([]);
    expect(mail!.headers).toMatchObject({
      subject: 'No',
      'list-unsubscribe': expect.stringMatching(/^<http:\/\/127\.0\.0\.1:\d+\/api\/public\/unsubscribe\/[\w-]+>$/),
      'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
    });
    expect(mail!.text).toBe('Dear Ada Lovelace\n\nNo, but see (https://acme.example/jobs).');
    expect(mail!.parts[1]!.content.toString()).toContain('<h1>Dear Ada Lovelace</h1>');
    expect([await statusOf(CANDIDATES, id), await statusOf(APPLICATIONS, applicationId!)]).toEqual(['sent', 'sent']);
  });

  it.each([
    ['opened again', (id: string) => onCandidate(ada.api, id, 'reopen')],
    ['not to be contacted', (id: string) => ada.api.patch(`${CANDIDATES}/${id}`, { consent: { doNotContact: true } })],
    ['anonymised', (id: string) => onCandidate(ada.api, id, 'anonymize')],
    ['in the trash', (id: string) => ada.api.delete(`${CANDIDATES}/${id}`)],
  ])('is not mailed to a candidate who is %s by then, nor what is queued already', async (_state, change) => {
    const { id } = await candidate();
    await onCandidate(ada.api, id, 'reject', reject);
    expect((await change(id)).status).toBeLessThan(300);
    await after(25);
    expect(mailsTo()).toEqual([]);
  });

  it('goes to the candidate that the application belongs to after a merge', async () => {
    const { id, applicationId } = await candidate();
    const into = await makeCandidate(ada.api, { email: `kept.${address}`, name: 'Ada King' });
    await onApplication(ada.api, applicationId!, 'reject', reject);
    expect((await ada.api.post(`${CANDIDATES}/${id}/merge`, { intoId: into.id })).status).toBe(200);
    await after(25);
    expect([mailsTo().length, mailsTo(`kept.${address}`).length]).toEqual([0, 1]);
  });
});

it('confirms applications through the page of open jobs, and no others', async () => {
  const job = await openJob(ada.api, { name: 'Compiler engineer' });
  const { id } = await candidate({ source: 'careers_page', jobId: job.id });
  await makeCandidate(ada.api, { email: `other.${address}`, source: 'referral' });
  await makeCandidate(ada.api, { email: `no.${address}`, source: 'careers_page', consent: { doNotContact: true } });
  const second = await openJob(ada.api, { name: 'Archivist' });
  await makeApplication(ada.api, id, { jobId: second.id, source: 'careers_page' });
  await settle(worker);
  const positions = mailsTo().map(({ text }) => /position (.+)\. We/.exec(text)![1]);
  expect(positions.sort()).toEqual(['Archivist', 'Compiler engineer']);
  expect([...mailsTo(`other.${address}`), ...mailsTo(`no.${address}`)]).toEqual([]);
});

it('ends mails with one click, but neither by opening the link nor those that are business', async () => {
  const { id } = await candidate({ source: 'careers_page' });
  await settle(worker);
  const [, path] = /^<http:\/\/[^/]+(\/api\/public\/unsubscribe\/[\w-]+)>$/.exec(
    mailsTo()[0]!.headers['list-unsubscribe']!,
  )!;
  const anyone = stage.platform.anonymous();
  const shown = { group: 'candidates' };
  expect(await anyone.get(path!)).toMatchObject({ status: 200, body: { ...shown, isEnded: false } });
  const page = await fetch(anyone.url + path!, { headers: { accept: 'text/html' } });
  expect(await page.text()).toContain('<form method="post">');
  const oneClick = () =>
    anyone.post(path!, 'List-Unsubscribe=One-Click', { 'content-type': 'application/x-www-form-urlencoded' });
  for (let times = 0; times < 2; times++)
    expect(await oneClick()).toMatchObject({ status: 200, body: { ...shown, isEnded: true } });
  expect(await anyone.get(`${path}x`)).toMatchObject({ status: 404 });
  const { applicationId } = (await onCandidate(ada.api, id, 'reject', { rejectReason: 'No', notify: true })).body;
  await settle(worker);
  await after(1);
  expect([mailsTo().length, await statusOf(CANDIDATES, id)]).toEqual([1, 'cancelled']);
  await onCandidate(ada.api, id, 'reopen');
  const offer = await makeOffer(ada.api, applicationId!);
  for (const action of ['submit', 'approve', 'send']) await ada.api.post(`${OFFERS}/${offer.id}/${action}`);
  await settle(worker);
  expect(mailsTo()).toHaveLength(2);
});

describe('an interview', () => {
  const calendar = (mail: { parts: { type: string; content: Buffer }[] }) =>
    mail.parts.find(({ type }) => type.startsWith('text/calendar'))!;
  const fieldsOf = (mail: Parameters<typeof calendar>[0]) =>
    Object.fromEntries<string>(
      calendar(mail)
        .content.toString()
        .replaceAll('\r\n ', '')
        .split('\r\n')
        .map((line) => [line.split(/[;:]/)[0]!, line.slice(line.indexOf(':') + 1)]),
    );

  it('invites, moves and cancels in the calendars of candidate and interviewers', async () => {
    const [bo, eve] = [await stage.platform.member(tenant, 'Bo'), await stage.platform.member(tenant, 'Eve')];
    const startsMs = stage.platform.clock.nowMs() + 72 * HOUR_MS;
    const at = (hours: number) => new Date(startsMs + hours * HOUR_MS).toISOString();
    const utc = (instant: string) => `${instant.slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
    const { applicationId } = await candidate();
    const { body, text } = await ada.api.post<{ id: string }>(INTERVIEWS, {
      ...{ applicationId, name: 'Check whether she lies', startAt: at(0), endAt: at(1) },
      ...{ interviewerIds: [bo.id], location: 'Room 4; first floor' },
    });
    if (!body.id) throw new Error(text);
    const path = `${INTERVIEWS}/${body.id}`;
    await settle(worker);
    const [invited] = mailsTo();
    expect(calendar(invited!).type).toMatch(/method=REQUEST/);
    const first = fieldsOf(invited!);
    expect(first).toMatchObject({ METHOD: 'REQUEST', UID: body.id, DTSTART: utc(at(0)), DTEND: utc(at(1)) });
    const whole = invited!.parts.map(({ content }) => content.toString()).join('\n');
    expect(whole).toContain('Room 4');
    for (const internal of ['lies', bo.id, '@example.test']) expect(whole).not.toContain(internal);
    expect(await statusOf(INTERVIEWS, body.id)).toBe('sent');
    const ofBo = () =>
      mailsTo(`${bo.id}@example.test`).filter(({ parts }) =>
        parts.some(({ type }) => type.startsWith('text/calendar')),
      );
    const ofEve = () =>
      mailsTo(`${eve.id}@example.test`).filter(({ parts }) =>
        parts.some(({ type }) => type.startsWith('text/calendar')),
      );
    expect([ofBo().length, ofEve().length]).toEqual([1, 0]);

    await ada.api.patch(path, { startAt: at(2), endAt: at(3) });
    await ada.api.patch(path, { interviewerIds: [eve.id] });
    await ada.api.patch(path, { tags: ['later'] });
    await settle(worker);
    const moved = fieldsOf(mailsTo()[1]!);
    expect(moved).toMatchObject({ METHOD: 'REQUEST', UID: body.id, DTSTART: utc(at(2)) });
    expect(Number(moved['SEQUENCE'])).toBeGreaterThan(Number(first['SEQUENCE']));
    expect(ofBo().map((mail) => fieldsOf(mail)['METHOD'])).toEqual(['REQUEST', 'REQUEST', 'CANCEL']);
    expect(ofEve().map((mail) => fieldsOf(mail)['METHOD'])).toEqual(['REQUEST']);

    await ada.api.post(`${path}/cancel`);
    await settle(worker);
    const off = fieldsOf(mailsTo()[2]!);
    expect(off).toMatchObject({ METHOD: 'CANCEL', UID: body.id, STATUS: 'CANCELLED' });
    expect(mailsTo()[2]!.headers['subject']).toContain('is cancelled');
    expect(ofEve().map((mail) => fieldsOf(mail)['METHOD'])).toEqual(['REQUEST', 'CANCEL']);
    expect([mailsTo().length, ofBo().length]).toEqual([3, 3]);
  });

  it('that is over tells nobody', async () => {
    const { applicationId } = await candidate();
    const at = (hours: number) => new Date(stage.platform.clock.nowMs() + hours * HOUR_MS).toISOString();
    const { body } = await ada.api.post<{ id: string }>(INTERVIEWS, { applicationId, startAt: at(-3), endAt: at(-2) });
    await ada.api.post(`${INTERVIEWS}/${body.id}/cancel`);
    await settle(worker);
    expect(mailsTo()).toEqual([]);
  });
});

it('tells whoever sent an invoice, once, that one of its recipients does not exist', async () => {
  const invoice = await issued(ada.api, { ...ISSUABLE, customer: { name: 'Globex Ltd', email: address } });
  await act(ada.api, invoice.id, 'send', {});
  smtp.refuse(550);
  await settle(worker);
  smtp.refuse(null);
  await after(1);
  await after(30);
  expect(await statusOf(INVOICES, invoice.id)).toBe('bounced');
  const told = (await inboxOf(ada)).filter(({ title }) => title.startsWith('Mail not sent'));
  expect(told).toMatchObject([{ subject: { object: 'finance.invoice', id: invoice.id }, count: 1 }]);
});
