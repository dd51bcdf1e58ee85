import type { OpenAPIObject } from '@nestjs/swagger';
import type { Operation } from '#libs/http/openapi/parts.js';
import { type DocumentedOperation, documentedOperations } from '#libs/http/openapi/references.js';
import { escaped } from '#libs/http/pages/markup.js';
import { PROBLEMS } from '#libs/kernel/problem.js';
import { areaOf } from '#src/areas/discovery/operations/operation-catalogue.js';
import { Fields } from './fields.js';
import { layout } from './layout.js';
import { blocks, inline } from './markdown.js';
import { badge, OperationWriter } from './operations.js';
import { Schemas } from './schemas.js';

/** A page of the reference: the operations of a tag, or the events of an area. */
interface Chapter {
  /** Last segment of the path of the page. */
  slug: string;
  /** Group in the navigation. */
  area: string;
  title: string;
  description: string;
  entries: readonly Entry[];
  write: (fields: Fields) => string[];
}

/** What the index lists of an operation or event. */
interface Entry {
  id: string;
  /** HTML before the title. */
  mark: string;
  title: string;
  subtitle: string;
}

/** The group of the events in the navigation. */
const EVENTS = 'events';

/** The API reference as static pages, made from an OpenAPI document: an index, and a page for each tag. */
export class Reference {
  private readonly schemas: Schemas;
  private readonly chapters: ReadonlyMap<string, Chapter>;
  private readonly areas: ReadonlyMap<string, Chapter[]>;

  /** @param origin the public address of the API, for the examples. */
  constructor(
    private readonly document: OpenAPIObject,
    private readonly origin: string,
  ) {
    this.schemas = new Schemas(document);
    const chapters = [...this.ofOperations(), ...this.ofEvents()];
    this.chapters = new Map(chapters.map((each) => [each.slug, each]));
    this.areas = Map.groupBy(chapters, ({ area }) => area);
  }

  /** The first page: all operations by tag, and what they have in common. */
  index(): string {
    const areas = [...this.areas].map(
      ([area, chapters]) => `<section><h2>${escaped(area)}</h2>\n${chapters.map(groupOf).join('\n')}</section>`,
    );
    const main = [
      '<h1>API reference</h1>',
      '<p class="lead">All operations by area. The <a href="#basics">basics</a> apply to each of them; <a href="/docs/errors">error codes</a> have a page of their own. For tools: the <a href="/openapi.json">OpenAPI 3.1 document</a>.</p>',
      `<div class="copied"><pre>export BASE=${escaped(this.origin)}\nexport KEY=...    # an API key\ncurl -sS "$BASE/api/v1/sales/deals?limit=5" -H "x-api-key: $KEY"</pre></div>`,
      `<div id="operations">${areas.join('\n')}<p id="nothing" hidden>No operation has all of these words.</p></div>`,
      `<section class="operation basics" id="basics"><h2>Basics</h2>${blocks(this.document.info.description ?? '')}</section>`,
    ];
    return layout({ title: 'API reference', navigation: this.navigation(null), main: main.join('\n') });
  }

  /** A page with all operations of a tag and their models; null if there is none. */
  page(slug: string): string | null {
    const chapter = this.chapters.get(slug);
    if (!chapter) return null;
    const fields = new Fields(this.schemas);
    const main = [
      `<h1>${escaped(sentence(chapter.title))}</h1>`,
      `<p class="lead">${inline(chapter.description)}</p>`,
      `<ul class="entries">${rowsOf(chapter)}</ul>`,
      ...chapter.write(fields),
      fields.section(),
    ];
    return layout({ title: sentence(chapter.title), navigation: this.navigation(chapter), main: main.join('\n') });
  }

  /** The page of error codes. */
  errors(): string {
    const rows = Object.entries(PROBLEMS).map(
      ([code, [status, title]]) =>
        `<tr id="${code}"><td>${status}</td><td><code>${code}</code></td><td>${escaped(title)}</td></tr>`,
    );
    const main = [
      '<h1>Error codes</h1>',
      '<p class="lead">Every error response is a problem document (RFC 9457, <code>application/problem+json</code>). Its <code>code</code> is one of these. Rely on codes, which are stable; titles and details may change.</p>',
      `<table class="errors"><thead><tr><th>Status</th><th>Code</th><th>Title</th></tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>`,
    ];
    return layout({ title: 'Error codes', navigation: this.navigation(null), main: main.join('\n') });
  }

