import { Injectable } from '@nestjs/common';
import { isReadable } from '#libs/resource/access/readable.js';
import { civilDateAt } from '#libs/kernel/civil-time.js';
import { notWith, Problem, type Violation } from '#libs/kernel/problem.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { TemplateEngine } from '#libs/templates/template-engine.js';
import { type Format, MAX_DEPTH, MAX_PARTIALS, type Rendered, type TemplateFault } from '#libs/templates/template.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { TenantReader } from '#libs/tenants/tenant-reader.js';
import { systemTemplates } from '../system-templates/system-templates.js';
import type { DocumentTemplate, PreviewTarget, TemplatePreview } from './document-template.js';
import type { TemplateContent } from './document-template.requests.js';
import { DocumentTemplatesRepository } from './document-templates.repository.js';

/** What is rendered. */
export type RenderedText = TemplateContent & Pick<DocumentTemplate, 'format' | 'locale'>;

type Partials = Map<string, { body: string; includes: string[] }>;

/** Checks and renders templates, with the data that the caller may see. Does not belong into a transaction. */
@Injectable()
export class TemplatePreviews {
  constructor(
    private readonly kit: ResourceKit,
    private readonly engine: TemplateEngine,
    private readonly rows: DocumentTemplatesRepository,
    private readonly settings: TenantSettings,
    private readonly tenants: TenantReader,
  ) {}

  /** @throws Problem 400 for a template that the language does not allow. */
  async check(text: RenderedText): Promise<void> {
    await this.inspected(text);
  }

  /** @throws Problem 400 for an unknown target, and for a template that cannot be rendered. */
  async render(text: RenderedText, preview: TemplatePreview): Promise<Rendered> {
    return this.renderData(text, await this.dataOf(preview));
  }

  /** Renders with all variables. @throws Problem 400 for a template that cannot be rendered. */
  async renderData(text: RenderedText, data: Record<string, unknown>): Promise<Rendered> {
    const partials = await this.partialsOf(await this.inspected(text), text.format);
    const { general } = await this.settings.get();
    const outcome = await this.engine.render(currentTenant().id, {
      template: text,
      partials: [...partials].map(([key, { body }]) => [key, body] as const),
      data,
      ...{ locale: text.locale, timeZone: general.timezone, currency: currentTenant().currency },
    });
    if ('faults' in outcome) throw refused(outcome.faults);
    return outcome.rendered;
  }

  /** The keys that a template includes. */
  private async inspected(text: RenderedText): Promise<string[]> {
    const { partials, faults } = await this.engine.inspect(currentTenant().id, text);
    if (faults.length > 0) throw refused(faults);
    return partials;
  }

  /**
   * The published templates that a template includes, directly or through others.
   * @throws Problem 400 for unknown ones, for cycles, and for too many.
   */
  private async partialsOf(keys: readonly string[], format: Format): Promise<Partials> {
    const known: Partials = new Map();
    let wanted = [...new Set(keys)];
    while (wanted.length > 0) {
      if (known.size + wanted.length > MAX_PARTIALS)
        throw refused([fault('template_too_costly', `It includes more than ${MAX_PARTIALS} other templates.`)]);
      const bodies = new Map((await this.published(wanted, format)).map(({ key, body }) => [key, body]));
      const unknown = wanted.find((key) => !bodies.has(key));
      if (unknown !== undefined)
        throw refused([fault('unknown_partial', `There is no published template ${unknown} in the format ${format}.`)]);
      for (const [key, body] of bodies) {
        const { partials, faults } = await this.engine.inspect(currentTenant().id, {
          ...{ format, body, subject: null, styles: null, variablesSchema: null },
        });
        if (faults.length > 0) throw refused(faults);
        known.set(key, { body, includes: partials });
      }
      wanted = [...new Set([...bodies.keys()].flatMap((key) => known.get(key)!.includes))].filter(
        (key) => !known.has(key),
      );
    }
    requireTree(known, keys, []);
    return known;
  }

  private async published(keys: readonly string[], format: Format): Promise<{ key: string; body: string }[]> {
    const own = await this.rows.partials(keys, format);
    return [...own, ...systemTemplates().filter((each) => each.format === format && keys.includes(each.key))];
  }

  /** All variables: those that are given, the record, and what every template gets. @throws Problem 400. */
  async variables({ data, target }: TemplatePreview, pointer: string): Promise<Record<string, unknown>> {
    const record = target ? { link: null, ...(await this.recordOf(target, pointer)) } : {}; // only mails lead to a page
    return { ...data, ...record, ...(await this.commonData()) };
  }

  private async dataOf({ data, target }: TemplatePreview): Promise<Record<string, unknown>> {
    if (data && target)
      throw Problem.validation([
        { pointer: '/preview/data', ...notWith('target', 'A preview has data or a target, not both.') },
      ]);
    return this.variables({ data, target }, '/preview/target');
  }

  /** The record under its noun, as the API shows it to the caller. @throws Problem 400. */
  private async recordOf({ object, id }: PreviewTarget, pointer: string): Promise<Record<string, unknown>> {
    const resource = this.kit.registry.ofType(object);
    if (!resource) throw unknownTarget(`${pointer}/object`, 'unknown_type', 'There is no such type of records.');
    const unknown = Problem.unknownReference(`${pointer}/id`);
    if (!isReadable(resource.definition)) throw unknown;
    try {
      return { [memberOf(resource.definition.noun)]: await resource.service.get(id) };
    } catch (error) {
      throw error instanceof Problem && error.code === 'not_found' ? unknown : error;
    }
  }

  /** What every template gets: the tenant as its documents show it, and the date of today in its time zone. */
  private async commonData(): Promise<Record<string, unknown>> {
    const { general, finance, branding } = await this.settings.get();
    const { name } = await this.tenants.current();
    const { legalName, address, taxId, bank } = finance.legalEntity;
    const { country, locale, timezone } = general;
    const { displayName, primaryColor } = branding;
    return {
      tenant: {
        ...{ name: displayName ?? name, legalName: legalName ?? general.legalName, address, taxId, bank },
        ...{ country, locale, timezone, primaryColor, currency: currentTenant().currency },
      },
      today: civilDateAt(this.kit.clock.nowMs(), timezone),
    };
  }
}

/** @throws Problem 400 if templates include each other in a circle or too deeply. */
function requireTree(known: Partials, keys: readonly string[], path: readonly string[]): void {
  for (const key of keys) {
    if (path.includes(key))
      throw refused([fault('template_cycle', `Templates include each other: ${[...path, key].join(' > ')}.`)]);
    if (path.length >= MAX_DEPTH)
      throw refused([fault('template_too_costly', `Templates include each other more than ${MAX_DEPTH} levels deep.`)]);
    requireTree(known, known.get(key)!.includes, [...path, key]);
  }
}

function fault(code: TemplateFault['code'], detail: string): TemplateFault {
  return { at: 'body', code, detail };
}

function refused(faults: readonly TemplateFault[]): Problem {
  return Problem.validation(faults.map(({ at, code, detail }) => ({ pointer: `/${at}`, code, detail })));
}

function unknownTarget(pointer: string, code: string, detail: string): Problem {
  const violation: Violation = { pointer, code, detail };
  return Problem.validation([violation]);
}

/** `credit note` as `creditNote`. */
function memberOf(noun: string): string {
  return noun.replaceAll(/ (.)/g, (_, letter: string) => letter.toUpperCase());
}
