import { Module } from '@nestjs/common';
import { TimelineKit } from '../timeline-kit.js';
import { LinksRepository } from './links.repository.js';
import { LinksService } from './links.service.js';

/** Links between records without routes, for flows that link records. */
@Module({ providers: [LinksRepository, LinksService, TimelineKit], exports: [LinksService, TimelineKit] })
export class LinksRecordsModule {}
