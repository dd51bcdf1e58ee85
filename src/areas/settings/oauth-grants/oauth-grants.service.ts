import { Injectable } from '@nestjs/common';
import { currentPrincipal, holds } from '#libs/auth/current-principal.js';
import type { Permission } from '#libs/auth/permissions.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { Problem } from '#libs/kernel/problem.js';
import { type OauthGrant, oauthGrants } from '#libs/members/grant.js';
import { Grants } from '#libs/members/grants.js';
import { pageOfAll } from '#libs/resource/lists/page-of-all.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import type { Deleted } from '#libs/resource/types/record.dto.js';
import type { OauthGrantQuery } from './oauth-grants.dto.js';

/** Permission to list and revoke the grants of other members, as for their API keys. */
const MANAGE_ALL: Permission = 'api-keys:manage-all';

/** Grants of members to partners, limited to those that the caller may see. */
@Injectable()
export class OauthGrantsService {
  constructor(
    private readonly grants: Grants,
    private readonly cursors: Cursors,
  ) {}

  async list(query: OauthGrantQuery): Promise<Page<ShownObject<OauthGrant>>> {
    const { membershipId } = currentPrincipal();
    const isAll = holds(MANAGE_ALL);
    const rows = isAll || membershipId !== null ? await this.grants.rows.ofMember(isAll ? null : membershipId) : [];
    const shown = (await this.grants.show(rows)).filter((each) => (query.status ?? each.status) === each.status);
    return pageOfAll(shown.reverse(), query, this.cursors, [oauthGrants.type, isAll, membershipId]);
  }

  /** Revokes a grant. @throws Problem 404, also if the grant is hidden from the caller or no longer valid; 412. */
  async revoke(id: string): Promise<Deleted> {
    return this.grants.objects.unit(async (transaction) => {
      const grant = await this.grants.objects.lock(transaction, id);
      const isSeen = grant.membershipId === currentPrincipal().membershipId || holds(MANAGE_ALL);
      if (!isSeen || grant.revokedAt !== null) throw Problem.notFound();
      const { revokedAt } = this.grants.end(transaction, grant);
      return this.grants.objects.deleted(id, revokedAt!);
    });
  }
}
