import { Module } from '@nestjs/common';
import { PromptVersionsRepository } from './prompt-versions.repository.js';
import { Prompts } from './prompts.js';
import { PromptsRepository } from './prompts.repository.js';
import { PromptsService } from './prompts.service.js';

/** Prompts without routes. */
@Module({
  providers: [Prompts, PromptVersionsRepository, PromptsRepository, PromptsService],
  exports: [Prompts, PromptsService],
})
export class AiPromptsRecordsModule {}
