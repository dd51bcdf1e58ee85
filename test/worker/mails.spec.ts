import { Writable } from 'node:stream';
import type { INestApplicationContext } from '@nestjs/common';
import { pino } from 'pino';
import { DAY_MS, MINUTE_MS } from '#libs/kernel/durations.js';
import { MailDelivery } from '#libs/mail/mail-delivery.js';
import { MailRefused } from '#libs/mail/mailer.js';
import { SmtpMailer } from '#libs/mail/smtp-mailer.js';
import { until } from '#libs/testing/until.js';
import { ENTITIES } from '#src/areas/entities.js';
import { createWorker, startWork } from '#src/worker/app.js';
import { asAdmin } from '../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../harness/platform.js';
import { type SmtpCatcher, startSmtp } from '../harness/smtp.js';

const FROM = 'Platform <no-reply@platform.example>';

let smtp = await startSmtp();
const platform: TestPlatform = await startPlatform({ env: { SMTP_URL: smtp.url, MAIL_FROM: FROM } });
const worker = await newWorker();
afterAll(async () => {
  await worker.close();
  await platform.close();
  await smtp.close();
});

let tenant: TestTenant;
beforeEach(async () => {
  await asAdmin(platform.database, `delete from data.mails`);
  tenant = await platform.tenant();
});

function newWorker(env: object = {}, logger = pino({ level: 'silent' })): Promise<INestApplicationContext> {
  const { settings, masterKeys, systemUrl } = platform.database;
  const all = { ...settings, ...env };
  const { clock } = platform;
  return createWorker(
    { settings: all, masterKeys, databaseUrl: systemUrl, name: 'platform-worker', entities: ENTITIES, clock },
    logger,
  );
}

const pass = (by = worker): Promise<number> => by.get(MailDelivery).pass();
let count = 0;

/** Creates a mail to send; returns the address and the id of the invitation. */
async function queue(): Promise<{ email: string; id: string }> {
  const email = `mail-${++count}@acme.example`;
  const { body } = await tenant.api.post<{ data: { invitation: { id: string } }[] }>('/api/admin/invitations', {
    email,
  });
  return { email, id: body.data[0]!.invitation.id };
}

async function mailOf(id: string) {
  const [row] = await asAdmin<{ state: string; attempts: number; content: string | null; error: string | null }>(
    platform.database,
    `select state, attempts, content, error from data.mails where subject_id = $1`,
    [id],
  );
  return row!;
}

const sentTo = (email: string, by: SmtpCatcher = smtp) => by.mails.filter(({ to }) => to.includes(email));

describe('a mail', () => {
  it('is sent once by a running worker', async () => {
    const running = await newWorker();
    await startWork(running);
    const { email, id } = await queue();
    await until(async () => (await mailOf(id)).state === 'sent');
    await running.close();
    expect(sentTo(email)).toHaveLength(1);
    expect(await mailOf(id)).toEqual({ state: 'sent', attempts: 1, content: null, error: null });
  });

  it('is sent once with concurrent workers', async () => {
    const queued = await Promise.all([queue(), queue(), queue()]);
    const second = await newWorker();
    await Promise.all([pass(), pass(second), pass(), pass(second)]);
    await second.close();
    for (const { email } of queued) expect(sentTo(email)).toHaveLength(1);
  });

  it('is retried with increasing delays while the server is down', async () => {
    const { port } = smtp;
    await smtp.close();
    const { email, id } = await queue();
    expect(await pass()).toBe(1);
    expect(await mailOf(id)).toMatchObject({
      state: 'waiting',
      attempts: 1,
      error: expect.stringContaining('ESOCKET'),
    });
    expect(await pass()).toBe(0);
    platform.clock.advance(MINUTE_MS);
    expect(await pass()).toBe(1);
    platform.clock.advance(MINUTE_MS);
    expect(await pass()).toBe(0);
    smtp = await startSmtp({}, port);
    platform.clock.advance(4 * MINUTE_MS);
    expect(await pass()).toBe(1);
    expect(sentTo(email)).toHaveLength(1);
    expect(await mailOf(id)).toEqual({ state: 'sent', attempts: 3, content: null, error: null });
  });

  it('is sent again, not lost, when its worker dies before recording it', async () => {
    const { email, id } = await queue();
    await asAdmin(
      platform.database,
      `create function public.die() returns trigger language plpgsql as $$ begin raise exception 'died'; end $$;
       create trigger die before update on data.mails for each row when (new.state = 'sent') execute function public.die()`,
    );
    await expect(pass()).rejects.toThrow('died');
    await asAdmin(platform.database, `drop function public.die() cascade`);
    expect(sentTo(email)).toHaveLength(1);
    expect(await pass()).toBe(0);
    platform.clock.advance(MINUTE_MS);
    expect(await pass()).toBe(1);
    expect(await pass()).toBe(0);
    const sent = sentTo(email);
    expect(sent).toHaveLength(2);
    expect(sent[0]!.headers['message-id']).toBe(sent[1]!.headers['message-id']);
    expect(await mailOf(id)).toMatchObject({ state: 'sent', attempts: 2, content: null });
  });

  it('fails permanently when its recipient does not exist', async () => {
    smtp.refuse(550);
    const { id } = await queue();
    expect(await pass()).toBe(1);
    smtp.refuse(null);
    expect(await mailOf(id)).toEqual({ state: 'failed', attempts: 1, content: null, error: 'EENVELOPE RCPT TO 550' });
    platform.clock.advance(DAY_MS);
    expect(await pass()).toBe(0);
    const { body } = await tenant.api.get(`/api/admin/invitations/${id}`);
    expect(body).toMatchObject({ mailStatus: 'failed', sentCount: 0, lastSentAt: null, status: 'pending' });
  });

  it('fails permanently after ten attempts', async () => {
    smtp.refuse(450);
    const { id } = await queue();
    await tenant.api.patch(`/api/admin/invitations/${id}`, { expiresInDays: 30 });
    await asAdmin(platform.database, `update data.mails set expires_at = now() + interval '1 year'`);
    for (let i = 0; i < 10; i++) {
      expect(await pass()).toBe(1);
      platform.clock.advance(DAY_MS);
    }
    expect(await pass()).toBe(0);
    smtp.refuse(null);
    expect(await mailOf(id)).toMatchObject({ state: 'failed', attempts: 10, content: null });
  });

  it('is not sent when it is obsolete', async () => {
    const { email, id } = await queue();
    platform.clock.advance(8 * DAY_MS);
    expect(await pass()).toBe(0);
    expect(sentTo(email)).toEqual([]);
    expect(await mailOf(id)).toMatchObject({ state: 'failed', content: null, error: 'expired' });
  });
});

