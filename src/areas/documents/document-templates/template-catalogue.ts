import { Injectable } from '@nestjs/common';
import { fold } from '#libs/kernel/fold.js';
import { byName } from '#libs/resource/lists/named-list.js';
import { pageOfAll } from '#libs/resource/lists/page-of-all.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { systemTemplate, systemTemplates } from '../system-templates/system-templates.js';
import {
  type DocumentTemplate,
  documentTemplates,
  type TemplateVersionView,
  type TemplateView,
} from './document-template.js';
import type { DocumentTemplateQuery } from './document-template.requests.js';
import { DocumentTemplatesRepository } from './document-templates.repository.js';

/** The templates of the tenant and of the platform. */
@Injectable()
export class TemplateCatalogue {
  constructor(
    private readonly kit: ResourceKit,
    private readonly rows: DocumentTemplatesRepository,
  ) {}

  /** System templates first, then by name. */
  async list({ include = [], ...query }: DocumentTemplateQuery): Promise<Page<TemplateView>> {
    const own = await this.rows.listed();
    const isDefault = defaultsBeside(own);
    const known = [...systemTemplates().map(isDefault), ...byName(own, { sort: ['name'] })];
    const { kind, status, locale, q } = query;
    const found = known.filter(
      (each) =>
        (kind === undefined || each.kind === kind) &&
        (status === undefined || each.status === status) &&
        (locale === undefined || each.locale === locale) &&
        (q === undefined || fold(`${each.name} ${each.key}`).includes(fold(q))),
    );
    const { data, page } = pageOfAll(byName(found, query), query, this.kit.cursors, [documentTemplates.type]);
    const shown = await this.shown(
      data.map(({ id }) => id),
      include.includes('versions'),
    );
    return { data: data.flatMap(({ id }) => shown.get(id) ?? systemShown(id, include, isDefault)), page };
  }

  /** A template of the tenant or the platform; null if there is none. */
  async find(id: string): Promise<TemplateView | null> {
    const row = systemTemplate(id) ? null : await this.rows.find(id);
    return row ? showTemplate(row, null) : (systemTemplate(id) ?? null);
  }

  /** A system template with whether it is the default. */
  async system(template: TemplateView): Promise<TemplateView> {
    return defaultsBeside(await this.rows.listed())(template);
  }

  /** Templates of the tenant by id; other ids are missing. */
  private async shown(ids: readonly string[], withVersions: boolean): Promise<Map<string, TemplateView>> {
    const own = ids.filter((id) => !systemTemplate(id));
    if (own.length === 0) return new Map();
    const rows = await this.rows.all((add) => `t.id = any(${add(own)}::uuid[])`);
    const versions = withVersions ? await this.rows.versions(own) : null;
    return new Map(rows.map((row) => [row.id, showTemplate(row, versions && (versions.get(row.id) ?? []))]));
  }
}

/** A template of the tenant in the API. */
export function showTemplate(
  { tenantId: _, ...row }: DocumentTemplate,
  versions: TemplateVersionView[] | null,
): TemplateView {
  return { ...row, object: documentTemplates.type, isSystem: false, versions };
}

function systemShown(
  id: string,
  include: readonly string[],
  isDefault: (template: TemplateView) => TemplateView,
): TemplateView[] {
  const template = systemTemplate(id);
  if (!template) return []; // deleted since the list was read
  return [{ ...isDefault(template), versions: include.includes('versions') ? template.versions! : null }];
}

/** A template of the platform is the default if the tenant has none of its kind and locale. */
function defaultsBeside(own: readonly Pick<DocumentTemplate, 'kind' | 'locale' | 'isDefault'>[]) {
  const taken = new Set(own.filter((each) => each.isDefault).map(({ kind, locale }) => `${kind} ${locale}`));
  return (template: TemplateView): TemplateView => ({
    ...template,
    isDefault: template.isDefault && !taken.has(`${template.kind} ${template.locale}`),
  });
}
