import { Injectable } from '@nestjs/common';
import { auditStatement } from '#libs/audit/audit-entry.js';
import { changesBetween } from '#libs/audit/changes.js';
import type { Transaction } from '#libs/database/transaction.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { eventStatement } from '#libs/outbox/event.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { type Project, projects } from '../projects/project.js';
import { ProjectsService } from '../projects/projects.service.js';
import type { DeliveryCommand, DeliveryCounts, DeliveryResult } from './delivery-command.dto.js';
import type { Order } from './delivery-order.js';

/** Events of actions that do not change the project itself. */
const EVENTS: Partial<Record<Order['action'], string>> = {
  escalate: `${projects.type}.escalated`,
  request_update: `${projects.type}.update_requested`,
};

/** Audit entries and events of delivery control. */
@Injectable()
export class DeliveryRecorder {
  constructor(
    private readonly events: EventCatalogue,
    private readonly projects: ProjectsService,
  ) {}

  /** Records a command on many projects. */
  applied(transaction: Transaction, command: DeliveryCommand, summary: DeliveryCounts): void {
    const { reason, projectIds, filter, action, params = {}, atomic = false } = command;
    const asked = { action, params, atomic, selection: projectIds ? { projectIds } : { filter }, summary };
    const target = { type: projects.type, id: null, name: null };
    const fact = { action: 'delivery.bulk_applied', target, outcome: 'success', riskLevel: 'medium' } as const;
    const changes = changesBetween({}, asked);
    transaction.write(auditStatement(currentScope(), { ...fact, reason, changes }, this.projects.records.rows.now()));
  }

  /** Records the change of one project. */
  changed(
    transaction: Transaction,
    row: Project,
    { order, reason }: { order: Order; reason: string },
    { before, after, shifted }: DeliveryResult,
  ): void {
    const { id, name, reference, version, workspaceId } = row;
    const at = this.projects.records.rows.now();
    const scope = currentScope();
    const changes = { ...changesBetween(before!, after!), ...(shifted && { shifted: { from: null, to: shifted } }) };
    const target = { type: projects.type, id, name };
    const type = EVENTS[order.action];
    const action = type ?? 'delivery.project_changed';
    const fact = { action, target, workspaceId, outcome: 'success' } as const;
    transaction.write(auditStatement(scope, { ...fact, riskLevel: 'medium', reason, changes }, at));
    if (type === undefined) return;
    const subject = { type: projects.type, id, reference, version, url: `${pathOf(projects)}/${id}` };
    const data = this.projects.records.rules.presenter.toAnyone(row);
    const { version: schemaVersion } = this.events.newest(type);
    transaction.write(eventStatement(scope, { type, schemaVersion, subject, data, changes }, at));
  }
}
