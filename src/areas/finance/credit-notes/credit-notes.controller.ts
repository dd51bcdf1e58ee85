import { Controller } from '@nestjs/common';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { creditNoteResource } from './credit-note.resource.js';
import { CreditNotesService } from './credit-notes.service.js';

@Controller(pathOf(creditNoteResource))
export class CreditNotesController extends ResourceController(creditNoteResource) {
  constructor(service: CreditNotesService) {
    super(service);
  }
}
