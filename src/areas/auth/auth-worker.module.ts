import { Module } from '@nestjs/common';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { SignInUpkeep } from './sign-in-upkeep.js';

/** Signing in, in the worker. */
@Module({ providers: [SignInUpkeep] })
export class AuthWorkerModule extends WorkerPart {
  constructor(upkeep: SignInUpkeep) {
    super(upkeep);
  }
}
