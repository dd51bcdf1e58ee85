import { Module } from '@nestjs/common';
import { Authorities } from './authority.js';
import { Credentials } from './credentials.js';
import { Guarantors } from './guarantors.js';

/** Asks again for the rights of those behind delayed work; one cache for all who ask. */
@Module({ providers: [Authorities, Credentials, Guarantors], exports: [Guarantors] })
export class GuarantorsModule {}
