import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { StartMembership, StartUser, StartWorkspace } from './bootstrap.dto.js';

// $2 is the membership of the caller.
const PLACE = `
  select
    (select jsonb_build_object('id', m.user_id, 'name', m.name, 'email', m.email,
        'locale', m.locale, 'timezone', m.timezone)
      from data.memberships m where m.tenant_id = $1 and m.id = $2) as user,
    (select jsonb_build_object('id', m.id, 'title', m.title, 'joinedAt',
        to_char(m.joined_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      from data.memberships m where m.tenant_id = $1 and m.id = $2) as membership,
    (select coalesce(jsonb_agg(jsonb_build_object('id', w.id, 'name', w.name, 'key', w.key, 'role', p.role)
        order by w.is_default desc, w.name, w.id), '[]')
      from data.workspaces w join (
        select workspace_id, (array['lead', 'member', 'guest'])[
          min(array_position(array['lead', 'member', 'guest'], workspace_role))] as role
        from data.workspace_members where tenant_id = $1 and membership_id = $2 group by workspace_id) p
        on p.workspace_id = w.id
      where w.tenant_id = $1) as workspaces`;

/** Where the caller stands, in words for them. */
export interface Place {
  /** Includes the person's own preferences. */
  user: (StartUser & { locale: string | null; timezone: string | null }) | null;
  membership: StartMembership | null;
  workspaces: StartWorkspace[];
}

@Injectable()
export class BootstrapRepository {
  constructor(private readonly database: Database) {}

  async place(membershipId: string | null): Promise<Place> {
    const place = statement(PLACE, [currentTenant().id, membershipId]);
    const [row] = await this.database.read<Place>({ ...place, isShort: true });
    return row!;
  }
}
