import { Writable } from 'node:stream';
import type { INestApplicationContext } from '@nestjs/common';
import { pino } from 'pino';
import { Database } from '#libs/database/database.js';
import { FileContents } from '#libs/files/file-contents.js';
import { DAY_MS, MINUTE_MS } from '#libs/kernel/durations.js';
import { MailDelivery } from '#libs/mail/mail-delivery.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { MailOutbox } from '#libs/mail/mail-outbox.js';
import { type Mail, MailRefused } from '#libs/mail/mailer.js';
import { SmtpMailer } from '#libs/mail/smtp-mailer.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
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
      state: 'queued',
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

  it('is not sent again when its worker dies before recording it: nobody knows, and who invited is told once', async () => {
    const { email, id } = await queue();
    await asAdmin(
      platform.database,
      `create function public.die() returns trigger language plpgsql as $$ begin raise exception 'died'; end $$;
       create trigger die before update on data.mails for each row when (new.state = 'sent') execute function public.die()`,
    );
    await expect(pass()).rejects.toThrow('died');
    await asAdmin(platform.database, `drop function public.die() cascade`);
    expect(await mailOf(id)).toMatchObject({ state: 'sending', attempts: 1 });
    platform.clock.advance(3 * MINUTE_MS);
    expect(await pass()).toBe(0);
    expect(await mailOf(id)).toMatchObject({ state: 'unconfirmed', attempts: 1, content: null });
    platform.clock.advance(DAY_MS);
    expect(await pass()).toBe(0);
    expect(sentTo(email)).toHaveLength(1);
    const [due, ...others] = await asAdmin(
      platform.database,
      `select state from data.automation_runs where tenant_id = $1 and kind = 'core.mail.undelivered'`,
      [tenant.id],
    );
    expect([due, others]).toEqual([{ state: 'waiting' }, []]);
  });

  it('is sent again when its worker is lost before the end of the mail, and not when another worker has it', async () => {
    const { email, id } = await queue();
    const second = await newWorker();
    smtp.ignore('recipient');
    const lost = pass();
    await until(() => smtp.ignored === 1);
    platform.clock.advance(3 * MINUTE_MS);
    const attempt = pass(second);
    await until(() => smtp.ignored === 2);
    smtp.ignore(null);
    expect(await attempt).toBe(1);
    await lost;
    await second.close();
    expect(sentTo(email)).toHaveLength(1);
    expect(await mailOf(id)).toEqual({ state: 'sent', attempts: 2, content: null, error: null });
  });

  it('is unconfirmed when the connection breaks after its end', async () => {
    const { email, id } = await queue();
    smtp.ignore('end');
    const attempt = pass();
    await until(() => smtp.ignored === 1);
    smtp.disconnect();
    smtp.ignore(null);
    await attempt;
    expect(await mailOf(id)).toEqual({
      state: 'unconfirmed',
      attempts: 1,
      content: null,
      error: expect.stringMatching(/^ECONNECTION|^ESOCKET/),
    });
    platform.clock.advance(DAY_MS);
    expect(await pass()).toBe(0);
    expect(sentTo(email)).toHaveLength(1);
  });

  it('that is cancelled while it is transmitted gets no end, so nobody gets it', async () => {
    const { email, id } = await queue();
    smtp.ignore('recipient');
    const attempt = pass();
    await until(() => smtp.ignored === 1);
    await tenant.api.patch(`/api/admin/invitations/${id}`, { action: 'revoke' });
    smtp.ignore(null);
    await attempt;
    expect(sentTo(email)).toEqual([]);
    expect(await mailOf(id)).toMatchObject({ state: 'cancelled' });
  });

  it('is refused, or tried again, as the server answers to its end', async () => {
    const [refused, later] = [await queue(), await queue()];
    smtp.refuse(554, 'end');
    await asAdmin(
      platform.database,
      `update data.mails set due_at = due_at + interval '1 hour' where subject_id = $1`,
      [later.id],
    );
    expect(await pass()).toBe(1);
    expect(await mailOf(refused.id)).toMatchObject({ state: 'refused', error: 'EMESSAGE DATA 554' });
    smtp.refuse(451, 'end');
    platform.clock.advance(2 * 60 * MINUTE_MS);
    expect(await pass()).toBe(1);
    smtp.refuse(null, 'end');
    expect(await mailOf(later.id)).toMatchObject({ state: 'queued', error: 'EMESSAGE DATA 451' });
    platform.clock.advance(MINUTE_MS);
    expect(await pass()).toBe(1);
    expect(await mailOf(later.id)).toMatchObject({ state: 'sent', attempts: 2 });
    expect([sentTo(refused.email).length, sentTo(later.email).length]).toEqual([0, 1]);
  });

  it('has the files that fit into it, and links to those that do not', async () => {
    const { id, slug } = tenant;
    const facts = { id, slug, plan: 'enterprise', currency: 'USD', epoch: '1' } as const;
    const { app, clock } = platform;
    const [small, large] = [Buffer.alloc(300_000, 'ab\r\n.\r\n'), Buffer.alloc(8 * 1_048_576)];
    await runAsSystem(facts, 'test', uuidv7(), async () => {
      const store = async (bytes: Buffer) => (await app.get(FileContents).storeBytes(bytes, { sealed: true })).id;
      const [smallId, largeId] = [await store(small), await store(large)];
      const attachments = [
        { name: 'note.txt', contentType: 'text/plain', text: 'Ünder' },
        { name: 'large.bin', contentType: 'application/octet-stream', contentId: largeId },
        { name: 'small "1".pdf', contentType: 'application/pdf', contentId: smallId },
      ];
      const now = clock.nowMs();
      const mail = {
        ...{ kind: 'test.thing.sent', subjectId: uuidv7(), to: 'files@acme.example', subject: 'Files', text: 'Two' },
        ...{ link: 'https://acme.example', attachments, expiresAt: new Date(now + DAY_MS).toISOString() },
      };
      await app
        .get(Database)
        .transaction((transaction) => app.get(MailOutbox).add(transaction, mail, new Date(now).toISOString()));
    });
    await pass();
    const [mail] = sentTo('files@acme.example');
    const [, , note, pdf, ...others] = mail!.parts;
    expect(note!.content.toString()).toBe('Ünder');
    expect(pdf!.headers['content-disposition']).toContain('small');
    expect(pdf!.content.equals(small)).toBe(true);
    expect(others).toEqual([]);
    const [, address] = /large\.bin:\nhttp:\/\/[^/]+(\S+) \(until/.exec(mail!.text)!;
    expect(mail!.parts[1]!.content.toString()).toContain(address);
    const opened = await platform.anonymous().get(address!);
    expect([opened.status, opened.text.length]).toEqual([200, large.length]);
  });

  it('shows its text as HTML, too, without letting it be more than text', async () => {
    await tenant.api.post('/api/admin/invitations', {
      email: 'html@acme.example',
      message: 'Hello <b>Bo</b> & "co"\nhttps://acme.example/?a=1&b=2\r\nBcc: eve@evil.example',
    });
    await pass();
    const [mail] = sentTo('html@acme.example');
    expect(mail!.parts.map(({ type }) => type.split(';')[0])).toEqual(['text/plain', 'text/html']);
    const html = mail!.parts[1]!.content.toString();
    expect(html).toContain('Hello &lt;b&gt;Bo&lt;/b&gt; &amp; &quot;co&quot;');
    expect(html).toContain('<a href="https://acme.example/?a=1&amp;b=2">');
    expect(mail!.headers).not.toHaveProperty('bcc');
  });

  it('bounces when its recipient does not exist', async () => {
    smtp.refuse(550);
    const { id } = await queue();
    expect(await pass()).toBe(1);
    smtp.refuse(null);
    expect(await mailOf(id)).toEqual({ state: 'bounced', attempts: 1, content: null, error: 'EENVELOPE RCPT TO 550' });
    platform.clock.advance(DAY_MS);
    expect(await pass()).toBe(0);
    const { body } = await tenant.api.get(`/api/admin/invitations/${id}`);
    expect(body).toMatchObject({ mailStatus: 'bounced', sentCount: 0, lastSentAt: null, status: 'pending' });
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
  const mail: Mail = {
    ...{ id: 'm1', to: 'a@acme.example', subject: 'S', text: 'T', html: '<p>T</p>', link: 'https://app.example/x' },
    attachments: [],
  };
  const handOver = async () => undefined;
  /** The local machine under a non-local name. */
  const FAR = '[::ffff:127.0.0.1]';

  it('must use TLS, unless the server is local', async () => {
    const far = new SmtpMailer(`smtp://${FAR}:${smtp.port}`, FROM);
    const before = smtp.mails.length;
    await expect(far.send(mail, handOver)).rejects.toThrow('ETLS');
    await new SmtpMailer(smtp.url, FROM).send(mail, handOver);
    expect(smtp.mails.length).toBe(before + 1);
  });

  it('must present a valid certificate', async () => {
    const tls = await startSmtp({ disabledCommands: ['AUTH'] }); // with a self-signed certificate
    const explicit = await startSmtp({ secure: true, disabledCommands: ['AUTH'] });
    await expect(new SmtpMailer(`smtp://${FAR}:${tls.port}`, FROM).send(mail, handOver)).rejects.toThrow(
      /ETLS|ESOCKET/,
    );
    await expect(new SmtpMailer(`smtps://127.0.0.1:${explicit.port}`, FROM).send(mail, handOver)).rejects.toThrow(
      /ETLS|ESOCKET/,
    );
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
    await new SmtpMailer(url('p@ss word'), FROM).send(mail, handOver);
    expect(given).toEqual(['us/er:p@ss word']);
    expect(guarded.mails).toHaveLength(1);
    const failure = await new SmtpMailer(url('wrong'), FROM).send(mail, handOver).catch((error: Error) => error);
    expect(failure).not.toBeInstanceOf(MailRefused);
    expect(String(failure)).toMatch(/^Error: EAUTH/);
    expect(String(failure)).not.toContain('wrong');
    await guarded.close();
  });

  it('puts no header into a mail that it was not given, whatever its values contain', async () => {
    const broken = 'x\r\nBcc: eve@evil.example\r\n\r\nbody';
    const mailer = new SmtpMailer(smtp.url, FROM);
    const before = smtp.mails.length;
    await mailer.send(
      {
        ...{ ...mail, subject: broken, replyTo: `a@acme.example\r\nBcc: eve@evil.example`, unsubscribeUrl: broken },
        attachments: [{ name: broken, contentType: `text/plain\r\nBcc: eve@evil.example`, content: Buffer.from('c') }],
      },
      handOver,
    );
    const [sent, ...others] = smtp.mails.slice(before);
    expect([sent!.to, others]).toEqual([['a@acme.example'], []]);
    for (const headers of [sent!.headers, ...sent!.parts.map((part) => part.headers)])
      expect(headers).not.toHaveProperty('bcc');
    const to = 'a@acme.example>\r\nRCPT TO:<eve@evil.example';
    await expect(mailer.send({ ...mail, to }, handOver)).rejects.toBeInstanceOf(MailRefused);
    expect(smtp.mails).toHaveLength(before + 1);
  });
});
