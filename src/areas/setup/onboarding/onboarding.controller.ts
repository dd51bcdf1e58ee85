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
      'Checks all steps first, as `GET` does. `complete` returns 400 `not_detected` if the step is not done. An action that would change nothing, such as `skip` for a step that is done or skipped, returns 409 `invalid_transition`. After `reset` and `restart`, steps whose condition is still true are `done` again at once. Sample data completes no step and emits no events except one for the whole. While there is some, it counts in lists, reports, metrics and the ledger, and the base currency is fixed. Its references and document numbers begin with `DEMO-`. `remove_sample_data` also deletes the metrics recorded since the loading, because they counted it, and keeps sample records on which other records depend: `sampleData.kept` names them. Until these are removed too, loading again returns 409 `in_use`. Under a legal hold, the removal returns 423 `legal_hold`.',
    permission: 'onboarding:manage',
    besides: [{ scope: 'tenant:close', when: 'For `remove_sample_data`; only owners have it.' }],
    body: OnboardingCommand,
    answer: OnboardingView,
    problems: ['not_detected', 'invalid_transition', 'in_use', 'duplicate', 'legal_hold'],
  })
  @Post()
  command(@Body() input: OnboardingCommand) {
    return this.onboarding.command(input);
  }
}
