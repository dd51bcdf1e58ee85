import { Body, Controller, Get, Patch } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { Profile, UpdateProfile } from './profile.dto.js';
import { ProfileService } from './profile.service.js';

@Controller('api/settings/profile')
export class ProfileController {
  constructor(private readonly profile: ProfileService) {}

  @Route({
    id: 'settings.profile.get',
    summary: 'Read your profile',
    description: 'For people: by a session or a personal key.',
    permission: 'any',
    ofPerson: true,
    answer: Profile,
    record: true,
    problems: ['permission_denied'],
  })
  @Get()
  read() {
    return this.profile.read();
  }

  @Route({
    id: 'settings.profile.update',
    summary: 'Change your profile',
    description:
      'A JSON merge patch. Language and time zone show in `GET /api/bootstrap`. While you are away, your delegate also sees what waits for your approval and may decide it, within the delegate’s own permissions; never what you or the delegate asked for. The decision names both.',
    permission: 'any',
    ofPerson: true,
    body: UpdateProfile,
    answer: Profile,
    record: true,
    problems: ['permission_denied', 'managed_by_scim'],
  })
  @Patch()
  update(@Body() patch: UpdateProfile) {
    return this.profile.update(patch);
  }
}
