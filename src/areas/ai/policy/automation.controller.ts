import { Body, Controller, Post } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { AUTOMATION_EXAMPLE, AutomationView, SwitchAutomation } from './automation.dto.js';
import { AutomationService } from './automation.service.js';

const RESUMED = { ...AUTOMATION_EXAMPLE, version: 2, isPaused: false, reason: null };

@Controller('api/ai')
export class AutomationController {
  constructor(private readonly automation: AutomationService) {}

  @Route({
    id: 'ai.automation.pause',
    summary: 'Pause all AI work',
    description:
      'The kill switch. New jobs are refused with 423 `ai_paused`; jobs that wait are cancelled and those that run are cut off within seconds. A pause during a pause is 409 `invalid_transition` and changes nothing.',
    permission: 'ai-jobs:manage',
    body: SwitchAutomation,
    answer: AutomationView,
    problems: ['invalid_transition'],
    example: { answer: AUTOMATION_EXAMPLE },
  })
  @Post('pause')
  pause(@Body() { reason }: SwitchAutomation) {
    return this.automation.pause(reason);
  }

  @Route({
    id: 'ai.automation.resume',
    summary: 'Let AI work go on',
    description:
      'New jobs are accepted again. Cancelled jobs stay cancelled. 409 `invalid_transition` if AI work is not paused.',
    permission: 'ai-jobs:manage',
    body: SwitchAutomation,
    answer: AutomationView,
    problems: ['invalid_transition'],
    example: { body: { reason: 'The prompt is corrected' }, answer: RESUMED },
  })
  @Post('resume')
  resume(@Body() { reason }: SwitchAutomation) {
    return this.automation.resume(reason);
  }
}
