import { Inject, Injectable, Logger } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { FileContents } from '#libs/files/file-contents.js';
import { Clock } from '#libs/kernel/clock.js';
import { HOUR_MS, MINUTE_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Notifier } from '#libs/notifications/notifier.js';
import { FILE_TYPE } from '#libs/resource/files/file-uses.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import { Loop } from '#libs/worker/loop.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';
import type { Background } from '#libs/worker/worker-part.js';
import { scan } from './clamd.js';
import type { StoredFile } from './file.js';
import { FilesService } from './files.service.js';

const POLL = { busyMs: 200, idleMs: 1_000 };
const BATCH = 4;
/** Longer than a scan may take; then another worker tries again. */
const LEASE_MS = HOUR_MS;
/** Delays of the first attempts after a failure; the last one repeats. */
const PAUSES_MS = [5_000, 15_000, MINUTE_MS, 5 * MINUTE_MS];

const CLAIM = `
  with due as (
    select tenant_id, file_id, content_id from data.file_scans where due_at <= $1
    order by due_at limit ${BATCH} for update skip locked)
  update data.file_scans s set due_at = $2, attempts = s.attempts + 1 from due
  where s.tenant_id = due.tenant_id and s.file_id = due.file_id and s.content_id = due.content_id
  returning s.tenant_id as "tenantId", s.file_id as "fileId", s.content_id as "contentId", s.attempts`;
const PLACE = `tenant_id = $1 and file_id = $2 and content_id = $3`;
const DONE = `delete from data.file_scans where ${PLACE}`;
const LATER = `update data.file_scans set due_at = $4 where ${PLACE}`;

interface DueScan {
  tenantId: string;
  fileId: string;
  contentId: string;
  attempts: number;
}

/** Has clamd scan the files that wait for it. While clamd does not answer, they wait; nothing is lost. */
@Injectable()
export class FileScanning implements Background {
  readonly onBehalf = { of: 'platform', because: 'queued' } as const;
  private readonly logger = new Logger('files');
  private readonly loop: Loop;
  private isDown = false;

  constructor(
    private readonly database: Database,
    private readonly tenants: TenantFactsReader,
    private readonly contents: FileContents,
    private readonly files: FilesService,
    private readonly notifier: Notifier,
    private readonly clock: Clock,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {
    this.loop = new Loop('The scanning of files', POLL, async () => {
      const count = await this.pass();
      return count === BATCH ? 'full' : count > 0 ? 'some' : 'none';
    });
  }

  start(): void {
    if (this.settings.CLAMD_URL !== null) this.loop.start();
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  /** Scans the next files; returns their number. */
  async pass(): Promise<number> {
    const now = this.clock.nowMs();
    const at = (ms: number): string => new Date(ms).toISOString();
    const due = await this.database.systemRead<DueScan>(statement(CLAIM, [at(now), at(now + LEASE_MS)]));
    await Promise.all(due.map((each) => this.attempt(each)));
    return due.length;
  }

  private async attempt(due: DueScan): Promise<void> {
    const { tenantId, fileId, contentId } = due;
    const place = [tenantId, fileId, contentId];
    const tenant = await this.tenants.find(tenantId);
    if (!tenant) return;
    await runAsSystem(tenant, 'file scanning', uuidv7(), async () => {
      try {
        if (await this.contents.find(contentId)) await this.scanOne(due);
        await this.database.system([statement(DONE, place)]);
        this.isDown = false;
      } catch (error) {
        await this.later(due, error);
      }
    });
  }

  private async scanOne({ fileId, contentId }: DueScan): Promise<void> {
    const { stream } = await this.contents.open(contentId);
    const { found } = await scan(this.settings.CLAMD_URL!, stream); // it only runs with one
    const file = await this.files.scanned(fileId, contentId, found === null);
    if (found === null) return;
    this.logger.warn(`The scan of the file ${fileId} found ${found}.`);
    if (file) await this.tell(file);
  }

  /** Tells the owner of a file that nobody can read it any more. */
  private async tell(file: StoredFile): Promise<void> {
    if (file.ownerId === null) return;
    const notice = {
      kind: 'security' as const,
      subject: { object: FILE_TYPE, id: file.id },
      title: 'A file is in quarantine',
      body: 'The scan for viruses has found malware in it. Nobody can read it.',
      url: `/api/v1/documents/files/${file.id}`,
    };
    await this.database.transaction((transaction) => this.notifier.tell(transaction, notice, [file.ownerId!]));
  }

  private async later({ tenantId, fileId, contentId, attempts }: DueScan, error: unknown): Promise<void> {
    const pause = PAUSES_MS[Math.min(attempts, PAUSES_MS.length) - 1]!;
    const dueAt = new Date(this.clock.nowMs() + pause).toISOString();
    await this.database.system([statement(LATER, [tenantId, fileId, contentId, dueAt])]);
    if (!this.isDown) this.logger.warn(`Files cannot be scanned now, and wait: ${String(error)}`);
    this.isDown = true;
  }
}
