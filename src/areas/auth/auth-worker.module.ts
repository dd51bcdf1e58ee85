import { Module } from '@nestjs/common';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { OauthUpkeep } from './oauth/oauth-upkeep.js';
import { SignInUpkeep } from './sign-in-upkeep.js';

/** Worker jobs of signing in and delegated access. */
@Module({ providers: [OauthUpkeep, SignInUpkeep] })
export class AuthWorkerModule extends WorkerPart {
  constructor(signIns: SignInUpkeep, oauth: OauthUpkeep) {
    super(signIns, oauth);
  }
}
