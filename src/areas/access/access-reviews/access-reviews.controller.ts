import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { entryOf } from '#libs/http/command.js';
import { Route } from '#libs/http/route.js';
import { accessReviews } from './access-review.js';
import {
  AccessReviewCommand,
  AccessReviewPage,
  AccessReviewQuery,
  AccessReviewResult,
  AccessReviewWithItems,
  reviewCommand,
} from './access-review.requests.js';
import { AccessReviewsService } from './access-reviews.service.js';
import { ReviewCommands } from './review-commands.service.js';

@Controller(accessReviews.path)
export class AccessReviewsController {
  constructor(
    private readonly reviews: AccessReviewsService,
    private readonly commands: ReviewCommands,
  ) {}

  @Route({
    id: 'admin.access_reviews.list',
    summary: 'List access reviews, or read one with its items',
    description:
      'With `campaignId`, returns this review with a page of its items; `limit` and `cursor` then apply to the items. Reviewers without access to all reviews see the items assigned to them.',
    permission: 'access-reviews:read',
    parts: ['access-reviews:decide'],
    withinReach: true,
    query: AccessReviewQuery,
    answer: [AccessReviewPage, AccessReviewWithItems],
    problems: ['not_found', 'cursor_invalid'],
  })
  @Get()
  list(@Query() query: AccessReviewQuery) {
    return this.reviews.read(query);
  }

  @Route({
    id: 'admin.access_reviews.command',
    summary: 'Create an access review, decide its items, apply its revocations',
    description:
      'A started review accepts at most 50 decisions per request, each with its own result; `access-reviews:decide` is enough for them. It moves on to `pending_actions` when everything is decided, or at `dueAt`, when open items get the decision `onNoDecision`. `complete` then suspends members, removes roles, revokes keys, deletes exceptions and removes connections. It applies up to 200 of them per request under the rules of the respective operations: a refused one keeps its `applyError`, and the review stays `pending_actions`. Resolve the cause, or have the item decided again with a reason, and repeat the request until the review is `completed`. For privileged access and for connections it is a protected operation.',
    ...entryOf(reviewCommand),
    besides: [
      { scope: 'members:manage', when: 'completing with members' },
      { scope: 'api-keys:manage-all', when: 'completing with API keys' },
      { scope: 'resource-permissions:manage', when: 'completing with exceptions' },
      { scope: 'scim:manage', when: 'completing with connections' },
    ],
    inPerson: true,
    body: AccessReviewCommand,
    answer: AccessReviewResult,
    problems: [
      'not_found',
      'step_up_required',
      'invalid_transition',
      'no_reviewer',
      'nothing_to_review',
      'limit_reached',
      'reminded_recently',
    ],
    example: {
      body: {
        name: 'Quarterly review',
        scope: { memberships: true, apiKeys: true },
        reviewers: { strategy: 'manager' },
        dueAt: '2026-12-12T09:00:00.000Z',
        recurrence: 'quarterly',
        start: true,
      },
    },
  })
  @Post()
  command(@Body() input: AccessReviewCommand) {
    return this.commands.run(input);
  }
}
