import { Module } from '@nestjs/common';
import { AiPromptsRecordsModule } from './ai-prompts-records.module.js';
import { PromptsController } from './prompts.controller.js';

/** Prompts. */
@Module({ imports: [AiPromptsRecordsModule], controllers: [PromptsController] })
export class AiPromptsModule {}
