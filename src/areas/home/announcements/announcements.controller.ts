import { Body, Controller, Param, Query } from '@nestjs/common';
import { routesOf } from '#libs/resource/routes/object-routes.js';
import { AnnouncementQuery, announcements, type NewAnnouncement } from './announcement.js';
import { AnnouncementsService } from './announcements.service.js';

const route = routesOf(announcements, 'home.announcements', { permission: 'announcements:write' });

@Controller(announcements.path)
export class AnnouncementsController {
  constructor(private readonly service: AnnouncementsService) {}

  @route.list({
    summary: 'List announcements',
    description:
      'Newest first, including those that are over: announcements for the whole tenant and for your workspaces. With the scope `announcements:write`, all announcements. A service key without that scope gets none.',
    permission: 'any',
    besides: [{ scope: 'announcements:write', when: 'For the announcements of all workspaces.' }],
    query: AnnouncementQuery,
  })
  list(@Query() query: object) {
    return this.service.objects.list(query);
  }

  @route.create({
    summary: 'Create an announcement',
    description: 'Home pages show the ten newest announcements until `until`. To correct one, delete it.',
    record: false,
    example: { answer: announcements.example },
  })
  create(@Body() input: NewAnnouncement) {
    return this.service.create(input);
  }

  @route.remove({ summary: 'Delete an announcement' })
  remove(@Param('id') id: string) {
    return this.service.objects.delete(id);
  }
}
