import { Body, Controller, Patch } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { ChangeMfa, MfaView } from './mfa.dto.js';
import { MfaService } from './mfa.service.js';

@Controller('api/admin/security')
export class SecurityController {
  constructor(private readonly mfa: MfaService) {}

  @Route({
    id: 'admin.security.mfa.update',
    summary: 'Change what is demanded of sign-ins',
    description:
      'Members that are left out stay as they are. A session whose sign-in lacks the factor is answered 403 `mfa_required` outside `/api/auth`, from `effectiveAt` on; API keys are not asked. With `dryRun` nothing changes, and the answer says who would lack it. Nobody can lock themselves out.',
    permission: 'mfa:manage',
    protected: true,
    body: ChangeMfa,
    answer: MfaView,
    tag: 'admin security',
  })
  @Patch('mfa')
  change(@Body() input: ChangeMfa) {
    return this.mfa.change(input);
  }
}
