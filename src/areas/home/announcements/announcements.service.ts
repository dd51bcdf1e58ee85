import { Injectable } from '@nestjs/common';
import { type Guard, NOTHING } from '#libs/access/guard.js';
import { currentPrincipal, holds } from '#libs/auth/current-principal.js';
import { Problem } from '#libs/kernel/problem.js';
import { WorkspaceBook } from '#libs/members/workspace-book.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { type Announcement, announcements, type NewAnnouncement } from './announcement.js';

type Shown = ShownObject<Announcement>;

/** Announcements on home pages. */
@Injectable()
export class AnnouncementsService {
  readonly objects: GovernedObjects<Announcement>;

  constructor(
    kit: ResourceKit,
    private readonly workspaces: WorkspaceBook,
  ) {
    this.objects = new GovernedObjects(announcements, kit, this);
  }

  /** The announcements for the caller that are not over, newest first. */
  async current(limit: number): Promise<Shown[]> {
    return (await this.objects.list({ isOver: false, limit }, forCaller())).data;
  }

  /** @throws Problem 400 for an unknown workspace, and for a time that has passed. */
  create({ title, body, until = null, workspaceId = null }: NewAnnouncement): Promise<Shown> {
    const end = until === null ? null : new Date(until).toISOString();
    if (end !== null && end <= this.objects.now())
      throw Problem.validation([
        { pointer: '/until', code: 'out_of_range', detail: 'The time must be in the future.' },
      ]);
    return this.objects.create(async (transaction) => {
      if (workspaceId !== null && !(await this.workspaces.isOpen(transaction, workspaceId)))
        throw Problem.unknownReference('/workspaceId');
      return { title, body, until: end, workspaceId, createdBy: currentScope().actor };
    });
  }

  show(rows: readonly Announcement[]): Shown[] {
    const now = this.objects.now();
    return rows.map((row) => ({ ...this.objects.view(row), isOver: row.until !== null && row.until <= now }));
  }

  /** With the permission to create announcements, all; otherwise those for the caller. */
  visible(): Guard | null {
    return holds('announcements:write') ? null : forCaller();
  }
}

/** Announcements for the whole tenant and for the workspaces of the caller; none for a service key. */
function forCaller(): Guard {
  const { membershipId, authority } = currentPrincipal();
  if (membershipId === null) return NOTHING;
  return (add) => `(t.workspace_id is null or t.workspace_id = any(${add(authority.workspaceIds)}::uuid[]))`;
}
