import { Injectable } from '@nestjs/common';
import { requirePermission, requireProtected } from '#libs/auth/current-principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { AuditStreamInputs, unknownSecret } from './audit-stream-inputs.js';
import type { NewStream, StreamPatch } from './audit-stream.requests.js';
import { type AuditStream, auditStreams } from './audit-stream.js';
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
    private readonly clock: Clock,
  ) {
    this.objects = new GovernedObjects(auditStreams, kit, this, repository);
  }

  /** @throws Problem 400, 403 `permission_denied` or `step_up_required`, 409 `limit_reached`. */
  async create(input: NewStream): Promise<Shown> {
    this.requireToLead();
    const { from = 'now', status = 'active', bucket = null, region = null, prefix = null, ...rest } = input;
    const own = { ...rest, bucket, region, prefix, status, createdBy: currentScope().actor };
    await this.inputs.check(own);
    const decide = async (transaction: Transaction) => {
      await this.lockSecret(transaction, own.credentialSecretId);
      return own;
    };
    return this.objects.create(decide, {
      saved: (transaction, row) =>
        transaction.write(this.repository.begin(row.id, from === 'beginning', this.dueAt(row))),
    });
  }

  /** @throws Problem 400, 403 `permission_denied` or `step_up_required`, 404, 412. */
  async update(id: string, patch: StreamPatch): Promise<Shown> {
    const leads = patch.url !== undefined || patch.credentialSecretId !== undefined;
    if (leads) this.requireToLead();
    const { status: _, ...content } = patch;
    if (Object.keys(content).length > 0) await this.inputs.check({ ...(await this.objects.read(id)), ...content });
    const decide = async (_row: AuditStream, transaction: Transaction) => {
      if (patch.credentialSecretId !== undefined) await this.lockSecret(transaction, patch.credentialSecretId);
      return { ...patch, ...(await this.resumed(transaction, id, patch)) };
    };
    return this.objects.update(id, decide, {
      // Also without a change of status: whoever mends a failing destination does not wait for the next attempt.
      saved: (transaction, row) => {
        if (leads || patch.status !== undefined) transaction.write(this.repository.schedule(id, this.dueAt(row)));
      },
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
  async show(rows: readonly AuditStream[]): Promise<Shown[]> {
    const figures = await this.repository.figures(this.clock.now().toISOString());
    return rows.map((row) => {
      const { seq, ...known } = figures.find(({ id }) => id === row.id)!;
      return { ...this.objects.view(row), ...known, cursor: { seq } };
    });
  }
}
