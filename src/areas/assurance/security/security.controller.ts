import { Body, Controller, Get, Patch } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { ChangedMfa, ChangeMfa, MfaView } from './mfa.dto.js';
import { MfaService } from './mfa.service.js';

@Controller('api/admin/security')
export class SecurityController {
  constructor(private readonly mfa: MfaService) {}

  @Route({
    id: 'admin.security.mfa.get',
    summary: 'Read the multi-factor policy',
    description: 'Returns the policy, the affected members without the factor, and the end of the grace period.',
    permission: 'mfa:manage',
    answer: MfaView,
    tag: 'admin security',
  })
  @Get('mfa')
  read() {
    return this.mfa.read();
  }

  @Route({
    id: 'admin.security.mfa.update',
    summary: 'Change the multi-factor policy',
    description:
      'Omitted members stay unchanged. From `effectiveAt` on, a session without the factor gets 403 `mfa_required` outside `/api/auth`; API keys are exempt. `dryRun` changes nothing and returns the members who would lack the factor. Callers cannot lock themselves out. A weaker policy (fewer people, a longer grace period, more methods or older factors) waits for approval at the gate `mfa.weaken` if the tenant has enabled it.',
    permission: 'mfa:manage',
    protected: true,
    body: ChangeMfa,
    answer: ChangedMfa,
    problems: ['gate_denied', 'approval_pending'],
    tag: 'admin security',
  })
  @Patch('mfa')
  change(@Body() input: ChangeMfa) {
    return this.mfa.change(input);
  }
}
