import { Body, Controller, Param, Query } from '@nestjs/common';
import { routesOf } from '#libs/resource/routes/object-routes.js';
import { savedViews } from './saved-view.js';
import { type NewSavedView, type SavedViewPatch, SavedViewQuery } from './saved-view.requests.js';
import { SavedViewsService } from './saved-views.service.js';

const besides = [
  { scope: 'saved-views:manage' as const, when: 'to share beyond your own workspaces, and for shared views of others' },
];
const route = routesOf(savedViews, 'settings.saved_views', { permission: 'any' });

@Controller(savedViews.path)
export class SavedViewsController {
  constructor(private readonly views: SavedViewsService) {}

  @route.list({
    summary: 'List saved views',
    description: 'Your own views and views that others share with you, limited to types that you can read.',
    query: SavedViewQuery,
  })
  list(@Query() query: SavedViewQuery) {
    return this.views.list(query);
  }

  @route.create({
    summary: 'Save a view of a list',
    description:
      'The response contains the `path` of the list. Parameters that the list does not accept are rejected with a pointer to them.',
    besides,
    problems: ['permission_denied', 'limit_reached'],
  })
  create(@Body() input: NewSavedView) {
    return this.views.create(input);
  }

  @route.read({ summary: 'Read a saved view' })
  get(@Param('id') id: string) {
    return this.views.objects.get(id);
  }

  @route.update({
    summary: 'Change a saved view',
    description: 'A JSON merge patch.',
    besides,
    problems: ['permission_denied', 'record_locked'],
  })
  update(@Param('id') id: string, @Body() patch: SavedViewPatch) {
    return this.views.update(id, patch);
  }

  @route.remove({ summary: 'Delete a saved view', besides, problems: ['permission_denied'] })
  remove(@Param('id') id: string) {
    return this.views.objects.delete(id);
  }

  @route.act('archive', { summary: 'Archive a saved view', besides, problems: ['permission_denied'] })
  archive(@Param('id') id: string) {
    return this.views.archive(id);
  }

  @route.act('unarchive', { summary: 'Unarchive a saved view', besides, problems: ['permission_denied'] })
  unarchive(@Param('id') id: string) {
    return this.views.unarchive(id);
  }
}
