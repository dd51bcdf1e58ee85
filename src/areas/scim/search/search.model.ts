import { Field, listOf, text } from '#libs/http/field.js';
import { URN } from '#libs/scim-language/urn.js';
import { ScimListTerms } from '../scim.models.js';

const names = () => listOf(text({ max: 500 }), { max: 200 });

/** List parameters as a body. `Source:` RFC 7644 section 3.4.3. */
export class ScimSearch extends ScimListTerms {
  @Field(listOf(text({ max: 500 }), { max: 20 }), {
    description: 'URI of the message.',
    example: [URN.searchRequest],
    optional: true,
  })
  schemas?: string[];

  @Field(names(), { description: 'Attributes to show.', example: ['userName'], optional: true })
  attributes?: string[];

  @Field(names(), { description: 'Attributes to leave out.', example: [], optional: true })
  excludedAttributes?: string[];
}
