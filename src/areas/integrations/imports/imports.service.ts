import { Injectable } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { AuditTrail } from '#libs/audit/audit-trail.js';
import { currentPrincipal, requireFeatureForSure, requireForSure } from '#libs/auth/current-principal.js';
import { featureOf } from '#libs/auth/features.js';
import { guarantorOf } from '#libs/auth/guarantors.js';
import { personOf } from '#libs/auth/principal.js';
import { includedIn } from '#libs/auth/rights.js';
import { type Content, FileContents } from '#libs/files/file-contents.js';
import { declaredRoutes } from '#libs/http/declared-routes.js';
import { escapePointer } from '#libs/http/field.js';
import { Jobs } from '#libs/jobs/jobs.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { invalidTransition } from '#libs/kernel/lifecycle.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import { FileUses } from '#libs/resource/files/file-uses.js';
import { toListRequest } from '#libs/resource/lists/list-query.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { concealedFields } from '#libs/resource/lists/stored-filter.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Resource } from '#libs/resource/resource-registry.js';
import { operationPrefix } from '#libs/resource/types/definition.js';
import type { Deleted } from '#libs/resource/types/record.dto.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { FilesService } from '#src/areas/documents/files/files.service.js';
import { ImportFiles } from './import-files.js';
import { type ImportColumn, NO_RESULTS } from './import-fields.js';
import { canFind } from './import-inputs.js';
import { ImportRecords } from './import-records.js';
import { importFaultList, ImportRows, type RowFault } from './import-rows.js';
import { ImportRuns, type ImportTask } from './import-runs.js';
import { isWithin, suggestions, type Target, targetOf, targetsOf } from './import-targets.js';
import { type ImportRun, imports, type ImportStatus, type ShownImport, WORKING } from './import.js';

/** Days for which an import and its rows are kept. */
export const KEPT_DAYS = 7;

/** The states in which a task can begin. */
const FROM: Record<ImportTask, readonly ImportStatus[]> = {
  validate: ['draft', 'validated'],
  run: ['validated'],
  roll_back: ['completed', 'failed', 'cancelled'],
};

type Settable = Pick<ImportRun, 'mapping' | 'mode' | 'upsertBy' | 'locale'>;
export type NewImportBody = Pick<ImportRun, 'fileId' | 'format'> & { object: string } & Partial<Settable>;
export type ImportPatchBody = Partial<Settable>;

/** Imports of the caller. */
@Injectable()
export class ImportsService {
  private importable: ReadonlySet<string> | null = null;

  constructor(
    private readonly records: ImportRecords,
    private readonly rows: ImportRows,
    private readonly runs: ImportRuns,
    private readonly importFiles: ImportFiles,
    private readonly files: FilesService,
    private readonly fileUses: FileUses,
    private readonly contents: FileContents,
    private readonly jobs: Jobs,
    private readonly settings: TenantSettings,
    private readonly trail: AuditTrail,
    private readonly kit: ResourceKit,
    private readonly modules: ModulesContainer,
  ) {}

  list(query: object): Promise<Page<ShownImport>> {
    return this.records.objects.list(query);
  }

  /** @throws Problem 404. */
  get(id: string): Promise<ShownImport> {
    return this.records.objects.get(id);
  }

