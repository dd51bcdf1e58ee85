import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { pageOf } from '#libs/resource/types/record.dto.js';
import { MAX_MOVED, type Tag, tags } from './tag.js';
import { MergeTag, TagQuery } from './tag.requests.js';
import { TagsService } from './tags.service.js';

const MANAGE = 'tags:manage';
const AT_ONCE = `Each record emits its own event. With more than ${MAX_MOVED} records the request is rejected. Records in the trash keep their tags.`;

@Controller(tags.path)
export class TagsController {
  constructor(private readonly service: TagsService) {}

  @Route({
    id: 'settings.tags.list',
    summary: 'List tags',
    description: 'Managed tags, with the number of records that have them. Records can have unmanaged tags too.',
    permission: 'any',
    query: TagQuery,
    answer: pageOf(tags.view),
    problems: ['cursor_invalid'],
  })
  @Get()
  list(@Query() query: TagQuery) {
    return this.service.list(query);
  }

  @Route({
    id: 'settings.tags.create',
    summary: 'Create a tag',
    permission: MANAGE,
    status: 201,
    body: tags.create,
    answer: tags.view,
    record: true,
    problems: ['duplicate', 'limit_reached'],
  })
  @Post()
  create(@Body() input: Pick<Tag, 'name'>) {
    return this.service.create(input);
  }

  @Route({
    id: 'settings.tags.get',
    summary: 'Read a tag',
    permission: 'any',
    answer: tags.view,
    record: true,
    problems: ['not_found'],
  })
  @Get(':id')
  get(@Param('id') id: string) {
    return this.service.get(id);
  }

  @Route({
    id: 'settings.tags.update',
    summary: 'Rename a tag',
    description: `Renames the tag on all its records. ${AT_ONCE}`,
    permission: MANAGE,
    body: tags.update,
    answer: tags.view,
    record: true,
    problems: ['not_found', 'duplicate', 'limit_reached', 'version_mismatch'],
  })
  @Patch(':id')
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

  @Route({
    id: 'settings.tags.archive',
    summary: 'Archive a tag',
    description: 'Its records keep it. Adding it to another record returns 400 `archived_tag`.',
    permission: MANAGE,
    answer: tags.view,
    record: true,
    problems: ['not_found', 'invalid_transition', 'version_mismatch'],
  })
  @Post(':id/archive')
  archive(@Param('id') id: string) {
    return this.service.archive(id);
  }

  @Route({
    id: 'settings.tags.unarchive',
    summary: 'Unarchive a tag',
    permission: MANAGE,
    answer: tags.view,
    record: true,
    problems: ['not_found', 'invalid_transition', 'version_mismatch'],
  })
  @Post(':id/unarchive')
  unarchive(@Param('id') id: string) {
    return this.service.unarchive(id);
  }
}
