import { Field, flag, id, listOf, nested } from '#libs/http/field.js';
import { asksForNames } from '#libs/resource/lists/named-list.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { PageInfo } from '#libs/resource/types/record.dto.js';
import { type AiProvider, type AiProviderView, MAX_PROVIDERS, providers } from './provider.js';

export type ProviderPatch = Partial<
  Pick<AiProvider, 'name' | 'baseUrl' | 'secretName' | 'region' | 'isIdempotent' | 'enabled'>
>;
export type NewProvider = Pick<AiProvider, 'key' | 'api' | 'baseUrl'> & ProviderPatch;

export class AiProviderQuery extends PageQuery {}
asksForNames(AiProviderQuery, 'the built-in one first, then by key');

export class AiProviderList {
  @Field(listOf(nested(providers.view), { max: MAX_PROVIDERS + 1 }), {
    description: 'The built-in one first, then by key.',
  })
  data!: AiProviderView[];

  @Field(nested(PageInfo), { description: 'Position of the page in the list.' })
  page!: PageInfo;
}

export class DeletedAiRecord {
  @Field(id(), { description: 'Id of the deleted object.' })
  id!: string;

  @Field(flag(), { description: 'Always true.', example: true })
  deleted!: boolean;
}
