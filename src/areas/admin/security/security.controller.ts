import { Body, Controller, Get, Patch } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { ChangedMfa, ChangeMfa, MfaView } from './mfa.dto.js';
import { MfaService } from './mfa.service.js';

@Controller('api/admin/security')
export class SecurityController {
  constructor(private readonly mfa: MfaService) {}

  @Route({
    id: 'admin.security.mfa.get',
    summary: 'Read what is demanded of sign-ins',
    description: 'The rules, who of the members meant lacks the factor, and until when there is grace.',
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
    summary: 'Change what is demanded of sign-ins',
    description:
      'Members that are left out stay as they are. A session whose sign-in lacks the factor is answered 403 `mfa_required` outside `/api/auth`, from `effectiveAt` on; API keys are not asked. With `dryRun` nothing changes, and the answer says who would lack it. Nobody can lock themselves out. Weaker rules (for fewer people, after a longer grace, with more methods or older factors) wait at the gate `mfa.weaken` where the tenant has it.',
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
