import { Module } from '@nestjs/common';
import { AuthController } from './auth.controller.js';
import { AuthRecordsModule } from './auth-records.module.js';
import { BrowserController } from './browser.controller.js';
import { BrowserSignInService } from './browser-sign-in.service.js';
import { LogoutService } from './logout.service.js';
import { SignInPapers } from './sign-in-papers.js';
import { StepUpService } from './step-up.service.js';
import { TenantSwitchService } from './tenant-switch.service.js';

/** Signing in and out, by browser and by app. */
@Module({
  imports: [AuthRecordsModule],
  controllers: [AuthController, BrowserController],
  providers: [BrowserSignInService, LogoutService, SignInPapers, StepUpService, TenantSwitchService],
})
export class AuthModule {}
