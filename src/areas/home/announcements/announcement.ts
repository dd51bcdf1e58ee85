import { VersionedRow } from '#libs/database/tenant-row.js';
import { flag, id, instant, name, nested, text } from '#libs/http/field.js';
import { filter, type ListOptions, listQuery } from '#libs/resource/lists/list-query.js';
import { Attribute, Derived, ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import { ActorView } from '#libs/resource/types/record.dto.js';

/** News for all members of the tenant, or for those of a workspace. */
export class Announcement extends VersionedRow {
  @Attribute(name(), 'Headline.', { example: 'The office is closed on Friday' })
  title!: string;

  @Attribute(text({ min: 1, max: 10_000, pattern: /\S/ }), 'Text, in Markdown.', {
    example: 'We are back on **Monday**.',
  })
  body!: string;

  @Attribute(instant(), 'Time until which home pages show it, in the future; null to show it until it is deleted.', {
    nullable: true,
    example: '2099-12-31T18:00:00.000Z',
  })
  until!: string | null;

  @Attribute(id(), 'Workspace whose members see it; null for all members of the tenant.', { nullable: true })
  workspaceId!: string | null;

  @ReadOnly(nested(ActorView), 'Author.', {
    example: { type: 'member', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40', name: 'Ana Silva' },
  })
  createdBy!: ActorView;

  @Derived(flag(), 'Whether `until` has passed.', { example: false, told: false })
  isOver?: boolean;
}

const list: ListOptions = {
  filters: {
    workspaceId: filter.exact(id(), true),
    isOver: filter.condition('coalesce(t.until <= :now, false)'),
  },
  sorts: ['createdAt'],
  defaultSort: '-createdAt',
};

export const announcements = governedType(Announcement, {
  type: 'home.announcement',
  noun: 'announcement',
  table: 'data.home_announcements',
  path: '/api/home/announcements',
  hasPath: false,
  risk: 'low',
  list,
  events: { created: 'An announcement was created.', deleted: 'An announcement was deleted.' },
});

export const AnnouncementQuery = listQuery('AnnouncementQuery', list);
export type NewAnnouncement = Pick<Announcement, 'title' | 'body'> &
  Partial<Pick<Announcement, 'until' | 'workspaceId'>>;
