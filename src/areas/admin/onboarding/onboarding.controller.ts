import { Body, Controller, Get, Post } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { OnboardingCommand, OnboardingView } from './onboarding.dto.js';
import { OnboardingService } from './onboarding.service.js';

@Controller('api/admin/onboarding')
export class OnboardingController {
  constructor(private readonly onboarding: OnboardingService) {}

  @Route({
    id: 'admin.onboarding.get',
    summary: 'Read the onboarding of the tenant',
    description:
      'Checks all steps against the data of the tenant. A step that is found done, also a skipped one, becomes `done` and stays so, even if the data is deleted later. The first request starts the onboarding. Newly found steps are recorded in the audit log and emit `admin.onboarding.step_completed`.',
    permission: 'onboarding:read',
    answer: OnboardingView,
  })
  @Get()
  read() {
    return this.onboarding.read();
  }

  @Route({
    id: 'admin.onboarding.command',
    summary: 'Change the onboarding of the tenant',
    description:
      'Checks all steps first, as `GET` does. `complete` returns 400 `not_detected` if the step is not done; `skip` returns 409 `invalid_transition` if it is. After `reset` and `restart`, steps whose condition is still true are `done` again at once.',
    permission: 'onboarding:manage',
    body: OnboardingCommand,
    answer: OnboardingView,
    problems: ['not_detected', 'invalid_transition'],
  })
  @Post()
  command(@Body() input: OnboardingCommand) {
    return this.onboarding.command(input);
  }
}
