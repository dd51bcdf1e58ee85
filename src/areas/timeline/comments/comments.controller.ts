import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ANY_OBJECT } from '#libs/auth/current-principal.js';
import { Route } from '#libs/http/route.js';
import { Deleted } from '#libs/resource/types/record.dto.js';
import type { Place } from '#libs/resource/access/record-subjects.js';
import { READS_RECORD, RIGHTS } from '#libs/resource/routes/of-record.js';
import { PLACE_PARAMS, RECORD_PATH } from '../place.js';
import { CommentListQuery, CommentPage, CommentView, CreateComment, UpdateComment } from './comment.dto.js';
import { CommentsService } from './comments.service.js';

const SHARED = { params: PLACE_PARAMS, besides: [READS_RECORD], tag: 'timeline' };

@Controller(`${RECORD_PATH}/comments`)
export class CommentsController {
  constructor(private readonly service: CommentsService) {}

  @Route({
    ...SHARED,
    id: 'timeline.comments.list',
    summary: 'List the comments on a record',
    description: `Comments and replies, newest first. ${RIGHTS}`,
    permission: 'any',
    forPartners: true,
    query: CommentListQuery,
    answer: CommentPage,
    problems: ['permission_denied', 'cursor_invalid'],
  })
  @Get()
  list(@Param() place: Place, @Query() query: Record<string, unknown>) {
    return this.service.list(place, query);
  }

  @Route({
    ...SHARED,
    id: 'timeline.comments.create',
    summary: 'Comment on a record',
    description: `Archived records can be commented on, too. ${RIGHTS}`,
    permission: 'comments:write',
    object: ANY_OBJECT,
    status: 201,
    body: CreateComment,
    answer: CommentView,
    record: true,
  })
  @Post()
  create(@Param() place: Place, @Body() input: CreateComment) {
    return this.service.create(place, input);
  }

  @Route({
    ...SHARED,
    id: 'timeline.comments.update',
    summary: 'Edit a comment',
    description: `A JSON merge patch (RFC 7396). Only the author can edit a comment; all service keys count as one author. ${RIGHTS}`,
    permission: 'comments:write',
    object: ANY_OBJECT,
    body: UpdateComment,
    answer: CommentView,
    record: true,
  })
  @Patch(':commentId')
  update(@Param() place: Place, @Param('commentId') commentId: string, @Body() patch: Record<string, never>) {
    return this.service.update(place, commentId, patch);
  }

  @Route({
    ...SHARED,
    id: 'timeline.comments.delete',
    summary: 'Delete a comment',
    description: `Deleting comments of others requires \`comments:manage\`. Replies stay. ${RIGHTS}`,
    permission: 'comments:write',
    besides: [READS_RECORD, { scope: 'comments:manage', when: 'For a comment of another author.' }],
    object: ANY_OBJECT,
    answer: Deleted,
    problems: ['legal_hold'],
  })
  @Delete(':commentId')
  remove(@Param() place: Place, @Param('commentId') commentId: string) {
    return this.service.remove(place, commentId);
  }
}
