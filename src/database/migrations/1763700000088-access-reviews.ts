import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';

/** Access reviews and their items. The population of a started review cannot be changed. */
export class AccessReviews1763700000088 implements MigrationInterface {
  name = 'AccessReviews1763700000088';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table data.access_reviews (
        tenant_id uuid not null,
        id uuid not null,
        name text not null check (length(name) between 1 and 200),
        status text not null check (status in ('draft', 'in_progress', 'pending_actions', 'completed', 'cancelled')),
        scope jsonb not null check (jsonb_typeof(scope) = 'object'),
        reviewers jsonb not null check (jsonb_typeof(reviewers) = 'object'),
        due_at timestamptz(3) not null,
        on_no_decision text check (on_no_decision in ('keep', 'revoke')),
        recurrence text not null check (recurrence in ('none', 'monthly', 'quarterly', 'yearly')),
        item_count integer not null default 0 check (item_count >= 0),
        population_hash text check (population_hash ~ '^[0-9a-f]{64}$'),
        started_at timestamptz(3),
        overdue_at timestamptz(3),
        decided_at timestamptz(3),
        completed_at timestamptz(3),
        reminded_at timestamptz(3),
        created_by jsonb not null,
        version integer not null default 1 check (version > 0),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant_id, id),
        constraint access_reviews_frozen check ((started_at is null) = (population_hash is null)),
        constraint access_reviews_completed check ((status = 'completed') = (completed_at is not null))
      )`);
    await tenantTable(runner, 'data.access_reviews', { grant: 'select, insert, update' });
    await runner.query(`
      create table data.access_review_items (
        tenant_id uuid not null,
        id uuid not null,
        review_id uuid not null,
        subject_type text not null
          check (subject_type in ('membership', 'api_key', 'resource_permission', 'scim_configuration')),
        subject_id uuid not null,
        subject_name text not null,
        member_id uuid,
        snapshot jsonb not null check (jsonb_typeof(snapshot) = 'object'),
        flags jsonb not null check (jsonb_typeof(flags) = 'array'),
        reviewer_id uuid not null,
        decision text not null check (decision in ('pending', 'keep', 'revoke', 'reduce', 'defer')),
        reason text check (length(reason) <= 1000),
        new_role_ids jsonb check (jsonb_typeof(new_role_ids) = 'array'),
        decided_by jsonb,
        decided_at timestamptz(3),
        history jsonb not null default '[]' check (jsonb_typeof(history) = 'array'),
        applied_at timestamptz(3),
        apply_error jsonb,
        created_at timestamptz(3) not null,
        primary key (tenant_id, id),
        constraint access_review_items_subject_key unique (tenant_id, review_id, subject_type, subject_id),
        constraint access_review_items_review_fkey foreign key (tenant_id, review_id)
          references data.access_reviews (tenant_id, id),
        constraint access_review_items_reviewer_fkey foreign key (tenant_id, reviewer_id)
          references data.memberships (tenant_id, id),
        constraint access_review_items_not_by_oneself check (reviewer_id <> member_id),
        constraint access_review_items_decided check ((decision = 'pending') = (decided_at is null)),
        constraint access_review_items_reduced check ((decision = 'reduce') = (new_role_ids is not null)),
        constraint access_review_items_applied check (applied_at is null or decision in ('revoke', 'reduce'))
      )`);
    // What was frozen at the start has no update privilege.
    await tenantTable(runner, 'data.access_review_items', {
      grant: 'select, insert',
      updateColumns: [
        'decision',
        'reason',
        'new_role_ids',
        'decided_by',
        'decided_at',
        'history',
        'applied_at',
        'apply_error',
      ],
    });
    await runner.query(
      `create index access_review_items_review_idx on data.access_review_items (tenant_id, review_id, created_at, id)`,
    );
    await runner.query(
      `create index access_review_items_reviewer_idx on data.access_review_items (tenant_id, reviewer_id, review_id)`,
    );
    await runner.query(
      `create index access_review_items_subject_idx on data.access_review_items (tenant_id, subject_id, review_id)`,
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
