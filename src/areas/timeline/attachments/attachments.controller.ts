import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ANY_OBJECT } from '#libs/auth/current-principal.js';
import { Route } from '#libs/http/route.js';
import { Deleted } from '#libs/resource/types/record.dto.js';
import type { Place } from '#libs/resource/access/record-subjects.js';
import { READS_RECORD, RIGHTS } from '#libs/resource/routes/of-record.js';
import { PLACE_PARAMS, RECORD_PATH } from '../place.js';
import { AttachmentListQuery, AttachmentPage, AttachmentView, CreateAttachment } from './attachment.dto.js';
import { AttachmentsService } from './attachments.service.js';

const SHARED = { params: PLACE_PARAMS, besides: [READS_RECORD], tag: 'timeline' };

@Controller(`${RECORD_PATH}/attachments`)
export class AttachmentsController {
  constructor(private readonly service: AttachmentsService) {}

  @Route({
    ...SHARED,
    id: 'timeline.attachments.list',
    summary: 'List the attachments of a record',
    description: `Newest first. ${RIGHTS}`,
    permission: 'any',
    forPartners: true,
    query: AttachmentListQuery,
    answer: AttachmentPage,
    problems: ['permission_denied', 'cursor_invalid'],
  })
  @Get()
  list(@Param() place: Place, @Query() query: Record<string, unknown>) {
    return this.service.list(place, query);
  }

  @Route({
    ...SHARED,
    id: 'timeline.attachments.create',
    summary: 'Attach a file to a record',
    description: `Upload it first (\`POST /api/v1/documents/files\`). ${RIGHTS}`,
    permission: 'attachments:write',
    object: ANY_OBJECT,
    status: 201,
    body: CreateAttachment,
    answer: AttachmentView,
    record: true,
    problems: ['record_locked'],
  })
  @Post()
  create(@Param() place: Place, @Body() input: CreateAttachment) {
    return this.service.create(place, input);
  }

  @Route({
    ...SHARED,
    id: 'timeline.attachments.delete',
    summary: 'Remove an attachment from a record',
    description: `The file itself stays. ${RIGHTS}`,
    permission: 'attachments:write',
    object: ANY_OBJECT,
    answer: Deleted,
    problems: ['record_locked', 'legal_hold'],
  })
  @Delete(':attachmentId')
  remove(@Param() place: Place, @Param('attachmentId') attachmentId: string) {
    return this.service.remove(place, attachmentId);
  }
}
