import { Module } from '@nestjs/common';
import { CalendarsService } from './calendars.service.js';

/** Calendars without routes, for modules that count working days. */
@Module({ providers: [CalendarsService], exports: [CalendarsService] })
export class CalendarsRecordsModule {}
