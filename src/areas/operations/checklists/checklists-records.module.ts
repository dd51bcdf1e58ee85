import { Module } from '@nestjs/common';
import { CalendarsRecordsModule } from '#src/areas/settings/calendars/calendars-records.module.js';
import { Checklists } from './checklists.js';

/** Checklists without routes, for flows that start them. */
@Module({ imports: [CalendarsRecordsModule], providers: [Checklists], exports: [Checklists] })
export class ChecklistsRecordsModule {}
