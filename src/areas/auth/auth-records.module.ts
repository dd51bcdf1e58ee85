import { Module } from '@nestjs/common';
import { CodeFlow } from '#libs/auth/oidc/code-flow.js';
import { IdTokens } from '#libs/auth/oidc/id-tokens.js';
import { IdentityProvider } from '#libs/auth/oidc/identity-provider.js';
import { CallerService } from './caller.service.js';
import { FailedSignInsService } from './failed-sign-ins.service.js';
import { NewcomersService } from './newcomers.service.js';
import { PeopleRepository } from './people.repository.js';
import { PersonalSessionsService } from './personal-sessions.service.js';
import { PresentedSessionsService } from './presented-sessions.service.js';
import { RefusalsService } from './refusals.service.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';
import { SignInCookies } from './sign-in-cookies.js';
import { SignInService } from './sign-in.service.js';

/** Signing in without routes: what other areas need of it. */
@Module({
  providers: [
    CallerService,
    FailedSignInsService,
    IdTokens,
    IdentityProvider,
    PeopleRepository,
    NewcomersService,
    RefusalsService,
    SessionsRepository,
    SessionsService,
    SignInCookies,
    SignInService,
    CodeFlow,
    PersonalSessionsService,
    PresentedSessionsService,
  ],
  exports: [
    CallerService,
    CodeFlow,
    IdTokens,
    NewcomersService,
    PeopleRepository,
    PersonalSessionsService,
    PresentedSessionsService,
    RefusalsService,
    SessionsRepository,
    SessionsService,
    SignInCookies,
    SignInService,
  ],
})
export class AuthRecordsModule {}
