import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { TenantFacts } from '#libs/tenancy/scope.js';

const COLUMNS = `invitation_id as "invitationId", id, slug, name, plan, currency, epoch::text as epoch`;
const BY_TOKEN = `select ${COLUMNS} from directory.find_invitation($1)`;
const CLOSED_OF_LATE = `select ${COLUMNS} from directory.find_closed_invitation($1)`;
const OF_PERSON = `select ${COLUMNS} from directory.invitations_of($1)`;

/** The id and tenant of an open invitation. */
export interface PlacedInvitation {
  invitationId: string;
  tenant: TenantFacts & { name: string };
}

/** Looks up invitations in the directory, outside any tenant. */
@Injectable()
export class InviteesRepository {
  constructor(private readonly database: Database) {}

  /** Null for an invalid token. */
  async byToken(tokenHash: Buffer): Promise<PlacedInvitation | null> {
    const [found] = await this.find(BY_TOKEN, tokenHash);
    return found ?? null;
  }

  /**
   * As {@link byToken}, for an invitation that was closed recently enough for its response to be repeated under the
   * same idempotency key.
   */
  async closedOfLate(tokenHash: Buffer): Promise<PlacedInvitation | null> {
    const [found] = await this.find(CLOSED_OF_LATE, tokenHash);
    return found ?? null;
  }

  /** The first 20 invitations for a person's verified address, across all tenants. */
  ofPerson(userId: string): Promise<PlacedInvitation[]> {
    return this.find(OF_PERSON, userId);
  }

  private async find(text: string, value: unknown): Promise<PlacedInvitation[]> {
    const rows = await this.database.systemRead<TenantFacts & { name: string; invitationId: string }>(
      statement(text, [value]),
    );
    return rows.map(({ invitationId, ...tenant }) => ({ invitationId, tenant }));
  }
}
