import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { oneByOne } from '#libs/database/one-by-one.js';
import type { Transaction } from '#libs/database/transaction.js';
import { cut } from '#libs/kernel/cut.js';
import { toLatin } from '#libs/kernel/latin.js';
import { invalidTransition } from '#libs/kernel/lifecycle.js';
import { notWith, Problem, type Violation } from '#libs/kernel/problem.js';
import { checkPrecondition } from '#libs/resource/records/precondition.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import type { Rendered } from '#libs/templates/template.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { systemTemplate } from '../system-templates/system-templates.js';
import { type DocumentTemplate, documentTemplates, type TemplateView } from './document-template.js';
import type {
  ChangedTemplate,
  DocumentTemplatePatch,
  NewDocumentTemplate,
  TemplateContent,
} from './document-template.requests.js';
import { DocumentTemplatesRepository } from './document-templates.repository.js';
import { showTemplate, TemplateCatalogue } from './template-catalogue.js';
import { TemplatePreviews } from './template-previews.js';

const MAX_KEY = 50;
const ONE_BY_ONE = 'document templates';

type NewRow = Pick<DocumentTemplate, 'name' | 'kind' | 'format' | 'locale'> & TemplateContent;
/** What a patch can ask for, and the verb of its event. */
const EVENTS = { publish: 'published', archive: 'archived', unarchive: 'unarchived' } as const;
type Action = keyof typeof EVENTS;

const NOT_PUBLISHED = { code: 'not_published', detail: 'Only a published template can be the default.' };

/** Creates, changes, publishes and deletes templates of the tenant. */
@Injectable()
export class DocumentTemplatesService {
  private readonly objects: GovernedObjects<DocumentTemplate, TemplateView>;

  constructor(
    kit: ResourceKit,
    private readonly rows: DocumentTemplatesRepository,
    private readonly catalogue: TemplateCatalogue,
    private readonly previews: TemplatePreviews,
    private readonly settings: TenantSettings,
  ) {
    this.objects = new GovernedObjects(documentTemplates, kit, this, rows);
  }

  /** @throws Problem 400, 409 `duplicate`, `limit_reached`. */
  async create(input: NewDocumentTemplate): Promise<ChangedTemplate> {
    const row = await this.drafted(input);
    await this.previews.check(row);
    const rendered = input.preview ? await this.previews.render(row, input.preview) : null;
    return this.objects.unit(async (transaction) => {
      transaction.write(oneByOne(ONE_BY_ONE)); // so that the count is exact, and the key free
      const known = await this.rows.listed();
      await this.objects.refuseBeyondLimit(known.length);
      const key = input.key ?? keyFrom(row.name, new Set(known.map((each) => each.key)));
      const state = { status: 'draft', currentVersion: null, hasDraft: true, isDefault: false } as const;
      const own = { bodyHash: hash('sha256', row.body, 'hex'), createdBy: currentScope().actor };
      const added = this.objects.add(transaction, { ...row, key, ...state, ...own });
      return { ...(await this.objects.show(added)), rendered };
    });
  }

  /** Applies a patch, and takes the action that it asks for. @throws Problem 400, 404, 409, 412. */
  async update(
    id: string,
    { preview, publish = false, archive, ...patch }: DocumentTemplatePatch,
  ): Promise<ChangedTemplate> {
    const action = publish ? 'publish' : archive === undefined ? null : archive ? 'archive' : 'unarchive';
    if (publish && archive !== undefined)
      throw refused('/archive', notWith('publish', 'A template is published or archived.'));
    const system = systemTemplate(id);
    if (system) return this.previewed(system, action !== null || Object.keys(patch).length > 0, preview);
    const read = await this.objects.read(id);
    const edited = { ...read, ...patch };
    if (Object.keys(patch).length > 0) await this.previews.check(edited);
    const rendered: Rendered | null = preview ? await this.previews.render(edited, preview) : null;
    return this.objects.unit(async (transaction) => {
      if (patch.isDefault === true) transaction.write(oneByOne(ONE_BY_ONE)); // so that one becomes the default after the other
      const before = await this.objects.lock(transaction, id);
      if (rendered && before.version !== read.version)
        throw new Problem('version_mismatch', 'The template has changed while it was rendered; try again.', {
          extensions: { version: before.version },
        });
      const values = await this.changed(transaction, before, patch, action);
      const after = this.objects.change(transaction, before, values, action ? EVENTS[action] : 'updated');
      if (after.currentVersion !== before.currentVersion) transaction.write(this.versionOf(after));
      return { ...(await this.objects.show(after)), rendered };
    });
  }

  /** @throws Problem 404, 409 `system_template`, 412. */
  async remove(id: string) {
    if (systemTemplate(id)) throw new Problem('system_template', 'System templates cannot be changed or deleted.');
    return { ...(await this.objects.delete(id)), archived: false };
  }

  async show(rows: readonly DocumentTemplate[]): Promise<TemplateView[]> {
    const versions = await this.rows.versions(rows.map(({ id }) => id));
    return rows.map((row) => showTemplate(row, versions.get(row.id) ?? []));
  }

