import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Guard } from '#libs/access/guard.js';
import { Automations } from '#libs/automation/automations.js';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import { callerOrNull } from '#libs/auth/current-principal.js';
import { guarantorOfCaller } from '#libs/auth/guarantors.js';
import { fileBytesOf } from '#libs/auth/plans.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import type { Transaction } from '#libs/database/transaction.js';
import { type Content, FileContents } from '#libs/files/file-contents.js';
import { HOUR_MS } from '#libs/kernel/durations.js';
import { Problem } from '#libs/kernel/problem.js';
import { FILE_TYPE, FileUses } from '#libs/resource/files/file-uses.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Change, Decisions, Input } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import type { Shown } from '#libs/resource/types/record-type.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { files, type FileUpload, MAX_VERSIONS, type ScanStatus, type StoredFile } from './file.js';
import { type FileVersion, FileVersionsRepository } from './file-versions.repository.js';

/** Timer that ends an announced upload. */
const UPLOAD_ENDS = 'documents.file.upload_ends';
const UPLOAD_MS = HOUR_MS;
const READ_CONFIDENTIAL = 'files.confidential:read';

type Action = keyof (typeof files)['lifecycle']['transitions'];
type FileView = Shown<StoredFile>;

/** The bytes of a new file, with its input. As a symbol it is never serialized or stored. */
export const CONTENT = Symbol('content');

/** Marks a file that is being announced, for the response. As a symbol it is never serialized or stored. */
const ANNOUNCED = Symbol('announced');

/** The files of a tenant: records, each with versions of its bytes. */
@Injectable()
export class FilesService implements Decisions<StoredFile, FileView, Action>, OnModuleInit {
  readonly records: Records<StoredFile, FileView, Action>;
  readonly actions = {
    take: (_file: StoredFile, changes: Partial<StoredFile>) => changes,
    scan: (_file: StoredFile, changes: Partial<StoredFile>) => changes,
    release: () => ({ scanStatus: 'clean' as const }),
    quarantine: () => ({ scanStatus: 'infected' as const }),
  };
  /** Where to send announced bytes; set in the API. */
  uploadOf: ((file: StoredFile) => FileUpload) | null = null;

