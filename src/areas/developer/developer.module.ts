import { Module } from '@nestjs/common';
import { EventSchemaController } from './event-schema.controller.js';

/** What developers of integrations look up. */
@Module({ controllers: [EventSchemaController] })
export class DeveloperModule {}