  /** @throws Problem 400 with all that is wrong, 403, 409 `file_not_available`, `limit_reached`. */
  async create(body: NewImportBody): Promise<ShownImport> {
    const { object: recordType, fileId, format } = body;
    const resource = await this.writable(recordType);
    await this.fileUses.requireReadable(fileId, '/fileId');
    const { content } = await this.files.contentOf(fileId);
    const { source, samples } = await this.importFiles.look(content, format);
    const targets = await this.targetsOf(resource);
    const names = source.header.filter((name) => name !== '');
    const concealed = concealedFields(resource.definition);
    const suggested = suggestions(names, targets, (field) => concealed.has(field));
    const columns: ImportColumn[] = names.map((name) => ({
      name,
      samples: samples.get(name) ?? [],
      suggestion: suggested.get(name) ?? null,
    }));
    const locale = body.locale ?? (await this.settings.get()).general.locale;
    const { mapping = Object.fromEntries(suggested), mode = 'create', upsertBy = null } = body;
    const settable = { mapping, mode, upsertBy, locale };
    this.refuseWrong(resource, targets, columns, settable);
    const caller = currentPrincipal();
    const expiresAt = new Date(this.kit.clock.nowMs() + KEPT_DAYS * DAY_MS).toISOString();
    return this.records.objects.create(
      () => ({
        ...{ recordType, fileId, format, ...settable, source, columns, expiresAt, contentId: content.id },
        ...{ status: 'draft', results: NO_RESULTS, error: null, jobId: null, rollbackUntil: null },
        ...{ rowsId: null, refusedId: null, offsets: [] },
        ...{ requesterId: personOf(caller), guarantor: guarantorOf(caller), scopes: includedIn(caller.permissions) },
        requester: currentScope().actor,
      }),
      {
        saved: (transaction, { id }) =>
          this.contents.use(transaction, content.id, { object: imports.type, id, expiresAt: null }),
      },
    );
  }

  /** Changes how the rows are read, so that they have to be validated anew. @throws Problem 400, 403, 404, 409. */
  async update(id: string, patch: ImportPatchBody): Promise<ShownImport> {
    const { recordType } = await this.records.objects.read(id);
    const resource = await this.writable(recordType);
    const targets = await this.targetsOf(resource);
    return this.records.objects.update(id, (row) => {
      this.refuseImpossible(row, 'update', ['draft', 'validated']);
      this.refuseWrong(resource, targets, row.columns, { ...row, ...patch });
      return { ...patch, status: 'draft', results: NO_RESULTS };
    });
  }

  /** Removes an import and its rows; the records stay. @throws Problem 404, 409 while a job works on it. */
  async remove(id: string): Promise<Deleted> {
    return this.records.objects.delete(id, (row, transaction) => {
      this.refuseImpossible(row, 'delete', notWorking());
      this.contents.release(transaction, { object: imports.type, id });
    });
  }

  /** Begins to validate, run or roll back an import. @throws Problem 403, 404, 409 `invalid_transition`. */
  async begin(id: string, task: ImportTask): Promise<ShownImport> {
    const { recordType } = await this.records.objects.read(id);
    await this.writable(recordType);
    return this.records.objects.unit(async (transaction) => {
      const row = await this.records.objects.lock(transaction, id);
      this.refuseImpossible(row, task, FROM[task]);
      if (task === 'roll_back' && (row.rollbackUntil === null || row.rollbackUntil <= this.kit.now()))
        throw new Problem('blocked', 'The import cannot be rolled back any more.');
      return this.records.show([this.runs.begin(transaction, row, task)])[0]!;
    });
  }

  /** Ends the job of an import. What it has imported stays. @throws Problem 404, 409 `invalid_transition`. */
  async cancel(id: string): Promise<ShownImport> {
    const { jobId } = await this.records.objects.read(id);
    return this.records.objects.unit(async (transaction) => {
      const job = jobId === null ? null : await this.jobs.rows.lock(transaction, jobId);
      const row = await this.records.objects.lock(transaction, id);
      this.refuseImpossible(row, 'cancel', WORKING);
      if (job?.finishedAt !== null) throw Problem.notFound();
      await this.jobs.cancel(transaction, job);
      return this.records.objects.get(id);
    });
  }

  /** Why rows are refused, in the order of the rows. @throws Problem 404. */
  async errors(id: string, query: object): Promise<Page<RowFault>> {
    await this.records.objects.read(id);
    const { data, page } = await this.rows.faultsOf(id, toListRequest(importFaultList, { ...query }, this.kit.now()));
    return { data: data.map(({ row, column, code, message }) => ({ row, column, code, message })), page };
  }

