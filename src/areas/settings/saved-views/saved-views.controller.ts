import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { Deleted, pageOf } from '#libs/resource/types/record.dto.js';
import { savedViews } from './saved-view.js';
import { type NewSavedView, type SavedViewPatch, SavedViewQuery } from './saved-view.requests.js';
import { SavedViewsService } from './saved-views.service.js';

const BESIDES = [
  { scope: 'saved-views:manage' as const, when: 'to share beyond your own workspaces, and for shared views of others' },
];

@Controller(savedViews.path)
export class SavedViewsController {
  constructor(private readonly views: SavedViewsService) {}

  @Route({
    id: 'settings.saved_views.list',
    summary: 'List saved views',
    description: 'Your own views and views that others share with you, limited to types that you can read.',
    permission: 'any',
    query: SavedViewQuery,
    answer: pageOf(savedViews.view),
    problems: ['cursor_invalid'],
  })
  @Get()
  list(@Query() query: SavedViewQuery) {
    return this.views.list(query);
  }

  @Route({
    id: 'settings.saved_views.create',
    summary: 'Save a view of a list',
    description:
      'The response contains the `path` of the list. Parameters that the list does not accept are rejected with a pointer to them.',
    permission: 'any',
    besides: BESIDES,
    status: 201,
    body: savedViews.create,
    answer: savedViews.view,
    record: true,
    problems: ['permission_denied', 'limit_reached'],
  })
  @Post()
  create(@Body() input: NewSavedView) {
    return this.views.create(input);
  }

  @Route({
    id: 'settings.saved_views.get',
    summary: 'Read a saved view',
    permission: 'any',
    answer: savedViews.view,
    record: true,
    problems: ['not_found'],
  })
  @Get(':id')
  get(@Param('id') id: string) {
    return this.views.get(id);
  }

  @Route({
    id: 'settings.saved_views.update',
    summary: 'Change a saved view',
    description: 'A JSON merge patch.',
    permission: 'any',
    besides: BESIDES,
    body: savedViews.update,
    answer: savedViews.view,
    record: true,
    problems: ['not_found', 'permission_denied', 'record_locked', 'version_mismatch'],
  })
  @Patch(':id')
  update(@Param('id') id: string, @Body() patch: SavedViewPatch) {
    return this.views.update(id, patch);
  }

  @Route({
    id: 'settings.saved_views.delete',
    summary: 'Delete a saved view',
    permission: 'any',
    besides: BESIDES,
    answer: Deleted,
    problems: ['not_found', 'permission_denied', 'version_mismatch'],
  })
  @Delete(':id')
  remove(@Param('id') id: string) {
    return this.views.remove(id);
  }

  @Route({
    id: 'settings.saved_views.archive',
    summary: 'Archive a saved view',
    permission: 'any',
    besides: BESIDES,
    answer: savedViews.view,
    record: true,
    problems: ['not_found', 'permission_denied', 'invalid_transition', 'version_mismatch'],
  })
  @Post(':id/archive')
  archive(@Param('id') id: string) {
    return this.views.archive(id);
  }

  @Route({
    id: 'settings.saved_views.unarchive',
    summary: 'Unarchive a saved view',
    permission: 'any',
    besides: BESIDES,
    answer: savedViews.view,
    record: true,
    problems: ['not_found', 'permission_denied', 'invalid_transition', 'version_mismatch'],
  })
  @Post(':id/unarchive')
  unarchive(@Param('id') id: string) {
    return this.views.unarchive(id);
  }
}
