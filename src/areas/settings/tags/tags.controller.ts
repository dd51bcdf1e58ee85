import { Body, Controller, Param, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { routesOf } from '#libs/resource/routes/object-routes.js';
import { MAX_MOVED, type Tag, tags } from './tag.js';
import { MergeTag, TagQuery } from './tag.requests.js';
import { TagsService } from './tags.service.js';

const MANAGE = 'tags:manage';
const AT_ONCE = `Each record emits its own event. With more than ${MAX_MOVED} records the request is rejected. Records in the trash keep their tags.`;
const route = routesOf(tags, 'settings.tags', { permission: MANAGE });

@Controller(tags.path)
export class TagsController {
  constructor(private readonly service: TagsService) {}

  @route.list({
    summary: 'List tags',
    description: 'Managed tags, with the number of records that have them. Records can have unmanaged tags too.',
    permission: 'any',
    query: TagQuery,
  })
  list(@Query() query: TagQuery) {
    return this.service.list(query);
  }

  @route.create({ summary: 'Create a tag', problems: ['duplicate', 'limit_reached'] })
  create(@Body() input: Pick<Tag, 'name'>) {
    return this.service.create(input);
  }

  @route.read({ summary: 'Read a tag', permission: 'any' })
  get(@Param('id') id: string) {
    return this.service.objects.get(id);
  }

  @route.update({
    summary: 'Rename a tag',
    description: `Renames the tag on all its records. ${AT_ONCE}`,
    problems: ['duplicate', 'limit_reached'],
  })
  update(@Param('id') id: string, @Body() patch: Partial<Pick<Tag, 'name'>>) {
    return this.service.update(id, patch);
  }

  @Route({
    id: 'settings.tags.merge',
    summary: 'Merge a tag into another one',
    description: `Replaces the tag on all its records with the other tag, deletes it, and returns the other tag. ${AT_ONCE}`,
    permission: MANAGE,
    body: MergeTag,
    answer: tags.view,
    record: true,
    problems: ['not_found', 'limit_reached', 'version_mismatch'],
  })
  @Post(':id/merge')
  merge(@Param('id') id: string, @Body() { intoId }: MergeTag) {
    return this.service.merge(id, intoId);
  }

  @route.act('archive', {
    summary: 'Archive a tag',
    description: 'Its records keep it. Adding it to another record returns 400 `archived_tag`.',
  })
  archive(@Param('id') id: string) {
    return this.service.archive(id);
  }

  @route.act('unarchive', { summary: 'Unarchive a tag' })
  unarchive(@Param('id') id: string) {
    return this.service.unarchive(id);
  }
}
