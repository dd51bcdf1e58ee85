import { statement, type Statement } from '#libs/database/statement.js';
import { shortened } from '#libs/kernel/cut.js';
import { oneLine } from '#libs/mail/mail-text.js';
import { currentTenant } from '#libs/tenancy/scope.js';

const MOST_SHOWN = 300;
/** The lock lets an edit or a deletion wait until the notifications that quote the comment are there to be changed. */
const BODY = `select body from data.comments where tenant_id = $1 and id = $2 and deleted_at is null for share`;
const REQUOTE = `update data.notifications set body = $3 where tenant_id = $1 and comment_id = $2`;

/** The beginning of a comment, as notifications quote it. */
export function quoteOf(body: string): string {
  return shortened(oneLine(body), MOST_SHOWN);
}

/** The present text of a comment, locked; no row if it was deleted. */
export const bodyOfComment = (id: string): Statement => statement(BODY, [currentTenant().id, id]);

/** Lets the notifications that quote a comment quote its new text; none if it was deleted. */
export const requote = (commentId: string, body: string | null): Statement =>
  statement(REQUOTE, [currentTenant().id, commentId, body === null ? null : quoteOf(body)]);