  private ofOperations(): Chapter[] {
    const all = documentedOperations(this.document);
    const aliases = Map.groupBy(
      all.filter((each) => each.aliasOf !== null),
      ({ aliasOf }) => aliasOf!,
    );
    const aliasesOf = ({ path }: DocumentedOperation) => [...new Set(aliases.get(path)?.map((each) => each.path))];
    const originals = all.filter((each) => each.aliasOf === null);
    const byTag = Map.groupBy(originals, ({ operation }) => operation.tags?.[0] ?? 'other');
    const descriptions = new Map(this.document.tags?.map(({ name, description }) => [name, description]));
    return [...byTag]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([tag, operations]) => ({
        slug: slugOf(tag),
        area: areaOf(operations[0]!.operation.operationId),
        title: tag,
        description: descriptions.get(tag) ?? '',
        entries: operations.map(({ path, method, operation }) => ({
          id: operation.operationId,
          mark: badge(method),
          title: operation.summary ?? operation.operationId,
          subtitle: path,
        })),
        write: (fields) => {
          const writer = new OperationWriter(this.schemas, fields);
          return operations.map((each) => writer.write(each, aliasesOf(each)));
        },
      }));
  }

  private ofEvents(): Chapter[] {
    const webhooks = Object.entries((this.document.webhooks ?? {}) as Record<string, { post: Operation }>);
    const named = webhooks.filter(([name]) => name !== '*');
    const byArea = Map.groupBy(named, ([name]) => name.split('.')[0]!);
    return [...byArea]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([area, events]) => ({
        slug: `${EVENTS}-${slugOf(area)}`,
        area: EVENTS,
        title: `${area} events`,
        description:
          'What webhook endpoints receive, and what `GET /api/webhooks/events` lists. Each event has the members of the envelope; `data` is described here.',
        entries: events.map(([name, { post }]) => ({
          id: name,
          mark: '<b class="method">EVENT</b>',
          title: name,
          subtitle: post.description ?? '',
        })),
        write: (fields) => {
          const writer = new OperationWriter(this.schemas, fields);
          const media = ({ post }: { post: Operation }) => Object.values(post.requestBody!.content)[0]!;
          return events.map(([name, item]) => writer.event(name, item.post.description ?? '', media(item)));
        },
      }));
  }

  private navigation(current: Chapter | null): string {
    const areas = [...this.areas].map(([area, chapters]) => {
      const items = chapters.map(
        (each) =>
          `<li><a href="/docs/api/${each.slug}"${each === current ? ' aria-current="page"' : ''}>${escaped(each.title)}</a></li>`,
      );
      return `<details${area === current?.area ? ' open' : ''}><summary>${escaped(area)}</summary><ul>${items.join('')}</ul></details>`;
    });
    return `<p><a href="/docs#basics">Basics</a><br><a href="/docs/errors">Error codes</a></p>\n${areas.join('\n')}`;
  }
}

/** A tag on the index: unfolds into its operations. */
function groupOf(chapter: Chapter): string {
  const name = escaped(sentence(chapter.title));
  const summary = `<b>${name}</b> <small>${chapter.entries.length}</small> ${inline(chapter.description)}`;
  return `<details id="${chapter.slug}"><summary>${summary}</summary><ul class="entries">${rowsOf(chapter)}</ul><p><a href="/docs/api/${chapter.slug}">${name} on one page</a></p></details>`;
}

function rowsOf({ slug, entries }: Chapter): string {
  return entries
    .map(
      ({ id, mark, title, subtitle }) =>
        `<li>${mark}<a href="/docs/api/${slug}#${id}">${inline(title)}</a><code>${escaped(subtitle)}</code></li>`,
    )
    .join('\n');
}

const slugOf = (tag: string): string => tag.toLowerCase().replace(/[^a-z0-9]+/g, '-');

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
