import { Module } from '@nestjs/common';
import { AuthController } from './auth.controller.js';
import { AuthRecordsModule } from './auth-records.module.js';
import { BrowserController } from './browser.controller.js';
import { BrowserSignInService } from './browser-sign-in.service.js';
import { LogoutService } from './logout.service.js';
import { AuthorizationController } from './oauth/authorization.controller.js';
import { AuthorizationService } from './oauth/authorization.service.js';
import { ClientAuthenticationService } from './oauth/client-authentication.service.js';
import { MetadataController } from './oauth/metadata.controller.js';
import { OauthRepository } from './oauth/oauth.repository.js';
import { ProtocolController } from './oauth/protocol.controller.js';
import { TokenStatesService } from './oauth/token-states.service.js';
import { TokensService } from './oauth/tokens.service.js';
import { VisitorsService } from './oauth/visitors.service.js';
import { SignInPapers } from './sign-in-papers.js';
import { StepUpService } from './step-up.service.js';
import { TenantSwitchService } from './tenant-switch.service.js';

/** Signing in and out, in browsers and apps, and delegated access for partners. */
@Module({
  imports: [AuthRecordsModule],
  controllers: [AuthController, AuthorizationController, BrowserController, MetadataController, ProtocolController],
  providers: [
    AuthorizationService,
    BrowserSignInService,
    ClientAuthenticationService,
    LogoutService,
    OauthRepository,
    SignInPapers,
    StepUpService,
    TenantSwitchService,
    TokenStatesService,
    TokensService,
    VisitorsService,
  ],
})
export class AuthModule {}
