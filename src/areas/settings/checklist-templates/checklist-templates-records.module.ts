import { Module } from '@nestjs/common';
import { ChecklistTemplatesService } from './checklist-templates.service.js';

/** Checklist templates without routes, for modules that start checklists. */
@Module({ providers: [ChecklistTemplatesService], exports: [ChecklistTemplatesService] })
export class ChecklistTemplatesRecordsModule {}
