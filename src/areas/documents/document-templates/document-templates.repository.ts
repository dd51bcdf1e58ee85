import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { Format } from '#libs/templates/template.js';
import { DocumentTemplate, SHOWN_VERSIONS, type TemplateVersionView } from './document-template.js';
import type { TemplateContent } from './document-template.requests.js';
import type { TemplateVersion } from './template-version.entity.js';

const LIST = `select id, key, name, kind, status, locale, is_default as "isDefault" from data.document_templates
  where tenant_id = $1 order by id`;
const VERSIONS = `
  select v.template_id as "templateId", v.number as version, v.body_hash as "bodyHash",
    v.published_at as "publishedAt", v.published_by as "publishedBy"
  from unnest($2::uuid[]) wanted (id) cross join lateral (
    select * from data.document_template_versions v where v.tenant_id = $1 and v.template_id = wanted.id
    order by v.number desc limit $3) v
  order by v.template_id, v.number desc`;
const CONTENT = `select subject, body, styles, variables_schema as "variablesSchema"
  from data.document_template_versions where tenant_id = $1 and template_id = $2 and number = $3`;
const PARTIALS = `
  select t.key, v.body from data.document_templates t
    join data.document_template_versions v
      on v.tenant_id = t.tenant_id and v.template_id = t.id and v.number = t.current_version
  where t.tenant_id = $1 and t.key = any($2) and t.format = $3 and t.status = 'published'`;
const OF_MAILS = `
  select t.key, t.format, t.locale, v.subject, v.body, v.styles, v.variables_schema as "variablesSchema"
  from data.document_templates t
    join data.document_template_versions v
      on v.tenant_id = t.tenant_id and v.template_id = t.id and v.number = t.current_version
  where t.tenant_id = $1 and t.kind = 'email' and t.status = 'published' and (t.key = $2 or t.key like $2 || '-%')
  order by t.key`;
const OTHER_DEFAULT = `select id from data.document_templates
  where tenant_id = $1 and kind = $2 and locale = $3 and is_default and id <> $4`;
const ADD_VERSION = `
  insert into data.document_template_versions
    (tenant_id, template_id, number, subject, body, styles, variables_schema, body_hash, published_at, published_by)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;

/** What the list of templates filters and sorts by. */
export type ListedTemplate = Pick<DocumentTemplate, 'id' | 'key' | 'name' | 'kind' | 'status' | 'locale' | 'isDefault'>;

/** The current version of a published template. */
export type PublishedTemplate = TemplateContent & Pick<DocumentTemplate, 'key' | 'format' | 'locale'>;

@Injectable()
export class DocumentTemplatesRepository extends ResourceRepository<DocumentTemplate> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, DocumentTemplate);
  }

  /** All templates of the tenant without their content, oldest first. */
  listed(): Promise<ListedTemplate[]> {
    return this.database.read<ListedTemplate>(statement(LIST, [currentTenant().id]));
  }

  /** The newest versions of some templates, newest first, by template. */
  async versions(templateIds: readonly string[]): Promise<Map<string, TemplateVersionView[]>> {
    if (templateIds.length === 0) return new Map();
    const query = statement(VERSIONS, [currentTenant().id, templateIds, SHOWN_VERSIONS]);
    const rows = await this.database.read<TemplateVersionView & { templateId: string }>(query);
    const byTemplate = Map.groupBy(rows, ({ templateId }) => templateId);
    return new Map([...byTemplate].map(([id, versions]) => [id, versions.map(({ templateId: _, ...view }) => view)]));
  }

  /** The content of a published version. */
  async contentOf(templateId: string, version: number): Promise<TemplateContent | null> {
    const query = statement(CONTENT, [currentTenant().id, templateId, version]);
    return (await this.database.read<TemplateContent>(query))[0] ?? null;
  }

  /** Published bodies of the templates with some keys and one format; others are missing. */
  partials(keys: readonly string[], format: Format): Promise<{ key: string; body: string }[]> {
    return this.database.read<{ key: string; body: string }>(statement(PARTIALS, [currentTenant().id, keys, format]));
  }

  /** The published templates of mails for a purpose, by key. */
  ofMails(purpose: string): Promise<PublishedTemplate[]> {
    return this.database.read<PublishedTemplate>(statement(OF_MAILS, [currentTenant().id, purpose]));
  }

  /** The id of the other default of a template's kind and locale; null if there is none. */
  async otherDefault({ id, kind, locale }: Pick<DocumentTemplate, 'id' | 'kind' | 'locale'>): Promise<string | null> {
    const query = statement(OTHER_DEFAULT, [currentTenant().id, kind, locale, id]);
    return (await this.database.read<{ id: string }>(query))[0]?.id ?? null;
  }

  addVersion(version: TemplateVersion): Statement {
    const { tenantId, templateId, number, subject, body, styles, variablesSchema, bodyHash } = version;
    const values = [tenantId, templateId, number, subject, body, styles, variablesSchema, bodyHash];
    return statement(ADD_VERSION, [...values, version.publishedAt, version.publishedBy]);
  }
}
