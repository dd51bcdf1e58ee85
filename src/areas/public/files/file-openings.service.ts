import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { type Content, FileContents } from '#libs/files/file-contents.js';
import { FileLinks, type LinkedContent } from '#libs/http/files/file-links.js';
import { OpenedLinks } from '#libs/http/files/opened-links.js';
import { TokenLimits } from '#libs/http/token-limits.js';
import { Clock } from '#libs/kernel/clock.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentScope, runAsSystem, type TenantFacts } from '#libs/tenancy/scope.js';

const TENANT = `select id, slug, plan, currency, epoch::text as epoch from directory.find_served_tenant($1)`;
const IS_USED = `select exists (select from data.file_content_uses
  where tenant_id = $1 and content_id = $2 and object = $3 and object_id = $4 and not is_suspended
    and (expires_at is null or expires_at > $5)) as found`;
// Kept for longer than any link is good.
const USE_ONCE = `insert into data.used_file_links (tenant_id, id, expires_at) values ($1, $2, $3)
  on conflict do nothing returning id`;

/** Opens signed links to contents. All links that open nothing return the same 404. */
@Injectable()
export class FileOpeningsService {
  constructor(
    private readonly links: FileLinks,
    private readonly contents: FileContents,
    private readonly opened: OpenedLinks,
    private readonly limits: TokenLimits,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs `send` with what a token opens, in its tenant. A link that is good once is used up, unless only its headers are
   * asked for.
   * @throws Problem 404, 429.
   */
  async open(
    token: string,
    { isCounted }: { isCounted: boolean },
    send: (content: Content, link: LinkedContent) => Promise<void>,
  ): Promise<void> {
    await this.limits.admit('file_link', createHash('sha256').update(token).digest());
    const link = this.links.read(token);
    const tenant = link && (await this.tenantOf(link));
    const failure = async () => this.limits.failure(new Problem('not_found', 'There is no such link.'));
    if (!tenant) throw await failure();
    await runAsSystem(tenant, 'file link', currentScope().requestId, async () => {
      const content = (await this.isGood(link, isCounted)) ? await this.contents.find(link.contentId) : null;
      if (!content) throw await failure();
      if (link.onceId !== null && isCounted) await this.opened.opened(link.use);
      await send(content, link);
    });
  }

  private async tenantOf({ tenantId }: LinkedContent): Promise<TenantFacts | null> {
    const [tenant] = await this.database.systemRead<TenantFacts>(statement(TENANT, [tenantId]));
    return tenant ?? null;
  }

  private async isGood({ tenantId, contentId, use, onceId }: LinkedContent, isCounted: boolean): Promise<boolean> {
    const now = this.clock.nowMs();
    const values = [tenantId, contentId, use.object, use.id, new Date(now).toISOString()];
    const [row] = await this.database.read<{ found: boolean }>(statement(IS_USED, values));
    if (!row!.found) return false;
    if (onceId === null || !isCounted) return true;
    const until = new Date(now + DAY_MS).toISOString();
    const [answer] = await this.database.aside([statement(USE_ONCE, [tenantId, onceId, until])]);
    return answer!.rows.length > 0;
  }
}
