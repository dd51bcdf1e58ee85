import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ANY_OBJECT } from '#libs/auth/current-principal.js';
import { Route } from '#libs/http/route.js';
import { Deleted } from '#libs/resource/types/record.dto.js';
import type { Place } from '#libs/resource/access/record-subjects.js';
import { READS_RECORD, RIGHTS } from '#libs/resource/routes/of-record.js';
import { PLACE_PARAMS, RECORD_PATH } from '../place.js';
import { CreateWatcher, WatcherListQuery, WatcherPage, WatcherView } from './watcher.dto.js';
import { WatchersService } from './watchers.service.js';

const SHARED = { params: PLACE_PARAMS, besides: [READS_RECORD], tag: 'timeline' };

@Controller(`${RECORD_PATH}/watchers`)
export class WatchersController {
  constructor(private readonly service: WatchersService) {}

  @Route({
    ...SHARED,
    id: 'timeline.watchers.list',
    summary: 'List the watchers of a record',
    description: `Newest first. ${RIGHTS}`,
    permission: 'any',
    forPartners: true,
    query: WatcherListQuery,
    answer: WatcherPage,
    problems: ['permission_denied', 'cursor_invalid'],
  })
  @Get()
  list(@Param() place: Place, @Query() query: Record<string, unknown>) {
    return this.service.list(place, query);
  }

  @Route({
    ...SHARED,
    id: 'timeline.watchers.create',
    summary: 'Watch a record',
    description: `Adds the member that you act for, or another one. ${RIGHTS}`,
    permission: 'watchers:write',
    object: ANY_OBJECT,
    status: 201,
    body: CreateWatcher,
    bodyOptional: true,
    answer: WatcherView,
    record: true,
    problems: ['duplicate'],
  })
  @Post()
  create(@Param() place: Place, @Body() input: CreateWatcher) {
    return this.service.create(place, input);
  }

  @Route({
    ...SHARED,
    id: 'timeline.watchers.delete',
    summary: 'Stop watching a record',
    description: `Removes the member in the path. ${RIGHTS}`,
    permission: 'watchers:write',
    object: ANY_OBJECT,
    answer: Deleted,
  })
  @Delete(':membershipId')
  remove(@Param() place: Place, @Param('membershipId') membershipId: string) {
    return this.service.remove(place, membershipId);
  }
}
