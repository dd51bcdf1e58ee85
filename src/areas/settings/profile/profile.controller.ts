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
    description: 'Requires a session or a personal key.',
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
      'A JSON merge patch. `GET /api/bootstrap` returns language and time zone. While you are away, your delegate can also see and decide the approvals that wait for you, within the delegate’s own permissions, except requests made by you or the delegate. The decision names both.',
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
