import { oneOf, text } from '#libs/http/field.js';
import { stateless } from '#libs/kernel/lifecycle.js';
import { Attribute } from '#libs/resource/types/attribute.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType } from '#libs/resource/types/record-type.js';
import { archiveActions, trashActions } from '#libs/resource/types/standard-actions.js';

const KINDS = ['introduction', 'terms', 'section'] as const;
const locale = () =>
  text({ min: 2, max: 35, pattern: /^[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8})*$/, form: 'a language tag such as en-GB' });

/** A text that is used again in proposals. */
export class ContentBlock extends RecordRow {
  @Attribute(oneOf(KINDS), 'Place in a proposal; `section` by default.', { default: 'section', filter: true })
  kind!: (typeof KINDS)[number];

  @Attribute(locale(), 'Language of the text, as a BCP 47 tag.', { example: 'en-GB', nullable: true })
  locale!: string | null;

  @Attribute(text({ min: 1, max: 20_000 }), 'The text.', { example: 'We have worked for public libraries since 2012.' })
  body!: string;
}

declare module '#libs/auth/permissions.js' {
  interface PlainResources {
    'content-blocks': true;
  }
}

export const contentBlocks = recordType(ContentBlock, {
  area: 'proposals',
  collection: 'content-blocks',
  noun: 'content block',
  prefix: 'BLOCK',
  permissions: { read: 'content-blocks:read', write: 'content-blocks:write' },
  name: { example: 'About us' },
  lifecycle: stateless({
    ...archiveActions('content block', ['active'], 'content-blocks:write'),
    ...trashActions('content block', ['active'], 'content-blocks:delete', 'medium'),
  }),
});
