import { Injectable } from '@nestjs/common';
import { requirePermission } from '#libs/auth/current-principal.js';
import { Guarantors } from '#libs/auth/guarantors.js';
import { Problem } from '#libs/kernel/problem.js';
import { gateDenied } from '#libs/resource/gates/gates.js';
import { EXPORT_GATE, ExportGate } from '../requests/export-gate.js';
import type { DataExportRequest } from '../requests/export-request.js';
import { requireKind } from '../requests/requested-kind.js';

/** Only owners have it. */
const OF_OWNERS = 'tenant:close';

/** Asks again, when an archive is made, whether it may be. */
@Injectable()
export class ArchiveRights {
  constructor(
    private readonly guarantors: Guarantors,
    private readonly gate: ExportGate,
  ) {}

  /**
   * Reads with the present rights of the requester or, for a full archive, of the owner who approved that. The problem
   * if one of them may not any more, or if the gate of the tenant does not let it pass.
   */
  async reading<T>(row: DataExportRequest, work: () => Promise<T>): Promise<T | Problem> {
    const { guarantor, fullGuarantor } = row;
    const grounds = `export of data ${row.id}`;
    let found: T | undefined;
    const read = async () => void (found = await work());
    try {
      await this.guarantors.check(guarantor, grounds, async () => {
        requireKind(row.kind);
        await this.requireApproved(row);
        if (!fullGuarantor) await read();
      });
      if (fullGuarantor)
        await this.guarantors.check(fullGuarantor, grounds, () => {
          requirePermission(OF_OWNERS);
          return read();
        });
      return found as T; // the checks have run the work
    } catch (error) {
      if (error instanceof Problem && error.status < 500) return error;
      throw error;
    }
  }

  /** @throws Problem 403 `gate_denied` if it was not approved, and needs that now. */
  private async requireApproved(row: DataExportRequest): Promise<void> {
    const needed = await this.gate.needed(row);
    if (row.approvals.length < needed)
      throw gateDenied(
        EXPORT_GATE,
        'Exports of data need an approval now, and this one has too few. Request it again.',
      );
  }
}
