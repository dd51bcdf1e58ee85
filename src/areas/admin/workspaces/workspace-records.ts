import { Injectable, type OnModuleInit } from '@nestjs/common';
import { auditStatement } from '#libs/audit/audit-entry.js';
import type { Transaction } from '#libs/database/transaction.js';
import { inlineSchemaOf } from '#libs/http/schema.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { Commits } from '#libs/resource/commits.js';
import { RecordSights } from '#libs/resource/record-sights.js';
import { checkPrecondition } from '#libs/resource/precondition.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { requireManager, visible } from './workspace-access.js';
import { WORKSPACE_TYPE, WorkspaceView } from './workspace.dto.js';
import type { Workspace } from './workspace.entity.js';
import { WorkspacesRepository } from './workspaces.repository.js';

const PATH = '/api/admin/workspaces';

export const WORKSPACE_EXAMPLE: WorkspaceView = {
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b60',
  object: WORKSPACE_TYPE,
  name: 'Sales EMEA',
  key: 'EMEA',
  description: null,
  parentId: null,
  leadId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22',
  visibility: 'open',
  defaultRoleIds: [],
  isDefault: false,
  memberCount: 7,
  status: 'active',
  version: 1,
  createdAt: '2026-11-21T09:15:02.114Z',
  updatedAt: '2026-11-21T09:15:02.114Z',
  archivedAt: null,
};

const EVENTS: Record<string, string> = {
  created: 'A workspace was made.',
  updated: 'Fields of a workspace changed.',
  archived: 'A workspace was archived: it takes no new records.',
  unarchived: 'A workspace was taken back from the archive.',
};

/** Workspaces as rows: finding, locking, showing and changing them, each change with its audit entry and event. */
@Injectable()
export class WorkspaceRecords implements OnModuleInit {
  constructor(
    private readonly repository: WorkspacesRepository,
    private readonly commits: Commits,
    private readonly events: EventCatalogue,
    private readonly clock: Clock,
    private readonly sights: RecordSights,
  ) {}

  onModuleInit(): void {
    this.sights.add(WORKSPACE_TYPE, (id) => this.find(id));
    this.sights.add(':workspaceId', async (id) => {
      await this.find(id);
      requireManager(id);
    });
    const data = inlineSchemaOf(WorkspaceView);
    for (const [verb, description] of Object.entries(EVENTS))
      this.events.add({
        type: `${WORKSPACE_TYPE}.${verb}`,
        version: 1,
        description,
        data,
        example: { ...WORKSPACE_EXAMPLE },
        subjectType: WORKSPACE_TYPE,
        exampleUrl: `${PATH}/${WORKSPACE_EXAMPLE.id}`,
      });
  }

  /** The row with an id that the caller may see. @throws Problem 404. */
  async find(id: string): Promise<Workspace> {
    const row = await this.repository.find(id, visible());
    if (!row) throw Problem.notFound();
    return row;
  }

  /** As {@link find}, locked, its `If-Match` checked. @throws Problem 404, 412. */
  async lock(transaction: Transaction, id: string): Promise<Workspace> {
    const row = await this.repository.lock(transaction, id, visible());
    if (!row) throw Problem.notFound();
    checkPrecondition(row.version);
    return row;
  }

  /** Workspaces as the API shows them. */
  async views(rows: readonly Workspace[]): Promise<WorkspaceView[]> {
    if (rows.length === 0) return [];
    const counts = await this.repository.memberCounts(rows.map(({ id }) => id));
    return rows.map((row) => present(row, counts.get(row.id) ?? 0));
  }

  async view(row: Workspace): Promise<WorkspaceView> {
    const [view] = await this.views([row]);
    return view!;
  }

  created(transaction: Transaction, row: Workspace): void {
    this.record(transaction, 'created', null, present(row, 0), row);
  }

  /** Adds a change of a locked workspace; answers its row then. */
  async changed(transaction: Transaction, before: Workspace, changes: Partial<Workspace>): Promise<Workspace> {
    const after = { ...before, ...changes, version: before.version + 1, updatedAt: this.now() };
    const [old, view] = [await this.view(before), present(after, 0)];
    const isMoved = (before.archivedAt === null) !== (after.archivedAt === null);
    const verb = !isMoved ? 'updated' : after.archivedAt === null ? 'unarchived' : 'archived';
    this.record(transaction, verb, old, { ...view, memberCount: old.memberCount }, after);
    return after;
  }

  /** What the audit log says about somebody's place in a workspace; the event is that of the membership. */
  audit(
    transaction: Transaction,
    { id, name }: Workspace,
    verb: 'member_added' | 'member_removed',
    member: { id: string; workspaceRole: { from: string | null; to: string | null } },
  ): void {
    const changes = { membershipId: { from: null, to: member.id }, workspaceRole: member.workspaceRole };
    const target = { type: WORKSPACE_TYPE, id, name };
    const fact = { action: `${WORKSPACE_TYPE}.${verb}`, target, outcome: 'success', riskLevel: 'medium' } as const;
    transaction.write(auditStatement(currentScope(), { ...fact, changes }, this.now()));
  }

  now(): string {
    return (currentScope().stampedAt ??= this.clock.now().toISOString());
  }

  private record(
    transaction: Transaction,
    verb: string,
    before: WorkspaceView | null,
    after: WorkspaceView,
    row: Workspace,
  ): void {
    const { id, name, version, updatedAt: at } = row;
    this.commits.add(transaction, {
      save: before ? this.repository.replace(row) : this.repository.insert(row),
      event: `${WORKSPACE_TYPE}.${verb}`,
      subject: { type: WORKSPACE_TYPE, id, reference: null, version, url: `${PATH}/${id}`, name },
      before,
      after,
      at,
      riskLevel: 'medium',
    });
  }
}

function present({ tenantId: _, ...row }: Workspace, memberCount: number): WorkspaceView {
  return {
    ...row,
    object: WORKSPACE_TYPE,
    memberCount,
    status: row.archivedAt === null ? 'active' : 'archived',
  };
}
