import { checkWhole, Field, id, integer, listOf, nested, text } from '#libs/http/field.js';
import { emailAddress } from '#libs/http/email-field.js';
import { typeKey } from '#libs/resource/lists/stored-filter.js';

/** A person, by an address or by a record that is about them. */
export class DataSubject {
  @Field(emailAddress(), {
    description: 'An address of the person. Without it, `object` and `id` are required.',
    example: 'ana@example.com',
    optional: true,
  })
  email?: string;

  @Field(typeKey(), {
    description:
      'Type of a record about the person: a contact, lead, candidate, employee or member (`core.membership`).',
    example: 'talent.candidate',
    optional: true,
  })
  object?: string;

  @Field(id(), { description: 'Id of that record.', optional: true })
  id?: string;
}
checkWhole(DataSubject, (body) => {
  const { email, object, id: recordId } = body as DataSubject;
  if (email !== undefined) {
    const [at] = object !== undefined ? ['/object'] : recordId !== undefined ? ['/id'] : [];
    return at === undefined ? [] : [{ at, code: 'not_with_email', detail: 'Not with `email`.' }];
  }
  const missing = object === undefined && recordId === undefined ? '/email' : object === undefined ? '/object' : '/id';
  if (object !== undefined && recordId !== undefined) return [];
  return [{ at: missing, code: 'required', detail: 'Send `email`, or `object` and `id`.' }];
});

export const MAX_FOUND = 500;

export class FoundPerson {
  @Field(text({ max: 60 }), { description: 'Type of the record.', example: 'talent.candidate' })
  object!: string;

  @Field(id(), { description: 'Id of the record.' })
  id!: string;

  @Field(text({ max: 60 }), { description: 'Reference of the record.', example: 'CAN-00012', nullable: true })
  reference!: string | null;

  @Field(text({ max: 400 }), { description: 'Name of the record.', example: 'Ana Silva' })
  name!: string;
}

export class Appearance {
  @Field(text({ max: 60 }), { description: 'Type of the records or rows.', example: 'talent.application' })
  object!: string;

  @Field(text({ max: 60 }), { description: 'The field that names the person.', example: 'candidateId' })
  field!: string;

  @Field(integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), { description: 'How many there are.', example: 2 })
  count!: number;
}

/** Where a person appears, as far as the caller may see it. */
export class SubjectFindings {
  @Field(listOf(nested(FoundPerson), { max: MAX_FOUND }), { description: 'The records about the person themselves.' })
  persons!: FoundPerson[];

  @Field(listOf(nested(Appearance), { max: 1_000 }), {
    description: 'What names one of these records, or a record that is part of them, by type and field.',
  })
  appearances!: Appearance[];
}
