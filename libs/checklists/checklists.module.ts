import { Module } from '@nestjs/common';
import { Checklists } from './checklists.js';

/** Checklists for flows and routes that start them. */
@Module({ providers: [Checklists], exports: [Checklists] })
export class ChecklistsModule {}
