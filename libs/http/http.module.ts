import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { PassportModule } from '@nestjs/passport';
import { getOptionsToken, ThrottlerStorage } from '@nestjs/throttler';
import { ProcessCoverage } from '#libs/request-counts/process-coverage.js';
import { RequestAccounts } from '#libs/request-counts/request-accounts.js';
import { AuditTrail } from '#libs/audit/audit-trail.js';
import { Authorities } from '#libs/auth/authority.js';
import { CredentialUses } from '#libs/auth/credential-uses.js';
import { Credentials } from '#libs/auth/credentials.js';
import { ApiKeyStrategy, BearerStrategy, CookieStrategy } from '#libs/auth/strategies.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Clock } from '#libs/kernel/clock.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { AddressLimits } from './address-limits.js';
import { Admission } from './server/admission.js';
import { FileLinks } from './files/file-links.js';
import { OpenedLinks } from './files/opened-links.js';
import { Challenges } from './challenges.js';
import { UploadLinks } from './files/upload-links.js';
import { CommandGuard } from './guards/command.guard.js';
import { CredentialGuard } from './guards/credential.guard.js';
import { FairShareGuard } from './guards/fair-share.guard.js';
import { IdempotencyInterceptor } from './idempotency/idempotency.interceptor.js';
import { IdempotencyKeys } from './idempotency/idempotency-keys.js';
import { Replays } from './idempotency/replays.js';
import { InputGuard } from './guards/input.guard.js';
import { PermissionGuard } from './guards/permission.guard.js';
import { ProblemFilter } from './problems/problem.filter.js';
import { OwnPages } from './own-pages.js';
import { PublicUrl } from './public-url.js';
import { ProtectedInputGuard } from './guards/protected-input.guard.js';
import { RateLimitGuard } from './rate-limit/rate-limit.guard.js';
import { LimitStates } from './rate-limit/limit-states.js';
import { CallerLimits } from './rate-limit/caller-limits.js';
import { UnknownPaths } from './rate-limit/unknown-paths.js';
import { createRateLimiter, RATE_LIMITER, RateLimitStorage } from './rate-limit/rate-limit.storage.js';
import { RefusalTrail } from './problems/refusal-trail.js';
import { TokenLimits } from './token-limits.js';
import { THROTTLERS } from './rate-limit/throttlers.js';
import { UploadInterceptor } from './uploads/upload.interceptor.js';
import { ApiDocument } from './openapi/api-document.js';
import { RouteTable } from './route-table.js';

/**
 * Checks each request in this order: credential, fair share, rate limit, permission, input; then idempotency of
 * writes.
 */
@Global()
@Module({
  imports: [PassportModule],
  providers: [
    ApiKeyStrategy,
    BearerStrategy,
    CookieStrategy,
    Authorities,
    Credentials,
    CredentialUses,
    AuditTrail,
    AddressLimits,
    Admission,
    ApiDocument,
    Challenges,
    IdempotencyKeys,
    LimitStates,
    OwnPages,
    ProcessCoverage,
    PublicUrl,
    RefusalTrail,
    Replays,
    CallerLimits,
    FileLinks,
    OpenedLinks,
    UploadLinks,
    RequestAccounts,
    RouteTable,
    TokenLimits,
    UnknownPaths,
    {
      provide: RATE_LIMITER,
      inject: [SETTINGS_TOKEN, Clock, Metrics],
      useFactory: (settings: Settings, clock: Clock, metrics: Metrics) => {
        const help = 'Requests that were limited in process only, because Redis did not answer.';
        const degraded = metrics.counter('rate_limiter_degraded_total', help, ['reason']);
        return createRateLimiter(settings, clock, { degraded: (reason) => degraded.inc({ reason }) });
      },
    },
    { provide: ThrottlerStorage, useClass: RateLimitStorage },
    { provide: getOptionsToken(), useValue: THROTTLERS },
    { provide: APP_GUARD, useClass: CredentialGuard },
    { provide: APP_GUARD, useClass: FairShareGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_GUARD, useClass: PermissionGuard },
    { provide: APP_GUARD, useClass: InputGuard },
    { provide: APP_GUARD, useClass: CommandGuard },
    { provide: APP_GUARD, useClass: ProtectedInputGuard },
    IdempotencyInterceptor,
    UploadInterceptor,
    { provide: APP_FILTER, useClass: ProblemFilter },
  ],
  exports: [
    AddressLimits,
    TokenLimits,
    ApiDocument,
    Authorities,
    Challenges,
    Credentials,
    CredentialUses,
    FileLinks,
    OpenedLinks,
    UploadLinks,
    IdempotencyKeys,
    AuditTrail,
    LimitStates,
    OwnPages,
    RATE_LIMITER,
    PublicUrl,
    RefusalTrail,
    Replays,
    RequestAccounts,
    RouteTable,
    ThrottlerStorage,
  ],
})
export class HttpModule {}
