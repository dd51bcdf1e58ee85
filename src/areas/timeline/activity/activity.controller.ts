import { Controller, Get, Param, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import type { Place } from '#libs/resource/access/record-subjects.js';
import { READS_RECORD, RIGHTS } from '#libs/resource/routes/of-record.js';
import { PLACE_PARAMS, RECORD_PATH } from '../place.js';
import { ActivityPage, ActivityQuery } from './activity.dto.js';
import { ActivityService } from './activity.service.js';

@Controller(`${RECORD_PATH}/activity`)
export class ActivityController {
  constructor(private readonly service: ActivityService) {}

  @Route({
    id: 'timeline.activity.list',
    summary: 'Read the activity of a record',
    description: `Changes, transitions and comments in one list, newest first. ${RIGHTS}`,
    permission: 'any',
    forPartners: true,
    besides: [READS_RECORD],
    params: PLACE_PARAMS,
    query: ActivityQuery,
    answer: ActivityPage,
    problems: ['permission_denied', 'cursor_invalid'],
    tag: 'timeline',
  })
  @Get()
  list(@Param() place: Place, @Query() query: Record<string, unknown>) {
    return this.service.list(place, query);
  }
}
