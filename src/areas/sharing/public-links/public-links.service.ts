import { Inject, Injectable } from '@nestjs/common';
import { generateLinkToken } from '#libs/auth/api-key.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { callerOrNull, requirePermission } from '#libs/auth/current-principal.js';
import { linkTo } from '#libs/http/public-url.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Guard } from '#libs/resource/lists/table.js';
import { disclosing } from '#libs/resource/access/disclosure.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { LINK_PURPOSES, type LinkPurpose } from './link-purposes.js';
import { type LINK_STATUSES, MAX_DAYS, type PublicLink, publicLinks } from './public-link.js';
import type { NewPublicLink } from './public-link.requests.js';
import { PublicLinksRepository } from './public-links.repository.js';

const ABOUT = { type: 't.target_object', id: 't.target_id' };

type ShownLink = ShownObject<PublicLink>;

/** What an area decides about public links to its records. */
export interface LinkTarget {
  /**
   * Requires that the caller may share the record, and that its state allows it.
   * @throws Problem 400 `unknown_reference`, 403, 409 `invalid_transition`.
   */
  requireShareable(id: string, pointer: string): Promise<void>;
  /** Requires that the caller may share the record. @throws Problem 403, 404. */
  requireSharer(id: string): Promise<void>;
}

/** Public links to records that the caller may see. */
@Injectable()
export class PublicLinksService {
  readonly objects: GovernedObjects<PublicLink>;
  private readonly targets = new Map<LinkPurpose, LinkTarget>();

  constructor(
    private readonly kit: ResourceKit,
    private readonly rows: PublicLinksRepository,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {
    this.objects = new GovernedObjects(publicLinks, kit, this, rows);
  }

  /** Registers the area that has the records of a purpose. */
  serve(purpose: LinkPurpose, target: LinkTarget): void {
    this.targets.set(purpose, target);
  }

  /**
   * Creates a link to a record that the caller may share. Only this response contains the URL.
   * @throws Problem 400, 403, 409 `invalid_transition`.
   */
  async create({
    purpose,
    targetId,
    maxUses = null,
    ...input
  }: NewPublicLink): Promise<ShownLink & { publicUrl: string }> {
    const { object: targetObject, path, days } = LINK_PURPOSES[purpose];
    const expiresAt = this.expiry(input.expiresAt, days);
    requireSharing(purpose);
    await this.targets.get(purpose)!.requireShareable(targetId, '/targetId');
    const { text, hash } = generateLinkToken();
    const unused = { uses: 0, lastUsedAt: null, revokedAt: null, createdBy: currentScope().actor };
    const own = { purpose, targetObject, targetId, expiresAt, maxUses };
    return this.objects.unit(async (transaction) => {
      const link = this.objects.add(transaction, { ...own, ...unused });
      transaction.write(this.rows.addToken(link.id, hash));
      return { ...(await this.objects.show(link)), publicUrl: linkTo(this.settings, `${path}/${text}`) };
    });
  }

  /** The newest link to a record for a purpose, for whoever may see the record; null if there is none. */
  async newestOf(purpose: LinkPurpose, targetId: string) {
    const link = await this.rows.newestOf(purpose, targetId);
    return link && { id: link.id, status: this.stateOf(link), expiresAt: link.expiresAt };
  }

  /** @throws Problem 403, 404, 409 `invalid_transition`, 412. */
  revoke(id: string): Promise<ShownLink> {
    return this.objects.act('revoke', id, () => ({ revokedAt: this.objects.now() }));
  }

  /** Only links to records that the caller may see. */
  visible(): Guard | null {
    return disclosing(this.kit.registry, ABOUT);
  }

  async mayChange({ purpose, targetId }: PublicLink): Promise<void> {
    requireSharing(purpose);
    await this.targets.get(purpose)!.requireSharer(targetId);
  }

  show(links: readonly PublicLink[]): ShownLink[] {
    return links.map((link) => ({ ...this.objects.view(link), status: this.stateOf(link) }));
  }

  stateOf({ revokedAt, expiresAt, maxUses, uses }: PublicLink): (typeof LINK_STATUSES)[number] {
    if (revokedAt !== null) return 'revoked';
    return expiresAt <= this.objects.now() || (maxUses !== null && uses >= maxUses) ? 'expired' : 'active';
  }

  private expiry(given: string | undefined, usualDays: number): string {
    const now = Date.parse(this.objects.now());
    const wanted = given === undefined ? now + usualDays * DAY_MS : Date.parse(given);
    if (wanted <= now || wanted > now + MAX_DAYS * DAY_MS)
      throw Problem.validation([
        {
          pointer: '/expiresAt',
          code: 'out_of_range',
          detail: `The value must be in the future and at most ${MAX_DAYS} days ahead.`,
        },
      ]);
    return new Date(wanted).toISOString();
  }
}

/** The permission of any purpose admits to the routes, so the one of this purpose is checked here. @throws Problem 403. */
function requireSharing(purpose: LinkPurpose): void {
  const { object, permission } = LINK_PURPOSES[purpose];
  if (callerOrNull()) requirePermission(permission, { object, withinReach: true }); // each record is checked afterwards
}
