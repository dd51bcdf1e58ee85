import { Module } from '@nestjs/common';
import { AuthController } from './auth.controller.js';
import { AuthRecordsModule } from './auth-records.module.js';

/** Signing in and out. */
@Module({ imports: [AuthRecordsModule], controllers: [AuthController] })
export class AuthModule {}