  /** A system template, of which nothing can change. @throws Problem 400, 409 `system_template`, 412. */
  private async previewed(
    template: TemplateView,
    isChange: boolean,
    preview: DocumentTemplatePatch['preview'],
  ): Promise<ChangedTemplate> {
    checkPrecondition(template.version);
    if (isChange) throw new Problem('system_template', 'System templates cannot be changed; copy it with `copyFrom`.');
    const rendered = preview ? await this.previews.render(template, preview) : null;
    return { ...(await this.catalogue.system(template)), rendered };
  }

  /** The values of a locked template after a patch and an action. @throws Problem 400, 409. */
  private async changed(
    transaction: Transaction,
    row: DocumentTemplate,
    patch: Partial<DocumentTemplate>,
    action: Action | null,
  ): Promise<DocumentTemplate> {
    if (row.status === 'archived' && action === null && Object.keys(patch).length > 0)
      throw new Problem('record_locked', 'The template is in the archive.');
    const edited = { ...row, ...patch };
    edited.bodyHash = hash('sha256', edited.body, 'hex');
    edited.hasDraft = await this.differs(edited);
    const possible = possibleActions(edited);
    if (action && !possible.includes(action)) throw invalidTransition(action, { state: row.status }, possible);
    const after = { ...edited, ...stateAfter(edited, action) };
    if (patch.isDefault === true && after.status !== 'published') throw refused('/isDefault', NOT_PUBLISHED);
    if (after.isDefault && !row.isDefault) await this.takeDefault(transaction, after);
    return after;
  }

  /** Whether the content differs from the current version, or there is none. */
  private async differs(row: DocumentTemplate): Promise<boolean> {
    const published = row.currentVersion === null ? null : await this.rows.contentOf(row.id, row.currentVersion);
    return !published || !isDeepStrictEqual(contentOf(row), contentOf(published));
  }

  /** Another template of the kind and locale is the default no longer. */
  private async takeDefault(transaction: Transaction, template: DocumentTemplate): Promise<void> {
    const other = await this.rows.otherDefault(template);
    if (other === null) return;
    const before = await this.objects.rows.lock(transaction, other);
    if (before) this.objects.change(transaction, before, { isDefault: false });
  }

  private versionOf({ tenantId, id: templateId, currentVersion, bodyHash, updatedAt, ...row }: DocumentTemplate) {
    return this.rows.addVersion({
      ...{ tenantId, templateId, number: currentVersion!, ...contentOf(row), bodyHash },
      ...{ publishedAt: updatedAt, publishedBy: currentScope().actor },
    });
  }

  /** The fields of a new template, from a body and the template that it copies. @throws Problem 400. */
  private async drafted(input: NewDocumentTemplate): Promise<NewRow> {
    const { copyFrom, name } = input;
    const source = copyFrom === undefined ? null : await this.catalogue.find(copyFrom);
    if (copyFrom !== undefined && !source) throw Problem.unknownReference('/copyFrom');
    const { kind = source?.kind, body = source?.body } = input;
    if (kind === undefined || body === undefined || input.isDefault === true)
      throw Problem.validation([
        ...(kind === undefined ? [required('/kind')] : []),
        ...(body === undefined ? [required('/body')] : []),
        ...(input.isDefault === true ? [{ pointer: '/isDefault', ...NOT_PUBLISHED }] : []),
      ]);
    const { subject = null, styles = null, variablesSchema = null } = { ...source, ...input };
    const { format = source?.format ?? 'html' } = input;
    const locale = input.locale ?? source?.locale ?? (await this.settings.get()).general.locale;
    return { name, kind, format, locale, subject, body, styles, variablesSchema };
  }
}

/** Without a draft there is nothing to publish. */
function possibleActions({ status, hasDraft }: DocumentTemplate): Action[] {
  if (status === 'archived') return ['unarchive'];
  return status === 'published' && !hasDraft ? ['archive'] : ['publish', 'archive'];
}

/** What an action changes. */
function stateAfter({ currentVersion }: DocumentTemplate, action: Action | null): Partial<DocumentTemplate> {
  if (action === 'publish') return { status: 'published', currentVersion: (currentVersion ?? 0) + 1, hasDraft: false };
  if (action === 'archive') return { status: 'archived', isDefault: false };
  return action === 'unarchive' ? { status: currentVersion === null ? 'draft' : 'published' } : {};
}

function contentOf({ subject, body, styles, variablesSchema }: TemplateContent): TemplateContent {
  return { subject, body, styles, variablesSchema };
}

/** A free key derived from a name. */
function keyFrom(name: string, taken: ReadonlySet<string>): string {
  const plain = toLatin(name)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '');
  const base = cut(plain, MAX_KEY).replace(/-$/, '') || 'template';
  if (!taken.has(base)) return base;
  for (let number = 2; ; number++) if (!taken.has(`${base}-${number}`)) return `${base}-${number}`;
}

function required(pointer: string): Violation {
  return { pointer, code: 'required', detail: 'The field is required without `copyFrom`.' };
}

function refused(pointer: string, { code, detail }: Pick<Violation, 'code' | 'detail'>): Problem {
  return Problem.validation([{ pointer, code, detail }]);
}
