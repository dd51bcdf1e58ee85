import { Injectable } from '@nestjs/common';
import { Cursors } from '#libs/kernel/cursor.js';
import { Problem } from '#libs/kernel/problem.js';
import type { PendingApproval } from '#libs/resource/gates/approval.parts.js';
import { pageOfAll } from '#libs/resource/lists/page-of-all.js';
import type { PageQuery } from '#libs/resource/lists/page-query.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { completeGate, unsetGate } from '#libs/settings/gate.model.js';
import { ApprovalsService } from '#src/areas/home/approvals/approvals.service.js';
import type { ShownGate } from './gates.dto.js';
import type { SettingsView } from './settings.dto.js';
import { SettingsService } from './settings.service.js';

/** Larger than the number of gates. */

/** Access to single gates, stored in the section `gates` of the settings. */
@Injectable()
export class GatesService {
  constructor(
    private readonly settings: SettingsService,
    private readonly registry: ResourceRegistry,
    private readonly approvals: ApprovalsService,
    private readonly cursors: Cursors,
  ) {}

  async list(query: PageQuery): Promise<Page<ShownGate>> {
    const gates = await this.shown(await this.settings.read('gates'));
    const named = gates.map((gate) => ({ id: gate.key, ...gate }));
    return pageOfAll(named, query, this.cursors, ['settings.gates']);
  }

  /** @throws Problem 404. */
  async get(key: string): Promise<ShownGate> {
    return this.find(key, await this.settings.read('gates'));
  }

  /** @throws Problem 404, and the problems of a change of the settings. */
  async update(
    key: string,
    patch: Record<string, unknown>,
  ): Promise<ShownGate & { pendingApproval: PendingApproval | null }> {
    if (!this.registry.gates().has(key)) throw Problem.notFound();
    return this.settings.changeGate(key, patch, async (changed) => ({
      ...(await this.find(key, changed)),
      pendingApproval: changed.pendingApproval,
    }));
  }

  private async find(key: string, settings: SettingsView): Promise<ShownGate> {
    const gate = (await this.shown(settings)).find((each) => each.key === key);
    if (!gate) throw Problem.notFound();
    return gate;
  }

  /** All gates, ordered by key. */
  private async shown({ gates = [], version }: SettingsView): Promise<ShownGate[]> {
    const waiting = await this.approvals.countByGate();
    const uses = this.registry.gateUses();
    return [...this.registry.gates()]
      .map(([key, fields]) => {
        const own = gates.find((each) => each.key === key);
        return {
          ...(own ?? completeGate(unsetGate(key))),
          isDefault: own === undefined,
          appliesTo: uses.get(key) ?? [],
          fields: [...fields.keys()].sort(),
          waiting: waiting.get(key) ?? 0,
          version,
        };
      })
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  }
}