describe('without a server', () => {
  it('the link is logged by the worker', async () => {
    const lines: string[] = [];
    const log = new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(chunk.toString());
        done();
      },
    });
    const logging = await newWorker({ SMTP_URL: null }, pino({ level: 'warn' }, log));
    const { email, id } = await queue();
    expect(await pass(logging)).toBe(1);
    await logging.close();
    const told = lines.filter((line) => line.includes(email));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/http:\/\/127\.0\.0\.1:\d+\/api\/invitations\/top_invite_\w{43}_\w{6}/);
    expect(await mailOf(id)).toEqual({ state: 'logged', attempts: 1, content: null, error: null });
    const { body } = await tenant.api.get(`/api/admin/invitations/${id}`);
    expect(body).toMatchObject({ mailStatus: 'logged', sentCount: 0, lastSentAt: null, status: 'pending' });
    platform.clock.advance(DAY_MS);
    expect(await pass()).toBe(0);
    expect(sentTo(email)).toEqual([]);
  });

  it('the link is not logged when there is one', async () => {
    const lines: string[] = [];
    const log = new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(chunk.toString());
        done();
      },
    });
    const logging = await newWorker({}, pino({ level: 'debug' }, log));
    smtp.refuse(450);
    await queue();
    await pass(logging);
    smtp.refuse(null);
    await logging.close();
    expect(lines.some((line) => line.includes('could not be sent'))).toBe(true);
    expect(lines.join('')).not.toMatch(/top_invite_|@acme\.example/);
  });
});

describe('the connection to the server', () => {
  const mail = { id: 'm1', to: 'a@acme.example', subject: 'S', text: 'T', link: 'https://app.example/x' };
  /** The local machine under a non-local name. */
  const FAR = '[::ffff:127.0.0.1]';

  it('must use TLS, unless the server is local', async () => {
    const far = new SmtpMailer(`smtp://${FAR}:${smtp.port}`, FROM);
    const before = smtp.mails.length;
    await expect(far.send(mail)).rejects.toThrow('ETLS');
    await new SmtpMailer(smtp.url, FROM).send(mail);
    expect(smtp.mails.length).toBe(before + 1);
  });

  it('must present a valid certificate', async () => {
    const tls = await startSmtp({ disabledCommands: ['AUTH'] }); // with a self-signed certificate
    const explicit = await startSmtp({ secure: true, disabledCommands: ['AUTH'] });
    await expect(new SmtpMailer(`smtp://${FAR}:${tls.port}`, FROM).send(mail)).rejects.toThrow(/ETLS|ESOCKET/);
    await expect(new SmtpMailer(`smtps://127.0.0.1:${explicit.port}`, FROM).send(mail)).rejects.toThrow(/ETLS|ESOCKET/);
    expect([...tls.mails, ...explicit.mails]).toEqual([]);
    await tls.close();
    await explicit.close();
  });

  it('accepts user and password, which errors never reveal', async () => {
    const given: string[] = [];
    const guarded = await startSmtp({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) => {
        given.push(`${username}:${password}`);
        if (password === 'p@ss word') done(null, { user: username });
        else done(new Error('no such user'));
      },
    });
    const url = (password: string) => `smtp://us%2Fer:${encodeURIComponent(password)}@127.0.0.1:${guarded.port}`;
    await new SmtpMailer(url('p@ss word'), FROM).send(mail);
    expect(given).toEqual(['us/er:p@ss word']);
    expect(guarded.mails).toHaveLength(1);
    const failure = await new SmtpMailer(url('wrong'), FROM).send(mail).catch((error: Error) => error);
    expect(failure).not.toBeInstanceOf(MailRefused);
    expect(String(failure)).toMatch(/^Error: EAUTH/);
    expect(String(failure)).not.toContain('wrong');
    await guarded.close();
  });
});
