import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { Deleted, pageOf } from '#libs/resource/types/record.dto.js';
import { AnnouncementQuery, announcements, type NewAnnouncement } from './announcement.js';
import { AnnouncementsService } from './announcements.service.js';

@Controller(announcements.path)
export class AnnouncementsController {
  constructor(private readonly service: AnnouncementsService) {}

  @Route({
    id: 'home.announcements.list',
    summary: 'List announcements',
    description:
      'Newest first, including those that are over: announcements for the whole tenant and for your workspaces. With the scope `announcements:write`, all announcements. A service key without that scope gets none.',
    permission: 'any',
    besides: [{ scope: 'announcements:write', when: 'For the announcements of all workspaces.' }],
    query: AnnouncementQuery,
    answer: pageOf(announcements.view),
    problems: ['cursor_invalid'],
  })
  @Get()
  list(@Query() query: Record<string, unknown>) {
    return this.service.list(query);
  }

  @Route({
    id: 'home.announcements.create',
    summary: 'Create an announcement',
    description: 'Home pages show the ten newest announcements until `until`. To correct one, delete it.',
    permission: 'announcements:write',
    status: 201,
    body: announcements.create,
    answer: announcements.view,
    example: { answer: announcements.example },
  })
  @Post()
  create(@Body() input: NewAnnouncement) {
    return this.service.create(input);
  }

  @Route({
    id: 'home.announcements.delete',
    summary: 'Delete an announcement',
    permission: 'announcements:write',
    answer: Deleted,
    problems: ['not_found', 'version_mismatch'],
  })
  @Delete(':id')
  remove(@Param('id') id: string) {
    return this.service.remove(id);
  }
}
