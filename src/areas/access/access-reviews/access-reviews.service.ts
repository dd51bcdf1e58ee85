import { Injectable } from '@nestjs/common';
import { every, type Guard } from '#libs/access/guard.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { id, oneOf } from '#libs/http/field.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { notWith, Problem } from '#libs/kernel/problem.js';
import { filter, type ListOptions, personsIn, toListRequest } from '#libs/resource/lists/list-query.js';
import { byName } from '#libs/resource/lists/named-list.js';
import { pageOfAll } from '#libs/resource/lists/page-of-all.js';
import { DECISIONS, FLAGS, shownItem } from './access-review-item.js';
import type { AccessReviewPage, AccessReviewQuery, AccessReviewWithItems } from './access-review.requests.js';
import { onlyReviewer, READ, ReviewRecords } from './review-records.js';

/** The items of one review, in the order in which they were frozen. */
const ITEMS: ListOptions = {
  filters: {
    campaignId: filter.plain(id(), 'eq', 't.review_id'),
    decision: filter.exact(oneOf(DECISIONS)),
    flag: filter.related(oneOf(FLAGS), 't.flags ?| :values'),
    reviewerId: filter.member(),
    subjectId: filter.exact(id()),
  },
  sorts: ['createdAt'],
  defaultSort: 'createdAt',
};
const OF_LIST = ['status', 'sort', 'name[contains]'];

/** Lists access reviews and their items. Callers with a limited reach see what is assigned to them. */
@Injectable()
export class AccessReviewsService {
  constructor(
    private readonly records: ReviewRecords,
    private readonly cursors: Cursors,
  ) {}

  /** The reviews, or one of them with its items. @throws Problem 400, 404. */
  read(query: AccessReviewQuery): Promise<AccessReviewPage | AccessReviewWithItems> {
    if (query.campaignId !== undefined) {
      refuseOfList(query);
      return this.get(query.campaignId, query);
    }
    if (query.include !== undefined)
      throw Problem.validation([
        { parameter: 'campaignId', code: 'required', detail: 'Items are only included with campaignId.' },
      ]);
    return this.list(query);
  }

  private async list(query: AccessReviewQuery): Promise<AccessReviewPage> {
    const { status, decision, flag, reviewerId, subjectId, ...paging } = query;
    const own = ownItems();
    const items = every(own, wanted(query));
    const rows = await this.records.objects.rows.all(items && withItem(items));
    const found = byName(rows.reverse(), query).filter((review) => status === undefined || review.status === status);
    const { permissions, membershipId } = currentPrincipal();
    const caller = [permissions.reach(READ), membershipId, reviewerId === undefined ? null : personsIn(reviewerId)];
    const purpose = ['access_reviews', status, decision, flag, subjectId, ...caller];
    const { data, page } = pageOfAll(found, paging, this.cursors, purpose);
    return { data: await this.records.show(data, onlyReviewer()), page };
  }

  private async get(campaignId: string, query: AccessReviewQuery): Promise<AccessReviewWithItems> {
    const own = ownItems();
    const review = await this.records.objects.rows.find(campaignId, own && withItem(own));
    if (!review) throw Problem.notFound();
    const { data, page } = await this.records.items.page(toListRequest(ITEMS, { ...query }), ITEMS, own);
    const [shown] = await this.records.show([review], onlyReviewer());
    return { ...shown!, items: { data: data.map(shownItem), page } };
  }
}

/** Parameters of the list that do not apply to one review. @throws Problem 400. */
function refuseOfList(query: object): void {
  const given = OF_LIST.filter((parameter) => parameter in query);
  if (given.length === 0) return;
  throw Problem.validation(
    given.map((parameter) => ({ parameter, ...notWith('campaign', 'Not allowed with campaignId.') })),
  );
}

/** The items that the caller may see; null for all. */
function ownItems(): Guard | null {
  const reviewer = onlyReviewer();
  return reviewer === null ? null : (add) => `t.reviewer_id = ${add(reviewer)}::uuid`;
}

/** The items with the wanted properties; null for all. */
function wanted({ decision, flag, reviewerId, subjectId }: AccessReviewQuery): Guard | null {
  return every(
    decision === undefined ? null : (add) => `t.decision = ${add(decision)}`,
    flag === undefined ? null : (add) => `t.flags ? ${add(flag)}::text`,
    reviewerId === undefined ? null : (add) => `t.reviewer_id = ${add(personsIn(reviewerId))}::uuid`,
    subjectId === undefined ? null : (add) => `t.subject_id = ${add(subjectId)}::uuid`,
  );
}

/** The reviews with an item that satisfies a guard; in the guard, `t` is the item. */
function withItem(items: Guard): Guard {
  return (add) =>
    `t.id in (select t.review_id from data.access_review_items t where t.tenant_id = current_setting('app.tenant_id')::uuid and ${items(add)})`;
}
