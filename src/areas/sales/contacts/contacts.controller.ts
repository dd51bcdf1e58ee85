import { Body, Controller, Param, Post } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { ContactView, MergeContact } from './contact.dto.js';
import { contactResource } from './contact.resource.js';
import { ContactsService } from './contacts.service.js';

@Controller(pathOf(contactResource))
export class ContactsController extends ResourceController(contactResource) {
  constructor(private readonly contacts: ContactsService) {
    super(contacts);
  }

  @Route({
    id: 'sales.contacts.merge',
    summary: 'Merge a contact into another one',
    description:
      'What refers to the contact refers to the other one from then on, who takes over e-mail addresses, telephone numbers and ids in other systems, as far as there is room; leads with such an address go to it. The contact is archived for good, with `mergedIntoId`.',
    permission: 'contacts:write',
    object: contactResource.type,
    body: MergeContact,
    answer: ContactView,
    record: true,
    problems: ['record_locked', 'in_use'],
    example: { body: { intoId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22' }, answer: contactResource.example },
  })
  @Post(':id/merge')
  merge(@Param('id') id: string, @Body() input: MergeContact) {
    return this.contacts.merge(id, input);
  }
}
