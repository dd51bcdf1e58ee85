import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ANY_OBJECT } from '#libs/auth/current-principal.js';
import { Route } from '#libs/http/route.js';
import { Deleted } from '#libs/resource/types/record.dto.js';
import type { Place } from '#libs/resource/access/record-subjects.js';
import { READS_RECORD, RIGHTS } from '#libs/resource/routes/of-record.js';
import { PLACE_PARAMS, RECORD_PATH } from '../place.js';
import { CreateLink, LinkListQuery, LinkPage, LinkView } from './link.dto.js';
import { LinksService } from './links.service.js';

const SHARED = { params: PLACE_PARAMS, besides: [READS_RECORD], tag: 'timeline' };

@Controller(`${RECORD_PATH}/links`)
export class LinksController {
  constructor(private readonly service: LinksService) {}

  @Route({
    ...SHARED,
    id: 'timeline.links.list',
    summary: 'List the links of a record',
    description: `Links as seen from this record, regardless of which record they were created on. Links to records that you cannot see are left out. ${RIGHTS}`,
    permission: 'any',
    forPartners: true,
    query: LinkListQuery,
    answer: LinkPage,
    problems: ['permission_denied', 'cursor_invalid'],
  })
  @Get()
  list(@Param() place: Place, @Query() query: Record<string, unknown>) {
    return this.service.list(place, query);
  }

  @Route({
    ...SHARED,
    id: 'timeline.links.create',
    summary: 'Link two records',
    description: `The other record shows the inverse: blocked_by, duplicated_by, causes, source_of. The caller must be able to read both.`,
    permission: 'links:write',
    object: ANY_OBJECT,
    status: 201,
    body: CreateLink,
    answer: LinkView,
    record: true,
    problems: ['duplicate', 'record_locked'],
  })
  @Post()
  create(@Param() place: Place, @Body() input: CreateLink) {
    return this.service.create(place, input);
  }

  @Route({
    ...SHARED,
    id: 'timeline.links.delete',
    summary: 'Remove a link',
    description: `From both records. ${RIGHTS}`,
    permission: 'links:write',
    object: ANY_OBJECT,
    answer: Deleted,
    problems: ['record_locked', 'legal_hold'],
  })
  @Delete(':linkId')
  remove(@Param() place: Place, @Param('linkId') linkId: string) {
    return this.service.remove(place, linkId);
  }
}
