import { Module } from '@nestjs/common';
import { CalendarsService } from './calendars.service.js';

/** Calendars without routes, for whoever counts days by them. */
@Module({ providers: [CalendarsService], exports: [CalendarsService] })
export class CalendarsRecordsModule {}
