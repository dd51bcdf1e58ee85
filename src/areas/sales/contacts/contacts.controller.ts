import { Body, Controller, Param, Post } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { ResourceController } from '#libs/resource/routes/resource.controller.js';
import { contacts } from './contact.js';
import { MergeContact } from './contact.parts.js';
import { ContactsService } from './contacts.service.js';

@Controller(pathOf(contacts))
export class ContactsController extends ResourceController(contacts) {
  constructor(private readonly service: ContactsService) {
    super(service.records);
  }

  @Route({
    id: 'sales.contacts.merge',
    summary: 'Merge a contact into another one',
    description:
      'Every reference to the contact moves to the other one, which also takes over e-mail addresses, telephone numbers and ids in other systems, as far as there is room; leads with such an address go to it. The contact is archived for good, with `mergedIntoId`.',
    permission: 'contacts:write',
    object: contacts.type,
    body: MergeContact,
    answer: contacts.view,
    record: true,
    problems: ['record_locked', 'in_use'],
    example: { body: { intoId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22' }, answer: contacts.example },
  })
  @Post(':id/merge')
  merge(@Param('id') id: string, @Body() input: MergeContact) {
    return this.service.merging.merge(id, input);
  }
}
