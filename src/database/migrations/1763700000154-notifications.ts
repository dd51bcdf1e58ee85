import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';

/** Notifications of members, and how each member receives them. */
export class Notifications1763700000154 implements MigrationInterface {
  name = 'Notifications1763700000154';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table data.notifications (
        tenant_id uuid not null,
        id uuid not null,
        member_id uuid not null,
        kind text not null check (kind in ('mention', 'assignment', 'approval_requested', 'approval_decided',
          'due_soon', 'overdue', 'watch', 'review', 'endpoint', 'report', 'security')),
        subject_type text check (length(subject_type) between 3 and 60),
        subject_id uuid,
        title text not null check (length(title) between 1 and 300),
        body text check (length(body) between 1 and 1000),
        url text check (length(url) between 1 and 500),
        count integer not null check (count > 0),
        in_app boolean not null,
        email text not null check (email in ('none', 'instant', 'daily')),
        mailed_at timestamptz(3),
        read_at timestamptz(3),
        once text check (length(once) between 1 and 200),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant_id, id),
        constraint notifications_subject check ((subject_type is null) = (subject_id is null)),
        constraint notifications_once_key unique (tenant_id, member_id, once),
        constraint notifications_member_fkey foreign key (tenant_id, member_id)
          references data.memberships (tenant_id, id)
      )`);
    await tenantTable(runner, 'data.notifications', { grant: 'select, insert, update, delete' });
    await runner.query(`create index notifications_time_idx
      on data.notifications (tenant_id, member_id, created_at desc, id desc) where in_app`);
    await runner.query(`create index notifications_unread_idx
      on data.notifications (tenant_id, member_id, kind, created_at desc, id desc) where read_at is null`);
    await runner.query(`create index notifications_daily_idx on data.notifications (tenant_id, member_id, created_at)
      where email = 'daily' and mailed_at is null and read_at is null`);
    await runner.query(`create index notifications_subject_idx on data.notifications (tenant_id, subject_id)`);
    await runner.query(`create index notifications_age_idx on data.notifications (tenant_id, created_at)`);

    // The last local day on which a member got the daily mail.
    await runner.query(`
      create table data.notification_digests (
        tenant_id uuid not null,
        member_id uuid not null,
        sent_on date not null,
        primary key (tenant_id, member_id),
        constraint notification_digests_member_fkey foreign key (tenant_id, member_id)
          references data.memberships (tenant_id, id)
      )`);
    await tenantTable(runner, 'data.notification_digests', { grant: 'select, insert, update, delete' });

    // Reminders of access reviews followed the choice for security.
    await runner.query(`
      alter table data.memberships
        add column notifications jsonb not null default '{}' check (jsonb_typeof(notifications) = 'object')`);
    await runner.query(`alter table data.memberships no force row level security`);
    await runner.query(`
      update data.memberships m set version = version + 1, notifications = jsonb_build_object('kinds', (
        select jsonb_object_agg(kind, jsonb_build_object('email', 'none'))
        from unnest(m.muted_mails || case when 'security' = any(m.muted_mails) then array['review'] else '{}' end) as k (kind)))
      where m.muted_mails <> '{}'`);
    await runner.query(`alter table data.memberships force row level security`);
    await runner.query(`alter table data.memberships drop column muted_mails`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
