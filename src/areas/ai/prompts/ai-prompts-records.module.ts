import { Module } from '@nestjs/common';
import { PromptVersionsRepository } from './prompt-versions.repository.js';
import { Prompts } from './prompts.js';
import { PromptsService } from './prompts.service.js';

/** Prompts without routes. */
@Module({
  providers: [Prompts, PromptVersionsRepository, PromptsService],
  exports: [Prompts, PromptsService],
})
export class AiPromptsRecordsModule {}