  constructor(
    private readonly kit: ResourceKit,
    private readonly automations: Automations,
    private readonly contents: FileContents,
    private readonly versions: FileVersionsRepository,
    private readonly uses: FileUses,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {
    this.records = Records.of(files, kit, this);
  }

  onModuleInit(): void {
    this.automations.timer({
      kind: UPLOAD_ENDS,
      onBehalf: { of: 'tenant', because: 'date' },
      fire: (id) => this.endUpload(id),
    });
  }

  /** Whether files are scanned before they can be read. */
  get scans(): boolean {
    return this.settings.CLAMD_URL !== null;
  }

  guard(): Guard | null {
    const caller = callerOrNull();
    if (!caller || caller.permissions.reach(READ_CONFIDENTIAL) === 'tenant') return null;
    const { membershipId } = caller;
    return (add) => {
      const mine = [`t.created_by ->> 'id' = ${add(currentScope().actor.id)}`];
      if (membershipId !== null) mine.push(`t.owner_id = ${add(membershipId)}::uuid`);
      return `(not t.confidential or ${mine.join(' or ')})`;
    };
  }

  secrecy(): Guard | null {
    return this.guard();
  }

  draft(input: Input & { [CONTENT]?: Content }): Draft<StoredFile> {
    const content = input[CONTENT];
    const common = { ...files.defaults, ...(input as Partial<StoredFile>), currentVersion: 1 } as Draft<StoredFile>; // validated
    if (content) return { ...common, ...this.arrival(content), status: this.scans ? 'scanning' : 'available' };
    const { FILE_MAX_BYTES: most } = this.settings;
    if (common.sizeBytes > most) throw new Problem('payload_too_large', `A file may have at most ${most} bytes.`);
    const uploadUntil = new Date(this.kit.clock.nowMs() + UPLOAD_MS).toISOString();
    const awaited = { contentId: null, mimeType: null, scanStatus: this.newScanStatus, status: 'uploading' as const };
    return { ...common, ...awaited, sha256: common.sha256 ?? null, uploadUntil, guarantor: guarantorOfCaller() };
  }

  complete(row: StoredFile): StoredFile {
    return row.status === 'uploading' ? Object.assign(row, { [ANNOUNCED]: true }) : row;
  }

  derive(row: StoredFile): Partial<FileView> {
    return { upload: ANNOUNCED in row ? (this.uploadOf?.(row) ?? null) : null };
  }

  async admit(transaction: Transaction, row: StoredFile): Promise<void> {
    await this.requireRoom(transaction, row.sizeBytes);
  }

  async prepare(_transaction: Transaction, row: StoredFile, action: Action): Promise<StoredFile> {
    if (action === 'delete') await this.refuseUsed(row.id);
    return row;
  }

  saved(transaction: Transaction, { before, after }: Change<StoredFile>): void {
    if (!before) {
      this.versions.add(transaction, after.id, versionOf(after, 1, this.kit.now()));
      if (after.uploadUntil !== null)
        transaction.write(timerStatement({ kind: UPLOAD_ENDS, key: after.id, dueAt: after.uploadUntil }));
    }
    const isNew = after.contentId !== null && after.contentId !== before?.contentId;
    if (isNew) {
      const use = { object: FILE_TYPE, id: after.id, expiresAt: null };
      this.contents.use(transaction, after.contentId!, use);
      if (after.status === 'scanning') this.versions.queueScan(transaction, after.id, after.contentId!, this.kit.now());
    }
    const isOpen = after.status === 'available' && after.deletedAt === null;
    this.contents.suspend(transaction, { object: FILE_TYPE, id: after.id }, !isOpen);
  }

  /** The file, also if only a record shows it that the caller may see. @throws Problem 404. */
  async read(id: string): Promise<StoredFile> {
    const row = await this.records.find(id);
    if (row) return row;
    if (await this.uses.isShownByRecord(id)) return this.records.readPlainly(id);
    throw Problem.notFound();
  }

  /** As {@link read}, as the API shows it. @throws Problem 404. */
  async get(id: string, query: Input): Promise<FileView> {
    return (await this.records.find(id)) ? this.records.get(id, query) : this.records.rules.show(await this.read(id));
  }

  /** Takes the bytes of an announced file. @throws Problem 404, 409, 422 `upload_mismatch`. */
  async arrive(id: string, content: Content): Promise<FileView> {
    return this.records.unit(async (transaction) => {
      const row = await this.records.rows.lockPlainly(transaction, id);
      if (row.status !== 'uploading') throw this.records.rules.refusal(row, 'take', 'The bytes have arrived already.');
      if (content.sizeBytes !== row.sizeBytes || (row.sha256 !== null && row.sha256 !== content.sha256))
        throw new Problem('upload_mismatch', 'The bytes do not have the size or the hash that was announced.');
      transaction.write(cancelStatement({ kind: UPLOAD_ENDS, key: id }));
      const changes = { ...this.arrival(content), uploadUntil: null, guarantor: null };
      const after = await this.take(transaction, row, changes);
      this.versions.arrived(transaction, id, versionOf(after, after.currentVersion, row.createdAt));
      return this.records.rules.show(after);
    });
  }

  /** Adds bytes as the current version. @throws Problem 404, 403, 409, 412. */
  async addVersion(id: string, content: Content): Promise<FileView> {
    return this.records.unit(async (transaction) => {
      const row = await this.lockSettled(transaction, id);
      const [newest] = await this.versions.of(id);
      const number = (newest?.number ?? 0) + 1;
      if (number > MAX_VERSIONS) throw new Problem('limit_reached', `A file has at most ${MAX_VERSIONS} versions.`);
      await this.requireRoom(transaction, content.sizeBytes);
      const after = await this.take(transaction, row, { ...this.arrival(content), currentVersion: number });
      this.versions.add(transaction, id, versionOf(after, number, this.kit.now()));
      return this.records.rules.show(after);
    });
  }

  /** Makes an earlier version the current one. @throws Problem 404, 403, 409 for one that cannot be read, 412. */
  async restoreVersion(id: string, number: number): Promise<FileView> {
    return this.records.unit(async (transaction) => {
      const row = await this.lockSettled(transaction, id);
      const version = (await this.versions.of(id)).find((each) => each.number === number);
      if (!version) throw Problem.notFound();
      if (number === row.currentVersion)
        throw new Problem('invalid_transition', `Version ${number} is the current one already.`);
      if (version.scanStatus === 'infected')
        throw new Problem('file_not_available', 'The scan of this version found malware.');
      const { contentId, mimeType, sizeBytes, sha256, scanStatus } = version;
      const changes = { contentId, mimeType, sizeBytes, sha256, scanStatus, currentVersion: number };
      const action = scanStatus === 'waiting' ? 'scan' : 'take';
      return this.records.rules.show(await this.records.transit(transaction, row, action, changes));
    });
  }

  /** The versions of a file, newest first. @throws Problem 404. */
  async listVersions(id: string): Promise<FileVersion[]> {
    await this.read(id);
    return this.versions.of(id);
  }

  /** The bytes of a file that the caller may read, or of one of its versions. @throws Problem 404, 409. */
  async contentOf(id: string, number?: number): Promise<{ file: StoredFile; content: Content }> {
    const file = await this.read(id);
    if (number === undefined || number === file.currentVersion) return { file, content: await this.openable(file) };
    const version = (await this.versions.of(id)).find((each) => each.number === number);
    if (!version) throw Problem.notFound();
    if (version.scanStatus === 'infected' || version.scanStatus === 'waiting') throw notAvailable(version.scanStatus);
    return { file, content: await this.found(version.contentId) };
  }

  /** Records what the scan of some bytes has found. */
  async scanned(id: string, contentId: string, isClean: boolean): Promise<StoredFile | null> {
    return this.records.unit(async (transaction) => {
      this.versions.scanned(transaction, id, contentId, isClean ? 'clean' : 'infected');
      const row = await this.records.rows.lockPlainly(transaction, id).catch(unlessGone);
      if (row?.contentId !== contentId || row.status !== 'scanning') return null;
      return this.records.transit(transaction, row, isClean ? 'release' : 'quarantine', {});
    });
  }

  private get newScanStatus(): ScanStatus {
    return this.scans ? 'waiting' : 'not_scanned';
  }

  private arrival({ id: contentId, mimeType, sizeBytes, sha256 }: Content) {
    const announcement = { uploadUntil: null, guarantor: null };
    return { contentId, mimeType, sizeBytes, sha256, scanStatus: this.newScanStatus, ...announcement };
  }

  private take(transaction: Transaction, row: StoredFile, changes: Partial<StoredFile>): Promise<StoredFile> {
    return this.records.transit(transaction, row, this.scans ? 'scan' : 'take', changes);
  }

  /** @throws Problem 409 while the first bytes are awaited. */
  private async lockSettled(transaction: Transaction, id: string): Promise<StoredFile> {
    const row = await this.records.rows.lock(transaction, id);
    this.records.rules.refuseLocked(row);
    if (row.status === 'uploading') throw notAvailable('uploading');
    return row;
  }

  private async openable({ status, contentId }: StoredFile): Promise<Content> {
    if (status !== 'available') throw notAvailable(status);
    return this.found(contentId);
  }

  private async found(contentId: string | null): Promise<Content> {
    const content = contentId === null ? null : await this.contents.find(contentId);
    if (!content) throw notAvailable('uploading');
    return content;
  }

  private async requireRoom(transaction: Transaction, sizeBytes: number): Promise<void> {
    const most = fileBytesOf(currentTenant().plan);
    if (most === null) return;
    const used = await this.versions.lockedBytes(transaction);
    if (used + sizeBytes > most)
      throw new Problem('storage_quota_exceeded', `The plan has room for ${most} bytes; ${used} are used.`);
  }

  private async refuseUsed(id: string): Promise<void> {
    const { shown, others } = await this.uses.places(id);
    if (shown.length + others === 0) return;
    const rest = others === 0 ? [] : [`${others} ${others === 1 ? 'other record' : 'other records'}`];
    throw new Problem('file_in_use', `The file is named by ${[...shown, ...rest].join(', ')}.`);
  }

  /** Ends an upload that has not arrived: its file goes into the trash, and its room is free again. */
  private async endUpload(id: string): Promise<void> {
    await this.records.unit(async (transaction) => {
      const row = await this.records.rows.lockPlainly(transaction, id).catch(unlessGone);
      if (row?.status !== 'uploading') return;
      this.versions.drop(transaction, id);
      await this.records.transit(transaction, row, 'delete', {});
    });
  }
}

function versionOf(row: StoredFile, number: number, createdAt: string): FileVersion {
  const { contentId, mimeType, sizeBytes, sha256, scanStatus } = row;
  return { number, contentId, mimeType, sizeBytes, sha256, scanStatus, createdAt, createdBy: currentScope().actor };
}

function notAvailable(state: string): Problem {
  return new Problem('file_not_available', `The file cannot be read in the state ${state}.`);
}

/** @throws any problem but a 404. */
function unlessGone(error: unknown): null {
  if (error instanceof Problem && error.code === 'not_found') return null;
  throw error;
}
