import { Injectable } from '@nestjs/common';
import { requirePermission, requireProtected } from '#libs/auth/current-principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { Problem } from '#libs/kernel/problem.js';
import { byName } from '#libs/resource/lists/named-list.js';
import { pageOfAll } from '#libs/resource/lists/page-of-all.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { AuditStreamInputs, unknownSecret } from './audit-stream-inputs.js';
import type { AuditStreamQuery, NewStream, StreamPatch } from './audit-stream.requests.js';
import { type AuditStream, auditStreams, MAX_STREAMS } from './audit-stream.js';
import { AuditStreamsRepository } from './audit-streams.repository.js';

type Shown = ShownObject<AuditStream>;

/** Destinations that receive the audit log. */
@Injectable()
export class AuditStreamsService {
  readonly objects: GovernedObjects<AuditStream>;

  constructor(
    kit: ResourceKit,
    private readonly repository: AuditStreamsRepository,
    private readonly inputs: AuditStreamInputs,
    private readonly cursors: Cursors,
    private readonly clock: Clock,
  ) {
    this.objects = new GovernedObjects(auditStreams, kit, {}, repository);
  }

  async list(query: AuditStreamQuery): Promise<Page<Shown>> {
    const all = byName(await this.repository.all(), query);
    const purpose = ['audit streams'];
    const { data, page } = pageOfAll(all, query, this.cursors, purpose);
    return { data: await this.show(data), page };
  }

  /** @throws Problem 404. */
  async get(id: string): Promise<Shown> {
    return (await this.show([await this.find(id)]))[0]!;
  }

  /** The row of a stream. @throws Problem 404. */
  async find(id: string): Promise<AuditStream> {
    const row = await this.repository.find(id);
    if (!row) throw Problem.notFound();
    return row;
  }

  /** @throws Problem 400, 403 `permission_denied` or `step_up_required`, 409 `limit_reached`. */
  async create(input: NewStream): Promise<Shown> {
    this.requireToLead();
    const { from = 'now', status = 'active', bucket = null, region = null, prefix = null, ...rest } = input;
    const own = { ...rest, bucket, region, prefix, status, createdBy: currentScope().actor };
    await this.inputs.check(own);
    return this.objects.unit(async (transaction) => {
      if ((await this.repository.all()).length >= MAX_STREAMS)
        throw new Problem('limit_reached', `A tenant can have ${MAX_STREAMS} audit log streams.`);
      await this.lockSecret(transaction, own.credentialSecretId);
      const row = this.objects.add(transaction, own);
      transaction.write(this.repository.begin(row.id, from === 'beginning', this.dueAt(row)));
      return (await this.show([row]))[0]!;
    });
  }

  /** @throws Problem 400, 403 `permission_denied` or `step_up_required`, 404, 412. */
  async update(id: string, patch: StreamPatch): Promise<Shown> {
    const leads = patch.url !== undefined || patch.credentialSecretId !== undefined;
    if (leads) this.requireToLead();
    const { status: _, ...content } = patch;
    if (Object.keys(content).length > 0) await this.inputs.check({ ...(await this.find(id)), ...content });
    return this.objects.unit(async (transaction) => {
      const before = await this.objects.lock(transaction, id);
      if (patch.credentialSecretId !== undefined) await this.lockSecret(transaction, patch.credentialSecretId);
      const after = this.objects.change(transaction, before, {
        ...patch,
        ...(await this.resumed(transaction, id, patch)),
      });
      // Also without a change of status: whoever mends a failing destination does not wait for the next attempt.
      if (leads || patch.status !== undefined) transaction.write(this.repository.schedule(id, this.dueAt(after)));
      return (await this.show([after]))[0]!;
    });
  }

  /** @throws Problem 404, 412. */
  async remove(id: string): Promise<{ id: string; deleted: true }> {
    return this.objects.unit(async (transaction) => {
      this.objects.remove(transaction, await this.objects.lock(transaction, id));
      return { id, deleted: true };
    });
  }

  /** A stream that fails can be retried, but is active again only after a delivery. */
  private async resumed(transaction: Transaction, id: string, { status }: StreamPatch): Promise<Partial<AuditStream>> {
    const isFailing = status === 'active' && (await this.repository.isFailing(transaction, id));
    return isFailing ? { status: 'failing' } : {};
  }

  private dueAt({ status }: AuditStream): string | null {
    return status === 'paused' ? null : this.clock.now().toISOString();
  }

  /**
   * Whoever chooses the address that a credential is sent to can read the credential there, so this requires the
   * permission to store secrets.
   * @throws Problem 403.
   */
  private requireToLead(): void {
    requirePermission('secrets:manage');
    requireProtected(this.clock.nowMs());
  }

  private async lockSecret(transaction: Transaction, id: string): Promise<void> {
    if (!(await this.repository.lockSecret(transaction, id))) throw Problem.validation([unknownSecret()]);
  }

  /** Streams with their positions and figures. */
  private async show(rows: readonly AuditStream[]): Promise<Shown[]> {
    const figures = await this.repository.figures(this.clock.now().toISOString());
    return rows.map((row) => {
      const { seq, ...known } = figures.find(({ id }) => id === row.id)!;
      return { ...row, ...known, cursor: { seq }, object: auditStreams.type };
    });
  }
}