  /** The table of the refused rows, which is logged. @throws Problem 404, 409 `blocked` until there is one. */
  async refused(id: string): Promise<{ content: Content; name: string }> {
    const { refusedId, status, recordType } = await this.records.objects.read(id);
    const content = refusedId === null ? null : await this.contents.find(refusedId);
    if (!content)
      throw new Problem(
        'blocked',
        `The import is ${status}; there is a table of refused rows once it is validated or completed.`,
      );
    const target = { type: imports.type, id, name: imports.noun };
    await this.trail.record({
      action: 'integrations.import.downloaded',
      target,
      outcome: 'success',
      riskLevel: 'medium',
    });
    const { collection } = this.kit.registry.ofType(recordType)!.definition;
    return { content: { ...content, mimeType: 'text/csv' }, name: `${collection}-errors.csv` };
  }

  /** @throws Problem 400 at `/object` if such records cannot be imported, 403 if the caller cannot create them. */
  private async writable(type: string): Promise<Resource> {
    this.importable ??= new Set(
      [...declaredRoutes(this.modules).values()].flatMap(({ route: { several, object } }) =>
        several && object !== undefined ? object : [],
      ),
    );
    const resource = this.kit.registry.ofType(type);
    if (!resource || !this.importable.has(type))
      throw Problem.validation([
        {
          pointer: '/object',
          code: 'unknown_record_type',
          detail: 'There is no such type of record that can be imported.',
        },
      ]);
    const feature = featureOf(operationPrefix(resource.definition));
    if (feature) await requireFeatureForSure(feature);
    await requireForSure(resource.definition.permissions.write, { object: type });
    return resource;
  }

  private async targetsOf({ definition }: Resource): Promise<Map<string, Target>> {
    return targetsOf(definition, await this.kit.customFields.of(definition.type), this.kit.registry);
  }

  /** @throws Problem 400 for columns and fields that do not exist, or do not go together. */
  private refuseWrong(
    resource: Resource,
    targets: ReadonlyMap<string, Target>,
    columns: readonly ImportColumn[],
    { mapping, mode, upsertBy }: Settable,
  ): void {
    const violations: Violation[] = [];
    const names = new Set(columns.map(({ name }) => name));
    const taken = new Set<string>();
    for (const [column, key] of Object.entries(mapping)) {
      const refuse = (code: string, detail: string) =>
        void violations.push({ pointer: `/mapping/${escapePointer(column)}`, code, detail });
      if (!names.has(column)) refuse('unknown_column', 'The file has no such column.');
      else if (!targetOf(targets, key))
        refuse('unknown_field', `A ${resource.definition.noun} has no field ${key} that can be imported.`);
      else if (taken.has(key) || isWithin(key, taken))
        refuse('mapped_twice', `Another column is mapped to ${key} or a part of it.`);
      taken.add(key);
    }
    const finding = (code: string, detail: string) => void violations.push({ pointer: '/upsertBy', code, detail });
    if (mode !== 'create' && upsertBy === null) finding('required', `Required for the mode ${mode}.`);
    if (upsertBy !== null) {
      const target = targetOf(targets, upsertBy);
      const isConcealed = concealedFields(resource.definition).has(upsertBy);
      if (!target || isConcealed || !canFind(resource, target))
        finding('unknown_field', `No ${resource.definition.noun} can be found by ${upsertBy}.`);
      else if (mode !== 'create' && !taken.has(upsertBy)) finding('not_mapped', `No column is mapped to ${upsertBy}.`);
    }
    if (violations.length > 0) throw Problem.validation(violations);
  }

  private refuseImpossible({ status }: ImportRun, action: string, from: readonly ImportStatus[]): void {
    if (!from.includes(status)) throw invalidTransition(action, { state: status }, []);
  }
}

function notWorking(): ImportStatus[] {
  return (['draft', 'validated', 'completed', 'failed', 'cancelled', 'rolled_back'] as const).filter(
    (each) => !WORKING.includes(each),
  );
}
