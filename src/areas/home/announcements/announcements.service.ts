import { Injectable } from '@nestjs/common';
import { type Guard, NOTHING } from '#libs/access/guard.js';
import { currentPrincipal, holds } from '#libs/auth/current-principal.js';
import { Problem } from '#libs/kernel/problem.js';
import { WorkspaceBook } from '#libs/members/workspace-book.js';
import { toListRequest } from '#libs/resource/lists/list-query.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import type { Deleted } from '#libs/resource/types/record.dto.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { type Announcement, announcementList, announcements, type NewAnnouncement } from './announcement.js';

type Shown = ShownObject<Announcement>;

/** Announcements on home pages. */
@Injectable()
export class AnnouncementsService {
  private readonly objects: GovernedObjects<Announcement>;

  constructor(
    kit: ResourceKit,
    private readonly workspaces: WorkspaceBook,
  ) {
    this.objects = new GovernedObjects(announcements, kit);
  }

  /** The announcements for the caller; those for everybody with the permission to create them. */
  list(query: Record<string, unknown>): Promise<Page<Shown>> {
    return this.page(query, holds('announcements:write') ? null : forCaller());
  }

  /** The announcements for the caller that are not over, newest first. */
  async current(limit: number): Promise<Shown[]> {
    return (await this.page({ isOver: false, limit }, forCaller())).data;
  }

  /** @throws Problem 400 for an unknown workspace, and for a time that has passed. */
  create({ title, body, until = null, workspaceId = null }: NewAnnouncement): Promise<Shown> {
    const end = until === null ? null : new Date(until).toISOString();
    if (end !== null && end <= this.objects.now())
      throw Problem.validation([
        { pointer: '/until', code: 'out_of_range', detail: 'The time must be in the future.' },
      ]);
    return this.objects.unit(async (transaction) => {
      if (workspaceId !== null && !(await this.workspaces.isOpen(transaction, workspaceId)))
        throw Problem.unknownReference('/workspaceId');
      const own = { title, body, until: end, workspaceId, createdBy: currentScope().actor };
      return this.show(this.objects.add(transaction, own));
    });
  }

  /** @throws Problem 404, 412. */
  remove(id: string): Promise<Deleted> {
    return this.objects.unit(async (transaction) => {
      this.objects.remove(transaction, await this.objects.lock(transaction, id));
      return { id, object: announcements.type, deleted: true, deletedAt: this.objects.now() };
    });
  }

  private async page(query: Record<string, unknown>, guard: Guard | null): Promise<Page<Shown>> {
    const request = toListRequest(announcementList, query, this.objects.now());
    const { data, page } = await this.objects.rows.page(request, announcementList, guard);
    return { data: data.map((row) => this.show(row)), page };
  }

  private show({ tenantId: _t, ...row }: Announcement): Shown {
    return { ...row, object: announcements.type, isOver: row.until !== null && row.until <= this.objects.now() };
  }
}

/** Announcements for the whole tenant and for the workspaces of the caller; none for a service key. */
function forCaller(): Guard {
  const { membershipId, authority } = currentPrincipal();
  if (membershipId === null) return NOTHING;
  return (add) => `(t.workspace_id is null or t.workspace_id = any(${add(authority.workspaceIds)}::uuid[]))`;
}
